package postgres_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/llm"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
)

// Through PgBouncer in transaction mode, with nothing configured.
func TestPoolerStoreConforms(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "is the whole suite of stores once more")
	way := postgrestest.ByPooler(t)
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture { return (&fixture{postgrestest.Through(t, way)}).conformance() })
}

// All else that functions do with the database, but for TestPoolerMatches.
func TestPoolerEverything(t *testing.T) {
	t.Parallel()
	f := postgrestest.Through(t, postgrestest.ByPooler(t))
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := f.Add(t.Context(), imports(num(4), num(5)), postgres.AddOptions{Replace: true, Send: true})
	check("import", err)
	_, err = f.Publish(t.Context(), []uuid.UUID{num(4), num(5)})
	check("publish", err)
	failed := f.Take(num(4))
	_, err = f.Release(t.Context(), failed, job.Release{Status: job.StatusFailed, Reason: "no", Kind: "permanent", Delivery: 1})
	check("fail", err)
	recorder := &notify.Recorder{}
	(&notify.Relay{Outbox: f.DB, Senders: []notify.Sender{recorder}, Log: slog.New(slog.DiscardHandler)}).Run(t.Context())
	postgrestest.Equal(t, "sent notifications", len(recorder.Sent()), 1)
	_, err = f.Gauges(t.Context(), []string{"recorder"})
	check("gauges", err)
	key := llm.Key{Tenant: tenant, Model: "m"}
	_, err = f.KeepAnswer(t.Context(), key, num(1), llm.Answer{Text: "yes"}, "")
	check("keep an answer", err)
	if _, text, found, err := f.FindAnswer(t.Context(), key); err != nil || !found || text != "yes" {
		t.Errorf("the answer: %q, %v, %v", text, found, err)
	}
	check("keep vectors", f.KeepVectors(t.Context(), tenant, "e", map[string]llm.Vector{"h": {1}}, llm.Usage{PromptTokens: 1}))
	if found, err := f.FindVectors(t.Context(), tenant, "e", [][]byte{[]byte("h")}); err != nil || len(found) != 1 {
		t.Errorf("the vector: %v, %v", found, err)
	}
	for name, show := range f.Show("lock_timeout") {
		if got, err := show(t.Context()); err != nil || got != "15s" {
			t.Errorf("lock_timeout of %s: %q, %v", name, got, err)
		}
	}
	f.WantPooled()
}

// The doctor asks the same way.
func TestPoolerDoctor(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	c := must.Get(checkup.Open(t.Context(), postgrestest.Pooler(t, address)))(t)
	defer c.Close(t.Context())
	for range 5 {
		if s, err := c.Schema(t.Context()); err != nil || len(s.Lacking) > 0 {
			t.Errorf("schema: %+v, %v", s, err)
		}
		if _, err := c.Skew(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := c.Backlog(t.Context(), time.Minute, []string{"slack"}, time.Minute); err != nil {
			t.Error(err)
		}
	}
}

// Migrations hold a lock of the session while they run.
func TestMigrateRefusesPooler(t *testing.T) {
	t.Parallel()
	through := postgrestest.Pooler(t, postgrestest.EmptyURL(t))
	for name, run := range map[string]func(context.Context, string) ([]schema.Migration, error){
		"up": schema.Migrate, "down": schema.MigrateDown,
	} {
		if _, err := run(t.Context(), through); err == nil || !strings.Contains(err.Error(), "pooler") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// pgx has five modes. Two of them run all that we run: the whole conformance with
// cache_statement in TestStoreConforms and with cache_describe in TestPoolerStoreConforms, and
// TestMatchesInBothModes. The others are refused before anything is tried.
func TestOtherModesRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"describe_exec", "exec", "simple_protocol"} {
		_, err := postgres.Open(t.Context(), "postgres://me:SECRET@localhost/db?default_query_exec_mode="+mode, 1)
		if err == nil || !strings.Contains(err.Error(), "use cache_describe") || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v", mode, err)
		}
	}
}

// pool_max_conns makes fewer connections, never more than the manifest counts.
func TestPoolMaxConns(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	for given, want := range map[string]int{"": 5, "3": 3, "1": 1, "50": 5} {
		name := "limit " + given
		way := postgrestest.Setting(t, address, "application_name", name)
		if given != "" {
			way = postgrestest.Setting(t, way, "pool_max_conns", given)
		}
		db := must.Get(postgres.Open(t.Context(), way, 5))(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		give, n := db.TakeAll(ctx)
		if wanted := max(1, want-1); n != wanted {
			t.Errorf("pool_max_conns=%s: work has %d connections, want %d", given, n, wanted)
		}
		give()
		cancel()
		db.Close()
	}
}
