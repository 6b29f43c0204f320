package drill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/job"
	"matchbook/lambda/local/pgserver"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// stuckAfter is the maximum time without progress before a drill gives up. Hanging invocations
// end within it.
const stuckAfter = 4 * time.Minute

// Options configure a drill.
type Options struct {
	Documents int             // minimum; the number of all else follows
	For       time.Duration   // duration of the faults, in real time
	Seed      uint64          // for documents and faults
	Only      []string        // names of the faults; empty means all
	Workloads []string        // names; empty means all
	Freeze    time.Duration   // maximum time to freeze a worker, in real time
	Source    pgserver.Source // origin of PostgreSQL
	Logs      io.Writer       // output of the functions; may be nil
	Progress  func(string)    // called with a line of progress; may be nil
}

// drill is a running drill.
type drill struct {
	*kit
	random   *rand.Rand
	patience time.Duration
	line     *line
	fresh    map[string][]thing // still to be published, by workload
	started  time.Time
	ended    time.Time // end of the faults, on the stack's clock
	done     time.Time // end of the last row, on the stack's clock

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
	list, err := chooseWorkloads(o.Workloads)
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
	k := &kit{Options: o, workloads: list, folder: folder}
	if err := k.build(ctx); err != nil {
		return nil, err
	}
	// Confirmed commits must survive the server, but not the machine.
	k.server, err = pgserver.Start(ctx, pgserver.Options{Source: o.Source, Progress: o.Progress,
		Settings: map[string]string{"synchronous_commit": "on"}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, k.server.Stop()) }()
	want, err := k.quietRun(ctx)
	if err != nil {
		return nil, err
	}
	l, err := k.startLine(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	d := &drill{kit: k, random: rand.New(rand.NewPCG(o.Seed, 2)), patience: o.Freeze, line: l, fresh: l.papers.things,
		started: time.Now()}
	return d.run(ctx, chosen, want)
}

func (d *drill) run(ctx context.Context, chosen []Fault, want map[result]string) (_ *Report, err error) {
	s := &strikes{drill: d, counts: map[string]int{}}
	stop := d.show(ctx, s)
	defer stop()
	if err := d.trouble(ctx, s, chosen); err != nil {
		return nil, err
	}
	if d.done, err = d.line.drain(ctx, stuckAfter); err != nil {
		return nil, err
	}
	stop()
	return d.conclude(ctx, s, want)
}

// quietRun returns the results without faults. It also runs the sweep, because a sweep failing here
// would never repair anything, and many drills would not notice.
func (k *kit) quietRun(ctx context.Context) (want map[result]string, err error) {
	k.Progress("running the same without faults")
	l, err := k.startLine(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.tasks[0].run(ctx); err != nil {
		return nil, fmt.Errorf("sweep of the quiet run: %w", err)
	}
	for _, w := range l.lanes {
		for things := range slices.Chunk(l.papers.things[w.workload.Name], 100) {
			if err := w.publish(l, ctx, ids(things)); err != nil {
				return nil, err
			}
		}
	}
	if _, err := l.drain(ctx, stuckAfter); err != nil {
		return nil, err
	}
	a, err := l.readAudit(ctx)
	if err != nil {
		return nil, err
	}
	queued := map[uuid.UUID]bool{} // not so the document of a contract
	for _, c := range a.changes {
		queued[c.ID] = true
	}
	for _, r := range a.rows {
		if r.Status != "succeeded" && queued[r.ID] {
			return nil, fmt.Errorf("quiet run: %s %s is %q: %s", r.Function, r.ID, r.Status, r.Error)
		}
	}
	return a.outcome(), nil
}

// trouble publishes the things in portions, each under a fault, then succeeded rows again, until
// the time is up and every fault has happened.
func (d *drill) trouble(ctx context.Context, s *strikes, chosen []Fault) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var pumping sync.WaitGroup
	pumping.Go(func() { d.pump(ctx, cancel) })
	defer pumping.Wait()
	defer cancel(nil)
	var deck []Fault
	end := d.started.Add(d.For)
	for round := 0; round < len(chosen) || time.Now().Before(end) || d.left() > 0; round++ {
		if len(deck) == 0 {
			deck = slices.Clone(chosen)
			d.random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		n := 1
		if len(deck) > 1 && deck[0].goesWith(deck[1]) && d.random.IntN(2) == 0 {
			n = 2
		}
		if err := s.hit(ctx, deck[:n], end); err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		deck = deck[n:]
		d.rest(ctx)
	}
	d.ended = d.line.Clock.Now()
	return nil
}

// left counts the things still to be published.
func (d *drill) left() (n int) {
	for _, things := range d.fresh {
		n += len(things)
	}
	return n
}

// take takes the things of a workload due now: spread over the remaining time, at least its usual
// number, starting with those for a model if asking, else with the others.
func (d *drill) take(w *workload, end time.Time, asking bool) (due []thing) {
	fresh, n := d.fresh[w.Name], w.portion
	if left := time.Until(end); left > 0 {
		n = max(n, int(float64(len(fresh))*float64(2*time.Second)/float64(left+2*time.Second)))
	}
	n = min(n, len(fresh))
	slices.SortStableFunc(fresh, func(a, b thing) int {
		switch {
		case a.asks == b.asks:
			return 0
		case a.asks == asking:
			return -1
		}
		return 1
	})
	d.fresh[w.Name] = fresh[n:]
	return fresh[:n]
}

// hit injects faults into the work on fresh things and some succeeded rows. A second fault strikes
// in the middle of the first.
func (s *strikes) hit(ctx context.Context, faults []Fault, end time.Time) error {
	if slices.ContainsFunc(faults, func(f Fault) bool { return f.still }) {
		s.standStill.Lock()
		defer s.standStill.Unlock()
	}
	load := func() error { return s.load(ctx, end, slices.ContainsFunc(faults, Fault.asks)) }
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

// load publishes what is due of each workload: fresh things, and succeeded rows again, twice as many
// in all as its portion.
func (d *drill) load(ctx context.Context, end time.Time, asking bool) error {
	for _, w := range d.line.lanes {
		due := d.take(w.workload, end, asking)
		if err := d.publish(ctx, func() error { return w.publish(d.line, ctx, ids(due)) }); err != nil {
			return err
		}
		again, err := d.succeeded(ctx, w, max(2*w.portion-len(due), 2))
		if err != nil {
			return err
		}
		if err := d.publish(ctx, func() error { return w.Publish().Publish(ctx, again) }); err != nil {
			return err
		}
	}
	return nil
}

// rest lets time pass, so that the next fault strikes at once or hits retries.
func (d *drill) rest(ctx context.Context) {
	next := d.line.Clock.Now().Add(time.Duration(d.random.IntN(40)) * time.Minute)
	until(ctx, time.Duration(d.random.IntN(3))*time.Second, func() bool { return d.line.Clock.Now().After(next) })
}

// publish retries, because a restart may have cut its connections. The sweep sends what couldn't be
// sent.
func (d *drill) publish(ctx context.Context, what func() error) (err error) {
	for range 10 {
		var unsent *job.PublishError
		if err = what(); err == nil || errors.As(err, &unsent) {
			return nil
		}
		if err := backoff.Sleep(ctx, tick); err != nil {
			return err
		}
	}
	return err
}

const succeededSQL = `
SELECT id FROM {table} WHERE {status} = 'succeeded' ORDER BY md5(id::text || $2) LIMIT $1`

func (d *drill) succeeded(ctx context.Context, w *lane, n int) ([]uuid.UUID, error) {
	found, _ := d.line.db.Query(ctx, w.sql(succeededSQL), n, fmt.Sprint(d.random.Uint64()))
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
			d.Progress(fmt.Sprintf("%4.0f s: %s; %d to come; %d faults, %d sweeps; %s simulated", time.Since(d.started).Seconds(),
				standing(d.workloads, states), d.left(), faults, d.line.tasks[0].runs.Load(),
				d.line.Clock.Now().Sub(began).Round(time.Minute)))
		}
	})
	return func() { cancel(); showing.Wait() }
}

// standing lists the rows of each workload by state.
func standing(list []*workload, states map[string]map[string]int) string {
	var parts []string
	for _, w := range list {
		parts = append(parts, w.Name+" "+cmp.Or(counted(states[w.Name]), "none"))
	}
	return strings.Join(parts, "; ")
}

// statesSQL counts the parked rows apart.
const statesSQL = `
SELECT '{function}', CASE WHEN {is_parked} THEN 'parked' ELSE {status} END AS state, count(*) FROM {table}
WHERE {status} IS NOT NULL GROUP BY state`

// states counts the rows by workload and state.
func (d *drill) states(ctx context.Context) (map[string]map[string]int, error) {
	var found []struct {
		Function, Status string
		N                int
	}
	err := read(ctx, d.line.db, union(d.workloads, statesSQL), &found)
	states := map[string]map[string]int{}
	for _, s := range found {
		if states[s.Function] == nil {
			states[s.Function] = map[string]int{}
		}
		states[s.Function][s.Status] = s.N
	}
	return states, err
}
