package matches_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// matchTogether matches documents as one batch, and returns their errors.
func (f *fixture) matchTogether(store match.Store, fences []job.Attempt) []error {
	m := f.matcher()
	m.Store = store
	return job.Work(m.Match).All(f.T.Context(), fences...)
}

// transactions counts the transactions that set documents succeeded.
func (f *fixture) transactions() int {
	return f.Count("SELECT count(DISTINCT xmin::text) FROM document WHERE matching_status = 'succeeded'")
}

// takeInvoices makes and takes n documents.
func (f *fixture) takeInvoices(n int) (fences []job.Attempt) {
	f.Invoices(n)
	for i := range n {
		fences = append(fences, f.Take(num(i+1)))
	}
	return fences
}

// Documents of a tenant in one batch are written in one transaction.
func TestBatchSharesWrite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must.OK(t, errors.Join(f.matchTogether(f.Store, f.takeInvoices(5))...))
	postgrestest.Equal(t, "transactions", f.transactions(), 1)
	postgrestest.Equal(t, "succeeded documents", f.Count("SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), 5)
}

// ruled is a store with other rules for turns with the document.
type ruled struct {
	*matches.Store
	id uuid.UUID
	by matches.Rules
}

func (r ruled) Write(ctx context.Context, t match.Turn) (match.Written, error) {
	if r.by == nil || !slices.ContainsFunc(t.Drafts, func(d *match.Draft) bool { return d.Fence.ID == r.id }) {
		return r.Store.Write(ctx, t)
	}
	return r.WriteRuled(ctx, t, r.by)
}

// An error that ends the write of one document doesn't end the others'.
func TestBadWriteFailsAlone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before func(f *fixture)
		third  matches.Rules // of the third of five
		want   string        // of the error of the third
	}{
		"its rules fail": {nil, func(context.Context, rules.Competition) (rules.Result, error) {
			return rules.Result{}, errInjected
		}, "injected"},
		"its rules panic": {nil, func(context.Context, rules.Competition) (rules.Result, error) { panic("boom") }, "panic (string)"},
		"its fence is lost": {func(f *fixture) {
			f.Exec("UPDATE document SET matching_attempts = matching_attempts + 1 WHERE id = $1", num(3))
		}, nil, job.ErrFenceLost.Error()},
		"its pair cannot be written": {func(f *fixture) {
			f.Exec("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$")
			f.Exec("CREATE TRIGGER refuse BEFORE INSERT ON party_name FOR EACH ROW WHEN (NEW.document_id = '" + num(3).String() + "') EXECUTE FUNCTION refuse()")
		}, nil, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			fences := f.takeInvoices(5)
			// The block is read before the fence is lost.
			store := &meddler{ruled{f.Store, num(3), tc.third}, func() {
				if tc.before != nil {
					tc.before(f)
				}
			}}
			for i, err := range f.matchTogether(store, fences) {
				if (err != nil) != (i == 2) || err != nil && !strings.Contains(err.Error(), tc.want) {
					t.Errorf("document %d: got %v", i+1, err)
				}
				if (f.State(num(i+1)).Status == "succeeded") != (err == nil) {
					t.Errorf("document %d: %s, with the error %v", i+1, f.State(num(i+1)).Status, err)
				}
			}
			postgrestest.Equal(t, "transactions of the others", f.transactions(), 4)
		})
	}
}

// Documents that are written together have the rows that they have one after the other:
// chains, and some that compete.
func TestSharedWriteIsSerial(t *testing.T) {
	t.Parallel()
	docs := slices.Concat(chains(1, 16), alike(4))
	var want string
	for _, group := range []int{1, 6, len(docs)} {
		f := newFixture(t)
		must.Get(f.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(t)
		for some := range slices.Chunk(slices.Clone(docs), group) {
			f.matchBatch(some, nil)
			var ids []uuid.UUID
			for _, d := range some {
				ids = append(ids, d.ID)
			}
			if n := f.Count("SELECT count(DISTINCT xmin::text) FROM document WHERE id = ANY ($1)", ids); n != 1 {
				t.Errorf("a group of %d took %d transactions", group, n)
			}
		}
		got := f.results()
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("in groups of %d: %s", group, firstDifference(want, got))
		}
	}
	if n := strings.Count(want, "document_match"); n < 8 {
		t.Errorf("%d matches, want one for each chain at least", n)
	}
}

// With a model the same holds for the same answers: each document has its own question,
// with the answers of those written with it, and asks again if they change it.
func TestSharedWriteWithModel(t *testing.T) {
	t.Parallel()
	var docs []postgres.Imported
	for i := range 3 * 5 {
		number, typ := fmt.Sprint("RE-", i), document.Invoice
		if i%5 < 2 {
			number, typ = fmt.Sprint("4500", i), document.PurchaseOrder
		}
		docs = append(docs, postgres.Imported{ID: num(i + 1), TenantID: tenant, Type: typ, Received: start, Data: fmt.Appendf(nil,
			`{"number":"%s","date":"2026-01-%02d","total":"%d.40","supplier":{"name":"Lampenhaus %[4]c"},"line_items":[{"sku":"L-%[4]c","quantity":"20","unit_price":"59.22"}]}`,
			number, i%5*3+1, 1000+i/5, 'A'+i/5)})
	}
	var want string
	for _, group := range []int{1, 4, len(docs)} {
		f := newFixture(t)
		must.Get(f.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(t)
		model := &llm.Asker{Model: opinionated{}, Vault: f.DB}
		for some := range slices.Chunk(slices.Clone(docs), group) {
			f.matchBatch(some, model)
		}
		for round := 0; f.Count("SELECT count(*) FROM document WHERE matching_status = 'pending'") > 0; round++ {
			if round > 20 {
				t.Fatal("documents ask again and again")
			}
			again := slices.DeleteFunc(slices.Clone(docs), func(d postgres.Imported) bool { return f.State(d.ID).Status != "pending" })
			for some := range slices.Chunk(again, group) {
				f.matchBatch(some, model)
			}
		}
		got := f.results()
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("in groups of %d: %s", group, firstDifference(want, got))
		}
	}
	if n := strings.Count(want, `"decided_by": "model"`); n < 5 {
		t.Errorf("the model decided about %d pairs, which proves little", n)
	}
}

// opinionated is a model that answers by the two documents of each pair.
type opinionated struct{}

func (opinionated) Name() string { return "opinionated" }

func (opinionated) Answer(_ context.Context, q llm.Question) (llm.Answer, error) {
	known := regexp.MustCompile(`(?m)^known: .*\n`)
	parts := strings.Split(known.ReplaceAllString(q.User, ""), "\nCandidate ")
	var list []string
	for i, candidate := range parts[1:] {
		about, text, _ := strings.Cut(candidate, "<<<candidate\n")
		if strings.Contains(about, "\nanswered: ") {
			continue
		}
		word := []rules.Answer{rules.High, rules.Medium, rules.Low, rules.None}[sha256.Sum256([]byte(parts[0] + text))[0]%4]
		list = append(list, fmt.Sprintf(`{"candidate":%d,"evidence":"what fits","verdict":%q}`, i+1, word))
	}
	return llm.Answer{Text: `{"candidates":[` + strings.Join(list, ",") + `]}`}, nil
}

// matchBatch matches documents as one batch. One with a question that keeps changing meanwhile
// is released, and pending again.
func (f *fixture) matchBatch(docs []postgres.Imported, model *llm.Asker) {
	f.T.Helper()
	fences := make([]job.Attempt, len(docs))
	for i, d := range docs {
		fences[i] = f.Take(d.ID)
	}
	m := f.matcher()
	m.Model = model
	for _, err := range job.Work(m.Match).All(f.T.Context(), fences...) {
		var partial *job.Partial
		if errors.As(err, &partial) {
			_, err = partial.Release(f.T.Context(), job.Release{Status: job.StatusPending, Reason: "another question"})
		}
		if err != nil {
			f.T.Error(err)
		}
	}
}

// results lists all rows of a match, without their times.
func (f *fixture) results() string {
	f.T.Helper()
	var lines []string
	for table, key := range map[string]string{"match_pair": "document_a_id", "document_match": "document_a_id", "match_suggestion": "document_a_id",
		"three_way_match": "document_id", "document_warning": "document_id", "warning_key": "document_id", "party_name": "document_id"} {
		row := "to_jsonb(t) - 'created_at'"
		if table == "match_pair" { // only the order of arrival decides which of these were asked about
			row += " - CASE WHEN question = 'left' THEN '{asked,question,answer,reasoning}'::text[] ELSE '{}' END"
		}
		list := postgrestest.Values[string](f.T, f.Conn, "SELECT '"+table+" ' || ("+row+")::text FROM "+table+" AS t ORDER BY "+key+", 1")
		lines = append(lines, list...)
	}
	lines = append(lines, postgrestest.Values[string](f.T, f.Conn, "SELECT concat('document ', id, ' ', cluster_id) FROM document")...)
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Two new documents with different names of a supplier, known by the VAT ids others print, are
// one supplier's even if they are written together and neither name is stored yet.
func TestGroupKnowsItsNames(t *testing.T) {
	t.Parallel()
	var docs []postgres.Imported
	for i, d := range renamedDocuments() {
		if slices.Contains([]int{0, 5, 1, 6}, i) { // two with the VAT id, then two without
			docs = append(docs, postgres.Imported{ID: d.ID, TenantID: d.TenantID, Type: d.Type, Received: d.Received, Data: d.Data})
		}
	}
	slices.SortFunc(docs, func(a, b postgres.Imported) int {
		without := func(d postgres.Imported) int { return strings.Count(string(d.Data), `"vat_id":""`) }
		return without(a) - without(b)
	})
	var results [2]string
	for i, groups := range [][][]postgres.Imported{{docs[:1], docs[1:2], docs[2:3], docs[3:]}, {docs[:1], docs[1:2], docs[2:]}} {
		f := newFixture(t)
		must.Get(f.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(t)
		for _, group := range groups {
			f.matchBatch(group, nil)
		}
		results[i] = f.results()
	}
	if results[0] != results[1] || !strings.Contains(results[0], "known-name") {
		t.Errorf("together: %s", firstDifference(results[0], results[1]))
	}
}
