package drill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/job"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// stuckAfter is the maximum time without progress before a drill gives up. Hanging invocations
// end within it.
const stuckAfter = 4 * time.Minute

// Options configure a drill.
type Options struct {
	Documents int             // minimum
	For       time.Duration   // duration of the faults, in real time
	Seed      uint64          // for documents and faults
	Only      []string        // names of the faults; empty means all
	Freeze    time.Duration   // maximum time to freeze a worker, in real time
	Source    pgserver.Source // origin of PostgreSQL
	Logs      io.Writer       // output of the functions; may be nil
	Progress  func(string)    // called with a line of progress; may be nil
}

// drill is a running drill.
type drill struct {
	o        Options
	random   *rand.Rand
	patience time.Duration
	server   *pgserver.Server
	line     *line
	started  time.Time
	ended    time.Time // end of the faults, on the stack's clock
	done     time.Time // end of the last document, on the stack's clock

	// standStill keeps the clocks from jumping, so that a second of work in the database is a
	// second for the queue too.
	standStill sync.Mutex
	mu         sync.Mutex // guards the counts
}

// Run runs a drill and returns the verdict. It returns an error only if the drill could not be
// run; see Report.Violations for its result.
func Run(ctx context.Context, o Options) (_ *Report, err error) {
	chosen, err := choose(o.Only)
	if err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	folder, err := os.MkdirTemp("", "matchbook-drill-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	p, err := build(ctx, folder, o.Progress)
	if err != nil {
		return nil, err
	}
	// Confirmed commits must survive the server, but not the machine.
	server, err := pgserver.Start(ctx, pgserver.Options{Source: o.Source, Progress: o.Progress,
		Settings: map[string]string{"synchronous_commit": "on"}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	want, err := quietRun(ctx, server, p, o)
	if err != nil {
		return nil, err
	}
	l, err := startLine(ctx, server, p, newPapers(o.Documents, o.Seed), o.Logs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	d := &drill{o: o, random: rand.New(rand.NewPCG(o.Seed, 2)), patience: o.Freeze, server: server, line: l,
		started: time.Now()}
	s := &strikes{drill: d, counts: map[string]int{}}
	stop := d.show(ctx, s)
	defer stop()
	if err := d.trouble(ctx, s, chosen); err != nil {
		return nil, err
	}
	if d.done, err = l.drain(ctx, stuckAfter); err != nil {
		return nil, err
	}
	stop()
	return d.conclude(ctx, s, want)
}

// quietRun returns the documents' matches without faults. It also runs the sweep, because a
// sweep failing here would never repair anything, and many drills would not notice.
func quietRun(ctx context.Context, server *pgserver.Server, p programs, o Options) (links map[corpus.Pair]string, err error) {
	o.Progress("running the same documents without faults")
	l, err := startLine(ctx, server, p, newPapers(o.Documents, o.Seed), o.Logs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	for docs := range slices.Chunk(l.papers.all, 100) {
		if err := l.Publish().Publish(ctx, ids(docs)); err != nil {
			return nil, err
		}
	}
	if _, err := l.drain(ctx, stuckAfter); err != nil {
		return nil, err
	}
	if err := l.runSweep(ctx); err != nil {
		return nil, fmt.Errorf("sweep of the quiet run: %w", err)
	}
	a, err := readAudit(ctx, l.db)
	if err != nil {
		return nil, err
	}
	for _, d := range a.documents {
		if d.Status != "succeeded" {
			return nil, fmt.Errorf("quiet run: document %s is %s: %s", d.ID, d.Status, d.Error)
		}
	}
	return a.links(), nil
}

// trouble publishes the documents in portions, each under a fault, then succeeded ones again,
// until the time is up and every fault has happened.
func (d *drill) trouble(ctx context.Context, s *strikes, chosen []Fault) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var pumping sync.WaitGroup
	pumping.Go(func() { d.pump(ctx, cancel) })
	defer pumping.Wait()
	defer cancel(nil)
	var deck []Fault
	fresh := d.line.papers.all
	end := d.started.Add(d.o.For)
	for round := 0; round < len(chosen) || time.Now().Before(end) || len(fresh) > 0; round++ {
		if len(deck) == 0 {
			deck = slices.Clone(chosen)
			d.random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		n := 1
		if len(deck) > 1 && deck[0].goesWith(deck[1]) && d.random.IntN(2) == 0 {
			n = 2
		}
		var portion []postgres.Imported
		portion, fresh = d.portion(fresh, end, slices.ContainsFunc(deck[:n], Fault.asks))
		if err := s.hit(ctx, deck[:n], portion); err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		deck = deck[n:]
		d.rest(ctx)
	}
	d.ended = d.line.Clock.Now()
	return nil
}

// portion takes the documents due now: spread over the remaining time, at least half the usual
// number, starting with the documents for a model if asking, else with the others.
func (d *drill) portion(fresh []postgres.Imported, end time.Time, asking bool) (portion, rest []postgres.Imported) {
	n := usual / 2
	if left := time.Until(end); left > 0 {
		n = max(n, int(float64(len(fresh))*float64(2*time.Second)/float64(left+2*time.Second)))
	}
	n = min(n, len(fresh))
	slices.SortStableFunc(fresh, func(a, b postgres.Imported) int {
		switch open := d.line.papers.open; {
		case open[a.ID] == open[b.ID]:
			return 0
		case open[a.ID] == asking:
			return -1
		}
		return 1
	})
	return fresh[:n], fresh[n:]
}

// usual is the minimum number of documents under a fault: one batch per worker.
const usual = 10 * workers

// hit injects faults into the work on fresh documents and some succeeded ones. A second fault
// strikes in the middle of the first.
func (s *strikes) hit(ctx context.Context, faults []Fault, fresh []postgres.Imported) error {
	if slices.ContainsFunc(faults, func(f Fault) bool { return f.still }) {
		s.standStill.Lock()
		defer s.standStill.Unlock()
	}
	load := func() error {
		list := ids(fresh)
		again, err := s.succeeded(ctx, max(usual-len(list), 2))
		if err != nil {
			return err
		}
		return s.publish(ctx, append(list, again...))
	}
	from := time.Now()
	for _, f := range slices.Backward(faults) {
		inner := load
		load = func() error {
			if err := f.inject(ctx, s, inner); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			return nil
		}
	}
	err := load()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		s.pieces = append(s.pieces, piece{f.Name, from, time.Now()})
	}
	return err
}

// rest lets time pass, so that the next fault strikes at once or hits retries.
func (d *drill) rest(ctx context.Context) {
	next := d.line.Clock.Now().Add(time.Duration(d.random.IntN(40)) * time.Minute)
	until(ctx, time.Duration(d.random.IntN(3))*time.Second, func() bool { return d.line.Clock.Now().After(next) })
}

// publish retries, because a restart may have cut its connections.
func (d *drill) publish(ctx context.Context, ids []uuid.UUID) (err error) {
	for range 10 {
		var partly *job.PublishError
		if err = d.line.Publish().Publish(ctx, ids); err == nil || errors.As(err, &partly) {
			return err
		}
	}
	return err
}

const succeededSQL = `
SELECT id FROM document WHERE matching_status = 'succeeded' ORDER BY md5(id::text || $2) LIMIT $1`

func (d *drill) succeeded(ctx context.Context, n int) ([]uuid.UUID, error) {
	found, _ := d.line.db.Query(ctx, succeededSQL, n, fmt.Sprint(d.random.Uint64()))
	return pgx.CollectRows(found, pgx.RowTo[uuid.UUID])
}

// pump advances time until ctx ends, except during standStill.
func (d *drill) pump(ctx context.Context, fail context.CancelCauseFunc) {
	for backoff.Sleep(ctx, tick) == nil {
		if !d.standStill.TryLock() {
			continue
		}
		err := d.line.step(ctx)
		d.standStill.Unlock()
		if err != nil && ctx.Err() == nil {
			fail(err)
			return
		}
	}
}

// show reports the progress every two seconds until stop is called.
func (d *drill) show(ctx context.Context, s *strikes) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var showing sync.WaitGroup
	began := d.line.Clock.Now()
	showing.Go(func() {
		for backoff.Sleep(ctx, 2*time.Second) == nil {
			states, err := d.states(ctx)
			if err != nil {
				continue // the server is restarting
			}
			faults := 0
			for _, n := range s.all() {
				faults += n
			}
			d.o.Progress(fmt.Sprintf("%4.0f s: %d succeeded, %d failed, %d in progress, %d pending, %d to come; %d faults, "+
				"%d sweeps; %s simulated",
				time.Since(d.started).Seconds(), states["succeeded"], states["failed"], states["in-progress"],
				states["pending"],
				states[""],
				faults, d.line.sweeps.Load(), d.line.Clock.Now().Sub(began).Round(time.Minute)))
		}
	})
	return func() { cancel(); showing.Wait() }
}

const statesSQL = `
SELECT coalesce(matching_status, ''), count(*) FROM document GROUP BY 1`

func (d *drill) states(ctx context.Context) (map[string]int, error) {
	found, err := rows[struct {
		Status string
		N      int
	}](ctx, d.line.db, statesSQL)
	states := map[string]int{}
	for _, s := range found {
		states[s.Status] = s.N
	}
	return states, err
}
