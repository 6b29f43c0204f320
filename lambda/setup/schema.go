package setup

import (
	"context"
	"log/slog"
	"time"

	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/schema"
)

// warnNewer logs a warning if the schema is newer than this version. It does
// not refuse to work: in every deployment with migrations the version before
// works with the new schema until its alias moves on, and after a deployment
// that was rolled back until the next one. Migrations keep to that rule (see
// package migrations); refusing here would stop the traffic each time. The
// command has no such reason, and refuses.
//
// It runs in a goroutine of its own and reports no error: the work meets the
// same error, and reports it.
func warnNewer(db *postgres.DB, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if s, err := schema.Read(ctx, db); err == nil && s.Newer > 0 {
		log.Warn("the schema is newer than this version, "+
			"which is fine during a deployment and after one that was rolled back", "schema", s.Newer, "known", s.Known)
	}
}
