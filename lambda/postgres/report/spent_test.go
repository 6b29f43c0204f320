package report_test

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// bought stores an answer of a model, found so many times, and refused at last
// if it is to be.
func (f *fixture) bought(tenant uuid.UUID, model, question string, prompt, completion, replays int, refused bool) {
	f.t.Helper()
	k := llm.Key{Tenant: tenant, Model: model, Prompt: sha256.Sum256([]byte(question))}
	answer := llm.Answer{Text: "x", Usage: llm.Usage{PromptTokens: prompt, CompletionTokens: completion}}
	id := must.Get(f.KeepAnswer(f.t.Context(), k, uuid.New(), answer, ""))(f.t)
	for range replays {
		if _, _, found, err := f.FindAnswer(f.t.Context(), k); err != nil || !found {
			f.t.Fatalf("an answer: found %v, %v", found, err)
		}
	}
	if refused {
		must.OK(f.t, f.DiscardAnswer(f.t.Context(), id, "no"))
	}
}

func (f *fixture) spent(since time.Time, tenant uuid.UUID) []report.Spent {
	f.t.Helper()
	return must.Get(f.read.Spent(f.t.Context(), since, tenant, 0))(f.t)
}

func TestSpentGroups(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	// Days are in UTC, wherever the server is. The store connects after this.
	f.exec("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone TO ''Pacific/Kiritimati''', current_database()); END $$")
	f.exec("INSERT INTO tenant VALUES ($1, 'Others')", otherTenant)
	if got := f.spent(time.Time{}, uuid.Nil); len(got) != 0 {
		t.Errorf("got %+v before anything was bought", got)
	}
	f.advance(15*time.Hour - time.Microsecond) // the end of the day
	f.bought(tenant, "a", "1", 100, 10, 2, false)
	f.bought(tenant, "a", "2", 200, 20, 1, true) // found once, and refused: nothing was spared
	f.bought(tenant, "a", "2", 200, 30, 3, true) // found three times, refused the last time
	f.bought(tenant, "b", "1", 1, 1, 0, true)    // refused at once
	f.bought(otherTenant, "a", "1", 7, 7, 0, false)
	vectors := map[string]llm.Vector{"x": {1}, "y": {2}}
	must.OK(t, f.KeepVectors(t.Context(), tenant, "e", vectors, llm.Usage{PromptTokens: 5}))
	for _, hashes := range [][][]byte{{[]byte("x")}, {[]byte("x"), []byte("y")}} {
		if found, err := f.FindVectors(t.Context(), tenant, "e", hashes); err != nil || len(found) != len(hashes) {
			t.Fatalf("found %v, %v", found, err)
		}
	}
	f.advance(time.Microsecond) // the next one
	f.bought(tenant, "a", "3", 1, 2, 0, false)

	monday, tuesday := start.Truncate(24*time.Hour), start.Truncate(24*time.Hour).Add(24*time.Hour)
	all := []report.Spent{
		{TenantID: tenant, Day: monday, Model: "a", Calls: 3, Unusable: 2, PromptTokens: 500, CompletionTokens: 60,
			Replays: 4, ReplayedPromptTokens: 2*100 + 2*200, ReplayedCompletionTokens: 2*10 + 2*30},
		{TenantID: tenant, Day: monday, Model: "b", Calls: 1, Unusable: 1, PromptTokens: 1, CompletionTokens: 1},
		{TenantID: tenant, Day: monday, Model: "e", Embeddings: 2, EmbeddingTokens: 5, EmbeddingReplays: 3, ReplayedEmbeddingTokens: 7.5},
		{TenantID: tenant, Day: tuesday, Model: "a", Calls: 1, PromptTokens: 1, CompletionTokens: 2},
		{TenantID: otherTenant, Day: monday, Model: "a", Calls: 1, PromptTokens: 7, CompletionTokens: 7},
	}
	for name, tc := range map[string]struct {
		since  time.Time
		tenant uuid.UUID
		want   []report.Spent
	}{
		"everything":           {time.Time{}, uuid.Nil, all},
		"since the first day":  {monday, uuid.Nil, all},
		"since the second day": {tuesday, uuid.Nil, all[3:4]},
		"since later":          {tuesday.Add(24 * time.Hour), uuid.Nil, nil},
		"one tenant":           {time.Time{}, otherTenant, all[4:]},
		"one tenant, later":    {tuesday, otherTenant, nil},
	} {
		if got := f.spent(tc.since, tc.tenant); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", name, got, tc.want)
		}
	}
}

// Many replays of a long prompt are more tokens than an integer column holds.
func TestSpentDoesNotOverflow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.bought(tenant, "a", "1", 1<<31-1, 1<<31-1, 0, false)
	f.bought(tenant, "a", "2", 1<<31-1, 1<<31-1, 0, false)
	f.exec("UPDATE model_answer SET replays = 1000")
	got := f.spent(time.Time{}, tenant)
	if len(got) != 1 || got[0].PromptTokens != 2*(1<<31-1) || got[0].ReplayedCompletionTokens != 2000*(1<<31-1) {
		t.Errorf("got %+v", got)
	}
}
