package matches_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// warnings lists the warnings, by the numbers of documents.
func (f *fixture) warnings() string {
	f.T.Helper()
	return f.list("SELECT concat(" + number("document_id") + ", ' ', kind, ' ', " + number("other_document_id") + ") FROM document_warning " +
		"ORDER BY document_id, kind, other_document_id")
}

// lampBill is an invoice of 20 lamps with a number, a date and an account.
func lampBill(number, date, iban string) string {
	return fmt.Sprintf(`{"number":%q,"date":%q,"currency":"EUR","supplier":{"name":"Lampenhaus Wittmann GmbH","iban":%q},
		"line_items":[{"sku":"L-20","quantity":"20"}],"total":"119.00"}`, number, date, iban)
}

const (
	anAccount      = "DE89370400440532013000"
	anotherAccount = "GB82WEST12345698765432"
)

func TestWarningsAnyOrder(t *testing.T) {
	t.Parallel()
	docs := []string{
		lampBill("RE-1", "2026-03-02", anAccount),
		lampBill("RE-1", "2026-03-02", anAccount),      // sent again
		lampBill("RE-2", "2026-03-12", anAccount),      // billed twice
		lampBill("RE-3", "2026-06-02", anotherAccount), // another account
		lampBill("RE-4", "2026-09-02", anotherAccount), // which is known now
	}
	const want = "2 number-used-twice 1, 3 billed-twice 2, 4 account-changed 3, 4 billed-twice 3"
	for _, order := range [][]int{{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {4, 1, 5, 2, 3}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			for _, n := range order {
				f.Put(num(n), tenant, document.Invoice, docs[n-1])
				f.match(num(n))
			}
			postgrestest.Equal(t, "warnings", f.warnings(), want)
			unchanged := f.Unchanged("document_warning", "warning_key", "notification")
			for n := range docs {
				f.match(num(n + 1))
			}
			unchanged("matched again")
			// The supplier's first account becomes the other one, and the copy another invoice.
			f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(1), lampBill("RE-9", "2026-01-02", anotherAccount))
			f.match(num(1))
			postgrestest.Equal(t, "after a change", f.warnings(), "2 account-changed 1, 3 billed-twice 2, 4 billed-twice 3")
		})
	}
}

// An invoice to a sister company of the order's buyer is never matched with high confidence.
func TestWrongCompanyAnyOrder(t *testing.T) {
	t.Parallel()
	docs := lampChain("11")[:3]
	docs[0] = strings.Replace(docs[0], `"Hotel Abendrot"`, `"Südhang Handels GmbH"`, 1)
	docs[2] = strings.Replace(docs[2], `"Hotel Abendrot"`, `"Südhang Metallbau GmbH","vat_id":"DE111111125"`, 1)
	for _, order := range [][]int{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}} {
		f := newFixture(t)
		for _, n := range order {
			f.Put(num(n), tenant, lampTypes[n-1], docs[n-1])
			f.match(num(n))
		}
		postgrestest.Equal(t, fmt.Sprint(order), f.compared(), "3 matched; 3 wrong-company 1; 3 medium")
		// Addressed to the buyer, it is fine.
		f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(3), strings.Replace(lampChain("11")[2], "Hotel Abendrot", "Südhang Handels GmbH", 1))
		f.match(num(3))
		postgrestest.Equal(t, "corrected", f.compared(), "3 matched; ; 3 high")
	}
}

// A settled warning stays settled, however often the document is matched, until its facts change.
func TestSettledWarnings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.Invoice, lampBill("RE-1", "2026-03-02", anAccount))
	f.Put(num(2), tenant, document.Invoice, lampBill("RE-2", "2026-03-12", anAccount))
	f.match(num(1))
	f.match(num(2))
	waits := func(when string, want int) {
		t.Helper()
		counts := must.Get(report.From(f.DB).WaitingCounts(t.Context(), report.WaitingFilter{Kinds: []string{report.WaitingWarning}}))(t)
		postgrestest.Equal(t, when, counts[report.WaitingWarning], want)
	}
	waits("at first", 1)
	s := matches.Settlement{Document: num(2), Kind: warning.BilledTwice, By: "anna", Origin: postgres.OriginCommand, Reason: "ordered twice"}
	seen := s
	seen.Facts = must.Get(report.From(f.DB).Warnings(t.Context(), []uuid.UUID{num(2)}))(t)[0].Facts
	for _, want := range []int{1, 0} {
		postgrestest.Equal(t, "settled", must.Get(f.Settle(t.Context(), seen))(t), want)
	}
	waits("settled", 0)
	f.match(num(1))
	f.match(num(2))
	waits("matched again", 0)
	stored := must.Get(report.From(f.DB).Warnings(t.Context(), []uuid.UUID{num(2)}))(t)
	if a := stored[0].Settled; a == nil || a.By != "anna" || a.Reason != "ordered twice" || a.At.IsZero() {
		t.Errorf("got %+v", a)
	}
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(2), lampBill("RE-2", "2026-03-13", anAccount))
	f.match(num(2))
	waits("with another date", 1)
	if _, err := f.Settle(t.Context(), seen); !errors.Is(err, postgres.ErrStale) {
		t.Errorf("the facts have changed: got %v", err)
	}
	postgrestest.Equal(t, "regardless of facts", must.Get(f.Settle(t.Context(), s))(t), 1)
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(2), lampBill("RE-2", "2026-03-12", anAccount))
	f.match(num(2))
	waits("with the first facts", 0)
	s.Kind = warning.OverBilled
	if _, err := f.Settle(t.Context(), s); !errors.Is(err, matches.ErrNoSuchWarning) {
		t.Errorf("another kind: got %v", err)
	}
}
