// Command console is the Lambda function behind the HTTP API of the console: it serves pages
// about documents and their matches to logged-in people.
package main

import (
	"context"
	"net/http"

	"matchbook/lambda/console"
	"matchbook/lambda/console/httpapi"
	"matchbook/lambda/console/login"
	"matchbook/lambda/console/login/oidc"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

func main() { setup.Main(manifest.Console.Name, setup.LoadConsole, open) }

func open(ctx context.Context, c setup.Config, t *telemetry.Telemetry) (handler any, close func(), err error) {
	db, queue, err := setup.Open(ctx, c, manifest.Console.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	files, reads, err := console.OpenFiles(ctx, c)
	var pages http.Handler
	if err == nil {
		pages, err = console.New(console.Config{DB: db, Sender: queue, Reads: reads, Files: files, MaxUpload: httpapi.MaxBody, Log: t.Log})
	}
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	guarded := login.Handler(login.Config{Method: oidc.New(oidc.Config(c.Login)), Store: db, Log: t.Log}, pages)
	return t.Handler(httpapi.Wrap(guarded)), db.Close, nil
}
