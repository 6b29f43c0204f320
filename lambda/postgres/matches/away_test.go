package matches_test

import (
	"context"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// cut ends every connection of the store, as a restart of the server does.
func (f *fixture) cut() {
	f.T.Helper()
	f.Exec("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
}

// A restart of the server costs work some time, and the document no delivery.
func TestWorkSurvivesOutage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(2)
	fence := f.Take(num(1))
	tenantKey := llm.Key{Tenant: tenant, Model: "m"}
	n := key("k")
	var block match.Block
	var answer int64
	for _, step := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"load", func(ctx context.Context) error { _, err := f.Load(ctx, fence); return err }},
		{"candidates", func(ctx context.Context) (err error) {
			block, err = f.CandidatesOf(ctx, fence, n, document.Types)
			return err
		}},
		{"near", func(ctx context.Context) error {
			_, err := f.Near(ctx, num(1), n, document.Types)
			return err
		}},
		{"keep vectors", func(ctx context.Context) error {
			return f.KeepVectors(ctx, tenant, "e", map[string]llm.Vector{"h": {1}}, llm.Usage{})
		}},
		{"find vectors", func(ctx context.Context) error {
			_, err := f.FindVectors(ctx, tenant, "e", [][]byte{[]byte("h")})
			return err
		}},
		{"keep an answer", func(ctx context.Context) (err error) {
			answer, err = f.KeepAnswer(ctx, tenantKey, num(1), llm.Answer{Text: "yes"}, "")
			return err
		}},
		{"find an answer", func(ctx context.Context) error {
			_, _, _, err := f.FindAnswer(ctx, tenantKey)
			return err
		}},
		{"discard an answer", func(ctx context.Context) error { return f.DiscardAnswer(ctx, answer, "no") }},
		{"write", func(ctx context.Context) error {
			_, err := f.writeOnce(ctx, fence, n, block, rules.Result{})
			return err
		}},
	} {
		for range 3 { // connections that were just used are not looked at before they are used again
			must.Get(report.From(f.DB).Summaries(t.Context(), []uuid.UUID{num(1)}))(t)
		}
		f.cut()
		if err := step.do(t.Context()); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
	}
	if got := f.State(num(1)); got.Status != "succeeded" || got.Attempts != 1 {
		t.Errorf("got %+v, want it done in one attempt", got)
	}
}

// The commit of a write whose answer was lost is not done twice: the second
// try finds that the fence is gone.
func TestLostCommitAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(1)
	fence := f.Take(num(1))
	f.Exec("UPDATE document SET matching_status = 'succeeded' WHERE id = $1", num(1))
	unchanged := f.Unchanged(postgrestest.Tables...)
	f.cut()
	if _, err := f.writeOnce(t.Context(), fence, score.Normalized{}, match.Block{}, rules.Result{}); err != job.ErrFenceLost {
		t.Errorf("got %v, want %v", err, job.ErrFenceLost)
	}
	unchanged("afterwards")
}
