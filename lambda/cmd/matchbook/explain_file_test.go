package main

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

// A document that came in a file is explained by its file: why it was not read,
// what it waits for, and why a person is needed.
func TestExplainUnreadFile(t *testing.T) {
	t.Parallel()
	const document, ingestion = "10000000-0000-4000-8000-000000000901", "10000000-0000-4000-8000-000000000902"
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ('`+oneTenant+`', 'one')),
		d AS (INSERT INTO document (id, tenant_id, file_path, matching_due_at)
			VALUES ('`+document+`', '`+oneTenant+`', 'documents/a.pdf', NULL))
		INSERT INTO ingestion (id, tenant_id, document_id, file_path, attempts)
		VALUES ('`+ingestion+`', '`+oneTenant+`', '`+document+`', 'documents/a.pdf', 1)`)
	for i, tc := range []struct {
		set  string
		want []string // parts of the text, in order
		not  string
	}{
		{"job_status = NULL", []string{
			"file documents/a.pdf ingestion " + ingestion + " read never published, 1 attempt status",
			"NO MATCH Its file is not read yet: its ingestion was never published."}, "structured data"},
		{"job_status = 'pending', due_at = now() + interval '2 hours', error = 'storage does not answer'",
			[]string{"read pending, 1 attempt error storage does not answer waits for its message, due 2", ") status never",
				"NO MATCH Its file is not read yet: it is pending."}, "structured data"},
		{"job_status = 'failed', failed_at = now(), error = 'the PDF is damaged'",
			[]string{"read failed, 1 attempt error the PDF is damaged waits for a person",
				"do matchbook publish --ingestions " + ingestion + ", once the cause is fixed",
				"NO MATCH Its file could not be read, 1 attempt: the PDF is damaged"}, "structured data"},
		{`job_status = 'succeeded', error = NULL, document_type = 'invoice', structured_data = '{"number": "R-1"}',
			pages = '{2,3}', review_reasons = '{"a date is missing","a sum is wrong"}',
			page_account = '{"pages": 3, "blank": [1]}'`,
			[]string{"invoice R-1", "file documents/a.pdf, pages 2, 3",
				"read succeeded, 1 attempt do matchbook correct " + document + " FIELD=VALUE --done review a date is missing; a sum is wrong " +
					"account pages 3 = read 2 + blank 1 (page 1) status"},
			"Its file"},
	} {
		postgrestest.Exec(t, conn, "UPDATE ingestion SET "+tc.set)
		for _, id := range []string{document, ingestion} {
			explainsInOrder(t, url, id, tc.not, tc.want...)
		}
		transcript(t, fmt.Sprint("explain-file-", i+1), url, "explain "+document, "explain --json "+document, "open")
	}
	type explained struct {
		Document struct {
			Status string
			File   struct {
				Ingestion string `json:"ingestion_id"`
				Path      string
				Status    string
				Pages     []int
				Reasons   []string `json:"review_reasons"`
			}
		}
	}
	got := decode[explained](t, printed(t, url, "explain", document, "--json"))
	if f := got.Document.File; got.Document.Status != "" || f.Status != "succeeded" || f.Ingestion != ingestion ||
		f.Path != "documents/a.pdf" || len(f.Pages) != 2 || len(f.Reasons) != 2 {
		t.Errorf("got %+v", got)
	}
}

// explainsInOrder wants these parts in the explanation of an id, one behind the other, and
// one text nowhere.
func explainsInOrder(t *testing.T, url, id, not string, parts ...string) {
	t.Helper()
	out := strings.Join(strings.Fields(printed(t, url, "explain", id)), " ")
	if strings.Contains(out, not) {
		t.Errorf("%q is in\n%s", not, out)
	}
	for _, part := range parts {
		_, after, found := strings.Cut(out, part)
		if !found {
			t.Errorf("want %q in\n%s", part, out)
		}
		out = after
	}
}
