package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// warnings lists the warnings, by the numbers of num.
func (f *fixture) warnings() string {
	f.t.Helper()
	rows, _ := f.conn.Query(f.t.Context(), "SELECT document_id, kind, other_document_id FROM document_warning ORDER BY 1, 2, 3")
	list := must.Get(pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var a, b uuid.UUID
		var kind string
		err := row.Scan(&a, &kind, &b)
		return fmt.Sprintf("%d %s %d", a[15], kind, b[15]), err
	}))(f.t)
	return strings.Join(list, ", ")
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
	const want = "2 number-used-twice 1, 3 billed-twice 2, 4 account-changed 3"
	for _, order := range [][]int{{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {4, 1, 5, 2, 3}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			for _, n := range order {
				f.put(num(n), tenant, document.Invoice, docs[n-1])
				f.match(num(n))
			}
			equal(t, "warnings", f.warnings(), want)
			unchanged := f.unchanged("document_warning", "warning_key", "notification")
			for n := range docs {
				f.match(num(n + 1))
			}
			unchanged("matched again")
			// The supplier's first account becomes the other one, and the copy another invoice.
			f.exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(1), lampBill("RE-9", "2026-01-02", anotherAccount))
			f.match(num(1))
			equal(t, "after a change", f.warnings(), "2 account-changed 1, 3 billed-twice 2")
		})
	}
}
