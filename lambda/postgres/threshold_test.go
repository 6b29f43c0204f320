package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

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
	f.t.Helper()
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
						f.put(id, of, []document.Type{document.PurchaseOrder, document.Invoice}[k], data)
						f.match(id)
					}
				}
			}
			put(0)
			put(1)
			f.exec(answeredSQL, tenant, "50000000-0000-4000-8000-0000", 50-1-tc.rejected[0], "confirmed", score.MatchAt+1)
			f.exec(answeredSQL, tenant, "60000000-0000-4000-8000-0000", tc.rejected[0], "rejected", tc.rejected[1])
			decide := func(v rules.Verdict) {
				t.Helper()
				must.Get(f.Decide(t.Context(), num(1), num(2), postgres.Decision{Verdict: v, By: "anna", Origin: postgres.OriginCommand}))(t)
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
			equal(t, "withdrawn", f.edgeOf(3), first)
			decide(rules.Rejected)
			equal(t, "rejected again", f.edgeOf(3), raised)
			for _, of := range []uuid.UUID{otherTenant, tenant} {
				if found, _, err := f.ForgetThreshold(t.Context(), of); found != (of == tenant) || err != nil {
					t.Errorf("found %t of tenant %s: %v", found, of, err)
				}
			}
			f.rematch()
			equal(t, "forgotten", f.edgeOf(3), first)
			decide(rules.Withdrawn)
			decide(rules.Rejected)
			equal(t, "the forgotten answers and another one", f.edgeOf(3), first)
		})
	}
}
