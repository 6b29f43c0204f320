package postgrestest

import (
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Put inserts a document as an import leaves it.
func (f *Fixture) Put(id, tenant uuid.UUID, typ document.Type, data string) uuid.UUID {
	f.T.Helper()
	f.Exec("INSERT INTO tenant VALUES ($1, 'Others') ON CONFLICT DO NOTHING", tenant)
	f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_due_at)
		VALUES ($1, $2, $3::text::document_type, $4, now())`, id, tenant, typ, data)
	return id
}

// Invoices inserts invoices with the ids Num(1) to Num(n).
func (f *Fixture) Invoices(n int) {
	f.T.Helper()
	for i := 1; i <= n; i++ {
		f.Put(Num(i), Tenant, document.Invoice, "{}")
	}
}

// Deliver claims a document for a delivery.
func (f *Fixture) Deliver(d job.Delivery, suspects bool) job.Claim {
	f.T.Helper()
	claims := must.Get(f.Claim(f.T.Context(), []job.Delivery{d}, time.Minute, suspects))(f.T)
	return claims[0]
}

// Take claims a document, whatever its state.
func (f *Fixture) Take(id uuid.UUID) job.Attempt {
	f.T.Helper()
	f.Exec("UPDATE document SET matching_status = 'pending' WHERE id = $1", id)
	c := f.Deliver(job.Delivery{ID: id}, false)
	if c.Found != 0 {
		f.T.Fatalf("claim found %v", c.Found)
	}
	return c.Attempt
}

// State is the state of a document.
type State struct {
	Status, Error string
	Attempts      int
	Lease, Due    time.Duration // from Start; 0 if NULL
	Failed        bool
	Notifications int
}

// State reads a document's state.
func (f *Fixture) State(id uuid.UUID) (s State) {
	f.T.Helper()
	var lease, due *time.Time
	must.OK(f.T, f.Conn.QueryRow(f.T.Context(), `SELECT coalesce(matching_status, ''), coalesce(matching_error, ''), matching_attempts,
		matching_lease_until, matching_due_at, matching_failed_at IS NOT NULL,
		(SELECT count(*) FROM notification WHERE document_id = $1) FROM document WHERE id = $1`, id).
		Scan(&s.Status, &s.Error, &s.Attempts, &lease, &due, &s.Failed, &s.Notifications))
	if lease != nil {
		s.Lease = lease.Sub(Start)
	}
	if due != nil {
		s.Due = due.Sub(Start)
	}
	return s
}

// DocumentRow is Row of a document.
func (f *Fixture) DocumentRow(id uuid.UUID) Row {
	f.T.Helper()
	return f.Row(id, "matching_status, matching_attempts, matching_error, matching_due_at, matching_failed_at", "document")
}

// ModelAnswers lists the answers of models: the text, how often it was replayed, and why it is
// unusable.
func (f *Fixture) ModelAnswers() []string {
	f.T.Helper()
	return Values[string](f.T, f.Conn, "SELECT concat_ws(', ', answer, replays, nullif(unusable, '')) FROM model_answer ORDER BY id")
}
