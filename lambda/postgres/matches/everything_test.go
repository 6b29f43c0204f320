package matches_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"

	"github.com/google/uuid"
)

// leftOut are rows that other tests see, which are long or many.
var leftOut = regexp.MustCompile(`^\t(?:- )?(?:attempt|document|event|match_pair|notification_delivery|warning_key) `)

// All that matching and people's acts store about billed orders of two tenants is as it was.
func TestEverything(t *testing.T) {
	t.Parallel()
	f, ctx := newFixture(t), t.Context()
	var got strings.Builder
	changes := f.Changes()
	say := func(what string, values ...any) {
		t.Helper()
		fmt.Fprintln(&got, what)
		for _, v := range values {
			if err, failed := v.(error); failed {
				v = err.Error()
			}
			if list, published := v.([]job.Stamped); published { // in the order of the statement's plan
				slices.SortFunc(list, func(a, b job.Stamped) int { return bytes.Compare(a.ID[:], b.ID[:]) })
			}
			fmt.Fprintf(&got, "\t= %s\n", must.Get(json.Marshal(v))(t))
		}
		for row := range strings.Lines(changes()) {
			if !leftOut.MatchString(row) {
				got.WriteString(row)
			}
		}
		f.Advance(time.Minute)
	}
	docs := lampChain("10")
	docs[2] = strings.NewReplacer("RE-881", "RE-880", "2026-03-05", "2026-03-06", `"60"`, `"100"`, `:"6"`, `:"10"`).Replace(docs[2])
	docs[3] = strings.NewReplacer(`"50"`, `"100"`, `:"5"`, `:"10"`).Replace(docs[3])
	docs = append(docs, strings.NewReplacer("4500000107", "G-5", "2026-03-02", "2026-03-09").Replace(docs[0]))
	kinds := append(slices.Clone(lampTypes), document.CreditNote)
	f.Exec("INSERT INTO tolerance (tenant_id, needs_receipt) VALUES ($1, false)", tenant)
	for i, of := range []uuid.UUID{tenant, otherTenant} {
		for n := range docs {
			if kinds[n] != document.GoodsReceipt { // which would connect the credit note
				f.Put(num(100*i+n+1), of, kinds[n], docs[n])
				f.match(num(100*i + n + 1))
			}
		}
	}
	say("matched")
	of := func(n int, a matches.InvoiceAction) {
		t.Helper()
		changed, err := f.SettleInvoice(ctx, num(n), a)
		say(fmt.Sprint(a.Action, " ", n), changed, err)
	}

	// A question folded by answers is no doubt about an over-billed invoice.
	f.Exec("INSERT INTO taught_threshold (tenant_id, question_at, rejected, changed_by) VALUES ($1, 1000, 25, 'bo')", tenant)
	for _, n := range []int{5, 4} {
		f.match(num(n))
	}
	say("with a threshold", must.Get(f.Threshold(ctx, tenant))(t), must.Get(f.Threshold(ctx, otherTenant))(t))
	for range 2 {
		found, published, err := f.ForgetThreshold(ctx, tenant)
		say("forget it", found, published, err)
	}
	for _, n := range []int{5, 4} {
		f.match(num(n))
	}
	say("without")

	seen := must.Get(f.InvoiceVersions(ctx, []uuid.UUID{num(3), num(4), num(1)}))(t)
	say("versions", len(seen), seen[num(3)] != seen[num(4)])
	hold := matches.InvoiceAction{Form: num(200), Action: threeway.Hold, Reason: "so\x00", By: "anna\x00", Origin: postgres.OriginConsole, Seen: seen[num(3)]}
	of(3, hold)
	of(3, hold)
	hold.Form = num(201)
	of(3, hold)
	of(3, matches.InvoiceAction{Action: threeway.Approve, Reason: "by phone", By: "ben", Origin: postgres.OriginCommand})
	of(3, matches.InvoiceAction{Action: threeway.Approve, Reason: "by phone", By: "ben", Origin: postgres.OriginCommand})
	of(4, matches.InvoiceAction{Action: threeway.Dispute, Reason: "twice", By: "ben", Origin: postgres.OriginCommand})
	of(1, hold)
	of(99, hold)

	for i, s := range []matches.Settlement{
		{Document: num(4), Kind: warning.BilledTwice, Facts: "others", By: "anna", Origin: postgres.OriginConsole, Reason: "a copy"},
		{Document: num(4), Kind: warning.BilledTwice, Other: num(1), By: "anna", Origin: postgres.OriginConsole, Reason: "a copy"},
		{Document: num(4), Kind: warning.BilledTwice, Other: num(3), By: "anna", Origin: postgres.OriginConsole, Verdict: "is-copy", Reason: "a copy"},
		{Document: num(4), Kind: warning.BilledTwice, By: "ben", Origin: postgres.OriginCommand, Reason: "again"},
	} {
		settled, err := f.Settle(ctx, s)
		say(fmt.Sprint("settle ", i), settled, err)
	}

	double := func(price *threeway.Tolerance) error {
		price.PricePercent = must.Get(document.ParseAmount("4"))(t)
		return nil
	}
	version := must.Get(f.TolerancesVersion(ctx, tenant))(t)
	set := func(supplier string, c matches.ToleranceChange) {
		t.Helper()
		c.By, c.Origin, c.Reason = "anna\x00", postgres.OriginConsole, "so\x00"
		applies, concerned, published, err := f.SetTolerance(ctx, tenant, supplier, c)
		say("tolerance of "+supplier, applies, concerned, published, err)
	}
	set("lampenhaus wittmann", matches.ToleranceChange{Form: num(210), Seen: version, Change: double})
	set("lampenhaus wittmann", matches.ToleranceChange{Form: num(210), Seen: version, Change: double})
	set("", matches.ToleranceChange{Form: num(211), Seen: version, Change: double})
	set("nobody", matches.ToleranceChange{Change: double})
	set("nobody", matches.ToleranceChange{Change: double})
	set("", matches.ToleranceChange{Form: num(212), Change: func(tol *threeway.Tolerance) error { tol.NeedsReceipt = true; return nil }})
	for _, n := range []int{3, 4} {
		f.match(num(n))
	}
	say("judged again", must.Get(f.Tolerances(ctx, tenant))(t), must.Get(f.Tolerances(ctx, otherTenant))(t), must.Get(f.TolerancesVersion(ctx, otherTenant))(t))
	set("lampenhaus wittmann", matches.ToleranceChange{})
	set("", matches.ToleranceChange{})

	for i, n := range []matches.Note{
		{Form: num(220), Kind: matches.Comment, Text: "see\x00 me", By: "anna\x00"}, {Form: num(220), Kind: matches.Comment, Text: "again", By: "ben"},
		{Form: num(221), Kind: matches.Comment, Text: "later", By: "ben"}, {Form: num(222), Kind: matches.Assign, Text: "cleo\x00", By: "ben"},
		{Form: num(223), Kind: matches.Assign, Text: "dora", By: "ben"}, {Form: num(222), Kind: matches.Assign, Text: "cleo", By: "ben"},
	} {
		say(fmt.Sprint("note ", i), f.WriteNote(ctx, num(3), n))
	}
	must.OK(t, f.WriteNote(ctx, num(4), matches.Note{Form: num(224), Kind: matches.Assign, Text: "emil", By: "ben"}))
	say("notes", must.Get(f.Comments(ctx, num(3), 9))(t), must.Get(f.Comments(ctx, num(3), 1))(t), must.Get(f.Comments(ctx, num(4), 9))(t),
		must.Get(f.Assignees(ctx, []uuid.UUID{num(3), num(1)}))(t))
	say("assign nobody", f.WriteNote(ctx, num(3), matches.Note{Form: num(225), Kind: matches.Assign, By: "ben"}))
	say("note of an unknown document", f.WriteNote(ctx, num(99), matches.Note{Form: num(226), Kind: matches.Comment, Text: "x", By: "ben"}))

	shown := must.Get(f.PairVersion(ctx, num(4), num(5)))(t)
	decide := func(a, b int, verdict rules.Verdict, seen string) {
		t.Helper()
		done, err := f.Decide(ctx, num(a), num(b), matches.Decision{Verdict: verdict, By: "anna", Origin: postgres.OriginConsole, Note: "known", Seen: seen})
		say(fmt.Sprint(verdict, " ", a, " ", b), done, err)
	}
	decide(4, 5, rules.Confirmed, "another")
	decide(5, 4, rules.Confirmed, shown)
	decide(4, 5, rules.Confirmed, "")
	decide(4, 5, rules.Withdrawn, "")
	decide(3, 5, rules.Rejected, "")
	decide(1, 4, rules.Rejected, "")
	decide(1, 101, rules.Rejected, "")
	decide(4, 4, rules.Rejected, "")
	say("answers", must.Get(f.Answers(ctx, tenant))(t), must.Get(f.Answers(ctx, otherTenant))(t))
	_, err := f.PairVersion(ctx, num(1), num(99))
	say("version of an unknown pair", err)
	golden.Compare(t, "everything.txt", got.String())
}
