// Package migrations holds the numbered SQL that makes Matchbook's schema,
// embedded so that every program carries its own. lambda/postgres/schema runs them.
//
// They run while the functions work, and the version before goes on working
// with the new schema: during a deployment for some minutes, after one that was
// rolled back for longer. So each migration keeps everything that the version
// before reads and writes; a column or table that the new version no longer
// needs goes one deployment later. And no migration may stop the version before
// meanwhile, so from 00010 on (rules_test.go):
//
//   - ALTER TABLE comes after SET LOCAL lock_timeout, or SET lock_timeout in a
//     migration without a transaction: a statement that waits for
//     its lock makes all later ones wait behind it. A migration that reached the
//     timeout is run again; one without a transaction is written so that it can
//     be (IF NOT EXISTS).
//   - A CHECK is added as NOT VALID and validated afterwards, not in the same
//     transaction: reading the table then takes a lock that lets others write.
//   - An index on a table in use is made CONCURRENTLY.
package migrations

import "embed"

// FS holds the migrations, NNNNN_name.sql, each with an up and a down half.
//
//go:embed *.sql
var FS embed.FS
