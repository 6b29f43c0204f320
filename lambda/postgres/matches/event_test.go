package matches_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// sentEvent is an event as a receiver reads it.
type sentEvent struct {
	ID       uuid.UUID `json:"id"`
	Sequence int64     `json:"sequence"`
	Kind     string    `json:"kind"`
	Tenant   uuid.UUID `json:"tenant_id"`
	Data     struct {
		A          uuid.UUID `json:"document_a_id"`
		B          uuid.UUID `json:"document_b_id"`
		TypeA      *string   `json:"type_a"`
		TypeB      *string   `json:"type_b"`
		NumberA    *string   `json:"number_a"`
		NumberB    *string   `json:"number_b"`
		Score      float64   `json:"score"`
		Confidence string    `json:"confidence"`
		DecidedBy  string    `json:"decided_by"`
		Reasoning  string    `json:"reasoning"`
		Verdict    string    `json:"verdict"`
		Document   uuid.UUID `json:"document_id"`
		Error      string    `json:"error"`
		FileName   string    `json:"file_name"`
	} `json:"data"`
}

func eventOf(t *testing.T, p outbox.Parcel) (e sentEvent) {
	t.Helper()
	if err := json.Unmarshal(p.Body, &e); err != nil || e.ID != p.ID {
		t.Errorf("parcel %s, %v: %s", p.ID, err, p.Body)
	}
	return e
}

// taken claims events until none is free, and returns them in words.
func (f *fixture) taken() string {
	f.T.Helper()
	var words []string
	for {
		list := f.claimEvents(100)
		if len(list) == 0 {
			return strings.Join(words, ", ")
		}
		var ids []uuid.UUID
		for _, p := range list {
			e := eventOf(f.T, p)
			last := func(id uuid.UUID) byte { return id[15] }
			text := fmt.Sprintf("%s %d-%d %s", e.Kind, last(e.Data.A), last(e.Data.B), e.Data.DecidedBy)
			if e.Kind == "decision.made" {
				text = fmt.Sprintf("%s %d-%d %s by %s", e.Kind, last(e.Data.A), last(e.Data.B), e.Data.Verdict, e.Data.DecidedBy)
			}
			words, ids = append(words, text), append(ids, p.ID)
		}
		must.OK(f.T, events.New(f.DB).Delivered(f.T.Context(), ids))
	}
}

func (f *fixture) claimEvents(limit int) []outbox.Parcel {
	f.T.Helper()
	return must.Get(events.New(f.DB).Claim(f.T.Context(), limit, time.Minute))(f.T)
}

func (f *fixture) record() {
	f.T.Helper()
	for range 2 {
		must.OK(f.T, events.New(f.DB).Record(f.T.Context()))
	}
}

func (f *fixture) wantTaken(when, want string) {
	f.T.Helper()
	postgrestest.Equal(f.T, when, f.taken(), want)
}

// Each change of a match is an event, whatever program made it, and each decision of a
// person; what the view does not show is none.
func TestMatchEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lamps()
	f.wantTaken("without a receiver", "")
	f.record()
	for n := 1; n <= 3; n++ {
		f.match(num(n))
	}
	f.wantTaken("matched again", "")
	says := func(b int, v rules.Verdict) {
		t.Helper()
		must.OK(t, f.says(num(1), num(b), v))
	}
	says(3, rules.Rejected)
	f.wantTaken("one rejected", "decision.made 1-3 rejected by anna, match.created 1-2 rules")
	says(2, rules.Confirmed)
	f.wantTaken("the match confirmed", "decision.made 1-2 confirmed by anna, match.changed 1-2 person")
	says(2, rules.Confirmed)
	f.wantTaken("confirmed again", "")
	f.Exec(`UPDATE document SET structured_data = structured_data || '{"number":"45000-B"}' WHERE id = $1`, num(1))
	f.wantTaken("another number", "match.changed 1-2 person")
	f.Exec(`UPDATE document SET structured_data = structured_data || '{"notes":"x"}' WHERE id = $1`, num(1))
	f.Exec("UPDATE document_match SET evidence = '[]', created_at = now() + interval '1 hour'")
	f.wantTaken("what no view shows", "")
	f.Exec("UPDATE document_match SET score = 0.5")
	f.wantTaken("another program", "match.changed 1-2 person")
	f.Exec("DELETE FROM document_match")
	f.wantTaken("deleted", "match.removed 1-2 person")
	says(2, rules.Withdrawn)
	f.wantTaken("withdrawn", "decision.made 1-2 withdrawn by anna, match.created 1-2 rules")
}

func TestFailureEvent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.record()
	f.Put(num(1), tenant, document.Invoice, `{"number":"`+strings.Repeat("9", 5000)+`"}`)
	f.Exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = 'no answer', file_name = 'scan 7.pdf'")
	f.Exec("UPDATE document SET matching_error = 'no answer at all'")
	list := f.claimEvents(10)
	if len(list) != 1 || len(list[0].Body) > 1500 {
		t.Fatalf("%d events, %v", len(list), list)
	}
	if e := eventOf(t, list[0]); e.Kind != "document.failed" || e.Data.Document != num(1) || e.Data.Error != "no answer" || e.Data.FileName != "scan 7.pdf" ||
		e.Tenant != tenant {
		t.Errorf("got %+v", e)
	}
}

// A transaction that is rolled back leaves no event, and one that is not committed
// holds up others of the same document only: their sequence is that of the commits.
func TestEventCommitOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(4)
	f.byPerson("document_match", 1, 2)
	f.byPerson("document_match", 1, 3)
	f.record()
	tx := must.Get(f.Conn.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), "DELETE FROM document_match WHERE document_b_id = $1", num(2)))(t)
	other := must.Get(pgx.Connect(t.Context(), f.Conn.Config().ConnString()))(t)
	defer other.Close(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := other.Exec(t.Context(), "UPDATE document_match SET score = 0.25 WHERE document_b_id = $1", num(3))
		done <- err
	}()
	for waits := false; !waits; {
		select {
		case err := <-done:
			t.Fatalf("the second writer did not wait: %v", err)
		default:
		}
		must.OK(t, tx.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pid = $1)",
			other.PgConn().PID()).Scan(&waits))
	}
	if list := f.claimEvents(10); len(list) > 0 {
		t.Errorf("claimed before the commit: %v", list)
	}
	must.OK(t, tx.Commit(t.Context()))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	f.wantTaken("in order", "match.removed 1-2 person, match.changed 1-3 person")
}
