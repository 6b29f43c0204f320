package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// zero matches the members of a row that say nothing.
var zero = regexp.MustCompile(`,?"\w+":(?:""|null|0|"0.00"|false|\[\]|\{\}|"0{8}-0{4}-0{4}-0{4}-0{12}"|"0001-01-01T00:00:00Z")`)

// All that a Reader returns over the rows of testdata/fixture.sql is as it was.
func TestEverything(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.exec(string(must.Get(os.ReadFile("testdata/fixture.sql"))(t)))
	var got strings.Builder
	say := func(what string, args ...any) func(any, error) {
		return func(value any, err error) {
			t.Helper()
			text := zero.ReplaceAllString(string(must.Get(json.Marshal(value))(t)), "")
			fmt.Fprintf(&got, "%s %v %s\n", what, args, strings.ReplaceAll(text, "},{", "},\n{"))
			if err != nil {
				t.Errorf("%s %v: %v", what, args, err)
			}
		}
	}
	ctx, r, num := t.Context(), f.read, postgrestest.Num
	for i := range 0x30 { // so that each id has the same number whatever comes first
		fmt.Fprint(&got, num(i), " ")
	}
	var docs, files, chunks, jobs []uuid.UUID
	for i := 10; i <= 26; i++ {
		docs, files, chunks, jobs = append(docs, num(i)), append(files, num(100+i)), append(chunks, num(300+i)), append(jobs, num(400+i))
	}
	others, none := []uuid.UUID{tenant, otherTenant, num(3), num(9)}, num(9)

	// documents
	say("summaries")(r.Summaries(ctx, docs[:6]))
	for _, number := range []string{"N 2", "n 2"} {
		say("numbered", number)(r.Numbered(ctx, number))
		say("numbered in any case", number)(r.NumberedInAnyCase(ctx, others[:1], []string{"00000000|own|N2"}, number))
	}
	say("numbered in any case, of both tenants")(r.NumberedInAnyCase(ctx, others[:2], []string{"00000000|own|N2", "00000000|own|N3"}, "N 2"))
	say("named")(r.Named(ctx, "file 1.pdf"))
	say("clustered")(r.Clustered(ctx, num(12)))
	say("progress")(r.Progress(ctx, docs))
	say("attempts of a document")(r.Attempts(ctx, report.OfDocument, num(10), 4))
	say("attempts of a review")(r.Attempts(ctx, report.OfReview, num(210), 9))
	say("attempts of a job")(r.Attempts(ctx, report.OfOffers, num(410), 9))
	say("version")(r.VersionAttempts(ctx, manifest.Match, "11"))
	say("version")(r.VersionAttempts(ctx, manifest.Match, "12"))
	say("version")(r.VersionAttempts(ctx, manifest.Ingest, "13"))
	say("story of a partner")(r.Story(ctx, report.OfDocument, num(18), 30))
	for i, id := range append(docs[:7:7], none) {
		say("file", i)(r.File(ctx, id))
		say("sheet", i)(r.Sheet(ctx, id))
		say("document of", i)(r.DocumentOf(ctx, files[i]))
		say("deeds", i)(r.Deeds(ctx, id, 7))
		say("decisions", i)(r.Decisions(ctx, id, uuid.Nil))
		say("decisions about one", i)(r.Decisions(ctx, id, num(14)))
		say("story", i)(r.Story(ctx, report.OfDocument, id, 30))
		say("review's story", i)(r.Story(ctx, report.OfReview, num(200+10+i), 30))
		say("job's story", i)(r.Story(ctx, report.OfOffers, num(400+10+i), 30))
		say("review", i)(r.Review(ctx, num(200+10+i)))
		say("chunks", i)(r.Chunks(ctx, num(200+10+i), 3))
		say("chunk", i)(r.Chunks(ctx, chunks[i], 3))
	}
	say("times")(r.Times(ctx, num(14)))
	say("ingestions")(r.Ingestions(ctx, files[:7]))
	say("file progress")(r.FileProgress(ctx, files))
	say("documents of")(r.DocumentsOf(ctx, []uuid.UUID{docs[0], files[1], chunks[2], none}))
	say("matches")(r.Matches(ctx, docs[:5]))
	say("suggestions")(r.Suggestions(ctx, docs[:5]))
	say("answers")(r.Answers(ctx, docs))
	say("warnings")(r.Warnings(ctx, docs[:5]))
	say("three-way")(r.ThreeWays(ctx, docs[:8]))
	say("asked")(r.Asked(ctx, docs[:2]))
	say("model usage")(r.ModelUsage(ctx, 5))
	for _, of := range []uuid.UUID{tenant, otherTenant, uuid.Nil} {
		say("spent", of)(r.Spent(ctx, start.Add(-30*time.Hour), of, 0))
	}
	say("spent lately")(r.Spent(ctx, start.Add(-30*time.Hour), tenant, 3))

	// lists
	states, verdicts := threeway.States, append(threeway.Verdicts(false), threeway.Verdicts(true)...)
	for _, of := range others {
		list := must.Get(r.List(ctx, report.ListFilter{Tenant: of}, report.Place{}, 5))(t)
		say("list", of)(list, nil)
		if len(list) > 3 {
			say("list, continued", of)(r.List(ctx, report.ListFilter{Tenant: of}, list[2].Place, 30))
		}
		say("failed invoices and orders", of)(r.List(ctx, report.ListFilter{of, []string{"failed", "none"}, []document.Type{document.Invoice, document.PurchaseOrder}}, report.Place{}, 9))
		total := must.Get(r.Totalled(ctx, of, []string{"7", "7.00"}, report.Place{}, 4))(t)
		say("totalled", of)(total, nil)
		keyed := must.Get(r.Keyed(ctx, of, []string{"00000000|own|N2", "00000000|own|N1", "00000000|day|2026-02-10"}, "N 1", report.Place{}, 4))(t)
		say("keyed", of)(keyed, nil)
		if len(total) > 2 {
			say("totalled, continued", of)(r.Totalled(ctx, of, []string{"7", "7.00"}, total[1].Place, 4))
			say("keyed, continued", of)(r.Keyed(ctx, of, []string{"00000000|own|N2", "00000000|own|N1"}, "N 1", keyed[1].Place, 40))
		}
		invoices := must.Get(r.Invoices(ctx, report.InvoiceFilter{of, states, verdicts}, report.Place{}, 4))(t)
		say("invoices", of)(invoices, nil)
		if len(invoices) > 2 {
			say("invoices, continued", of)(r.Invoices(ctx, report.InvoiceFilter{of, states[:3], verdicts}, invoices[1].Place, 9))
		}
		say("the latest invoice", of)(r.Invoices(ctx, report.InvoiceFilter{of, states[:1], verdicts}, report.Place{}, 1))
		say("invoice counts", of)(r.InvoiceCounts(ctx, report.InvoiceFilter{of, states, verdicts}, 0))
		say("differing counts", of)(r.InvoiceCounts(ctx, report.InvoiceFilter{of, states, threeway.Verdicts(false)}, 1))
		say("tolerance changes", of)(r.ToleranceChanges(ctx, of, 3))
		say("stages", of)(r.Stages(ctx, of))
		say("oldest", of)(r.Oldest(ctx, of))
		say("failure kinds", of)(r.FailureKinds(ctx, of, 2*time.Hour))
		say("to settle", of)(r.ToSettle(ctx, of))
		say("failed jobs", of)(r.FailedOfferPage(ctx, of, 3))
		say("failed job count", of)(r.FailedOfferCount(ctx, of, 2))
		say("latest jobs", of)(r.LatestOffers(ctx, of))
		say("failed jobs of a date", of)(r.FailedOffers(ctx, &start, &of))
	}
	hours := must.Get(r.Hours(ctx, tenant, start))(t)
	say("hours")(hours[20:], nil)
	say("tenants")(r.Tenants(ctx, nil, 2))
	say("tenants")(r.Tenants(ctx, others[1:], 9))
	say("without documents")(r.WithoutDocuments(ctx, others))

	// what waits for people
	for i, w := range []report.WaitingFilter{
		{Tenant: tenant}, {Tenant: otherTenant}, {}, {Tenant: tenant, All: true}, {Tenant: tenant, Newest: 2}, {Tenant: tenant, MinValue: "7.01"},
		{Tenant: tenant, Since: start.Add(-time.Hour)}, {Tenant: tenant, Within: time.Hour}, {Type: document.Invoice}, {Tenant: tenant, Assignee: "Anna"},
		{Tenant: tenant, Kinds: []string{report.WaitingFile, report.WaitingReview}}, {Tenant: tenant, Assignee: "Ben", MinValue: "1"},
	} {
		list := must.Get(r.Waiting(ctx, w, 100))(t)
		say("waiting", i)(list[:min(len(list), 60/(1+i))], nil)
		say("waiting counts", i)(r.WaitingCounts(ctx, w))
		for at := 0; i == 0 && at < len(list); at += 4 {
			last := list[at]
			w.After = report.WaitingPlace{Kind: last.Kind, Worth: last.Worth, Since: last.Since, Document: last.Document, Other: orNone(last.Other)}
			left := must.Get(r.Waiting(ctx, w, 100))(t)
			say("waiting, left")(len(left), nil)
		}
	}
	for i, w := range []report.ToDoFilter{{Tenants: others}, {Tenants: others[:1], All: true}, {Tenants: others[1:2], Kinds: []string{report.ToSettle, report.ToRequeue}},
		{Tenants: others, Assignee: "Ben"}} {
		list := must.Get(r.ToDo(ctx, w, 200))(t)
		say("to do", i)(list[:min(len(list), 90/(1+i))], nil)
		for at := 0; i == 0 && at < len(list); at += 4 {
			last := list[at]
			w.After = report.WaitingPlace{Kind: last.Kind, Since: last.Since, Document: last.Document, Other: orNone(last.Other)}
			left := must.Get(r.ToDo(ctx, w, 200))(t)
			say("to do, left")(len(left), nil)
		}
	}

	// rows of the functions
	for _, fn := range []manifest.Function{manifest.Match, manifest.Ingest, manifest.Review, manifest.Offer} {
		for _, of := range []uuid.UUID{tenant, otherTenant, uuid.Nil} {
			say("workload", fn.Name, of)(r.Workload(ctx, fn, of))
			say("errors", fn.Name, of)(r.Errors(ctx, fn, of, 3))
			say("failed", fn.Name, of)(r.Troubles(ctx, fn, report.FailedRows, of, 3))
			say("stuck", fn.Name, of)(r.Troubles(ctx, fn, report.StuckRows, of, 4))
		}
		ids := map[string][]uuid.UUID{manifest.Match.Name: docs, manifest.Ingest.Name: files, manifest.Review.Name: chunks, manifest.Offer.Name: jobs}[fn.Name][:5]
		type failure struct {
			ID, TenantID uuid.UUID
			Error        string
		}
		var failures []failure
		for _, row := range must.Get(r.LetterRows(ctx, postgres.Tables[fn.Name], ids))(t) {
			failures = append(failures, failure{row.ID, row.TenantID, row.Error})
		}
		say("failures", fn.Name)(failures, nil)
		letters := must.Get(r.LetterRows(ctx, postgres.Tables[fn.Name], append(ids, none)))(t)
		slices.SortFunc(letters, func(a, b report.LetterRow) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		say("letters", fn.Name)(letters, nil)
	}
	for _, status := range []string{"", "pending", "in-progress", "failed", "succeeded", "cancelled"} {
		for i, stamp := range []time.Time{{}, start, start.Add(-time.Hour)} {
			row := report.LetterRow{Status: status, Published: &start}
			state, why := row.State(num(1), stamp, true)
			say("letter", status, i)([]string{state, why}, nil)
		}
	}
	for i, id := range []uuid.UUID{uuid.Nil, num(1)} {
		state, why := report.LetterRow{}.State(id, start, false)
		say("letter of no row", i)([]string{state, why}, nil)
	}
	say("last attempt")(r.LastAttempt(ctx))

	// offers
	someone := num(714)
	date, yesterday := day.Of(start), day.Of(start.AddDate(0, 0, -1))
	say("jobs")(r.OfferJobs(ctx, jobs[:9]))
	for i, of := range []*uuid.UUID{&tenant, &otherTenant, nil} {
		say("sets", i)(r.Sets(ctx, orNone(of)))
		say("rosters", i)(r.OfferTenants(ctx, date, of))
		say("rosters of yesterday", i)(r.OfferTenants(ctx, yesterday, of))
		say("counts", i)(r.OfferCounts(ctx, yesterday, of))
		say("month", i)(r.OfferMonth(ctx, date-1, of))
		say("failed jobs", i)(r.FailedOffers(ctx, nil, of))
	}
	say("jobs of")(r.OffersOf(ctx, date, others[:2]))
	say("jobs of one")(r.OffersOf(ctx, yesterday, others[:1]))
	say("names")(r.OfferNames(ctx, []uuid.UUID{num(712), num(713), num(714)}))
	say("progress of jobs")(r.OfferProgress(ctx, date, others[:1]))
	say("deliveries")(r.OfferDeliveries(ctx, date, others[:1]))
	say("page")(r.OfferPage(ctx, tenant, yesterday, nil, num(712), 2))
	say("page of one")(r.OfferPage(ctx, tenant, date, &someone, uuid.Nil, 9))
	golden.Compare(t, "everything.txt", got.String())
}

func orNone(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}
