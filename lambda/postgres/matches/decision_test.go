package matches_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

var decisionTables = append(slices.Clone(postgrestest.Tables), "party_name", "decision")

// decide stores a decision, and returns whether it changed anything and the numbers of
// the documents that it published.
func (f *fixture) decide(a, b int, d matches.Decision) (changed bool, published string) {
	f.T.Helper()
	done, err := f.Decide(f.T.Context(), num(a), num(b), d)
	must.OK(f.T, err, d.Verdict, a, "and", b)
	var list []string
	for _, s := range done.Published {
		list = append(list, fmt.Sprint(s.ID[15]))
	}
	slices.Sort(list)
	return done.Changed, strings.Join(list, " ")
}

func (f *fixture) decisions() string {
	f.T.Helper()
	list := postgrestest.Values[string](f.T, f.Conn, `SELECT concat_ws(' ', verdict, decided_by, origin, note, to_char(decided_at - $1::timestamptz, 'MI'))
		FROM decision ORDER BY id`, start)
	return strings.Join(list, ", ")
}

func TestDecisionsKeepPersons(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lamps()
	steps := []matches.Decision{
		{Verdict: rules.Withdrawn, By: "bert", Origin: postgres.OriginCommand},
		{Verdict: rules.Confirmed, By: "anna", Origin: postgres.OriginCommand, Note: "by phone"},
		{Verdict: rules.Rejected, By: "bert", Origin: postgres.OriginConsole},
		{Verdict: rules.Withdrawn, By: "anna", Origin: postgres.OriginConsole},
	}
	for i, d := range steps {
		if changed, _ := f.decide(1+i%2, 2-i%2, d); changed != (i > 0) {
			t.Errorf("%s by %s: changed %t", d.Verdict, d.By, changed)
		}
		rows := f.Dump(decisionTables...)
		d.By = "carla" // a verdict belongs to the pair, whoever gives it
		if changed, published := f.decide(1, 2, d); changed || published != "" {
			t.Errorf("%s again: changed %t, published %q", d.Verdict, changed, published)
		}
		if again := f.Dump(decisionTables...); again != rows {
			t.Errorf("%s again: changed from\n%s\nto\n%s", d.Verdict, rows, again)
		}
		f.wantIdle()
	}
	want := "confirmed anna command by phone 00, rejected bert console  00, withdrawn anna console  00"
	postgrestest.Equal(t, "decisions", f.decisions(), want)
}

// A person decides about what was shown: a page of before is refused, whatever has
// changed.
func TestStaleDecision(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(f *fixture)
		stale  bool
	}{
		"nothing":                    {func(*fixture) {}, false},
		"matched again":              {func(f *fixture) { f.match(num(1)); f.match(num(2)) }, false},
		"another pair decided":       {func(f *fixture) { f.decide(1, 3, byAnna(rules.Rejected)) }, true},
		"decided by another":         {func(f *fixture) { f.decide(1, 2, byAnna(rules.Rejected)) }, true},
		"a document corrected":       {func(f *fixture) { f.Exec("UPDATE document SET structured_data = '{}' WHERE id = $1", num(2)) }, true},
		"a document of another type": {func(f *fixture) { f.Exec("UPDATE document SET type = 'credit-note' WHERE id = $1", num(2)) }, true},
		"decided alike by another":   {func(f *fixture) { f.decide(1, 2, byAnna(rules.Confirmed)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.lamps()
			seen := must.Get(f.PairVersion(t.Context(), num(2), num(1)))(t)
			tc.change(f)
			rows := f.Dump(decisionTables...)
			d := byAnna(rules.Confirmed)
			d.Seen = seen
			_, err := f.Decide(t.Context(), num(1), num(2), d)
			if stale := errors.Is(err, postgres.ErrStale); stale != tc.stale || !stale && err != nil {
				t.Errorf("got %v, want stale %t", err, tc.stale)
			}
			if now := f.Dump(decisionTables...); tc.stale && now != rows {
				t.Errorf("changed from\n%s\nto\n%s", rows, now)
			}
			f.wantIdle()
		})
	}
	f := newFixture(t)
	f.lamps()
	if _, err := f.PairVersion(t.Context(), num(1), num(77)); !errors.Is(err, matches.ErrNoSuchPair) {
		t.Errorf("the version of a pair without one document: %v", err)
	}
}

// settled are the rows that decide about documents, without times and attempts.
func (f *fixture) settled() string {
	f.T.Helper()
	w := &workshop{fixture: f}
	return w.dump(false)
}

// again matches what is published, until nothing is.
func (f *fixture) again() {
	f.T.Helper()
	for range 5 {
		ids := postgrestest.Values[uuid.UUID](f.T, f.Conn, "SELECT id FROM document WHERE matching_status = 'pending' ORDER BY id")
		for _, id := range ids {
			f.match(id)
		}
	}
}

// A verdict that is withdrawn leaves nothing behind but its rows in decision.
func TestWithdrawRestoresPair(t *testing.T) {
	t.Parallel()
	const foreign = `{"number":"RE-1","supplier":{"name":"Somebody else","vat_id":"DE129273398"}}`
	const other = `{"number":"RE-2026-0881","date":"2026-03-12","supplier":{"name":"Leuchten Nord"},"line_items":[{"sku":"L-20","quantity":"20"}]}`
	for name, tc := range map[string]struct{ invoice, between string }{
		"an open question":          {lampInvoice1, ""},
		"never compared":            {foreign, ""},
		"of another name":           {other, ""},
		"corrected meanwhile":       {lampInvoice1, foreign},
		"not readable in between":   {lampInvoice1, `{"number":{}}`},
		"not readable at all":       {`{"number":{}}`, ""},
		"an invoice without a pair": {`{"number":"RE-1"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, verdict := range []rules.Verdict{rules.Confirmed, rules.Rejected} {
				f := newFixture(t)
				f.Put(num(1), tenant, document.PurchaseOrder, lampOrder)
				f.Put(num(2), tenant, document.Invoice, tc.invoice)
				f.Put(num(3), tenant, document.Invoice, lampInvoice2)
				if name == "not readable at all" {
					if err := f.says(num(1), num(2), verdict); err == nil {
						t.Error("it is stored")
					}
					continue
				}
				for n := 1; n <= 3; n++ {
					f.match(num(n))
				}
				before := f.settled()
				f.decide(1, 2, byAnna(verdict))
				f.again()
				if f.settled() == before {
					t.Errorf("%s changed nothing", verdict)
				}
				if tc.between != "" {
					f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(2), tc.between)
				}
				f.decide(1, 2, byAnna(rules.Withdrawn))
				if tc.between != "" {
					f.Exec("UPDATE document SET structured_data = $2, matching_status = 'pending' WHERE id = $1", num(2), tc.invoice)
				}
				f.again()
				if after := f.settled(); after != before {
					t.Errorf("%s and withdrawn: %s", verdict, firstDifference(before, after))
				}
			}
		})
	}
}

// A decision publishes the documents that gain by another search or question, and no
// others: 1 is an order, which one of the invoices 2 and 3 may belong to, and 4 and 5
// are an order and an invoice that cites it.
func TestDecisionPublishes(t *testing.T) {
	t.Parallel()
	const cited = `{"number":"4500000999","date":"2026-03-02","supplier":{"name":"Lampenhaus Wittmann"},"line_items":[{"sku":"L-7","quantity":"3"}]}`
	const citing = `{"number":"RE-2026-0999","date":"2026-03-09","supplier":{"name":"Lampenhaus Wittmann"},"references":[{"type":"purchase-order","number":"4500000999"}],"line_items":[{"sku":"L-7","quantity":"3"}]}`
	for _, tc := range []struct {
		name   string
		before func(f *fixture)
		a, b   int
		say    rules.Verdict
		want   string
	}{
		{"the other question is answered by rules", nil, 1, 3, rules.Rejected, ""},
		{"a pair leaves a full question", func(f *fixture) { f.Exec("UPDATE match_pair SET asked = 'x', question = 'full'") }, 1, 3, rules.Confirmed, "2 3"},
		{"a pair leaves a question with room", func(f *fixture) { f.Exec("UPDATE match_pair SET asked = 'x'") }, 1, 3, rules.Confirmed, ""},
		{"others stay open, which the rules do not ask about", func(f *fixture) {
			f.Put(num(6), tenant, document.Invoice, strings.Replace(lampInvoice2, "0893", "0917", 1))
			f.match(num(6))
		}, 1, 3, rules.Rejected, "2 6"},
		{"a match goes away", nil, 4, 5, rules.Rejected, "4 5"},
		{"a match stays", nil, 4, 5, rules.Confirmed, ""},
		{"a match of another goes away", func(f *fixture) { f.decide(1, 3, byAnna(rules.Rejected)) }, 1, 3, rules.Confirmed, "2"},
		{"a verdict is withdrawn", func(f *fixture) { f.decide(4, 5, byAnna(rules.Confirmed)) }, 4, 5, rules.Withdrawn, "4 5"},
		{"documents that are at work or failed", func(f *fixture) {
			f.Exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE id = $1", num(4))
			f.Take(num(5))
		}, 4, 5, rules.Rejected, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.lamps()
			f.Put(num(4), tenant, document.PurchaseOrder, cited)
			f.Put(num(5), tenant, document.Invoice, citing)
			f.match(num(4))
			f.match(num(5))
			if tc.before != nil {
				tc.before(f)
				f.again()
			}
			pending := f.pending()
			changed, published := f.decide(tc.a, tc.b, byAnna(tc.say))
			if !changed || published != tc.want {
				t.Errorf("changed %t, published %q, want %q", changed, published, tc.want)
			}
			postgrestest.Equal(t, "pending", strings.ReplaceAll(f.pending(), "0", ""), strings.TrimSpace(pending+tc.want))
			for _, n := range strings.Fields(published) {
				var i int
				must.Get(fmt.Sscan(n, &i))(t)
				if got := f.DocumentRow(num(i)); got.Status != job.StatusPending || !got.Due.Equal(start) {
					t.Errorf("%d is %+v", i, got)
				}
			}
		})
	}
}
