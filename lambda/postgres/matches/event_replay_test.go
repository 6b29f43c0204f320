package matches_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// mirror is a receiver that rebuilds the view of matches from events.
type mirror struct {
	t *testing.T

	mu      sync.Mutex
	known   map[uuid.UUID]string // bodies
	last    map[uuid.UUID]int64  // the sequence of the latest event of a document
	matches map[string]string
	changes int
}

// take takes an event; of a duplicate it only compares the body.
func (m *mirror) take(p outbox.Parcel) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if body, ok := m.known[p.ID]; ok {
		if body != string(p.Body) {
			m.t.Errorf("a duplicate differs:\n%s\n%s", body, p.Body)
		}
		return
	}
	m.known[p.ID] = string(p.Body)
	e := eventOf(m.t, p)
	for _, id := range []uuid.UUID{e.Data.A, e.Data.B} {
		if e.Sequence <= m.last[id] {
			m.t.Errorf("document %s: event %d after %d", id, e.Sequence, m.last[id])
		}
		m.last[id] = e.Sequence
	}
	pair := fmt.Sprint(e.Data.A, e.Data.B)
	_, matched := m.matches[pair]
	if matched != (e.Kind != "match.created") {
		m.t.Errorf("%s of a pair that is matched: %t", e.Kind, matched)
	}
	m.changes++
	delete(m.matches, pair)
	if d := e.Data; e.Kind != "match.removed" {
		m.matches[pair] = fmt.Sprint(e.Tenant, d.A, *d.TypeA, text(d.NumberA), d.B, *d.TypeB, text(d.NumberB), d.Score,
			d.Confidence, d.DecidedBy, d.Reasoning)
	}
}

func text(s *string) string {
	if s == nil {
		return "NULL"
	}
	return *s
}

// send sends until stop is closed and nothing is left, and is killed, stopped, heard
// twice or not heard at random.
func (m *mirror) send(box outbox.Outbox, random *rand.Rand, stop chan struct{}) {
	ctx := m.t.Context()
	for {
		stopped := false
		select {
		case <-stop:
			stopped = true
		default:
		}
		hold := time.Minute
		dies := !stopped && random.IntN(10) == 0
		if dies {
			hold = 0
		}
		list, err := box.Claim(ctx, 1+random.IntN(8), hold)
		if err != nil {
			m.t.Error(err)
			return
		}
		if stopped && len(list) == 0 {
			return
		}
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var accepted []uuid.UUID
		var returned []outbox.Return
		for _, p := range list {
			ends := random.IntN(4)
			if ends != 0 {
				m.take(p)
			}
			if ends > 1 {
				accepted = append(accepted, p.ID)
			} else {
				returned = append(returned, outbox.Return{ID: p.ID, Tries: p.Tries, Refused: random.IntN(2) == 0})
			}
		}
		if dies {
			continue
		}
		if err := box.Delivered(ctx, accepted); err != nil {
			m.t.Error(err)
		}
		if err := box.Release(ctx, returned); err != nil {
			m.t.Error(err)
		}
	}
}

// viewed reads the view as mirror.take writes it.
func (w *workshop) viewed() []string {
	w.T.Helper()
	rows, _ := w.Conn.Query(w.T.Context(), `SELECT tenant_id, document_a_id, type_a, coalesce(number_a, 'NULL'),
		document_b_id, type_b, coalesce(number_b, 'NULL'), score, confidence, decided_by, reasoning FROM matchbook_match`)
	list := must.Get(pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var t, a, b uuid.UUID
		var typeA, numberA, typeB, numberB, confidence, by, reasoning string
		var score float64
		err := row.Scan(&t, &a, &typeA, &numberA, &b, &typeB, &numberB, &score, &confidence, &by, &reasoning)
		return fmt.Sprint(t, a, typeA, numberA, b, typeB, numberB, score, confidence, by, reasoning), err
	}))(w.T)
	slices.Sort(list)
	return list
}

// Several workers match, people decide, other programs delete and correct, and several
// senders die and fail: the events, each once and in the order of its documents, are
// the view, row by row.
func TestEventsRebuildMatches(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "matches the sample again and again")
	docs := sampleDocuments(t)
	for seed := range uint64(4) {
		w := newWorkshop(t, docs)
		must.OK(t, events.New(w.DB).Record(t.Context()))
		m := &mirror{t: t, known: map[uuid.UUID]string{}, last: map[uuid.UUID]int64{}, matches: map[string]string{}}
		stop := make(chan struct{})
		var senders sync.WaitGroup
		for n := range uint64(3) {
			senders.Go(func() { m.send(events.New(w.DB), rand.New(rand.NewPCG(seed, 10+n)), stop) })
		}
		w.changing(rand.New(rand.NewPCG(seed, 1)))
		close(stop)
		senders.Wait()
		got := slices.Sorted(maps.Values(m.matches))
		if want := w.viewed(); !slices.Equal(got, want) || len(want) == 0 || m.changes <= len(want) {
			t.Errorf("seed %d: %s, of %d changes", seed,
				firstDifference(strings.Join(got, "\n"), strings.Join(want, "\n")), m.changes)
		}
		if g, err := events.ReadGauges(t.Context(), w.DB); g != (postgres.EventGauges{}) || err != nil {
			t.Errorf("left: %+v, %v", g, err)
		}
	}
}

// changing matches all documents, again with other data, and lets another program
// change matches and numbers meanwhile.
func (w *workshop) changing(random *rand.Rand) {
	w.T.Helper()
	w.matchAll(random, 3)
	f := w.fixture
	f.Exec("SELECT setseed($1)", random.Float64())
	f.Exec(`DELETE FROM document_match WHERE random() < 0.3`)
	f.Exec(`UPDATE document_match SET score = 0.75 WHERE random() < 0.3`)
	f.Exec(`UPDATE document SET structured_data = structured_data - 'references' WHERE random() < 0.3 AND type = $1`,
		string(document.Invoice))
	f.Exec(`UPDATE document SET structured_data = jsonb_set(structured_data, '{number}', '"X-1"') WHERE random() < 0.1`)
	w.matchAll(random, 3)
}
