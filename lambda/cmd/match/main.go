// Command match is the Lambda function that matches the documents named by an
// SQS event.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"matchbook/lambda/setup"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	if err := run(context.Background(), os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "match:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, env setup.Env) error {
	config, err := setup.LoadMatch(env)
	if err != nil {
		return err
	}
	handler, close, err := setup.Match(ctx, config, slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(handler.Handle, lambda.WithContext(ctx))
	return nil
}
