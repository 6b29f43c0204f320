package postgres_test

import (
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// rowsBut lists the pairs, matches and suggestions of other documents: where each
// row is, and which transactions wrote and locked it.
func (f *fixture) rowsBut(id uuid.UUID) string {
	f.t.Helper()
	var lines []string
	for _, table := range []string{"match_pair", "document_match", "match_suggestion"} {
		list := query[string](f.t, f.conn, "SELECT concat_ws(' ', '"+table+"', document_a_id, document_b_id, ctid, xmin, xmax) FROM "+table+
			" WHERE document_a_id <> $1 AND document_b_id <> $1 ORDER BY document_a_id, document_b_id", id)
		lines = append(lines, list...)
	}
	return strings.Join(lines, "\n")
}

// A document changes the rows of others only where it makes a difference: among
// many that are alike it makes none. Rows that stay are not even locked.
func TestUnchangedRowsStay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := alike(8)
	for _, d := range docs {
		f.put(d.ID, tenant, d.Type, string(d.Data))
	}
	last := docs[len(docs)-1].ID
	for _, d := range docs[:len(docs)-1] {
		f.match(d.ID)
	}
	before := f.rowsBut(last)
	for range 2 {
		f.match(last)
		if after := f.rowsBut(last); after != before {
			t.Fatalf("rows of others changed: %s", firstDifference(before, after))
		}
	}
	equal(t, "suggestions, one for each order and each other invoice", strings.Count(before, "match_suggestion"), 8*7)
	all := f.rowsBut(uuid.Nil)
	if f.match(last); f.rowsBut(uuid.Nil) != all {
		t.Errorf("its own rows were touched when it was matched again: %s", firstDifference(all, f.rowsBut(uuid.Nil)))
	}
}

// A document that finds its match takes 6 round trips to the database after its
// claim, 4 of them with the tenant's lock: one takes the lock and reads, one reads what
// the decision needs, one writes, and one writes the rest and commits.
func TestMatchRoundTrips(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	w := listen(t, url, 0)
	f := &fixture{DB: postgrestest.Open(t, w.url), conn: postgrestest.Conn(t, url), t: t}
	f.exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	m := &match.Matcher{Store: f.DB, Log: slog.New(slog.DiscardHandler)}
	var trips int64
	for n, number := range []string{"4500000101", "4500000102"} { // the first one prepares the statements
		data := `{"number":"` + number + `","date":"202` + strconv.Itoa(n) + `-01-05","supplier":{"vat_id":"DE136695976"},"line_items":[{"sku":"L-` + number + `","quantity":"3","unit_price":"10"}]`
		f.put(num(2*n+1), tenant, document.PurchaseOrder, data+`}`)
		f.put(num(2*n+2), tenant, document.Invoice, strings.Replace(data, "4500", "RE-4500", 1)+`,"references":[{"type":"purchase-order","number":"`+number+`"}]}`)
		for _, id := range []uuid.UUID{num(2*n + 1), num(2*n + 2)} {
			claims := must.Get(f.Claim(t.Context(), []job.Delivery{{ID: id}}, time.Minute, false))(t)
			before := w.trips.Load()
			must.OK(t, job.Work(m.Match).One(t.Context(), claims[0].Attempt))
			trips = w.trips.Load() - before
		}
	}
	equal(t, "matches", f.edges("document_match"), "1-2 rules, 3-4 rules")
	if trips > 6 {
		t.Errorf("%d round trips, want at most 6", trips)
	}
	t.Logf("%d round trips", trips)
}
