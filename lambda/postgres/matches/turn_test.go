package matches_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// holdTenant has another session take the tenant's lock, as a writer in
// another process does, and returns what gives it back.
func (f *fixture) holdTenant() (release func()) {
	f.T.Helper()
	return f.Blocks("SELECT pg_advisory_xact_lock(hashtextextended('match:' || $1::uuid, 0))", tenant)
}

// Five documents of a tenant wait for another process to be done with it, in a
// function with its five connections: another tenant's document is written and
// settled meanwhile.
func TestTurnWaitersHoldNoConn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	simURL := must.Get(f.Clock.URL())(t)
	db := must.Get(postgres.Open(t.Context(), simURL, manifest.Match.PoolSize))(t)
	f.DB.Close()
	f.DB, f.Store = db, matches.New(db)
	t.Cleanup(db.Close)
	var fences []job.Attempt
	for n := 1; n <= 5; n++ {
		f.Put(num(n), tenant, document.Invoice, "{}")
		fences = append(fences, f.Take(num(n)))
	}
	f.Put(num(8), otherTenant, document.Invoice, "{}")
	f.Put(num(9), otherTenant, document.Invoice, "{}")
	written, settled := f.Take(num(8)), f.Take(num(9))
	blocks, tenants := map[uuid.UUID]match.Block{}, map[job.Attempt]uuid.UUID{written: otherTenant}
	for _, fence := range append(fences, written) {
		blocks[fence.ID] = f.block(fence, score.Normalized{Tenant: tenants[fence]})
	}
	events := make(chan string, 10_000)
	f.OnTurn(func(e string) { events <- e })
	release := f.holdTenant()
	var all sync.WaitGroup
	for _, fence := range fences {
		all.Go(func() {
			if _, err := f.writeOnce(t.Context(), fence, score.Normalized{}, blocks[fence.ID], rules.Result{}); err != nil {
				t.Error(err)
			}
		})
	}
	for queued, refused := 0, false; queued < len(fences)-1 || !refused; {
		switch <-events {
		case "queued":
			queued++
		case "refused":
			refused = true
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := f.writeOnce(ctx, written, score.Normalized{Tenant: otherTenant}, blocks[written.ID], rules.Result{}); err != nil {
		t.Errorf("the other tenant's write: %v", err)
	}
	if ok, err := f.Release(ctx, settled, job.Release{Status: job.StatusPending, Reason: "later", Due: time.Minute}); err != nil || !ok {
		t.Errorf("the other tenant's settling: %v, %v", ok, err)
	}
	if got := f.Count("SELECT count(*) FROM document WHERE matching_status = 'succeeded'"); got != 1 {
		t.Errorf("%d documents succeeded, want the other tenant's", got)
	}
	release()
	all.Wait()
	postgrestest.Equal(t, "documents that succeeded, all six", f.Count("SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), 6)
}

// A writer that gives up leaves the queue, and keeps up none behind it.
func TestTurnEndsWithContext(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(3)
	var fences []job.Attempt
	for n := 1; n <= 3; n++ {
		fences = append(fences, f.Take(num(n)))
	}
	events := make(chan string, 10_000)
	f.OnTurn(func(e string) { events <- e })
	next := func(want string) {
		for <-events != want {
			continue
		}
	}
	release := f.holdTenant()
	errs := make([]chan error, 3)
	contexts := make([]context.CancelFunc, 3)
	for i, fence := range fences {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		contexts[i], errs[i] = cancel, make(chan error, 1)
		go func() {
			_, err := f.writeOnce(ctx, fence, score.Normalized{}, match.Block{}, rules.Result{})
			errs[i] <- err
		}()
		next(map[bool]string{true: "refused", false: "queued"}[i == 0])
	}
	contexts[1]() // in the line
	if err := <-errs[1]; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	contexts[0]() // at the head of it
	if err := <-errs[0]; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	release()
	if err := <-errs[2]; err != nil {
		t.Errorf("who stayed: %v", err)
	}
}

// Turns come in the order in which they were asked for.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const writers = 8
	f.Invoices(writers)
	events := make(chan string, 10_000)
	f.OnTurn(func(e string) { events <- e })
	release := f.holdTenant()
	var mu sync.Mutex
	var order []int
	var all sync.WaitGroup
	for n := 1; n <= writers; n++ {
		fence := f.takeElsewhere(num(n))
		all.Go(func() {
			_, err := f.Write(t.Context(), fence, score.Normalized{}, document.Types, match.Block{}, nil, func(context.Context, rules.Competition) (rules.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, n)
				return rules.Result{}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		for want := map[bool]string{true: "refused", false: "queued"}[n == 1]; <-events != want; {
			continue
		}
	}
	release()
	all.Wait()
	postgrestest.Equal(t, "order", fmt.Sprint(order), "[1 2 3 4 5 6 7 8]")
}

// takeElsewhere is take while f.conn is in a transaction: it cannot read then
// what others commit, but claims need nothing of it.
func (f *fixture) takeElsewhere(id uuid.UUID) job.Attempt {
	f.T.Helper()
	claims, err := f.Claim(f.T.Context(), []job.Delivery{{ID: id}}, time.Minute, false)
	if err != nil || claims[0].Found != 0 {
		f.T.Fatalf("claim: %+v, %v", claims, err)
	}
	return claims[0].Attempt
}

// A verdict takes its turn as a write does.
func TestVerdictTakesTurn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lamps()
	refused := f.events("refused")
	release := f.holdTenant()
	done := make(chan error, 1)
	go func() { done <- f.says(num(1), num(2), rules.Confirmed) }()
	<-refused
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	f.wantEdges("confirmed", "1-2 person", "", "1 1 0")
}

// I13 between processes: two pools with separate queues.
func TestTwoProcessesTakeTurns(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	matchAtOnce(t, address, testenv.Size(2, 20), postgrestest.Open(t, address), postgrestest.Open(t, address))
}

// A process that writes for a tenant without a pause does not keep another out.
func TestNoProcessStarves(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lamps()
	simURL := must.Get(f.Clock.URL())(t)
	var busy sync.WaitGroup
	stop := make(chan struct{})
	for range 4 { // always one at work and others in the queue
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := f.says(num(1), num(2), rules.Confirmed); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	other := matches.New(postgrestest.Open(t, simURL))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 5 {
		if _, err := other.Decide(ctx, num(1), num(2), byAnna(rules.Rejected)); err != nil {
			t.Errorf("the other process: %v", err)
		}
	}
	close(stop)
	busy.Wait()
}

// A process that writes, and stands still in the middle of it.
const (
	envFrozen = "MATCHBOOK_TEST_FROZEN" // URL of the database
	envFence  = "MATCHBOOK_TEST_FROZEN_ATTEMPT"
)

// TestFrozenProcess isn't a test: the frozen process runs it.
func TestFrozenProcess(t *testing.T) {
	t.Parallel()
	address := os.Getenv(envFrozen)
	if address == "" {
		return
	}
	db := must.Get(postgres.Open(t.Context(), address, 2))(t)
	defer db.Close()
	fence := job.Attempt{ID: num(1)}
	must.Get(fmt.Sscan(os.Getenv(envFence), &fence.Number))(t)
	frozen := false
	_, err := with(&postgrestest.Fixture{DB: db}).Write(t.Context(), fence, score.Normalized{}, document.Types, match.Block{}, nil, func(context.Context, rules.Competition) (rules.Result, error) {
		if frozen { // and thawed: its session is gone, and it tries once more
			return rules.Result{}, nil
		}
		frozen = true
		thawed := make(chan os.Signal, 1)
		signal.Notify(thawed, syscall.SIGCONT)
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			return rules.Result{}, err
		}
		<-thawed // the signal stops the process, but not at once
		return rules.Result{}, nil
	})
	if err == nil {
		t.Fatal("it wrote")
	}
	fmt.Println("it did not write:", err)
}

// A process is frozen while it has the tenant's lock. The server ends its
// session, others go on, and when it thaws it changes nothing. (That takes the
// 15 seconds of the default, which cost nothing.)
func TestFrozenWriterLosesTurn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(2)
	frozen, other := f.Take(num(1)), f.Take(num(2))
	block := f.block(other, score.Normalized{})
	simURL := must.Get(f.Clock.URL())(t)
	p := exec.Command(os.Args[0], "-test.run=^TestFrozenProcess$", "-test.v")
	p.Env = append(os.Environ(), envFrozen+"="+simURL, envFence+"="+fmt.Sprint(frozen.Number))
	var output bytes.Buffer
	p.Stdout, p.Stderr = &output, &output
	must.OK(t, p.Start())
	defer p.Process.Kill()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it is not frozen: %v, %v\n%s", status, err, &output)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := f.writeOnce(ctx, other, score.Normalized{}, block, rules.Result{}); err != nil {
		t.Fatalf("another writer of the tenant: %v", err)
	}
	f.Take(num(1)) // its lease has ended, and the next attempt has begun
	unchanged := f.Unchanged(postgrestest.Tables...)
	must.OK(t, p.Process.Signal(syscall.SIGCONT))
	if err := p.Wait(); err != nil || !bytes.Contains(output.Bytes(), []byte("it did not write: ")) {
		t.Errorf("the thawed process: %v\n%s", err, &output)
	}
	unchanged("the thawed process")
	if s := f.State(num(1)); s.Status != "in-progress" {
		t.Errorf("the frozen one's document is %s", s.Status)
	}
}
