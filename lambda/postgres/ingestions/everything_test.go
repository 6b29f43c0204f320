package ingestions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
)

// told writes what each call returns, and the rows that it changes.
type told struct {
	*files
	strings.Builder
	changes func() string
}

func (d *told) say(what string, values ...any) {
	d.T.Helper()
	fmt.Fprintln(d, what)
	for _, v := range values {
		if err, failed := v.(error); failed {
			v = err.Error()
		}
		if list, published := v.([]job.Stamped); published { // in the order of the statement's plan
			slices.SortFunc(list, func(a, b job.Stamped) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		}
		fmt.Fprintf(d, "\t= %s\n", must.Get(json.Marshal(v))(d.T))
	}
	d.WriteString(d.changes())
	d.Advance(time.Minute)
}

// All that is stored by what people and the function do about files of two tenants is as it was.
func TestEverything(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	store, ctx := ingestions.New(f.DB), t.Context()
	d := &told{files: f, changes: f.Changes()}
	add := func(n int, name string, of uuid.UUID) (file, doc uuid.UUID) {
		file, doc = num(n), num(n+1)
		stamped, err := store.AddFile(ctx, ingestion.Row{ID: file, TenantID: of, DocumentID: doc, FilePath: fmt.Sprint("documents/", n), Name: name})
		d.say("add "+name, stamped, err)
		return file, doc
	}
	read := func(file uuid.UUID, docs ...ingestion.Extracted) {
		fence := f.Claimed(store, file)
		must.OK(t, store.Transcribed(ctx, fence, ingestion.Checkpoint{Transcription: "text", Preprocessed: "image", Quality: 0.5}))
		stamped, chunks, err := store.Complete(ctx, fence, docs)
		d.say("read", stamped, chunks, err)
	}
	part := func(file, doc uuid.UUID, number string, pages ...int) ingestion.Extracted {
		e := ingestion.Extracted{ID: file, DocumentID: doc, Valid: number != "2", InputTokens: 3, OutputTokens: 4,
			Extraction: invoice(t, `{"number":"`+number+`","total":"119.00","supplier":{"name":"Acme GmbH","vat_id":"DE811128135"}}`),
			Lines: []taught.Line{{Page: 1, Text: "Acme GmbH, VAT DE811128135", Box: taught.Box{0.1, 0.1, 0.5, 0.12}},
				{Page: 1, Text: "Invoice no. " + number, Box: taught.Box{0.1, 0.2, 0.5, 0.22}}, {Page: 1, Text: "Total 119.00", Box: taught.Box{0.1, 0.8, 0.5, 0.82}}}}
		e.Pages = pages
		return e
	}
	act := func(doc uuid.UUID, id int) postgres.Action {
		return postgres.Action{ID: num(id), By: "Anna", Reason: "so", Seen: must.Get(store.FileVersion(ctx, doc))(t)}
	}

	must.OK(t, store.AddOwnCompany(ctx, tenant, "We", "DE9"))
	must.OK(t, store.AddOwnCompany(ctx, tenant, "Also we", ""))
	must.OK(t, store.AddOwnCompany(ctx, otherTenant, "They", "DE8"))
	file, doc := add(16, "a.pdf", tenant)
	add(16, "known.pdf", tenant)
	other, otherDoc := add(32, "", otherTenant)
	failed, failedDoc := add(10, "f.pdf", tenant)
	d.say("in line", must.Get(store.Ingestion(ctx, file))(t), must.Get(store.Ingestion(ctx, other))(t))
	two, three := num(20), num(22)
	whole := part(file, doc, "1", 1, 2)
	whole.Account = &ingestion.Account{Pages: 5}
	read(file, whole, part(two, num(21), "2", 3), part(three, num(23), "3", 4, 5))
	read(other, part(other, otherDoc, "9"))
	f.Exec("UPDATE ingestion SET job_status = 'failed', failed_at = now(), error = 'no text' WHERE id = $1", failed)
	f.Exec(`INSERT INTO ingestion (id, tenant_id, document_id, file_path, created_at, completed_at, job_status, due_at) -- earlier files of a document, and one at the same time
		SELECT old.id, i.tenant_id, document_id, 'documents/old', created_at - age, completed_at - age, 'succeeded', NULL
		FROM ingestion AS i, (VALUES ($2::uuid, interval '1 hour'), ($3, interval '0')) AS old (id, age) WHERE i.id = $1`, two, num(5), num(60))
	d.changes()
	d.say("ends", must.Get(store.Ends(ctx, []uuid.UUID{three, failed, file, other, num(99)}))(t))
	for _, id := range []uuid.UUID{doc, num(21), failedDoc} {
		d.say("as read", must.Get(store.Read(ctx, tenant, id))(t))
	}
	_, err := store.Read(ctx, tenant, otherDoc)
	d.say("of another tenant", err)

	values := map[string]json.RawMessage{"total": json.RawMessage(`"119.00"`), "number": json.RawMessage(`"2"`), "notes": nil}
	stamped, said, err := store.Finish(ctx, num(21), act(num(21), 200), values)
	d.say("finish", stamped, said, err)
	stamped, said, err = store.Finish(ctx, num(21), act(num(21), 200), values)
	d.say("finish again", stamped, said, err)
	stamped, said, err = store.Finish(ctx, failedDoc, act(failedDoc, 201), map[string]json.RawMessage{"type": json.RawMessage(`"invoice"`), "number": json.RawMessage(`"7"`)})
	d.say("finish a failed file", stamped, said, err)
	stamped, said, err = store.Finish(ctx, doc, act(doc, 202), nil)
	d.say("finish what's right", stamped, said, err)
	stamped, said, err = store.Correct(ctx, num(23), "Ben", map[string]json.RawMessage{"number": json.RawMessage(`"3"`), "buyer.name": json.RawMessage(`"We"`)})
	d.say("correct", stamped, said, err)
	_, _, err = store.Correct(ctx, num(99), "Ben", values)
	d.say("correct an unknown document", err)

	rules := must.Get(store.ListTaught(ctx, tenant))(t)
	d.say("taught", rules)
	d.say("taught keys", must.Get(store.Taught(ctx, tenant, doc, rules[0].Keys))(t), must.Get(store.Taught(ctx, otherTenant, doc, rules[0].Keys))(t))
	d.say("forget another tenant's", must.Get(store.Forget(ctx, otherTenant, rules[0].ID))(t))
	f.Exec("UPDATE ingestion SET job_status = 'pending' WHERE id = $1", file)
	whole.Forgotten = []ingestion.Forgotten{{Rule: rules[0].ID, Why: "not there"}}
	read(file, whole, part(two, num(21), "2", 3), part(three, num(23), "3", 4, 5))
	d.say("taught, forgotten", must.Get(store.ListTaught(ctx, tenant))(t), must.Get(store.Taught(ctx, tenant, doc, rules[0].Keys))(t),
		must.Get(store.Taught(ctx, tenant, num(21), rules[0].Keys))(t))
	d.say("forget", must.Get(store.Forget(ctx, tenant, rules[0].ID))(t))
	whole.Forgotten = nil

	stamped, err = store.Dismiss(ctx, num(23), act(num(23), 203))
	d.say("dismiss", stamped, err)
	stale := act(doc, 204)
	stale.Seen = "another"
	_, err = store.Dismiss(ctx, doc, stale)
	d.say("dismiss a stale one", err)
	for i, fresh := range []bool{false, true} {
		stamped, err = store.ReadAgain(ctx, num(21), act(num(21), 205+i), fresh)
		d.say("read again", stamped, err)
	}
	for i, begins := range [][]int{{2}, {1, 6}, {1, 3, 3}, {}, {1, 4}} {
		stamped, err = store.Divide(ctx, num(23), act(num(23), 210+i), begins)
		d.say(fmt.Sprint("divide ", begins), stamped, err)
	}
	read(file, whole, part(two, num(21), "2", 4, 5))
	d.say("own companies", must.Get(store.OwnCompanies(ctx, tenant))(t), must.Get(store.RemoveOwnCompany(ctx, otherTenant, "We"))(t), must.Get(store.RemoveOwnCompany(ctx, tenant, "We"))(t))
	_, err = store.FileVersion(ctx, num(99))
	d.say("version of an unknown document", err, err == job.ErrNotFound)
	golden.Compare(t, "everything.txt", d.String())
}
