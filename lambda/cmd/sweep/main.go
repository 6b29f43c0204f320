// Command sweep is the scheduled Lambda function that repairs what crashed or
// got lost.
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
		fmt.Fprintln(os.Stderr, "sweep:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, env setup.Env) error {
	config, err := setup.LoadPublisher(env)
	if err != nil {
		return err
	}
	sweeper, close, err := setup.Sweep(ctx, config, slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(sweeper.Run, lambda.WithContext(ctx))
	return nil
}
