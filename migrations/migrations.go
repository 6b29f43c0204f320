// Package migrations holds the numbered SQL that makes Matchbook's schema,
// embedded so that every program carries its own. They are run by
// postgres.Migrate.
package migrations

import "embed"

// FS holds the migrations, NNNNN_name.sql, each with an up and a down half.
//
//go:embed *.sql
var FS embed.FS
