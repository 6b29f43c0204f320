// Command console is the Lambda function behind the HTTP API of the console: pages
// about documents and their matches, for people who are logged in.
package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"

	"matchbook/lambda/console"
	"matchbook/lambda/console/httpapi"
	"matchbook/lambda/console/login"
	"matchbook/lambda/console/login/oidc"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	if err := run(context.Background(), os.Getenv); err != nil {
		slog.Error("cannot start", "reason", err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, env setup.Env) error {
	telemetry := telemetry.New(env, manifest.Console.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadConsole(env)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	handler, close, err := open(ctx, config, telemetry.Log)
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(telemetry.Handler(httpapi.Wrap(handler)), lambda.WithContext(ctx))
	return nil
}

// open opens the function. close closes its database.
func open(ctx context.Context, c setup.Config, log *slog.Logger) (h http.Handler, close func(), err error) {
	db, queue, err := setup.Open(ctx, c, manifest.Console.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	pages, err := console.New(console.Config{DB: db, Sender: queue, Log: log})
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return login.Handler(login.Config{Method: oidc.New(oidc.Config(c.Login)), Store: db, Log: log}, pages), db.Close, nil
}
