package matches_test

import (
	"errors"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// An order of 20 lamps and two invoices that charge 20 lamps each: neither
// cites the order, and it has room for one of them.
const (
	lampOrder    = `{"number":"4500000107","date":"2026-03-02","supplier":{"name":"Lampenhaus Wittmann"},"line_items":[{"sku":"L-20","quantity":"20"}]}`
	lampInvoice1 = `{"number":"RE-2026-0881","date":"2026-03-12","supplier":{"name":"Lampenhaus Wittmann"},"line_items":[{"sku":"L-20","quantity":"20"}]}`
	lampInvoice2 = `{"number":"RE-2026-0893","date":"2026-03-12","supplier":{"name":"Lampenhaus Wittmann"},"line_items":[{"sku":"L-20","quantity":"20"}]}`
)

// lamps are the three documents as num(1) to num(3), matched.
func (f *fixture) lamps() {
	f.T.Helper()
	f.Put(num(1), tenant, document.PurchaseOrder, lampOrder)
	f.Put(num(2), tenant, document.Invoice, lampInvoice1)
	f.Put(num(3), tenant, document.Invoice, lampInvoice2)
	for n := 1; n <= 3; n++ {
		f.match(num(n))
	}
}

// byAnna is what she decides about a pair.
func byAnna(verdict rules.Verdict) matches.Decision {
	return matches.Decision{Verdict: verdict, By: "anna", Origin: postgres.OriginCommand}
}

// says is what a person says about two documents.
func (f *fixture) says(a, b uuid.UUID, verdict rules.Verdict) error {
	f.T.Helper()
	_, err := f.Decide(f.T.Context(), a, b, byAnna(verdict))
	return err
}

func (f *fixture) wantEdges(when, matches, suggestions, clusters string) {
	f.T.Helper()
	if m, s, c := f.edges("document_match"), f.edges("match_suggestion"), f.clusters(); m != matches || s != suggestions || c != clusters {
		f.T.Errorf("%s: matches %q, suggestions %q, clusters %q; want %q, %q, %q", when, m, s, c, matches, suggestions, clusters)
	}
}

// An arrival changes what was decided before, and so does a person: always
// everything that competes is decided again.
func TestVerdictBeatsRivals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.PurchaseOrder, lampOrder)
	f.Put(num(2), tenant, document.Invoice, lampInvoice1)
	f.match(num(1))
	f.match(num(2))
	f.wantEdges("one invoice", "1-2 rules", "", "1 1")
	f.Put(num(3), tenant, document.Invoice, lampInvoice2)
	f.match(num(3))
	f.wantEdges("a second one", "", "1-2 rules, 1-3 rules", "0 0 0")

	for _, step := range []struct {
		when    string
		a, b    int
		verdict rules.Verdict
		matches, suggestions,
		clusters string
	}{
		{"one rejected", 1, 3, rules.Rejected, "1-2 rules", "1-3 person", "1 1 0"},
		{"said again", 1, 3, rules.Rejected, "1-2 rules", "1-3 person", "1 1 0"},
		{"on second thoughts", 1, 3, rules.Confirmed, "1-3 person", "", "1 0 1"},
		{"the other one too", 1, 2, rules.Confirmed, "1-2 person, 1-3 person", "", "1 1 1"},
		{"both rejected", 1, 2, rules.Rejected, "1-3 person", "1-2 person", "1 0 1"},
	} {
		must.OK(t, f.says(num(step.a), num(step.b), step.verdict), step.when)
		f.wantEdges(step.when, step.matches, step.suggestions, step.clusters)
		before := f.Dump("document_match", "match_suggestion", "match_pair")
		for n := 1; n <= 3; n++ {
			f.match(num(n))
		}
		if after := f.Dump("document_match", "match_suggestion", "match_pair"); after != before {
			t.Errorf("%s, matched again: changed from\n%s\nto\n%s", step.when, before, after)
		}
	}
}

// What a person said outlives the evidence.
func TestVerdictIsKept(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[rules.Verdict][2]string{rules.Confirmed: {"1-2 person", ""}, rules.Rejected: {"", "1-2 person"}} {
		t.Run(string(verdict), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.lamps()
			must.OK(t, f.says(num(1), num(2), verdict))
			f.Exec(`UPDATE document SET structured_data = '{"number":"X","supplier":{"name":"Somebody else"}}' WHERE id = $1`, num(2))
			f.Exec("DELETE FROM match_pair WHERE document_b_id = $1", num(3))
			f.Exec("DELETE FROM document_match WHERE document_b_id = $1", num(3))
			f.Exec("UPDATE document SET match_keys = '{}' WHERE id = $1", num(3))
			f.match(num(2))
			f.match(num(1))
			if m, s := f.edges("document_match"), f.edges("match_suggestion"); m != want[0] || s != want[1] {
				t.Errorf("got matches %q, suggestions %q; want %q", m, s, want)
			}
			// And it goes on taking, or leaving, room in the competition.
			if c, err := f.Competition(t.Context(), num(1)); err != nil || len(c.Pairs) != 1 || c.Pairs[0].Verdict != verdict {
				t.Errorf("the pairs are %+v, %v", c.Pairs, err)
			}
		})
	}
}

func TestVerdictNeedsOneTenant(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lamps()
	f.Put(num(9), otherTenant, document.Invoice, "{}")
	unchanged := f.Unchanged(postgrestest.Tables...)
	for name, b := range map[string]uuid.UUID{"another tenant's": num(9), "no document": num(77), "itself": num(1)} {
		if err := f.says(num(1), b, rules.Confirmed); !errors.Is(err, matches.ErrNoSuchPair) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	unchanged("afterwards")
}

// TestRivalsOfMovedPair: invoice 4 arrives, and makes invoice 3 a half of
// order 1. That pair is decided again by the rivals on its other side as well, of
// which invoice 4 knows nothing: invoice 3 is all of order 2. All is as if the documents
// had come in another order.
func TestRivalsOfMovedPair(t *testing.T) {
	t.Parallel()
	const acme = `"supplier":{"name":"Lampenhaus Wittmann"}`
	half := `"line_items":[{"sku":"L-20","quantity":"10","unit_price":"9"}]`
	docs := []struct {
		typ  document.Type
		data string
	}{
		{document.PurchaseOrder, `{"number":"4500000107","date":"2026-03-02",` + acme + `,"line_items":[{"sku":"L-20","quantity":"20","unit_price":"9"}]}`},
		{document.PurchaseOrder, `{"number":"4500000555","date":"2026-03-02","buyer":{"name":"Zenith","vat_id":"DE136695976"},` + acme + `,` + half + `}`},
		{document.Invoice, `{"number":"R-3","date":"2026-03-12",` + acme + `,` + half + `}`},
		{document.Invoice, `{"number":"R-4","date":"2026-03-12","buyer":{"name":"Ulm","vat_id":"DE811128135"},` + acme + `,` + half + `}`},
	}
	var want string
	for _, order := range [][]int{{3, 0, 1, 2}, {0, 1, 2, 3}, {1, 2, 3, 0}, {2, 0, 3, 1}} {
		f := newFixture(t)
		for _, i := range order {
			f.Put(num(i+1), tenant, docs[i].typ, docs[i].data)
			f.match(num(i + 1))
		}
		got := postgrestest.Value[string](t, f.Conn, `SELECT string_agg(concat_ws(' ', document_a_id, document_b_id, score, reasoning), E'\n' ORDER BY document_a_id, document_b_id)
			FROM (SELECT document_a_id, document_b_id, score, reasoning FROM document_match UNION ALL SELECT document_a_id, document_b_id, score, reasoning FROM match_suggestion) r`)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("in the order %v: got\n%s\nwant\n%s", order, got, want)
		}
	}
}
