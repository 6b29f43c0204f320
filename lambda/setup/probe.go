package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	reports "matchbook/lambda/postgres/report"
	"matchbook/migrations"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

// Probe is the event that asks a function whether it can work. It answers with a Readiness: it has
// started, so its configuration and its secrets are valid, and it has read the schema's version.
const Probe = `{"matchbook":"probe"}`

// Readiness is the answer to Probe.
type Readiness struct {
	Schema int64 `json:"schema"` // version of the database's schema
	Needs  int64 `json:"needs"`  // version this function was made for
}

func isProbe(payload []byte) bool {
	var event struct{ Matchbook string }
	return len(payload) < 2*len(Probe) && bytes.Contains(payload, []byte("matchbook")) &&
		json.Unmarshal(payload, &event) == nil && event.Matchbook == "probe"
}

// probed returns a handler that answers probes, and leaves all other events to handler.
func probed(handler any, c Config) any {
	switch h := handler.(type) {
	case lambda.Handler:
		return prober{h, c}
	case func(context.Context, *events.LambdaFunctionURLRequest) (*events.LambdaFunctionURLStreamingResponse, error):
		return func(ctx context.Context, payload json.RawMessage) (any, error) { // a lambda.Handler wouldn't stream
			if isProbe(payload) {
				return readiness(ctx, c)
			}
			var request events.LambdaFunctionURLRequest
			if err := json.Unmarshal(payload, &request); err != nil {
				return nil, err
			}
			return h(ctx, &request)
		}
	}
	return handler
}

type prober struct {
	lambda.Handler
	config Config
}

// Invoke implements lambda.Handler.
func (p prober) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if !isProbe(payload) {
		return p.Handler.Invoke(ctx, payload)
	}
	r, err := readiness(ctx, p.config)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// readiness reads the schema's version by a connection that ends with the call.
func readiness(ctx context.Context, c Config) (r Readiness, err error) {
	db, err := openDatabase(ctx, c, 1)
	if err != nil {
		return r, err
	}
	defer db.Close()
	r.Needs = migrations.Newest
	if r.Schema, err = db.SchemaVersion(ctx); err != nil {
		return r, errors.New("read the schema's version: " + failure.Of(err).Text) // safe for the log and the response
	}
	if r.Schema < r.Needs {
		return r, fmt.Errorf("schema version %d is older than this function's %d: run the migrations first", r.Schema, r.Needs)
	}
	return r, nil
}

// warnNewer logs a warning if the schema is newer than this version. It doesn't refuse to
// work, because that would stop the traffic at each deployment: the previous version must work
// with the new schema until its alias moves on, and after a rollback until the next deployment
// (see package migrations for this rule). The command refuses instead.
//
// Run it in a goroutine. It returns no error, because the work meets the same error and
// reports it.
func warnNewer(db *postgres.DB, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if version, err := db.SchemaVersion(ctx); err == nil && version > migrations.Newest {
		log.Warn("schema newer than this version; "+
			"expected during a deployment or after a rollback", "schema", version, "known", migrations.Newest)
	}
}

// VersionAttempts counts the ended attempts of a deployed version of a function in the last hour.
func VersionAttempts(ctx context.Context, c Config, f manifest.Function, version string) (reports.VersionAttempts, error) {
	db, err := openDatabase(ctx, c, 1)
	if err != nil {
		return reports.VersionAttempts{}, err
	}
	defer db.Close()
	return reports.From(db).VersionAttempts(ctx, f, version)
}
