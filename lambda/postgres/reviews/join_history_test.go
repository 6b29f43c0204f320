package reviews_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"

	"github.com/google/uuid"
)

// message is a message of a chunk, with the number of its publication.
type message struct{ chunk, stamp int }

// worker is an attempt under way, with its message.
type worker struct {
	chunk, attempt int
	message        message
}

// act is a step of a history: its result in the model, and how a database does it.
type act struct {
	name, want, state string
	on                func(d *database) string
}

// history is a review with its queue and its workers. Messages are lost and
// duplicated, workers die before and after their commit.
type history struct {
	*joined
	*rand.Rand
	messages []message
	workers  []worker
	acts     []act
	script   bool // acts are kept, for a database
}

func newHistory(seed uint64, script bool) *history {
	h := &history{Rand: rand.New(rand.NewPCG(15, seed)), script: script}
	h.joined = newJoined(1 + h.IntN(4))
	for i := range h.chunks[:h.last()] {
		h.send(i)
	}
	return h
}

type words []any

// did keeps an act.
func (h *history) did(name, want words, on func(d *database) string) {
	if h.script {
		h.acts = append(h.acts, act{fmt.Sprint(name...), fmt.Sprint(want...), h.state(), on})
	}
}

// send sends the message of the latest publication, or loses it.
func (h *history) send(chunk int) {
	if h.IntN(10) > 0 {
		h.messages = append(h.messages, message{chunk, h.chunks[chunk].stamp})
	}
}

// step is one random step.
func (h *history) step() {
	switch n := h.IntN(100); {
	case n < 34:
		if len(h.messages) > 0 {
			h.deliver(h.IntN(len(h.messages)), h.IntN(8) == 0)
		}
	case n < 66:
		h.finish()
	case n < 70 && len(h.workers) > 0: // a worker dies
		h.leave(h.IntN(len(h.workers)), false)
	case n < 78:
		h.wait(h.IntN(len(h.chunks)))
	case n < 84:
		h.sweep()
	case n < 87 && len(h.messages) > 0:
		h.messages = append(h.messages, h.messages[h.IntN(len(h.messages))])
	case n < 91:
		h.person(h.IntN(len(h.chunks)))
	case n < 95:
		h.stop()
	default:
		h.again()
	}
}

func (h *history) deliver(at int, redriven bool) {
	m := h.messages[at]
	found, attempt := h.claim(m.chunk, m.stamp, redriven)
	h.did(words{"deliver ", m, ", redriven ", redriven}, words{found, attempt},
		func(d *database) string { return d.claim(m, redriven) })
	switch found {
	case "held":
	case "claimed":
		h.workers = append(h.workers, worker{m.chunk, attempt, m})
	default:
		h.messages = slices.Delete(h.messages, at, at+1)
	}
}

// leave removes a worker, with its message if that is acknowledged.
func (h *history) leave(at int, acknowledged bool) {
	w := h.workers[at]
	h.workers = slices.Delete(h.workers, at, at+1)
	if i := slices.Index(h.messages, w.message); acknowledged && i >= 0 {
		h.messages = slices.Delete(h.messages, i, i+1)
	}
}

var ends = []job.Status{job.StatusSucceeded, job.StatusSucceeded, job.StatusSucceeded, job.StatusFailed, job.StatusCancelled, job.StatusPending}

// finish lets a worker end its chunk. It may die between the commit and the message, the
// contract as a whole too.
func (h *history) finish() {
	if len(h.workers) == 0 {
		return
	}
	at, status, released := h.IntN(len(h.workers)), ends[h.IntN(len(ends))], h.IntN(2) == 0
	if status == job.StatusCancelled && h.status != "cancelling" {
		status = job.StatusSucceeded
	}
	h.finishAs(at, status, released)
}

func (h *history) finishAs(at int, status job.Status, released bool) {
	w := h.workers[at]
	last := h.last()
	waiting := h.chunks[last].status == job.StatusPending
	accepted := h.end(w.chunk, w.attempt, status)
	published := accepted && !waiting && w.chunk != last && h.chunks[last].status == job.StatusPending
	releases := status == job.StatusPending || status == job.StatusFailed && released
	if published && !releases {
		h.chunks[last].stamp++
		h.send(last)
	}
	h.did(words{w, " ends as ", status, ", released ", releases}, words{accepted, published && !releases},
		func(d *database) string { return d.end(w, status, releases) })
	h.leave(at, (accepted || h.chunks[w.chunk].over()) && status != job.StatusPending && h.IntN(5) > 0)
}

func (h *history) wait(i int) {
	if p := &h.chunks[i]; p.status == job.StatusInProgress || p.status == job.StatusPending {
		p.late = true
	}
	h.did(words{"time passes for ", i}, nil, func(d *database) string { return d.wait(i) })
}

func (h *history) sweep() {
	crashed := h.giveUp()
	again := h.republish()
	h.did(words{"sweep"}, words{crashed, again}, func(d *database) string { return d.sweep() })
	for _, i := range again {
		h.send(i)
	}
}

func (h *history) person(i int) {
	h.publish(i)
	h.did(words{"publish ", i}, words{[]int{i}}, func(d *database) string { return d.publish(i) })
	h.send(i)
}

func (h *history) stop() {
	h.cancel()
	h.did(words{"cancel"}, words{h.status}, func(d *database) string { return d.cancel() })
}

func (h *history) again() {
	again, ok := h.retry()
	h.did(words{"retry"}, words{again, ok}, func(d *database) string { return d.retry() })
	for _, i := range again {
		h.send(i)
	}
}

// settle lets the review come to its end, without faults.
func (h *history) settle() {
	for range 12 {
		for at := range slices.Backward(h.messages) {
			h.deliver(at, false)
		}
		for len(h.workers) > 0 {
			h.finishAs(0, job.StatusSucceeded, false)
		}
		if h.status.Over() {
			return
		}
		for i := range h.chunks {
			h.wait(i)
		}
		h.sweep()
	}
}

// run is a whole history. It returns the first broken promise.
func (h *history) run(steps int) string {
	for range steps {
		h.step()
		if broken := h.broken(); broken != "" {
			return broken
		}
	}
	h.settle()
	if !h.status.Over() {
		return "it does not end"
	}
	return h.broken()
}

// The model alone: in no history is a review lost, or closed twice.
func TestJoinRandomHistories(t *testing.T) {
	t.Parallel()
	n, ended := testenv.Size(20_000, 1_000_000), map[string]int{}
	for seed := range n {
		h := newHistory(uint64(seed), false)
		if broken := h.run(40); broken != "" {
			t.Fatalf("history %d: %s: %+v", seed, broken, h.joined)
		}
		ended[string(h.status)]++
	}
	t.Logf("%d histories ended as %v", n, ended)
	if len(ended) != 4 {
		t.Errorf("histories ended as %v: one end is never reached", ended)
	}
}

// The database does as the model, step by step.
func TestJoinFollowsModel(t *testing.T) {
	t.Parallel()
	n, databases := testenv.Size(25, 10_000), testenv.Size(1, 4)
	for first := range databases {
		t.Run(fmt.Sprint("from ", first), func(t *testing.T) {
			t.Parallel()
			r := newFixture(t)
			r.Exec(closingSQL)
			for seed := first; seed < n; seed += databases {
				r.follows(uint64(seed))
			}
		})
	}
}

// closingSQL records each end of a review.
const closingSQL = `
CREATE TABLE closing (job_id uuid);
CREATE FUNCTION closing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO closing VALUES (NEW.id); RETURN NULL; END $$;
CREATE TRIGGER closing AFTER UPDATE ON review_job FOR EACH ROW
	WHEN (NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL) EXECUTE FUNCTION closing()`

// follows compares the database with the model after each step of a history.
func (r *fixture) follows(seed uint64) {
	model := newHistory(seed, true)
	d := &database{fixture: r, stamps: map[message]time.Time{}}
	d.start(model.last())
	broken := model.run(25)
	for n, a := range model.acts {
		got := a.on(d)
		if state := d.state(); got != a.want || state != a.state {
			r.T.Fatalf("history %d, step %d: got %s, want %s; the database has\n%s, the model\n%s%s",
				seed, n, got, a.want, state, a.state, upTo(model.acts, n))
		}
	}
	if broken != "" {
		r.T.Fatalf("history %d: %s%s", seed, broken, upTo(model.acts, len(model.acts)-1))
	}
}

func upTo(acts []act, n int) string {
	var list strings.Builder
	for _, a := range acts[:n+1] {
		fmt.Fprintf(&list, "\n\t%s: %s", a.name, a.want)
	}
	return list.String()
}

// state is a review in words, as database.state reads it.
func (j *joined) state() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %d %d %d", j.status, j.open, j.gaps, j.ends)
	for _, p := range j.chunks {
		fmt.Fprintf(&s, "\n%s %d %d %t", p.status, p.attempt, p.lapses, p.ready)
	}
	return s.String()
}

// database does the acts of a history with the store.
type database struct {
	*fixture
	review uuid.UUID
	ids    []uuid.UUID
	stamps map[message]time.Time
}

func (d *database) start(chunks int) {
	var stamped []job.Stamped
	d.review, stamped = d.create(chunks)
	all := must.Get(d.store.Chunks(d.T.Context(), d.review))(d.T)
	for _, c := range all {
		d.ids = append(d.ids, c.ID)
	}
	d.stamped(stamped)
	d.Exec("UPDATE review_job SET status = 'running' WHERE id = $1", d.review)
}

// stamped keeps stamps, and returns the chunks that have them, in order.
func (d *database) stamped(stamped []job.Stamped) (chunks []int) {
	for _, s := range stamped {
		m := message{chunk: slices.Index(d.ids, s.ID), stamp: 1}
		for !d.stamps[m].IsZero() {
			m.stamp++
		}
		d.stamps[m] = s.PublishedAt
		chunks = append(chunks, m.chunk)
	}
	slices.Sort(chunks)
	return chunks
}

func (d *database) claim(m message, redriven bool) string {
	delivery := job.Delivery{ID: d.ids[m.chunk], Count: 1, Last: true, PublishedAt: d.stamps[m]}
	if redriven {
		delivery.SentAt = start.Add(time.Hour)
	}
	claims := must.Get(d.store.Claim(d.T.Context(), []job.Delivery{delivery}, time.Minute, true))(d.T)
	found := "claimed"
	if claims[0].Found != job.Claimed {
		found = claims[0].Found.String()
	}
	return fmt.Sprint(found, claims[0].Attempt.Number)
}

func (d *database) end(w worker, status job.Status, releases bool) string {
	f := job.Attempt{ID: d.ids[w.chunk], Number: w.attempt}
	if releases {
		accepted := must.Get(d.store.Release(d.T.Context(), f, job.Release{Status: status, Reason: "busy", Kind: "transient", Delivery: 1}))(d.T)
		return fmt.Sprint(accepted, false)
	}
	whole, err := d.store.End(d.T.Context(), f, status, "", "")
	if err == job.ErrFenceLost {
		return fmt.Sprint(false, false)
	}
	must.OK(d.T, err)
	return fmt.Sprint(true, len(d.stamped(whole)) == 1)
}

func (d *database) wait(i int) string {
	d.Exec("UPDATE review_chunk SET lease_until = lease_until - interval '1 year', due_at = due_at - interval '1 year' WHERE id = $1", d.ids[i])
	return ""
}

func (d *database) sweep() string {
	w := sweep.Waits{Visibility: time.Minute, Grace: -time.Minute, Drained: true, Lapses: 3, Times: 3}
	_, crashed, err := d.store.GiveUp(d.T.Context(), w, 100)
	must.OK(d.T, err)
	again := must.Get(d.store.Republish(d.T.Context(), w, 100))(d.T)
	var stamped []job.Stamped
	for _, a := range again {
		stamped = append(stamped, a.Stamped)
	}
	return fmt.Sprint(crashed, d.stamped(stamped))
}

func (d *database) publish(i int) string {
	stamped := must.Get(d.store.Publish(d.T.Context(), []uuid.UUID{d.ids[i]}))(d.T)
	return fmt.Sprint(d.stamped(stamped))
}

func (d *database) cancel() string {
	status := must.Get(d.store.Cancel(d.T.Context(), d.review))(d.T)
	return string(status)
}

func (d *database) retry() string {
	stamped, err := d.store.Retry(d.T.Context(), d.review)
	return fmt.Sprint(d.stamped(stamped), err == nil)
}

func (d *database) state() (s string) {
	d.T.Helper()
	d.scan(`SELECT j.status || ' ' || chunks_open || ' ' || gaps || ' ' || (SELECT count(*) FROM closing WHERE job_id = j.id)
		|| string_agg(E'\n' || coalesce(c.status, '') || ' ' || c.attempts || ' ' || c.lapses || ' ' || c.ready, '' ORDER BY position)
		FROM review_job AS j JOIN review_chunk AS c ON c.job_id = j.id WHERE j.id = $1 GROUP BY j.id`, d.review, &s)
	return s
}

// scan reads one row of one review or chunk.
func (r *fixture) scan(sql string, id uuid.UUID, into ...any) {
	r.T.Helper()
	must.OK(r.T, r.Conn.QueryRow(r.T.Context(), sql, id).Scan(into...))
}
