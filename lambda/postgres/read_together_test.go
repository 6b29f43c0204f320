package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// batch claims n invoices of a supplier, half of them a second tenant's, on a connection
// that counts round trips.
func batch(t *testing.T, n int) (f *fixture, w *wire, fences []job.Attempt, contents []score.Normalized) {
	t.Helper()
	url := postgrestest.URL(t)
	w = listen(t, url, 0)
	f = &fixture{DB: postgrestest.Open(t, w.url), conn: postgrestest.Conn(t, url), t: t}
	f.exec("INSERT INTO tenant VALUES ($1, 'Testers'), ($2, 'Others')", tenant, num(99))
	deliveries := make([]job.Delivery, n)
	for i := range deliveries {
		of := []uuid.UUID{tenant, num(99)}[i%2]
		deliveries[i].ID = f.put(num(i+1), of, document.Invoice, fmt.Sprintf(`{"number":"RE-%d","total":"119.00"}`, i+1))
		contents = append(contents, score.Normalized{Tenant: of, Text: fmt.Sprint("text ", i), Keys: key("k").Keys, Lookup: key("k").Lookup})
	}
	claims := must.Get(f.Claim(t.Context(), deliveries, time.Minute, false))(t)
	for _, c := range claims {
		fences = append(fences, c.Attempt)
	}
	return f, w, fences, contents
}

// read loads all documents, and then searches for all, each in one call.
func (f *fixture) read(fences []job.Attempt, contents []score.Normalized) (map[job.Attempt]score.Raw, map[job.Attempt]match.Block) {
	f.t.Helper()
	var drafts []*match.Draft
	for i, fence := range fences {
		drafts = append(drafts, &match.Draft{Fence: fence, Normalized: contents[i], Types: document.Types})
	}
	return must.Get(f.DB.Load(f.t.Context(), fences))(f.t), must.Get(f.DB.Candidates(f.t.Context(), drafts))(f.t)
}

// Documents of a batch are loaded in one round trip, and their candidates read in one.
// What is read is the same as for each by itself.
func TestBatchReadsTogether(t *testing.T) {
	t.Parallel()
	const n = 6
	f, w, fences, contents := batch(t, n)
	var loaded map[job.Attempt]score.Raw
	var blocks map[job.Attempt]match.Block
	for range 2 { // of the first time, the last finds all
		loaded, blocks = map[job.Attempt]score.Raw{}, map[job.Attempt]match.Block{}
		for i := range fences {
			l, b := f.read(fences[i:i+1], contents[i:i+1])
			maps.Copy(loaded, l)
			maps.Copy(blocks, b)
		}
	}
	before := w.trips.Load()
	together, theirs := f.read(fences, contents)
	if trips := w.trips.Load() - before; trips != 2 {
		t.Errorf("%d round trips for %d documents, want one to load them and one for their candidates", trips, n)
	}
	if !reflect.DeepEqual(together, loaded) || !reflect.DeepEqual(theirs, blocks) || len(together) != n {
		t.Errorf("together:\n%v\nalone:\n%v", theirs, blocks)
	}
	for i, fence := range fences {
		b := theirs[fence]
		if len(b.Candidates) != n/2-1 || b.Candidates[0].TenantID != contents[i].Tenant {
			t.Errorf("document %d: candidates %v; want the %d others of its tenant, %s", i+1, b.Candidates, n/2-1, contents[i].Tenant)
		}
	}
}

// spoiler stores a broken text for a document.
type spoiler struct {
	*postgres.DB
	id uuid.UUID
}

func (s spoiler) Candidates(ctx context.Context, drafts []*match.Draft) (map[job.Attempt]match.Block, error) {
	for _, d := range drafts {
		if d.Fence.ID == s.id {
			d.Normalized.Text = "a NUL, which no text of a database holds: \x00"
		}
	}
	return s.DB.Candidates(ctx, drafts)
}

// Of a batch, an attempt with a lost fence and a document that cannot be stored fail by
// themselves.
func TestBadReadFailsAlone(t *testing.T) {
	t.Parallel()
	const n, lost, broken = 6, 1, 2
	f, _, fences, contents := batch(t, n)
	fences[lost].Number++
	for i, err := range f.matchTogether(spoiler{f.DB, num(broken + 1)}, fences) {
		switch i {
		case lost:
			if !errors.Is(err, job.ErrFenceLost) {
				t.Errorf("with a lost fence: %v", err)
			}
		case broken:
			if err == nil || errors.Is(err, job.ErrFenceLost) {
				t.Errorf("with a broken text: %v; want an error of the database for its candidates", err)
			}
		default:
			if err != nil || f.state(fences[i].ID).Status != "succeeded" {
				t.Errorf("document %d: %v", i+1, err)
			}
		}
	}
	drafts := []*match.Draft{{Fence: fences[lost], Normalized: contents[lost], Types: document.Types}}
	if blocks := must.Get(f.DB.Candidates(t.Context(), drafts))(t); len(blocks) != 0 {
		t.Errorf("with a lost fence: %v", blocks)
	}
}

// A request for the tenant's lock that is refused reads none of what it asks for.
func TestRefusedTurn(t *testing.T) {
	t.Parallel()
	f, w, fences, contents := batch(t, 3)
	f.read(fences, contents)
	const size = 500_000
	f.exec(`UPDATE document SET structured_data = jsonb_build_object('note', repeat('x', $2)) WHERE id = $1`, num(3), size)
	begun, refused := w.bytes.Load(), make(chan int64, 1000)
	f.OnTurn(func(e string) {
		if e == "refused" {
			refused <- w.bytes.Load() - begun
		}
	})
	release := f.holdTenant()
	written := make(chan error, 1)
	go func() {
		_, err := f.Write(t.Context(), fences[0], contents[0], document.Types, match.Block{}, nil, nil)
		written <- err
	}()
	if n := <-refused; n > size/2 {
		t.Errorf("%d bytes were exchanged until the lock was refused", n)
	}
	release()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if n := w.bytes.Load() - begun; n < size {
		t.Errorf("%d bytes were exchanged in all: the candidate of %d was not read", n, size)
	}
}
