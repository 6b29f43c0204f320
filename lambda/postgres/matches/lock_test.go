package matches_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// events returns a channel that gets an entry for each such event of a turn.
func (f *fixture) events(event string) <-chan struct{} {
	c := make(chan struct{}, 1000)
	f.OnTurn(func(e string) {
		if e == event {
			select {
			case c <- struct{}{}:
			default:
			}
		}
	})
	return c
}

// Writers of a tenant take turns. What they then read is what was committed
// before their turn, not when they began to wait.
func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(2)
	f.Put(num(8), otherTenant, document.Invoice, "{}")
	fence := f.Take(num(1))
	block := f.block(fence, key("k"))

	tx := must.Get(f.Conn.Begin(t.Context()))(t)
	defer tx.Rollback(context.Background())
	must.Get(tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock(hashtextextended('match:' || $1::uuid, 0))", tenant))(t)
	refused := f.events("refused")
	done := make(chan struct{})
	var fresh *match.Block
	var err error
	go func() {
		defer close(done)
		fresh, err = f.writeOnce(t.Context(), fence, key("k"), block, rules.Result{})
	}()
	<-refused
	must.Get(tx.Exec(t.Context(), "UPDATE document SET match_keys = '{k}' WHERE id = $1", num(2)))(t)
	// The other tenant's turn is its own.
	claims := must.Get(f.Claim(t.Context(), []job.Delivery{{ID: num(8)}}, time.Minute, false))(t)
	theirs := key("k")
	theirs.Tenant = otherTenant
	f.write(claims[0].Attempt, theirs, match.Block{}, rules.Result{})
	must.OK(t, tx.Commit(t.Context()))
	<-done
	if err != nil || fresh == nil || len(fresh.Candidates) != 1 {
		t.Errorf("got %+v, %v; want the candidate that the other writer left", fresh, err)
	}
}

// Who locks several documents does it in id order, or two could wait for each
// other. The table has the documents in the reverse order.
func TestLocksInIDOrder(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]func(context.Context, *fixture) error{
		"publish": func(ctx context.Context, f *fixture) error {
			_, err := f.Publish(ctx, []uuid.UUID{num(3), num(2), num(1)})
			return err
		},
		"write": func(ctx context.Context, f *fixture) error {
			_, err := f.writeOnce(ctx, job.Attempt{ID: num(3), Number: 7}, score.Normalized{}, match.Block{}, matchesOf(num(3), num(2), num(1)))
			return err
		},
		"replace": func(ctx context.Context, f *fixture) error {
			var docs []postgres.Imported
			for _, n := range []int{3, 2, 1} {
				docs = append(docs, postgres.Imported{ID: num(n), TenantID: tenant, Type: document.CreditNote, FilePath: "a.json", Data: json.RawMessage(`{}`)})
			}
			_, err := f.Add(ctx, docs, postgres.AddOptions{Replace: true, Send: true})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			for _, n := range []int{3, 2, 1} {
				f.Put(num(n), tenant, document.Invoice, "{}")
			}
			f.Exec("UPDATE document SET matching_status = 'in-progress', matching_attempts = 7, matching_lease_until = now() WHERE id = $1", num(3))
			tx := must.Get(f.Conn.Begin(t.Context()))(t)
			must.Get(tx.Exec(t.Context(), "SELECT FROM document WHERE id = $1 FOR NO KEY UPDATE", num(1)))(t)
			locked := f.Meanwhile(func() error { return lock(t.Context(), f) })
			if _, err := tx.Exec(t.Context(), "SELECT FROM document WHERE id <> $1 FOR NO KEY UPDATE NOWAIT", num(1)); err != nil {
				t.Errorf("a later row is locked before the first: %v", err)
			}
			must.OK(t, tx.Rollback(t.Context()))
			must.OK(t, locked())
		})
	}
}

// relating is a store in which some documents match another one.
type relating struct {
	*matches.Store
	one     uuid.UUID
	related []job.Attempt
}

func (r relating) Write(ctx context.Context, t match.Turn) (match.Written, error) {
	var all rules.Result
	for _, d := range t.Drafts {
		if slices.Contains(r.related, d.Fence) {
			m := matchesOf(d.Fence.ID, r.one)
			d.Pairs, _ = asPairs(m)
			all.Matches = append(all.Matches, m.Matches...)
		}
	}
	_, by := asPairs(all)
	return r.WriteRuled(ctx, t, by)
}

// A document that another program keeps locked fails the writes that need it, and soon: the
// tenant's others don't wait for each of them.
func TestLockedRowHoldsFew(t *testing.T) {
	t.Parallel()
	const documents, related = 10, 6
	const patience = 1500 * time.Millisecond
	f := newFixture(t)
	f.DB = postgrestest.Open(t, postgrestest.Setting(t, f.Conn.Config().ConnString(), "lock_timeout", patience.String()))
	f.Store = matches.New(f.DB)
	f.Invoices(documents)
	fences := make([]job.Attempt, documents)
	for i := range fences {
		fences[i] = f.Take(num(i + 1))
	}
	var release func()
	var began time.Time
	errs := f.matchTogether(&meddler{relating{f.Store, num(1), fences[1:related]}, func() { // all are read, and none is written
		release, began = f.Blocks("SELECT FROM document WHERE id = $1 FOR UPDATE", num(1)), time.Now()
	}}, fences)
	if took := time.Since(began); took > 4*patience {
		t.Errorf("the writes took %v, want little more than %v", took, patience)
	}
	release()
	for i, err := range errs {
		if locked := err != nil && strings.HasSuffix(failure.Of(err).Text, "(SQLSTATE 55P03)"); locked != (i < related) {
			t.Errorf("document %d: got %v", i+1, err)
		}
	}
}
