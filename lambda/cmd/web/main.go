// Command web is the Lambda function behind the URL of reviews: it starts reviews, streams
// their findings, and serves a page for people. It also takes answers to offers.
package main

import (
	"context"
	"fmt"
	"net/http"

	"matchbook/lambda/blob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	offerweb "matchbook/lambda/offer/web"
	"matchbook/lambda/postgres"
	"matchbook/lambda/review"
	"matchbook/lambda/review/web"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambdaurl"
)

func main() { setup.Main(manifest.Web.Name, setup.LoadWeb, open) }

func open(ctx context.Context, c setup.Config, t *telemetry.Telemetry) (handler any, close func(), err error) {
	tokens, err := web.NewTokens(c.TokenSecret)
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
	reviews := db.Reviews()
	starter := &review.Starter{Store: reviews, Sender: queue, Log: t.Log}
	if c.Model != nil {
		starter.Model, starter.Price = c.Model.OpenAI.Model, c.Model.Price
	}
	pages := web.New(web.Config{Reviews: reviews, Control: reviews, Starter: starter, Texts: texts, Sender: queue,
		Tokens: tokens, Log: t.Log, StreamFor: manifest.Web.Timeout - manifest.StreamReserve})
	paths := http.NewServeMux()
	paths.Handle("/", pages)
	paths.Handle("/offers/", offerweb.New(offerweb.Config{Store: db, Tenant: tokens.Tenant, Log: t.Log}))
	// Don't use t.Handler, because it buffers the whole response.
	return lambdaurl.Wrap(t.HTTP(paths)), db.Close, nil
}

// openTexts opens the store of files, for reviews of documents. It returns nil without one.
func openTexts(ctx context.Context, c setup.Config, db *postgres.DB) (web.Texts, error) {
	if c.Blobs == "" {
		return nil, nil
	}
	files, err := blob.Open(ctx, c.Blobs, setup.LoadAWS)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", variable.BlobURL, err)
	}
	return review.Texts{Ingestions: db.Ingestions(), Files: files}, nil
}
