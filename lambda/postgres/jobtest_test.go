package postgres_test

import (
	"log/slog"
	"testing"

	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// What jobtest tests as the repairs is what the sweep calls.
var _ sweep.Store = jobtest.Store(nil)

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture { return newFixture(t).conformance() })
}

func (f *fixture) conformance() jobtest.Fixture {
	return jobtest.Fixture{
		Store:   f.DB,
		Work:    job.Work(f.matcher().Match).One,
		New:     func() uuid.UUID { return f.document("") },
		Lock:    func(id uuid.UUID) func() { return f.Lock("document", id) },
		Spoil:   func(id uuid.UUID) { f.Exec("UPDATE document SET structured_data = NULL WHERE id = $1", id) },
		Row:     func(id uuid.UUID) jobtest.Row { return jobtest.Row(f.DocumentRow(id)) },
		Dump:    func() string { return f.Dump(postgrestest.Tables...) },
		Now:     f.Now,
		Advance: f.Advance,
	}
}

func (f *fixture) matcher() *match.Matcher {
	return &match.Matcher{Store: matches.New(f.DB), Log: slog.New(slog.DiscardHandler)}
}
