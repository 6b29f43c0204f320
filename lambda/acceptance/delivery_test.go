package acceptance_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

func TestTransientFailure(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(2)
	broken, mate := ids[0], ids[1]
	l.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'the text of a driver' USING ERRCODE = '57014'; END $$`)
	l.exec(`CREATE TRIGGER refuse BEFORE UPDATE OF match_keys ON document FOR EACH ROW
		WHEN (NEW.id = '` + broken.String() + `') EXECUTE FUNCTION refuse()`)
	l.publish(ids...)
	l.drain(ids)

	check(t, "received", l.lastLife(broken), "received at 0, received at 300, received at 2100, moved to DLQ at 2100")
	check(t, "document", l.status(broken),
		"failed, 3 attempts, 1 notifications, read candidates: database error (SQLSTATE 57014)")
	check(t, "its batch-mate", l.status(mate), atOnce)
	_, dlq := l.Stats()
	check(t, "messages in the DLQ", dlq.Visible, 1)
}

func TestPermanentFailure(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(10)
	l.exec(`UPDATE document SET structured_data = '{"total": {"secret": 1}}' WHERE id = $1`, ids[3])
	l.publish(ids...)
	l.drain(ids)

	check(t, "message", l.lastLife(ids[3]), "received at 0, deleted at 0")
	check(t, "document", l.status(ids[3]),
		"failed, 1 attempts, 1 notifications, structured data: invalid amount: expected a plain decimal of at most 18 digits")
	l.wantAtOnce(slices.Delete(ids, 3, 4)...)
}

func TestLostMessage(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(2)
	lost := job.Publisher{Store: l.DB, Sender: noSender{}}
	if err := lost.Publish(t.Context(), ids); err == nil {
		t.Fatal("nothing was sent, and no error")
	}
	l.drain(ids)
	for _, id := range ids {
		check(t, "message", strings.Join(l.events(id, sqs.Sent, sqs.Deleted), ", "), "sent at 1081, deleted at 1081")
		l.wantAtOnce(id)
	}
}

// The sweep function, in its own bootstrap.
func TestSweepRepairs(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(2)
	if err := (&job.Publisher{Store: l.DB, Sender: noSender{}}).Publish(t.Context(), ids); err == nil {
		t.Fatal("nothing was sent, and no error")
	}
	must.OK(t, l.Advance(t.Context(), manifest.Match.Visibility()+time.Second))
	sweeper := l.function(manifest.Sweep)
	for _, want := range []string{
		`{"overdue":2,"backlog":0,"inserted":0,"recovered":0,"republished":2,"lost":0,"crashed":0}`,
		`{"overdue":0,"backlog":N,"inserted":0,"recovered":0,"republished":0,"lost":0,"crashed":0}`,
	} {
		got := must.Get(sweeper.Invoke(t.Context(), []byte(`{}`)))(t)
		report := string(got)
		if want[len(`{"overdue":`)] == '0' { // the function may have taken some messages, or all
			report = regexp.MustCompile(`"backlog":[0-2],`).ReplaceAllString(report, `"backlog":N,`)
		}
		check(t, "report", report, want)
	}
	l.drain(ids)
	l.wantAtOnce(ids[0])
}

// noSender dies before it sends.
type noSender struct{}

func (noSender) Send(_ context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	for _, m := range messages {
		unsent = append(unsent, m.ID)
	}
	return unsent, context.Canceled
}

func TestTwentyKills(t *testing.T) {
	t.Parallel()
	const kills, documents = 20, 200
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	l := newLine(t, 1)
	g := newGate(l)
	ids := l.store(documents)
	for _, i := range random.Perm(documents)[:documents/5] {
		l.exec("INSERT INTO gated VALUES ($1)", ids[i])
	}
	l.publish(ids...)
	done := 0
	for done < kills {
		waitFor(t, "a worker at the gate, or nothing to do", func() bool { return g.waiting() > 0 || l.Idle() })
		if g.waiting() == 0 { // the messages of the killed come back
			if jumped, err := l.Jump(t.Context()); err != nil || !jumped {
				t.Fatalf("only %d kills, and no message is left (%v)", done, err)
			}
			continue
		}
		g.killWaiting()
		done++
		// A message has three deliveries: each of its documents may be hit twice.
		l.exec(`DELETE FROM gated USING document d WHERE d.id = gated.id AND d.matching_status = 'in-progress' AND d.matching_attempts > 1
			OR (SELECT max(matching_attempts) FROM document) > 2`)
	}
	l.exec("DELETE FROM gated")
	g.open()
	l.drain(ids)

	g.finished(documents)
	queue, dlq := l.Stats()
	check(t, "messages left", queue.Visible+queue.InFlight+dlq.Visible, 0)
}

func TestPoisonFailsAlone(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	g := newGate(l)
	ids := l.store(10)
	killer := ids[4]
	l.exec("INSERT INTO gated VALUES ($1)", killer)
	l.publish(ids...)
	for range manifest.Match.MaxReceiveCount() {
		g.await()
		g.killWaiting()
		g.again()
	}
	l.exec("DELETE FROM gated") // or the sweep would stand at the gate as well
	l.drain(ids)
	check(t, "the killer", l.status(killer), "failed, 3 attempts, 1 notifications, crashed: 3 attempts in a row ended without a result")
	check(t, "its message", l.lastLife(killer),
		"received at 0, received at 1080, received at 2160, moved to DLQ at 3240")
	for _, id := range ids {
		if id == killer {
			continue
		}
		if got := l.status(id); !strings.HasPrefix(got, "succeeded") {
			t.Errorf("batch-mate: %s", got)
		}
		if moved := l.events(id, sqs.MovedToDLQ); len(moved) > 0 {
			t.Errorf("the message of a batch-mate was %v", moved)
		}
	}
	_, dlq := l.Stats()
	check(t, "messages in the DLQ", dlq.Visible, 1)
}
