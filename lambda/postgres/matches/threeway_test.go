package matches_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// lampChain are an order of lamps, its receipt and invoices of 6 and of 5.
func lampChain(ordered string) []string {
	lamps := func(number, date, quantity, amount string) string {
		cites := `"references":[{"type":"purchase-order","number":"4500000107"}],`
		if number == "4500000107" {
			cites = ""
		}
		return fmt.Sprintf(`{"number":%q,"date":%q,"supplier":{"name":"Lampenhaus Wittmann GmbH"},"buyer":{"name":"Hotel Abendrot"},%s"subtotal":%q,
			"line_items":[{"sku":"L-20","quantity":%q,"unit_price":"10"}]}`, number, date, cites, amount, quantity)
	}
	return []string{lamps("4500000107", "2026-03-02", ordered, "100"), lamps("WE-1", "2026-03-04", "12", ""),
		lamps("RE-881", "2026-03-05", "6", "60"), lamps("RE-893", "2026-03-06", "5", "50")}
}

var lampTypes = []document.Type{document.PurchaseOrder, document.GoodsReceipt, document.Invoice, document.Invoice}

// compared lists the verdicts about invoices, the warnings and the confidence of
// their matches with the order.
func (f *fixture) compared() string {
	f.T.Helper()
	return f.list("SELECT right(document_id::text, 1) || ' ' || verdict FROM three_way_match WHERE verdict <> 'without-order' ORDER BY 1") + "; " +
		f.warnings() + "; " + f.list(`SELECT right(document_b_id::text, 1) || ' ' || confidence FROM document_match
		WHERE document_a_id = $1 AND document_b_id > $2 ORDER BY 1`, num(1), num(2))
}

func (f *fixture) list(sql string, args ...any) string {
	f.T.Helper()
	return postgrestest.Value[string](f.T, f.Conn, "SELECT coalesce(string_agg(l, ', '), '') FROM ("+sql+") AS q (l)", args...)
}

func TestOverBilledAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			for _, n := range rand.New(rand.NewPCG(seed, 1)).Perm(4) {
				f.Put(num(n+1), tenant, lampTypes[n], lampChain("10")[n])
				f.match(num(n + 1))
			}
			const want = "3 matched, 4 over-billed; 4 over-billed 1; 3 high, 4 medium"
			if got := f.compared(); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
			tables := []string{"document_match", "three_way_match", "document_warning", "notification"}
			unchanged := f.Unchanged(tables...)
			for n := 1; n <= 4; n++ {
				f.match(num(n))
			}
			unchanged("matched again")
			// The order grows: nothing is over-billed any more.
			f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(1), lampChain("12")[0])
			f.Exec("INSERT INTO tolerance (tenant_id, total_percent) VALUES ($1, 30)", tenant)
			f.match(num(1))
			postgrestest.Equal(t, "a larger order", f.compared(), "3 matched, 4 matched; ; 3 high, 4 high")
			// A person takes the first invoice away.
			f.Exec("DELETE FROM tolerance")
			f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(1), lampChain("10")[0])
			f.match(num(1))
			must.OK(t, f.says(num(1), num(3), rules.Rejected))
			if got := f.compared(); !strings.Contains(got, "4 matched; ; ") || !strings.HasSuffix(got, "4 high") {
				t.Errorf("rejected: got %q", got)
			}
		})
	}
}

// TestDoubtedAnyOrder: the second of two equal invoices is over-billed, unless a credit note
// takes one of them back, which is an open question. Its answer decides.
func TestDoubtedAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			docs := lampChain("10")
			docs[2] = strings.NewReplacer("RE-881", "RE-880", "2026-03-05", "2026-03-06", `"60"`, `"100"`, `:"6"`, `:"10"`).Replace(docs[2])
			docs[3] = strings.NewReplacer(`"50"`, `"100"`, `:"5"`, `:"10"`).Replace(docs[3])
			docs = append(docs, strings.NewReplacer("4500000107", "G-5", "2026-03-02", "2026-03-09").Replace(docs[0]))
			kinds := append(slices.Clone(lampTypes), document.CreditNote)
			f.Exec("INSERT INTO tolerance (tenant_id, needs_receipt) VALUES ($1, false)", tenant)
			for _, n := range rand.New(rand.NewPCG(seed, 2)).Perm(5) {
				if kinds[n] != document.GoodsReceipt { // which would connect the credit note
					f.Put(num(n+1), tenant, kinds[n], docs[n])
					f.match(num(n + 1))
				}
			}
			const question = "3 matched, 4 maybe-over-billed; 4 billed-twice 3; 3 high, 4 high"
			const over = "3 matched, 4 over-billed; 4 billed-twice 3, 4 over-billed 1; 3 high, 4 medium"
			postgrestest.Equal(t, "a question", f.compared(), question)
			unchanged := f.Unchanged("document_match", "three_way_match", "document_warning", "notification")
			for _, n := range []int{1, 3, 4, 5} {
				f.match(num(n))
			}
			unchanged("matched again")
			// A person matches the credit note with another invoice, and takes it back.
			f.Put(num(6), tenant, document.Invoice, `{"number":"AR-7","date":"2026-01-09","supplier":{"name":"Lampenhaus Wittmann GmbH"},"total":"77"}`)
			must.OK(t, f.says(num(5), num(6), rules.Confirmed))
			postgrestest.Equal(t, "another invoice's", f.compared(), over)
			must.OK(t, f.says(num(5), num(6), rules.Rejected))
			postgrestest.Equal(t, "a question again", f.compared(), question)
			f.Exec("UPDATE document SET structured_data = replace(structured_data::text, 'Lampenhaus Wittmann', 'Seilerei Achmüller')::jsonb WHERE id = $1", num(5))
			f.match(num(5))
			postgrestest.Equal(t, "another company's", f.compared(), over)
			f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(5), docs[4])
			f.match(num(5))
			must.OK(t, f.says(num(3), num(5), rules.Rejected))
			postgrestest.Equal(t, "no other invoice's", f.compared(), "3 matched, 4 matched; 4 billed-twice 3; 3 high, 4 high")
			must.OK(t, f.says(num(4), num(5), rules.Rejected))
			postgrestest.Equal(t, "rejected", f.compared(), over)
		})
	}
}

func TestToleranceJudgesAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for n, data := range lampChain("10") {
		f.Put(num(n+1), tenant, lampTypes[n], data)
		f.match(num(n + 1))
	}
	set := func(supplier, percent string) []string {
		t.Helper()
		_, _, published, err := f.SetTolerance(t.Context(), tenant, supplier, matches.ToleranceChange{By: "anna", Origin: postgres.OriginCommand,
			Reason: "agreed", Change: func(tol *threeway.Tolerance) error {
				tol.QuantityPercent = document.MustAmount(percent)
				return nil
			}})
		must.OK(t, err)
		var ids []string
		for _, p := range published {
			ids = append(ids, p.ID.String()[35:])
			f.match(p.ID)
		}
		return ids
	}
	postgrestest.EqualLists(t, "another supplier's invoices", set("DE136695976", "10"), nil)
	postgrestest.Equal(t, "another supplier", f.compared(), "3 matched, 4 over-billed; 4 over-billed 1; 3 high, 4 medium")
	set("", "10")
	postgrestest.Equal(t, "11 of 10 with 10 % allowed", f.compared(), "3 matched, 4 matched; ; 3 high, 4 high")
	postgrestest.Equal(t, "invoices to judge again", f.list("SELECT document_id::text FROM three_way_match WHERE judge_again"), "")
	set(company.ParseName("Lampenhaus Wittmann").Key(), "0")
	postgrestest.Equal(t, "the supplier's own", f.compared(), "3 matched, 4 over-billed; 4 over-billed 1; 3 high, 4 medium")
	set("", "10") // changes nothing, so it is no change
	left, _, _, err := f.SetTolerance(t.Context(), tenant, company.ParseName("Lampenhaus Wittmann").Key(), matches.ToleranceChange{By: "ben", Origin: postgres.OriginCommand})
	must.OK(t, err)
	postgrestest.Equal(t, "what applies without its own", left.QuantityPercent.Canonical(), "10")
	postgrestest.Equal(t, "the changes", f.list(`SELECT concat_ws(' ', supplier, before ->> 'quantity_percent', '->', after ->> 'quantity_percent', changed_by, reason)
		FROM tolerance_change ORDER BY id`), "DE136695976 0 -> 10 anna agreed,  0 -> 10 anna agreed, lampenhaus wittmann 10 -> 0 anna agreed, lampenhaus wittmann 0 -> ben ")
}

// boxChain is an order and an invoice of boxes, which hold 25 pieces by the prices, if they
// have some.
func boxChain(n string, priced bool) []string {
	price := func(p, amount string) string {
		if !priced {
			return ""
		}
		return fmt.Sprintf(`,"unit_price":%q,"amount":%q`, p, amount)
	}
	const head = `{"number":%q,"date":"2026-03-02","supplier":{"name":"Kistenwerk Brandl GmbH"},%s"line_items":[{"sku":"K-7","description":"Dose",%s%s}]}`
	return []string{fmt.Sprintf(head, "77"+n, "", `"quantity":"2","unit":"Kiste"`, price("50", "100")),
		fmt.Sprintf(head, "RE-5"+n, `"references":[{"type":"purchase-order","number":"77`+n+`"}],`, `"quantity":"50","unit":"Dosen"`, price("2", "100"))}
}

func TestUnitsAreLearned(t *testing.T) {
	t.Parallel()
	for _, first := range []int{1, 3} { // the chain with prices, or the one without
		t.Run(fmt.Sprint("first ", first), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Exec("INSERT INTO tolerance (tenant_id, needs_receipt) VALUES ($1, false)", tenant)
			for _, at := range []int{first, 4 - first} {
				for i, data := range boxChain(fmt.Sprintf("00%d", at), at == 1) {
					f.Put(num(at+i), tenant, []document.Type{document.PurchaseOrder, document.Invoice}[i], data)
					f.match(num(at + i))
				}
			}
			matchPending := func() {
				for _, id := range postgrestest.Values[uuid.UUID](t, f.Conn, "SELECT id FROM document WHERE matching_status = 'pending' ORDER BY id") {
					f.match(id)
				}
			}
			matchPending()
			const remaining = `SELECT right(document_id::text, 1) || ' ' || verdict || ' ' || coalesce(orders #>> '{0,lines,0,remaining}', '?')
				FROM three_way_match ORDER BY 1`
			postgrestest.Equal(t, "both chains", f.list(remaining), "2 matched 0, 4 matched 0")
			for i, data := range boxChain("001", false) { // the prices go, and with them what is known
				f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(1+i), data)
				f.match(num(1 + i))
			}
			matchPending()
			postgrestest.Equal(t, "without prices", f.list(remaining), "2 matched ?, 4 matched ?")
		})
	}
}
