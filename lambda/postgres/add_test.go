package postgres_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
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

// add adds documents and returns their fates.
func (f *fixture) add(docs []postgres.Imported, o postgres.AddOptions) (fates []postgres.Addition) {
	f.T.Helper()
	list := must.Get(f.Add(f.T.Context(), docs, o))(f.T)
	for _, a := range list {
		fates = append(fates, a.Addition)
	}
	return fates
}

func TestAddStoresTenants(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := imports(num(1), num(2))
	docs[1].TenantID, docs[1].Received = otherTenant, start.Add(-time.Hour)
	docs[1].Data = json.RawMessage(`{"number":"RE-1","supplier":{"name":"Acme"}}`)
	f.add(docs, postgres.AddOptions{Send: true})
	got, err := report.From(f.DB).Summaries(t.Context(), []uuid.UUID{num(1), num(2), num(3)})
	want := []report.Summary{
		{ID: num(1), TenantID: tenant, Type: document.Invoice, Status: "pending"},
		{ID: num(2), TenantID: otherTenant, Type: document.Invoice, Number: "RE-1", Supplier: "Acme", Status: "pending"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	var names, received string
	must.OK(t, f.Conn.QueryRow(t.Context(), "SELECT (SELECT string_agg(name, ', ' ORDER BY id) FROM tenant), (SELECT string_agg(to_char(received_at AT TIME ZONE 'UTC', 'HH24:MI') || ' ' || file_path, ', ' ORDER BY id) FROM document)").
		Scan(&names, &received))
	if names != "Testers, tenant "+otherTenant.String() || received != "09:00 a.json, 08:00 a.json" {
		t.Errorf("got tenants %q, documents of %q", names, received)
	}
}

// Data, pending and stamp are one transaction: there is no moment at which a
// document is stored and not published.
func TestAddPublishes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := imports(num(1))
	var last time.Time
	for _, typ := range []document.Type{document.Invoice, document.CreditNote} {
		docs[0].Type = typ
		list, err := f.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true})
		if err != nil || len(list) != 1 || list[0].Message.ID != num(1) || !list[0].Message.PublishedAt.After(last) {
			t.Fatalf("added %+v, error %v, after %v", list, err, last)
		}
		last = list[0].Message.PublishedAt
		got, err := report.From(f.DB).Summaries(t.Context(), []uuid.UUID{num(1)})
		want := []report.Summary{{ID: num(1), TenantID: tenant, Type: typ, Status: "pending"}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if c := f.Deliver(job.Delivery{ID: num(1), PublishedAt: last}, false); c.Found != 0 {
			t.Errorf("its message found %v", c.Found)
		}
		f.Exec("UPDATE document SET matching_status = 'failed', matching_error = 'broken', matching_failed_at = now(), matching_attempts = 0")
	}
}

func TestAddIsIdempotent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := imports(num(3), num(1), num(2))
	docs[1].Received = start.Add(-time.Hour)
	postgrestest.EqualLists(t, "fates", f.add(docs, postgres.AddOptions{}), slices.Repeat([]postgres.Addition{postgres.Stored}, 3))
	unchanged := f.Unchanged(postgrestest.Tables...)
	f.Advance(time.Minute)
	docs[2].Data = json.RawMessage("{ \n}") // the same in other bytes
	for _, o := range []postgres.AddOptions{{}, {Replace: true, Send: true}} {
		postgrestest.EqualLists(t, "fates", f.add(docs, o), slices.Repeat([]postgres.Addition{postgres.Same}, 3))
	}
	unchanged("afterwards")
}

func TestAddReplacesOnRequest(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*postgres.Imported){
		"data":     func(d *postgres.Imported) { d.Data = json.RawMessage(`{"number":"2"}`) },
		"type":     func(d *postgres.Imported) { d.Type = document.CreditNote },
		"received": func(d *postgres.Imported) { d.Received = start.Add(-time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			docs := imports(num(1), num(2))
			f.add(docs, postgres.AddOptions{Send: true})
			f.Exec("UPDATE document SET matching_status = 'failed', matching_error = 'broken', matching_failed_at = now(), matching_attempts = 2")
			change(&docs[0])
			before := f.Dump(postgrestest.Tables...)
			want := []postgres.Addition{postgres.Changed, postgres.Same}
			if got := f.add(docs, postgres.AddOptions{Send: true}); !slices.Equal(got, want) || f.Dump(postgrestest.Tables...) != before {
				t.Errorf("got %v, want %v and nothing changed", got, want)
			}
			f.Advance(time.Minute)
			list, err := f.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true})
			if err != nil || list[0].Addition != postgres.Replaced || list[0].Status != "failed" || list[1].Addition != postgres.Same ||
				!list[0].Message.PublishedAt.Equal(start.Add(time.Minute)) {
				t.Errorf("got %+v, %v", list, err)
			}
			postgrestest.Equal(t, "state", f.State(num(1)), postgrestest.State{Status: "pending", Attempts: 2, Due: time.Minute})
		})
	}
}

// A document without a message is published by the sweep, as one that another
// program inserted.
func TestAddLeavesSendToSweep(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := imports(num(1))
	docs[0].Received = start.AddDate(1, 0, 0)
	list, err := f.Add(t.Context(), docs, postgres.AddOptions{})
	if err != nil || len(list) != 1 || !list[0].Message.PublishedAt.IsZero() {
		t.Fatalf("got %+v, %v; want no stamp", list, err)
	}
	f.Advance(2 * time.Minute)
	again, err := f.Republish(t.Context(), empty, 10)
	if err != nil || len(again) != 1 || again[0].ID != num(1) {
		t.Errorf("the sweep publishes %+v, %v", again, err)
	}
}

// A person's correction is kept: the file from before it counts as unchanged, and a
// new one is corrected.
func TestAddKeepsCorrections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := imports(num(1))
	docs[0].Data = json.RawMessage(`{"number":"1","total":"10.00"}`)
	f.add(docs, postgres.AddOptions{})
	f.Exec(`INSERT INTO document_correction (document_id, tenant_id, field, value) VALUES ($1, $2, 'total', '"11.00"'), ($1, $2, 'type', '"credit-note"')`, num(1), tenant)
	if got := f.add(docs, postgres.AddOptions{Replace: true}); got[0] != postgres.Same {
		t.Errorf("got %v, want the same", got)
	}
	docs[0].Data = json.RawMessage(`{"number":"2","total":"10.00"}`)
	if got := f.add(docs, postgres.AddOptions{Replace: true}); got[0] != postgres.Replaced {
		t.Errorf("got %v, want replaced", got)
	}
	if stored := postgrestest.Value[string](t, f.Conn, "SELECT type || ' ' || structured_data FROM document"); stored != `credit-note {"total": "11.00", "number": "2"}` {
		t.Errorf("stored %s", stored)
	}
}

func TestAddRefusesForeignID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), otherTenant, document.Invoice, "{}")
	unchanged := f.Unchanged("document")
	list, err := f.Add(t.Context(), imports(num(1)), postgres.AddOptions{Replace: true, Send: true})
	if want := (postgres.Added{ID: num(1), Addition: postgres.Foreign}); err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("got %+v, %v; want %+v", list, err, want)
	}
	unchanged("added by another tenant")
}

func TestAddStoresAllOrNone(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*postgres.Imported){
		"no JSON":         func(d *postgres.Imported) { d.Data = json.RawMessage(`{`) },
		"an unknown type": func(d *postgres.Imported) { d.Type = "letter" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			docs := imports(num(1), num(2), num(3))
			docs[0].TenantID = uuid.New()
			spoil(&docs[1])
			before := f.Dump(postgrestest.Tables...)
			if _, err := f.Add(t.Context(), docs, postgres.AddOptions{}); err == nil || f.Dump(postgrestest.Tables...) != before {
				t.Errorf("got %v, want an error and nothing stored", err)
			}
		})
	}
}
