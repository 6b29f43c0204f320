package main

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/postgres/postgrestest"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	open := func(args ...string) explain.Waiting {
		t.Helper()
		return decode[explain.Waiting](t, printed(t, url, append([]string{"open", "--json"}, args...)...))
	}
	conn := postgrestest.Conn(t, url)
	for _, sql := range []string{
		`UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = E'out of\ttime'
			WHERE structured_data ->> 'number' = '4500000101'`,
		`INSERT INTO ingestion (id, tenant_id, document_id, needs_human_review, review_reasons)
			SELECT gen_random_uuid(), tenant_id, id, true, '{"the sums differ","no date"}'
			FROM document WHERE structured_data ->> 'number' = '4500000102'`,
		`UPDATE document SET structured_data = structured_data || '{"total": "a lot"}' WHERE structured_data ->> 'number' = '4500000102'`,
	} {
		postgrestest.Exec(t, conn, sql)
	}
	folded := open("--all")
	if folded.Counts["question"] != 11 || len(folded.Items) != 13 {
		t.Errorf("with --all: counts %v, %d items; want 11 questions", folded.Counts, len(folded.Items))
	}
	all := open()
	if all.Counts["question"] != 7 || all.Counts["failed"] != 1 || all.Counts["file"] != 1 || len(all.Items) != 9 {
		t.Errorf("counts %v, %d items; want 7 questions, a failed document and a file", all.Counts, len(all.Items))
	}
	var values []string
	for _, i := range all.Items {
		value := "-"
		if i.Value != nil {
			value = *i.Value
		}
		values = append(values, value)
	}
	slices.Sort(values[6:]) // worth nothing, in the order of their times
	if want := "1335.18 814.56 814.56 288.00 288.00 597.60 - 1240.00 822.29"; strings.Join(values, " ") != want {
		t.Errorf("values %v, want %s", values, want)
	}
	// One answer about the two orders of an invoice settles the other question: 814.56 x 0.611 x 2.
	if i := all.Items[1]; i.Worth != "995.39" || all.Items[2].Worth != "995.39" {
		t.Errorf("worth %s and %s, want 995.39", i.Worth, all.Items[2].Worth)
	}
	// The delivery and this invoice have each other matches of the kind.
	if have := func(w explain.Waiting) bool {
		return slices.ContainsFunc(w.Items, func(i explain.WaitingItem) bool {
			return i.Document.Number == "2603-417" && i.Other != nil && i.Other.Number == "F-30112"
		})
	}; have(all) || !have(folded) {
		t.Error("want a folded question with --all only")
	}
	if i := all.Items[0]; i.Kind != "failed" || i.Why != "out of time" || i.Document.Number != "4500000101" {
		t.Errorf("failed: %+v", i)
	}
	if i := open("--kind", "file").Items[0]; i.Why != "the sums differ; no date" || i.Other != nil {
		t.Errorf("file: %+v", i)
	}
	theirs := open("--tenant", "20000000-0000-4000-8000-000000000001", "--kind", "question,failed", "--limit", "2")
	if len(theirs.Items) != 2 || theirs.Counts["failed"] != 0 || slices.ContainsFunc(theirs.Items, func(i explain.WaitingItem) bool {
		return i.TenantID.String() != "20000000-0000-4000-8000-000000000001"
	}) {
		t.Errorf("of one tenant: %+v", theirs)
	}
	for _, tc := range []struct {
		args                    []string
		question, failed, files int
	}{
		{[]string{"--min-value", "597.60"}, 5, 1, 0},
		{[]string{"--min-value", "597.601"}, 4, 1, 0},
		{[]string{"--document", "contract"}, 0, 0, 0},
		{[]string{"--document", "purchase-order", "--kind", "failed,file"}, 0, 1, 1},
		{[]string{"--since", "2h"}, 7, 1, 1},
		{[]string{"--since", "2099-01-01T00:00:00Z"}, 0, 0, 0},
	} {
		some := open(append(tc.args, "--limit", "100")...)
		if n := tc.question + tc.failed + tc.files; some.Counts["question"] != tc.question || some.Counts["failed"] != tc.failed ||
			some.Counts["file"] != tc.files || len(some.Items) != n {
			t.Errorf("%q: counts %v, %d items, want %d, %d and %d", tc.args, some.Counts, len(some.Items), tc.question, tc.failed, tc.files)
		}
	}
	wantRefused(t, url, "open", clitest.Refusals{
		{[]string{"--min-value", "1e3"}, `invalid --min-value "1e3"`},
		{[]string{"--since", "noon"}, "expected a duration like"},
		{[]string{"--document", "bill"}, "--document"},
		{[]string{"--kind", "x"}, "question, warning, failed, file, review"},
	})
	question := all.Items[slices.IndexFunc(all.Items, func(i explain.WaitingItem) bool { return i.Kind == "question" })]
	printed(t, url, "reject", question.Document.ID.String(), question.Other.ID.String())
	if left := open("--kind", "question"); slices.ContainsFunc(left.Items, func(i explain.WaitingItem) bool {
		return i.Document.ID == question.Document.ID && i.Other.ID == question.Other.ID
	}) {
		t.Error("a rejected pair still waits")
	}
	printed(t, url, "undecide", question.Document.ID.String(), question.Other.ID.String())
	if again := open("--kind", "question"); again.Counts["question"] != 7 {
		t.Errorf("withdrawn: %d questions wait, want 7", again.Counts["question"])
	}
	_, out, _ := matchbook(t, url, "open", "--limit", "1")
	wantIn(t, out, "Waiting for people: 7 questions, 1 failed document, 1 file\n", "matchbook publish 10000000-0000-4000-8000-000000000101",
		"... and 8 more: --limit")
}
