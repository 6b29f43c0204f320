// Package migrations embeds the numbered SQL of Matchbook's schema, so that every program
// carries its own copy. Use lambda/postgres/schema to run it.
//
// Migrations run while the functions work, and the previous version keeps working with the new
// schema: for minutes during a deployment, for longer after a rollback. So a migration must
// keep everything the previous version reads and writes; drop a column or table one deployment
// after its last use. Nor may a migration stop the previous version meanwhile, so from 00010 on
// (see rules_test.go):
//
//   - Use SET LOCAL lock_timeout before ALTER TABLE, or SET lock_timeout in a migration without
//     a transaction, because a statement waiting for its lock makes all later ones wait behind
//     it. A migration that reached the timeout runs again, so one without a transaction must
//     allow that (IF NOT EXISTS).
//   - Add a CHECK as NOT VALID, and validate it in a later transaction, so that reading the
//     table takes a lock that lets others write.
//   - Create an index on a table in use CONCURRENTLY.
package migrations

import "embed"

// FS holds the migrations, NNNNN_name.sql, each with an up and a down half.
//
//go:embed *.sql
var FS embed.FS

// Newest is the number of the last migration. The functions compare it with the database's and do
// without FS.
const Newest = 66
