package postgres_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// atOnce has another process hold the tenant's lock until n calls of work wait for it,
// and then waits for their end. refused is the first of them.
func (f *fixture) atOnce(n int, work func(i int)) {
	f.t.Helper()
	events := make(chan string, 10_000)
	f.OnTurn(func(e string) { events <- e })
	release := f.holdTenant()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { work(i) })
	}
	for queued, refused := 0, false; queued < n-1 || !refused; {
		switch <-events {
		case "queued":
			queued++
		case "refused":
			refused = true
		}
	}
	release()
	all.Wait()
}

// together writes n documents that wait for one lock, each with separate rules, and returns
// their errors and the number of transactions that set documents succeeded.
func together(t *testing.T, n int, before func(f *fixture), decide func(i int) match.Rules) (errs []error, transactions int) {
	t.Helper()
	f := newFixture(t)
	f.invoices(n)
	fences := make([]job.Attempt, n)
	for i := range fences {
		fences[i] = f.take(num(i + 1))
	}
	if before != nil {
		before(f)
	}
	errs = make([]error, n)
	f.atOnce(n, func(i int) {
		defer func() {
			if v := recover(); v != nil {
				errs[i] = fmt.Errorf("panic: %v", v)
			}
		}()
		_, errs[i] = f.Write(t.Context(), fences[i], score.Normalized{}, document.Types, match.Block{Tenant: tenant}, nil, decide(i))
	})
	for i, err := range errs {
		if (f.state(num(i+1)).Status == "succeeded") != (err == nil) {
			t.Errorf("document %d: %s, with the error %v", i+1, f.state(num(i+1)).Status, err)
		}
	}
	return errs, f.count("SELECT count(DISTINCT xmin::text) FROM document WHERE matching_status = 'succeeded'")
}

// Documents of a tenant that wait for the same turn are written in one transaction.
func TestWaitersShareWrite(t *testing.T) {
	t.Parallel()
	errs, transactions := together(t, 5, nil, func(int) match.Rules { return nil })
	if errors.Join(errs...) != nil || transactions != 1 {
		t.Errorf("%d transactions, %v, want one", transactions, errs)
	}
}

// An error that ends the write of one document doesn't end the others'.
func TestBadWriteFailsAlone(t *testing.T) {
	t.Parallel()
	none := func(context.Context, rules.Competition) (rules.Result, error) { return rules.Result{}, nil }
	for name, tc := range map[string]struct {
		before       func(f *fixture)
		third        match.Rules // of the third of five
		want         string      // of the error of the third
		transactions int
	}{
		"its rules have to ask first": {nil, func(context.Context, rules.Competition) (rules.Result, error) {
			return rules.Result{}, errInjected
		}, "injected", 1},
		"its rules panic": {nil, func(context.Context, rules.Competition) (rules.Result, error) { panic("boom") }, "panic: boom", 4},
		"its fence is lost": {func(f *fixture) {
			f.exec("UPDATE document SET matching_attempts = matching_attempts + 1 WHERE id = $1", num(3))
		}, none, job.ErrFenceLost.Error(), 4},
		"its pair cannot be written": {func(f *fixture) {
			f.exec("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$")
			f.exec("CREATE TRIGGER refuse BEFORE INSERT ON party_name FOR EACH ROW WHEN (NEW.document_id = '" + num(3).String() + "') EXECUTE FUNCTION refuse()")
		}, none, "refused", 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs, transactions := together(t, 5, tc.before, func(i int) match.Rules {
				if i == 2 {
					return tc.third
				}
				return none
			})
			for i, err := range errs {
				if (err != nil) != (i == 2) || err != nil && !strings.Contains(err.Error(), tc.want) {
					t.Errorf("document %d: got %v", i+1, err)
				}
			}
			equal(t, "transactions of the others", transactions, tc.transactions)
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
			f.matchAtOnce(some, nil)
			var ids []uuid.UUID
			for _, d := range some {
				ids = append(ids, d.ID)
			}
			if n := f.count("SELECT count(DISTINCT xmin::text) FROM document WHERE id = ANY ($1)", ids); n != 1 {
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
			f.matchAtOnce(some, model)
		}
		for round := 0; f.count("SELECT count(*) FROM document WHERE matching_status = 'pending'") > 0; round++ {
			if round > 20 {
				t.Fatal("documents ask again and again")
			}
			again := slices.DeleteFunc(slices.Clone(docs), func(d postgres.Imported) bool { return f.state(d.ID).Status != "pending" })
			for some := range slices.Chunk(again, group) {
				f.matchAtOnce(some, model)
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

// matchAtOnce matches documents with writes that wait for one turn. One whose question keeps
// changing meanwhile is released, and pending again.
func (f *fixture) matchAtOnce(docs []postgres.Imported, model *llm.Asker) {
	f.t.Helper()
	fences := make([]job.Attempt, len(docs))
	for i, d := range docs {
		fences[i] = f.take(d.ID)
	}
	m := f.matcher()
	m.Model = model
	f.atOnce(len(docs), func(i int) {
		err := m.Match(f.t.Context(), fences[i])
		var partial *job.Partial
		if errors.As(err, &partial) {
			_, err = partial.Release(f.t.Context(), job.Release{Status: job.StatusPending, Reason: "another question"})
		}
		if err != nil {
			f.t.Error(err)
		}
	})
}

// results lists all rows of a match, without their times.
func (f *fixture) results() string {
	f.t.Helper()
	var lines []string
	for table, key := range map[string]string{"match_pair": "document_a_id", "document_match": "document_a_id", "match_suggestion": "document_a_id",
		"three_way_match": "document_id", "document_warning": "document_id", "warning_key": "document_id", "party_name": "document_id"} {
		row := "to_jsonb(t) - 'created_at'"
		if table == "match_pair" { // only the order of arrival decides which of these were asked about
			row += " - CASE WHEN question = 'left' THEN '{asked,question,answer,reasoning}'::text[] ELSE '{}' END"
		}
		list := query[string](f.t, f.conn, "SELECT '"+table+" ' || ("+row+")::text FROM "+table+" AS t ORDER BY "+key+", 1")
		lines = append(lines, list...)
	}
	rows, _ := f.conn.Query(f.t.Context(), "SELECT id, cluster_id FROM document")
	var id uuid.UUID
	var cluster *uuid.UUID
	must.Get(pgx.ForEachRow(rows, []any{&id, &cluster}, func() error {
		lines = append(lines, fmt.Sprint("document ", id, cluster))
		return nil
	}))(f.t)
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
			f.matchAtOnce(group, nil)
		}
		results[i] = f.results()
	}
	if results[0] != results[1] || !strings.Contains(results[0], "known-name") {
		t.Errorf("together: %s", firstDifference(results[0], results[1]))
	}
}
