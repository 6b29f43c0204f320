// Package web is the Lambda function behind the URL of reviews: it starts reviews, streams
// their findings, and serves a page for people.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	feedback "matchbook/lambda/offer/web"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	domain "matchbook/lambda/review/web"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambdaurl"
)

// Open opens the pages as a Lambda handler.
func Open(ctx context.Context, c setup.Config, t *telemetry.Telemetry) (handler any, close func(), err error) {
	pages, close, err := Pages(ctx, c, t.Log, manifest.Web.Timeout-manifest.StreamReserve)
	if err != nil {
		return nil, nil, err
	}
	// Don't use t.Handler, because it buffers the whole response.
	return lambdaurl.Wrap(t.HTTP(pages)), close, nil
}

// Pages opens the pages. A stream of findings ends after streamFor, and the browser reconnects.
// You must call close.
func Pages(ctx context.Context, c setup.Config, log *slog.Logger, streamFor time.Duration) (
	pages http.Handler, close func(), err error) {
	tokens, err := domain.NewTokens(c.TokenSecret)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", variable.ReviewTokenSecret, err)
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
	reviews := reviews.New(db)
	tokens.Since = reviews.TokensSince
	starter := &review.Starter{Store: reviews, Sender: queue, Log: log}
	if c.Model != nil {
		starter.Model, starter.Price = c.Model.OpenAI.Model, c.Model.Price
	}
	paths := http.NewServeMux()
	paths.Handle("/", domain.New(domain.Config{Reviews: reviews, Control: reviews, Starter: starter, Texts: texts, Sender: queue,
		Tokens: tokens, Quota: reviews, Log: log, StreamFor: streamFor}))
	paths.Handle("/offers/", feedback.New(feedback.Config{Store: offers.New(db), Tenant: tokens.Tenant, Log: log}))
	return paths, db.Close, nil
}

// openTexts opens the store of files, for reviews of documents. It returns nil without one.
func openTexts(ctx context.Context, c setup.Config, db *postgres.DB) (domain.Texts, error) {
	if c.Blobs == "" {
		return nil, nil
	}
	files, err := blob.Open(ctx, c.Blobs, setup.LoadAWS)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", variable.BlobURL, err)
	}
	return review.Texts{Ingestions: ingestions.New(db), Files: files}, nil
}
