package postgres_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// imports are invoices with these ids.
func imports(ids ...uuid.UUID) (docs []postgres.Imported) {
	for _, id := range ids {
		docs = append(docs, postgres.Imported{ID: id, TenantID: tenant, Type: document.Invoice, FilePath: "a.json", Data: json.RawMessage(`{}`)})
	}
	return docs
}

func TestImportStoresDocumentsAndTheirTenants(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := imports(num(1), num(2))
	docs[1].TenantID, docs[1].Received = otherTenant, start.Add(-time.Hour)
	docs[1].Data = json.RawMessage(`{"number":"RE-1","supplier":{"name":"Acme"}}`)
	if _, err := f.Import(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	got, err := report.From(f.DB).Summaries(t.Context(), []uuid.UUID{num(1), num(2), num(3)})
	want := []report.Summary{
		{ID: num(1), TenantID: tenant, Type: document.Invoice, Status: "pending"},
		{ID: num(2), TenantID: otherTenant, Type: document.Invoice, Number: "RE-1", Supplier: "Acme", Status: "pending"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	var names, received string
	if err := f.conn.QueryRow(t.Context(), "SELECT (SELECT string_agg(name, ', ' ORDER BY id) FROM tenant), (SELECT string_agg(to_char(received_at AT TIME ZONE 'UTC', 'HH24:MI') || ' ' || file_path, ', ' ORDER BY id) FROM document)").
		Scan(&names, &received); err != nil {
		t.Fatal(err)
	}
	if names != "Testers, tenant "+otherTenant.String() || received != "09:00 a.json, 08:00 a.json" {
		t.Errorf("got tenants %q, documents of %q", names, received)
	}
}

// Data, pending and stamp are one transaction: there is no moment at which a
// document is stored and not published.
func TestImportPublishes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := imports(num(1))
	var last time.Time
	for _, typ := range []document.Type{document.Invoice, document.CreditNote} {
		docs[0].Type = typ
		stamped, err := f.Import(t.Context(), docs)
		if err != nil || len(stamped) != 1 || stamped[0].ID != num(1) || !stamped[0].PublishedAt.After(last) {
			t.Fatalf("stamped %+v, error %v, after %v", stamped, err, last)
		}
		last = stamped[0].PublishedAt
		got, err := report.From(f.DB).Summaries(t.Context(), []uuid.UUID{num(1)})
		want := []report.Summary{{ID: num(1), TenantID: tenant, Type: typ, Status: "pending"}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if c := f.claim(job.Delivery{ID: num(1), PublishedAt: last}, false); c.Found != 0 {
			t.Errorf("its message found %v", c.Found)
		}
		f.exec("UPDATE document SET matching_status = 'failed', matching_error = 'broken', matching_failed_at = now(), matching_attempts = 0")
	}
}

func TestImportStoresAllOrNone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(*postgres.Imported)
		is    error
	}{
		"another tenant's id": {func(d *postgres.Imported) { d.ID = num(9) }, postgres.ErrOtherTenant},
		"no JSON":             {func(d *postgres.Imported) { d.Data = json.RawMessage(`{`) }, nil},
		"an unknown type":     {func(d *postgres.Imported) { d.Type = "letter" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.put(num(9), otherTenant, document.Invoice, "{}")
			before := f.dump(allTables...)
			docs := imports(num(1), num(2), num(3))
			tc.spoil(&docs[1])
			_, err := f.Import(t.Context(), docs)
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("got %v, want %v", err, tc.is)
			}
			if after := f.dump(allTables...); after != before {
				t.Errorf("changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

func TestInProgressCountsTheRowsThatAnAttemptWorksOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.invoices(2)
	f.take(num(2))
	if n, err := f.InProgress(t.Context()); n != 1 || err != nil {
		t.Errorf("got %d in progress, %v", n, err)
	}
}
