package matches_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// answeredSQL are earlier answers about other documents of a tenant: so many of one verdict, about
// pairs of so many points.
const answeredSQL = `
WITH d AS (INSERT INTO document (id, tenant_id, matching_due_at)
	SELECT ($2::text || lpad(i::text, 8, '0'))::uuid, $1, NULL FROM generate_series(0, $3::integer) AS i RETURNING id)
INSERT INTO decision (tenant_id, document_a_id, document_b_id, verdict, decided_by, origin, points)
SELECT $1, first_value(id) OVER (ORDER BY id), id, $4, 'bo', 'command', $5 FROM d ORDER BY id OFFSET 1`

// edgeOf is the match or the question of an order and the next document, but for its time.
func (f *fixture) edgeOf(order int) string {
	f.T.Helper()
	return f.list(`SELECT score || ' ' || confidence || (to_jsonb(m) - 'created_at')::text FROM document_match AS m WHERE document_a_id = $1`, num(order)) +
		f.list(`SELECT (to_jsonb(s) - 'created_at')::text || question_is_folded(document_a_id, document_b_id, evidence)
		FROM match_suggestion AS s WHERE document_a_id = $1 AND document_b_id = $2`, num(order), num(order+1))
}

// The second rejected match of high confidence raises the tenant's threshold, and the 25th rejected
// question folds the like away. The other tenant's stays. Withdrawn or forgotten, it leaves no trace.
func TestTaughtThreshold(t *testing.T) {
	t.Parallel()
	const cited = `{"number":%q,"date":"2026-03-09","currency":"EUR","supplier":{"name":"Seilerei Achmüller KG"},"total":"%d.40",%s
		"line_items":[{"sku":"S-%d","description":"Seil %d","quantity":"7","unit_price":"11.40"}]}`
	const total = `{"number":%q,"date":"2026-%02d-09","currency":"EUR","supplier":{"name":"Seilerei Achmüller KG"},"total":"%d.00"}`
	for name, tc := range map[string]struct {
		documents func(i int) [2]string // an order and its invoice
		rejected  [2]int                // earlier: so many, of so many points
		before    string
		after     string
	}{
		"high": {func(i int) [2]string {
			order, n := fmt.Sprintf("B-20%d7", i), 300+17*i
			return [2]string{fmt.Sprintf(cited, order, n, "", n, n),
				fmt.Sprintf(cited, fmt.Sprintf("R-8%d", i), n, fmt.Sprintf(`"references":[{"type":"purchase-order","number":%q}],`, order), n, n)}
		}, [2]int{1, score.HighAt + 100}, " high{", fmt.Sprint(score.Learned.Probability(score.HighAt-1), " medium{")},
		"question": {func(i int) [2]string {
			return [2]string{fmt.Sprintf(total, fmt.Sprintf("B-20%d7", i), 2, 100*i+300), fmt.Sprintf(total, fmt.Sprintf("R-8%d", i), 3, 100*i+300)}
		}, [2]int{24, score.SuggestAt}, `}false`, `}true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			put := func(i int) {
				for j, of := range []uuid.UUID{tenant, otherTenant} {
					for k, data := range tc.documents(i) {
						id := num(20*j + 2*i + k + 1)
						f.Put(id, of, []document.Type{document.PurchaseOrder, document.Invoice}[k], data)
						f.match(id)
					}
				}
			}
			put(0)
			put(1)
			f.Exec(answeredSQL, tenant, "50000000-0000-4000-8000-0000", 50-1-tc.rejected[0], "confirmed", score.MatchAt+1)
			f.Exec(answeredSQL, tenant, "60000000-0000-4000-8000-0000", tc.rejected[0], "rejected", tc.rejected[1])
			decide := func(v rules.Verdict) {
				t.Helper()
				must.Get(f.Decide(t.Context(), num(1), num(2), matches.Decision{Verdict: v, By: "anna", Origin: postgres.OriginCommand}))(t)
				f.rematch()
			}
			check := func(order int, want, not string) {
				t.Helper()
				if got := f.edgeOf(order); !strings.Contains(got, want) || strings.Contains(got, not) {
					t.Errorf("document %d: want %s, got %s", order, want, got)
				}
			}
			first := f.edgeOf(3)
			check(3, tc.before, tc.after)
			decide(rules.Rejected)
			raised := f.edgeOf(3)
			check(3, tc.after, tc.before)
			put(2)
			check(5, tc.after, tc.before)
			check(25, tc.before, tc.after) // another tenant's
			decide(rules.Withdrawn)
			postgrestest.Equal(t, "withdrawn", f.edgeOf(3), first)
			decide(rules.Rejected)
			postgrestest.Equal(t, "rejected again", f.edgeOf(3), raised)
			for _, of := range []uuid.UUID{otherTenant, tenant} {
				if found, _, err := f.ForgetThreshold(t.Context(), of); found != (of == tenant) || err != nil {
					t.Errorf("found %t of tenant %s: %v", found, of, err)
				}
			}
			f.rematch()
			postgrestest.Equal(t, "forgotten", f.edgeOf(3), first)
			decide(rules.Withdrawn)
			decide(rules.Rejected)
			postgrestest.Equal(t, "the forgotten answers and another one", f.edgeOf(3), first)
		})
	}
}

// ordered is an order of a supplier by our article number, or its invoice by the supplier's.
func ordered(number, date, sku, text, quantity string) string {
	return fmt.Sprintf(`{"number":%q,"date":%q,"currency":"EUR","supplier":{"name":"Lampenhaus Wittmann GmbH"},
		"line_items":[{"sku":%q,"description":%q,"quantity":%q,"unit_price":"11.40"}]}`, number, date, sku, text, quantity)
}

// pairsOf lists a tenant's pairs with their points and evidence.
func (f *fixture) pairsOf(tenant uuid.UUID) string {
	f.T.Helper()
	return f.list(`SELECT p.points || ' ' || p.evidence::text || ' ' || p.units_common FROM match_pair AS p WHERE tenant_id = $1
		ORDER BY document_a_id, document_b_id`, tenant)
}

// rematch matches the published documents until none is left.
func (f *fixture) rematch() {
	f.T.Helper()
	for range 10 {
		ids := postgrestest.Values[uuid.UUID](f.T, f.Conn, "SELECT id FROM document WHERE matching_status = 'pending' ORDER BY id")
		for _, id := range ids {
			f.match(id)
		}
		if len(ids) == 0 {
			return
		}
	}
	f.T.Error("documents are published again and again")
}

// hauled is a document of a supplier of gravel, with a note.
func hauled(number, date, notes string) string {
	return fmt.Sprintf(`{"number":%q,"date":%q,"currency":"EUR","supplier":{"name":"Kieswerk Rotach KG"},"notes":%q}`, number, date, notes)
}

// A confirmed match teaches the supplier's article number, or its word for delivery notes, for
// the tenant's documents, and no other tenant's. Withdrawn or forgotten, it leaves no trace.
func TestConfirmedFacts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first document.Type
		docs  [4]string // an earlier document and its invoice, twice
		says  string
	}{
		"article": {document.PurchaseOrder, [4]string{
			ordered("4500000201", "2026-03-02", "L-20", "Lamp, 20 W", "17"), ordered("RE-881", "2026-03-09", "900411", "Leuchte warmweiss", "17"),
			ordered("4500000257", "2026-06-02", "L-20", "Lamp, 20 W", "40"), ordered("RE-934", "2026-06-08", "900411", "Leuchte warmweiss", "23"),
		}, `by the confirmed match of \"4500000201\" and \"RE-881\"`},
		"label": {document.DeliveryNote, [4]string{
			hauled("0037", "2026-03-02", ""), hauled("RE-412", "2026-03-09", "Abrufkennung 0037, frei Bau"),
			hauled("0058", "2026-06-02", ""), hauled("RE-467", "2026-06-08", "Abrufkennung 0058, ab Werk"),
		}, `The invoice cites the delivery note 0058. \"abrufkennung\" names the delivery note, by the confirmed match of \"RE-412\" and \"0037\".`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			for i, of := range []uuid.UUID{tenant, otherTenant} {
				for j, data := range tc.docs {
					f.Put(num(10*i+j+1), of, []document.Type{tc.first, document.Invoice}[j%2], data)
					f.match(num(10*i + j + 1))
				}
			}
			f.teaches(tc.says)
			f.Put(num(5), tenant, document.Invoice, strings.Replace(tc.docs[3], `"RE-`, `"RE-9`, 1))
			f.match(num(5))
			const citesSQL = `SELECT normalized_references::text FROM document WHERE id = $1`
			postgrestest.Equal(t, "citations of a new document", f.list(citesSQL, num(5)), f.list(citesSQL, num(4)))
		})
	}
}

// A supplier dates its invoices before the order. After three confirmed matches the next one needs
// no answer, for this tenant only; with one of the three forgotten, it does.
func TestTaughtHabit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 8 {
		of, item, n := []uuid.UUID{tenant, otherTenant}[i/4], []string{"Lamp", "Cable", "Socket", "Screw"}[i%4], fmt.Sprint(17+4*(i%4))
		f.Put(num(2*i+1), of, document.PurchaseOrder, ordered(fmt.Sprintf("45000%d7", i%4), fmt.Sprintf("2026-0%d-07", i%4+2), item, item, n))
		f.Put(num(2*i+2), of, document.Invoice, ordered(fmt.Sprintf("RE-8%d", i%4), fmt.Sprintf("2026-0%d-02", i%4+2), item, item, n))
		f.match(num(2*i + 1))
		f.match(num(2*i + 2))
	}
	const matchedSQL = `SELECT confidence FROM document_match WHERE document_a_id = $1`
	before, theirs := f.facts(tenant), f.facts(otherTenant)
	for i, want := range []string{"", "", "medium"} {
		must.Get(f.Decide(t.Context(), num(2*i+1), num(2*i+2), matches.Decision{Verdict: rules.Confirmed, By: "anna", Origin: postgres.OriginCommand}))(t)
		f.rematch()
		postgrestest.Equal(t, fmt.Sprint("the fourth after ", i+1), f.list(matchedSQL, num(7)), want)
	}
	const says = `The supplier's invoices are dated before the purchase order, by the confirmed matches of \"4500007\" and \"RE-80\"`
	if taught := f.facts(tenant); !strings.Contains(taught, says) {
		t.Errorf("want %s: %s", says, taught)
	}
	f.match(num(15))
	postgrestest.Equal(t, "the other tenant", f.facts(otherTenant)+f.list(matchedSQL, num(15)), theirs)
	last := must.Get(f.TaughtFacts(t.Context(), tenant))(t)[2]
	if found, _, err := f.ForgetFact(t.Context(), tenant, last.ID); !found || err != nil {
		t.Errorf("found %t: %v", found, err)
	}
	f.rematch()
	postgrestest.Equal(t, "forgotten", f.facts(tenant)+f.list(matchedSQL, num(7)), before)
}

// facts lists a tenant's pairs and citations.
func (f *fixture) facts(tenant uuid.UUID) string {
	f.T.Helper()
	return f.pairsOf(tenant) + f.list(`SELECT normalized_references::text FROM document WHERE tenant_id = $1 ORDER BY id`, tenant)
}

// teaches confirms the match of the tenant's first two documents, forgets what it taught, withdraws
// it, and confirms it again.
func (f *fixture) teaches(says string) {
	f.T.Helper()
	decide := func(v rules.Verdict) {
		f.T.Helper()
		must.Get(f.Decide(f.T.Context(), num(1), num(2), matches.Decision{Verdict: v, By: "anna", Origin: postgres.OriginCommand}))(f.T)
		f.rematch()
	}
	before, theirs := f.facts(tenant), f.facts(otherTenant)
	decide(rules.Confirmed)
	taught := f.facts(tenant)
	if strings.Contains(before, says) || !strings.Contains(taught, says) {
		f.T.Errorf("before: %s\nafter the confirmation: %s\nwant %s", before, taught, says)
	}
	for j := range 4 {
		f.match(num(11 + j))
	}
	postgrestest.Equal(f.T, "the other tenant", f.facts(otherTenant), theirs)
	for _, fact := range must.Get(f.TaughtFacts(f.T.Context(), tenant))(f.T) {
		for _, of := range []uuid.UUID{otherTenant, tenant} {
			if found, _, err := f.ForgetFact(f.T.Context(), of, fact.ID); found != (of == tenant) || err != nil {
				f.T.Errorf("found %t of tenant %s: %v", found, of, err)
			}
		}
	}
	f.rematch()
	postgrestest.Equal(f.T, "forgotten", f.facts(tenant), before)
	decide(rules.Withdrawn)
	postgrestest.Equal(f.T, "after the withdrawal", f.facts(tenant), before)
	decide(rules.Confirmed)
	postgrestest.Equal(f.T, "confirmed again", f.facts(tenant), taught)
}
