package postgres_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
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

// readings are the documents of a batch as the store returns them.
type readings struct {
	loaded []score.Raw
	blocks []match.Block
	errs   []error // of either
}

// read loads all documents at once, and then searches for all at once.
func (f *fixture) read(fences []job.Attempt, contents []score.Normalized) readings {
	r := readings{make([]score.Raw, len(fences)), make([]match.Block, len(fences)), make([]error, 2*len(fences))}
	var loads, searches sync.WaitGroup
	for i, fence := range fences {
		loads.Go(func() { r.loaded[i], r.errs[i] = f.Load(f.t.Context(), fence) })
	}
	loads.Wait()
	for i, fence := range fences {
		searches.Go(func() {
			r.blocks[i], r.errs[len(fences)+i] = f.Candidates(f.t.Context(), fence, contents[i], document.Types)
		})
	}
	searches.Wait()
	return r
}

// Documents of a batch are loaded in one round trip, and their candidates read in one.
// What is read is the same as for each by itself.
func TestBatchReadsTogether(t *testing.T) {
	t.Parallel()
	const n = 6
	f, w, fences, contents := batch(t, n)
	alone := readings{}
	for range 2 { // of the first time, the last finds all
		alone = readings{}
		for i := range fences {
			r := f.read(fences[i:i+1], contents[i:i+1])
			alone.loaded, alone.blocks = append(alone.loaded, r.loaded...), append(alone.blocks, r.blocks...)
		}
	}
	f.GatherAll(n)
	before := w.trips.Load()
	shared := f.read(fences, contents)
	if trips := w.trips.Load() - before; trips != 2 {
		t.Errorf("%d round trips for %d documents, want one to load them and one for their candidates", trips, n)
	}
	must.OK(t, errors.Join(shared.errs...))
	if !reflect.DeepEqual(shared.loaded, alone.loaded) || !reflect.DeepEqual(shared.blocks, alone.blocks) {
		t.Errorf("together:\n%v\nalone:\n%v", shared.blocks, alone.blocks)
	}
	for i, b := range shared.blocks {
		if len(b.Candidates) != n/2-1 || b.Tenant != contents[i].Tenant {
			t.Errorf("document %d: %d candidates of tenant %s; want the others of its tenant, %s", i+1, len(b.Candidates), b.Tenant, contents[i].Tenant)
		}
	}
}

// Of a batch, an attempt with a lost fence and a document that cannot be stored fail by
// themselves.
func TestBadReadFailsAlone(t *testing.T) {
	t.Parallel()
	const n, lost, broken = 6, 1, 2
	f, _, fences, contents := batch(t, n)
	fences[lost].Number++
	contents[broken].Text = "a NUL, which no text of a database holds: \x00"
	f.GatherAll(n)
	r := f.read(fences, contents)
	for i := range n {
		load, search := r.errs[i], r.errs[n+i]
		switch i {
		case lost:
			if !errors.Is(load, job.ErrFenceLost) || !errors.Is(search, job.ErrFenceLost) {
				t.Errorf("with a lost fence: %v, %v", load, search)
			}
		case broken:
			if load != nil || search == nil || errors.Is(search, job.ErrFenceLost) {
				t.Errorf("with a broken text: %v, %v; want an error of the database for its candidates", load, search)
			}
		default:
			if load != nil || search != nil || r.loaded[i].ID != fences[i].ID {
				t.Errorf("document %d: %v, %v", i+1, load, search)
			}
		}
	}
}

// Others wait for the attempts of a claim, for each until it has come.
func TestClaimBeginsProgress(t *testing.T) {
	t.Parallel()
	f, _, fences, contents := batch(t, 4)
	steps := []struct {
		stage string
		reach func(i int) error
	}{
		{"loading", func(i int) error { _, err := f.Load(t.Context(), fences[i]); return err }},
		{"searching", func(i int) error {
			_, err := f.Candidates(t.Context(), fences[i], contents[i], document.Types)
			return err
		}},
		{"writing", func(i int) error {
			_, err := f.Write(t.Context(), fences[i], contents[i], document.Types, match.Block{Tenant: contents[i].Tenant}, nil, nil)
			return err
		}},
		{"ending", func(i int) error { return f.Succeed(t.Context(), fences[i], nil) }},
	}
	for _, s := range steps {
		for i := range fences {
			if n := f.Behind(s.stage); n != len(fences)-i {
				t.Errorf("%s: %d attempts are awaited after %d have come, want %d", s.stage, n, i, len(fences)-i)
			}
			if err := s.reach(i); err != nil && s.stage != "ending" { // a write has ended it
				t.Fatal(s.stage, err)
			}
		}
	}
	equal(t, "awaited attempts that have ended", f.Behind("ending"), 0)
}

// A request for the tenant's lock that is refused reads none of what it asks for.
func TestRefusedTurn(t *testing.T) {
	t.Parallel()
	f, w, fences, contents := batch(t, 3)
	if r := f.read(fences, contents); errors.Join(r.errs...) != nil {
		t.Fatal(r.errs)
	}
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
		_, err := f.Write(t.Context(), fences[0], contents[0], document.Types, match.Block{Tenant: tenant}, nil, nil)
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
