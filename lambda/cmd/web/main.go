// Command web is the Lambda function behind the URL of reviews: it starts them,
// streams their findings and has a page for people.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"matchbook/lambda/blob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/review"
	"matchbook/lambda/review/web"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdaurl"
)

func main() {
	if err := run(context.Background(), os.Getenv); err != nil {
		slog.Error("cannot start", "reason", err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, env setup.Env) error {
	telemetry := telemetry.New(env, manifest.Web.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadWeb(env)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	handler, close, err := open(ctx, config, telemetry.Log)
	if err != nil {
		return err
	}
	defer close()
	// Not telemetry.Handler, which would keep a response until it is whole.
	lambda.StartWithOptions(lambdaurl.Wrap(telemetry.HTTP(handler)), lambda.WithContext(ctx))
	return nil
}

// open opens the function. close closes its adapters.
func open(ctx context.Context, c setup.Config, log *slog.Logger) (h http.Handler, close func(), err error) {
	tokens, err := web.NewTokens(c.TokenSecret)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvReviewTokenSecret, err)
	}
	db, queue, err := setup.Open(ctx, c, manifest.Web.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	texts, err := openTexts(ctx, c, db)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	reviews := db.Reviews()
	starter := &review.Starter{Store: reviews, Sender: queue, Log: log}
	if c.Model != nil {
		starter.Model, starter.Price = c.Model.OpenAI.Model, c.Model.Price
	}
	return web.New(web.Config{Reviews: reviews, Control: reviews, Starter: starter, Texts: texts, Sender: queue, Tokens: tokens,
		Log: log, StreamFor: manifest.Web.Timeout - manifest.StreamReserve}), db.Close, nil
}

// openTexts opens the store of files, for reviews of documents; nil without one.
func openTexts(ctx context.Context, c setup.Config, db *postgres.DB) (web.Texts, error) {
	if c.Blobs == "" {
		return nil, nil
	}
	files, err := blob.Open(ctx, c.Blobs, setup.LoadAWS)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvBlobURL, err)
	}
	return review.Texts{Ingestions: db.Ingestions(), Files: files}, nil
}
