package review_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// simulation is many reviews at once on a clock of their own: the real work and
// the real runtime, with a queue, a store and a model in memory. Workers are
// processes, each with one batch at a time, as instances of the function are.
type simulation struct {
	seed          uint64
	reviews       int
	chunks        int           // of a contract
	kill          time.Duration // mean life of a process; 0: it lives on
	workers       int
	batch         int
	callsInFlight int // of a worker
	retries       job.Backoff
	timeout       time.Duration // of an invocation
	lease         time.Duration
	naive         bool
}

// asDeployed has the times and the batch of the function's row, and 64 calls in
// flight, of 16 workers. (The row has 12 with five calls each: the connections of a
// usual database are its limit.)
func asDeployed(seed uint64, reviews, chunks int) simulation {
	f := manifest.Review
	return simulation{seed: seed, reviews: reviews, chunks: chunks, workers: 16, batch: f.BatchSize, callsInFlight: 4,
		retries: job.Backoff(f.Retries), timeout: f.Timeout, lease: f.Lease}
}

// outcome is the result of a simulation.
type outcome struct {
	wall       time.Duration
	calls      int
	kills      int
	repeated   int // messages that were delivered twice
	dead       int // messages in the dead-letter queue
	twice      int // answers bought twice
	lost       int // calls in flight when their process was killed
	most       int // calls in flight at once
	gaps       int // chunks without a result, with their reason
	incomplete int // reviews that lack a result and do not name it
}

// ideal is the time of all calls if 64 were always in flight.
func (o outcome) ideal(s simulation) time.Duration {
	return time.Duration(o.calls) * simMean / time.Duration(s.workers*s.callsInFlight)
}

const head = "| reviews x calls | calls | killed | time | of the ideal | incomplete | gaps | paid twice | in flight when killed |\n" +
	"|---|---|---|---|---|---|---|---|---|"

func (o outcome) row(name string, s simulation) string {
	return fmt.Sprintf("| %s | %d | %d | %s | %.2f | %d | %d | %d | %d |", name, o.calls, o.kills,
		o.wall.Round(time.Second), float64(o.wall)/float64(o.ideal(s)), o.incomplete, o.gaps, o.twice, o.lost)
}

// world is what the workers of a simulation share.
type world struct {
	simulation
	store *memory
	queue *simQueue
	model *simModel
	ids   []uuid.UUID
	began time.Time

	mu    sync.Mutex
	kills int
	ended time.Time
	naive *naive
}

// run runs the simulation to the end of all reviews.
func (s simulation) run(t *testing.T) (o outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := s.start(t)
		ctx, stop := context.WithTimeout(t.Context(), 48*time.Hour)
		var running sync.WaitGroup
		for n := range s.workers {
			running.Go(func() { w.work(ctx, n, stop) })
		}
		if !s.naive {
			running.Go(func() { w.sweep(ctx, stop) })
		}
		running.Wait()
		stop()
		o = w.outcome()
	})
	return o
}

func (s simulation) start(t *testing.T) *world {
	t.Helper()
	const seldom = 0.01
	twice := func(body uuid.UUID, count int) bool { return draw(s.seed, "twice", body[:], count) < seldom }
	w := &world{simulation: s, store: newMemory(), model: newSimModel(s.seed, 0.005), began: time.Now(),
		queue: newSimQueue(6*s.timeout, len(s.retries)+1, twice)}
	if s.naive {
		w.queue.visibility = s.lease
	}
	starter := review.Starter{Store: w.store, Sender: w.queue, Model: "simulated", Log: slog.New(slog.DiscardHandler)}
	var texts []string
	for n := range s.reviews {
		texts = append(texts, simContract(n, s.chunks))
		id := uuid.NewSHA1(uuid.Nil, binary.BigEndian.AppendUint64(nil, s.seed+uint64(n)))
		request := review.Request{ID: id, TenantID: id, Name: "contract", Text: texts[n]}
		must.Get(starter.Start(t.Context(), request))(t)
		if got := w.store.Job(id).Chunks; got != s.chunks {
			t.Fatalf("the contract has %d chunks, want %d", got, s.chunks)
		}
		if w.ids = append(w.ids, id); s.naive { // it knows no card to wait for
			must.Get(w.queue.Send(t.Context(), w.store.open(id)))(t)
		}
	}
	w.naive = newNaive(w, texts)
	return w
}

// work is a worker: one process after the other, each with one batch at a time.
func (w *world) work(ctx context.Context, number int, stop func()) {
	for life := 0; ctx.Err() == nil; life++ {
		alive, killed := context.WithCancel(ctx)
		if w.kill > 0 {
			fate := draw(w.seed, "life", []byte{byte(number)}, life)
			time.AfterFunc(time.Duration(lifetime(fate)*float64(w.kill)), killed) // the process does not see it come
		}
		for alive.Err() == nil {
			p := &process{ctx: alive, store: w.store, queue: w.queue, model: w.model}
			batch := w.queue.receive(alive, w.batch)
			switch {
			case len(batch) == 0:
			case w.simulation.naive:
				w.naive.run(p, w.simulation, batch)
			default:
				p.run(w.simulation, batch)
			}
			w.look(stop)
		}
		killed()
		if ctx.Err() == nil {
			w.mu.Lock()
			w.kills++
			w.mu.Unlock()
		}
	}
}

// sweep publishes chunks again whose message is lost, once a minute.
func (w *world) sweep(ctx context.Context, stop func()) {
	every := time.NewTicker(time.Minute)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			_, _ = w.queue.Send(ctx, w.store.Sweep(6*w.timeout))
			w.look(stop)
		}
	}
}

// look stops the simulation when all reviews are over.
func (w *world) look(stop func()) {
	if w.simulation.naive && !w.queue.empty() {
		return
	}
	for _, id := range w.ids {
		if !w.simulation.naive && !w.store.Job(id).Status.Over() {
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended.IsZero() {
		w.ended = time.Now()
	}
	stop()
}

func (w *world) outcome() outcome {
	o := outcome{wall: w.ended.Sub(w.began), calls: w.model.calls, kills: w.kills, repeated: w.queue.repeated,
		dead: w.queue.dead, twice: w.model.twice(), lost: w.model.lost, most: w.model.most}
	for _, id := range w.ids {
		if w.simulation.naive {
			if !w.naive.complete(id, w.chunks) {
				o.incomplete++
			}
			continue
		}
		gaps, named := w.missing(id)
		if o.gaps += gaps; !named {
			o.incomplete++
		}
	}
	return o
}

// missing counts the chunks of a review that lack a result, and reports whether
// all of them are named, and the review says so.
func (w *world) missing(id uuid.UUID) (gaps int, named bool) {
	named = true
	for _, c := range w.store.Chunks(id) {
		done := 0
		for _, outcome := range w.store.Outcomes(c.ID) {
			if outcome == record.Done {
				done++
			}
		}
		want := 1
		if c.Kind == record.Text {
			want = simStages
		}
		if c.Position == 0 {
			want++ // the card
		}
		if done < want {
			gaps++
			named = named && c.Status == job.StatusFailed && c.Error != ""
		}
	}
	status := w.store.Job(id).Status
	said := status == record.CompletedWithGaps || status == record.Failed
	return gaps, named && (gaps == 0 && status == record.Completed || gaps > 0 && said)
}

// lifetime is exponential with a mean of 1.
func lifetime(fate float64) float64 { return -math.Log(fate) }

// A usual contract has 22 chunks, and a long one ten times as many.
const fewChunks, manyChunks = 22, 213

// Nothing is missing without a name, and nothing is paid for twice, whatever dies.
// With -thorough there are so many reviews at once that they keep the model busy.
func TestSimulatedReviews(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d\n%s", seed, head)
	for _, c := range []simulated{
		{"100 x 24", 100, fewChunks, 0, 1.75},
		{"100 x 24, killed", 100, fewChunks, 30 * time.Minute, 0}, // what a dead worker had waits for its claim to end
		{"100 x 215", 100, manyChunks, 0, 1.75},
		{"100 x 215, killed", 100, manyChunks, 30 * time.Minute, 0},
	} {
		if testenv.Thorough() || c.chunks < 100 {
			t.Run(c.name, func(t *testing.T) { c.run(t, seed) })
		}
	}
}

type simulated struct {
	name    string
	reviews int // with -thorough
	chunks  int
	kill    time.Duration
	slowest float64 // of the ideal time, with -thorough; 0: no bound
}

func (c simulated) run(t *testing.T, seed uint64) {
	s := asDeployed(seed, testenv.Size(3, c.reviews), c.chunks)
	s.kill = c.kill
	o := s.run(t)
	t.Log(o.row(c.name, s))
	if o.incomplete > 0 || o.twice > 0 || o.most > s.workers*s.callsInFlight {
		t.Errorf("%+v", o)
	}
	if testenv.Thorough() && c.slowest > 0 && float64(o.wall) > c.slowest*float64(o.ideal(s)) {
		t.Errorf("%s, more than %.2f times the ideal %s", o.wall, c.slowest, o.ideal(s))
	}
	s.naive = true
	o = s.run(t)
	t.Log(o.row(c.name+", naive", s))
	if testenv.Thorough() && (o.incomplete == 0 || o.twice == 0) {
		t.Errorf("the naive worker lost nothing: %+v", o)
	}
}
