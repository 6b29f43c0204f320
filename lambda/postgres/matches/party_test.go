package matches_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const (
	vatAmsel  = "DE129273398"
	vatZenith = "DE136695976"
)

// bill is a document of a supplier, for lamps; without any, it has no contents.
func bill(number, name, vatID string, lamps int) string {
	if lamps == 0 {
		return fmt.Sprintf(`{"number":%q,"supplier":{"name":%q,"vat_id":%q}}`, number, name, vatID)
	}
	return fmt.Sprintf(`{"number":%q,"date":"2026-03-02","total":"%d.37","supplier":{"name":%q,"vat_id":%q},
		"line_items":[{"sku":"L-20","quantity":"%d"}]}`, number, lamps*59, name, vatID, lamps)
}

// renamedDocuments are of suppliers with several names, some with one VAT id, one with two:
// Fakturabank.
func renamedDocuments() (docs []corpus.Document) {
	for i, d := range []struct{ name, vatID string }{
		{"Amsel Metallbau", vatAmsel}, {"Amsel Metallbau", ""}, {"Vogel Industrie", vatAmsel}, {"Vogel Industrie", ""},
		{"Vogel Industrie", ""}, {"Drossel Holding", vatAmsel}, {"Drossel Holding", ""}, {"Amsel Metallbau", ""},
		{"Fakturabank", vatAmsel}, {"Fakturabank", vatZenith}, {"Fakturabank", ""}, {"Zenith", vatZenith}, {"Zenith", ""},
		{"", vatAmsel}, {"Lampenhaus", ""}, {"Lampenhaus", ""}, {"Leuchten Nord", ""}, {"Leuchten Nord", ""}, {"Lampenhaus", ""},
	} {
		typ, number := document.PurchaseOrder, fmt.Sprintf("45000%05d", i*7)
		if i%2 == 1 {
			typ, number = document.Invoice, fmt.Sprintf("RE-2026-%04d", i*7)
		}
		docs = append(docs, corpus.Document{ID: num(i + 1), TenantID: tenant, Type: typ, Received: start,
			Data: json.RawMessage(strings.ReplaceAll(bill(number, d.name, d.vatID, 11+i%3), "\n", " "))})
	}
	return docs
}

// confirm confirms two pairs of names without a VAT id, in any order, and matches
// what is published.
func (w *workshop) confirm(random *rand.Rand, docs []corpus.Document) {
	w.T.Helper()
	must.Get(w.Conn.Exec(w.T.Context(), "UPDATE document SET matching_status = 'succeeded'"))(w.T)
	pairs := [][2]uuid.UUID{{docs[14].ID, docs[17].ID}, {docs[2].ID, docs[15].ID}}
	for _, i := range random.Perm(len(pairs)) {
		must.Get(w.Decide(w.T.Context(), pairs[i][0], pairs[i][1], byAnna(rules.Confirmed)))(w.T)
	}
	w.matchPending(random, 3)
	must.Get(w.Conn.Exec(w.T.Context(), "UPDATE document SET matching_status = NULL"))(w.T)
}

// known lists the identities of the documents' names, and publishes nothing.
func (f *fixture) known(n ...int) string {
	f.T.Helper()
	ids := make([]uuid.UUID, len(n))
	for i := range n {
		ids[i] = num(n[i])
	}
	raws := must.Get(f.Raws(f.T.Context(), ids))(f.T)
	list := make([]string, len(raws))
	for i, r := range raws {
		list[i] = strings.ReplaceAll(r.Known, "\n", ",")
	}
	return strings.Join(list, " | ")
}

// pending lists the documents that are published.
func (f *fixture) pending() string {
	f.T.Helper()
	list := postgrestest.Values[string](f.T, f.Conn, "SELECT right(id::text, 2) FROM document WHERE matching_status = 'pending' ORDER BY id")
	return strings.Join(list, " ")
}

// brings puts a document of a supplier, and matches it.
func (f *fixture) brings(n int, typ document.Type, name, vatID string, lamps int) {
	f.T.Helper()
	f.Put(num(n), tenant, typ, bill(fmt.Sprint(4711*n), name, vatID, lamps))
	f.match(num(n))
}

// wantAgain wants these documents to be published, and no other once they are matched.
func (f *fixture) wantAgain(when, again string) {
	f.T.Helper()
	if got := f.pending(); got != again {
		f.T.Errorf("%s: published are %q, want %q", when, got, again)
	}
	for n := 1; n <= 9; n++ {
		if f.Count("SELECT count(*) FROM document WHERE id = $1 AND matching_status = 'pending'", num(n)) > 0 {
			f.match(num(n))
		}
	}
	if got := f.pending(); got != "" {
		f.T.Errorf("%s: %s are published once more", when, got)
	}
}

// TestSharedVATIDJoinsNames: an order of one name and an invoice of another match
// once other documents have one VAT id with both names, and no longer once one of the names
// has a second VAT id.
func TestSharedVATIDJoinsNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.brings(1, document.PurchaseOrder, "Amsel Metallbau", "", 20)
	f.brings(2, document.Invoice, "Vogel Industrie", "", 20)
	f.brings(3, document.Contract, "Amsel Metallbau", vatAmsel, 0)
	f.wantAgain("one name beside the VAT id", "")
	f.wantEdges("one name beside the VAT id", "", "", "0 0 0")
	f.brings(4, document.Contract, "Vogel Industrie", vatAmsel, 0)
	f.wantAgain("both names beside it", "01 02")
	f.wantEdges("both names beside it", "1-2 rules", "", "1 1 0 0")
	postgrestest.Equal(t, "known names", f.known(1, 2, 3), vatAmsel+" | "+vatAmsel+" | ")
	f.brings(5, document.Contract, "Drossel Holding", vatAmsel, 0)
	f.wantAgain("a third name", "")
	f.Put(num(6), otherTenant, document.Contract, bill("6", "Vogel Industrie", vatZenith, 0))
	f.match(num(6))
	f.wantAgain("another tenant", "")
	f.brings(7, document.Contract, "Vogel Industrie", vatZenith, 0)
	f.wantAgain("one of the names beside two VAT ids", "02")
	f.wantEdges("one of the names beside two VAT ids", "", "", "0 0 0 0 0 0 0")
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(7), bill("7", "Zenith", vatZenith, 0))
	f.match(num(7))
	f.wantAgain("that document is corrected", "02")
	f.wantEdges("that document is corrected", "1-2 rules", "", "1 1 0 0 0 0 0")
	f.Exec("DELETE FROM document WHERE id = ANY ($1)", []uuid.UUID{num(3), num(4), num(5)})
	postgrestest.Equal(t, "known names after deletion", f.known(1, 2), " | ")
}

// TestConfirmedNames: of two names that a person confirmed, other
// documents match, until the person rejects the pair.
func TestConfirmedNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.brings(1, document.PurchaseOrder, "Amsel Metallbau", "", 3)
	f.brings(2, document.Invoice, "Vogel Industrie", "", 5)
	f.brings(3, document.PurchaseOrder, "Amsel Metallbau", "", 20)
	f.brings(4, document.Invoice, "Vogel Industrie", "", 20)
	f.wantEdges("two names", "", "", "0 0 0 0")
	must.OK(t, f.says(num(1), num(2), rules.Confirmed))
	f.wantAgain("confirmed", "01 02 03 04")
	f.wantEdges("confirmed", "1-2 person, 3-4 rules", "", "1 1 3 3")
	postgrestest.Equal(t, "known names", f.known(3, 4), "amsel metallbau=industrie vogel | amsel metallbau=industrie vogel")
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(2), bill("2", "Amsel Metallbau", "", 5))
	f.match(num(2))
	f.wantAgain("the confirmed invoice is corrected to the same name", "01 02 03 04")
	f.wantEdges("the confirmed invoice is corrected to the same name", "1-2 person", "", "1 1 0 0")
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(2), bill("2", "Vogel Industrie", "", 5))
	f.match(num(2))
	f.wantAgain("and back", "01 02 03 04")
	f.wantEdges("and back", "1-2 person, 3-4 rules", "", "1 1 3 3")
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(2), bill("2", "Drossel Holding", "", 5))
	f.match(num(2))
	f.wantAgain("corrected to a third name", "01 02 03 04")
	f.wantEdges("corrected to a third name", "1-2 person", "", "1 1 0 0")
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(2), bill("2", "Vogel Industrie", "", 5))
	f.match(num(2))
	f.wantAgain("and back again", "01 02 03 04")
	must.OK(t, f.says(num(1), num(2), rules.Rejected))
	f.wantAgain("rejected", "01 02 03 04")
	f.wantEdges("rejected", "", "1-2 person", "0 0 0 0")
}

// TestOutdatedIdentity: a document with a supplier's name that has
// other identities than it was read with has other keys, and is read again.
func TestOutdatedIdentity(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.Invoice, bill("1", "Vogel Industrie", "", 20))
	n := score.Normalized{Naming: score.Naming{Name: "industrie vogel"}, Known: vatAmsel}
	f.scores = func([]score.Raw) []score.Pair { return nil }
	fence := f.Take(num(1))
	before := f.Dump(postgrestest.Tables...)
	w, err := f.Write(t.Context(), fence, n, document.Types, match.Block{}, nil, rules.Apply)
	if err != nil || w.Fresh == nil || f.Dump(postgrestest.Tables...) != before {
		t.Errorf("wrote %+v, %v, want nothing written", w, err)
	}
}

// TestRenamedInPortions: however many documents have a name,
// a write publishes a bounded number of them, and their matching the others.
func TestRenamedInPortions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.brings(1, document.Contract, "Amsel Metallbau", vatAmsel, 0)
	f.brings(2, document.Contract, "Vogel Industrie", "", 0)
	f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status)
		SELECT ('00000000-0000-4000-8000-0000001' || lpad(n::text, 5, '0'))::uuid, $1, 'contract', '{"supplier":{"name":"Vogel Industrie"}}', 'succeeded'
		FROM generate_series(1, 250) AS n`, tenant)
	f.Exec(`INSERT INTO party_name (document_id, tenant_id, name, vat_id, confirmed, matched_as)
		SELECT id, tenant_id, 'industrie vogel', '', '{}', '' FROM document WHERE id > $1`, num(9))
	count := func() int { return f.Count("SELECT count(*) FROM document WHERE matching_status = 'pending'") }
	f.brings(3, document.Contract, "Vogel Industrie", vatAmsel, 0)
	postgrestest.Equal(t, "documents published at once", count(), 200)
	f.match(num(2))
	postgrestest.Equal(t, "documents published after the next one", count(), 250)
}
