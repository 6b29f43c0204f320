package postgres

import (
	"context"
	"fmt"
	"time"
)

// Pruned is a kind of data that you may delete once it is old.
type Pruned struct {
	Kind, What string
	// The rows of table with the condition older, for $1, are deleted, or changed by set.
	table, older, set string
}

// PrunedKinds lists what Prune can prune. The list is part of the help.
var PrunedKinds = []Pruned{
	{"answers", "answers of models; without them, a question asked again is paid again, and cost knows less",
		"model_answer", "asked_at < $1", ""},
	{"embeddings", "embeddings of texts, which documents keep", "model_embedding", "created_at < $1", ""},
	{"attempts", "attempts of rows, with worker, end and error", "attempt", "claimed_at < $1", ""},
	{"notifications", "notifications to people, also unsent ones", "notification", "created_at < $1", ""},
	{"events", "events delivered or given up", "event", "coalesce(delivered_at, dead_at) < $1", ""},
	{"rosters", "profiles frozen for match offers; without them, a set can't be explained",
		"offer_roster", "date < $1::timestamptz::date", ""},
	{"reviews", "texts of ended reviews; findings keep their quotes", "review_text",
		"text <> '' AND EXISTS (SELECT FROM review_job AS j WHERE j.id = job_id AND j.ended_at < $1)", "text = ''"},
}

// pruneRows is a batch of Prune.
const pruneRows = 5_000

// Prune deletes the rows of a kind older than age, in batches, and calls note after each. With
// dry it only counts them.
func (db *DB) Prune(ctx context.Context, p Pruned, age time.Duration, dry bool, note func(rows int64)) error {
	before, err := Value[time.Time](ctx, db, "SELECT now() - $1::interval", age)
	if err != nil {
		return err
	}
	if dry {
		n, err := Value[int64](ctx, db, "SELECT count(*) FROM "+p.table+" WHERE "+p.older, before)
		note(n)
		return err
	}
	do := "DELETE FROM " + p.table
	if p.set != "" {
		do = "UPDATE " + p.table + " SET " + p.set
	}
	some := fmt.Sprintf("SELECT ctid FROM %s WHERE %s LIMIT %d FOR UPDATE SKIP LOCKED", p.table, p.older, pruneRows)
	for {
		n, err := db.pool.changed(ctx, do+" WHERE ctid = ANY (ARRAY("+some+"))", before)
		if err != nil || n == 0 {
			return err
		}
		note(n)
	}
}
