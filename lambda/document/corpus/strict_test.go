package corpus_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

const tenant = "10000000-0000-4000-8000-000000000001"

func line(n int, typ string) string {
	return fmt.Sprintf(`{"id":%q,"tenant_id":%q,"type":%q,"received_at":"2026-03-02T09:00:00Z","structured_data":{"number":"%d"}}`, num(n), tenant, typ, n)
}

func TestCorpusKeepsItsOrder(t *testing.T) {
	t.Parallel()
	docs, err := corpus.ReadDocuments("d.jsonl", strings.NewReader(line(2, "invoice")+"\r\n\n"+line(1, "purchase-order")))
	must.OK(t, err)
	if len(docs) != 2 || docs[0].ID != num(2) || docs[0].Type != document.Invoice || string(docs[0].Data) != `{"number":"2"}` ||
		docs[0].TenantID.String() != tenant || !docs[1].Received.Equal(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v", docs)
	}
	links, err := corpus.ReadLinks("links.csv", strings.NewReader("a_id,b_id\n"+num(1).String()+","+num(2).String()+"\n"), docs)
	if err != nil || len(links) != 1 || links[0] != corpus.PairOf(num(2), num(1)) {
		t.Errorf("got %v, %v", links, err)
	}
	if links, err := corpus.ReadLinks("links.csv", strings.NewReader("a_id,b_id\n"), docs); err != nil || len(links) != 0 {
		t.Errorf("no links: got %v, %v", links, err)
	}
}

func TestMalformedDocumentErrors(t *testing.T) {
	t.Parallel()
	good := line(1, "invoice")
	without := func(part, with string) string {
		return good + "\n" + strings.Replace(line(2, "invoice"), part, with, 1)
	}
	for _, tc := range []struct{ text, want string }{
		{"", "d.jsonl:1: expected at least one document"},
		{"\n\n", "d.jsonl:1: expected at least one document"},
		{good + "\n\n{", "d.jsonl:3: invalid JSON: unexpected end of JSON input at byte 1"},
		{good + "\n" + good, "d.jsonl:2: duplicate id " + num(1).String() + ", first in line 1"},
		{good + good, fmt.Sprintf("d.jsonl:1: invalid JSON: invalid character '{' after top-level value at byte %d", len(good)+1)},
		{"[]", "d.jsonl:1: expected an object"},
		{"\xff", "d.jsonl:1: invalid UTF-8"},
		{without(`"type":"invoice"`, `"type":7`), "d.jsonl:2: invalid type: expected a string"},
		{without("invoice", "memo"), `d.jsonl:2: unknown document type "memo"`},
		{without(num(2).String(), "2"), "d.jsonl:2: invalid id: not a UUID of 36 characters"},
		{without(tenant, ""), "d.jsonl:2: invalid tenant_id: not a UUID of 36 characters"},
		{without("2026-03-02T09:00:00Z", "2026-03-02"), "d.jsonl:2: invalid received_at: expected a time such as 2026-03-02T09:00:00Z"},
		{without(`{"number":"2"}`, "null"), "d.jsonl:2: invalid structured_data: expected an object"},
		{without(`,"structured_data":{"number":"2"}`, ""), "d.jsonl:2: invalid structured_data: expected an object"},
		{good + "\n" + strings.Repeat("x", 4<<20+1), "d.jsonl:2: too long: over 4194304 bytes"},
	} {
		docs, err := corpus.ReadDocuments("d.jsonl", strings.NewReader(tc.text))
		if err == nil || err.Error() != tc.want || docs != nil {
			t.Errorf("%.60q: got %v, want %s", tc.text, err, tc.want)
		}
	}
	if _, err := corpus.ReadDocuments("d.jsonl", broken(good+"\n")); !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "d.jsonl:2: ") {
		t.Errorf("got %v", err)
	}
}

func TestMalformedLinkErrors(t *testing.T) {
	t.Parallel()
	docs, err := corpus.ReadDocuments("d.jsonl", strings.NewReader(line(1, "invoice")+"\n"+line(2, "invoice")+"\n"+
		strings.Replace(line(3, "invoice"), tenant, num(9).String(), 1)))
	must.OK(t, err)
	pair := func(a, b int) string { return num(a).String() + "," + num(b).String() }
	const header = "a_id,b_id\n"
	for _, tc := range []struct{ text, want string }{
		{"", "l.csv:1: invalid first line: expected a_id,b_id"},
		{pair(1, 2), "l.csv:1: invalid first line: expected a_id,b_id"},
		{header + "\n" + num(1).String(), "l.csv:3: expected 2 columns, found 1"},
		{header + pair(1, 2) + ",x", "l.csv:2: expected 2 columns, found 3"},
		{header + "x,y", "l.csv:2: invalid a_id: not a UUID of 36 characters"},
		{header + pair(1, 2) + "\n" + pair(1, 2), "l.csv:3: duplicate link, first in line 2"},
		{header + pair(2, 1), "l.csv:2: a_id must be less than b_id"},
		{header + pair(1, 1), "l.csv:2: document must not be linked with itself"},
		{header + pair(1, 7), "l.csv:2: b_id " + num(7).String() + " not found among the documents"},
		{header + pair(1, 3), "l.csv:2: documents must belong to one tenant"},
		{header + `"`, `l.csv:2: invalid CSV: extraneous or missing " in quoted-field`},
	} {
		links, err := corpus.ReadLinks("l.csv", strings.NewReader(tc.text), docs)
		if err == nil || err.Error() != tc.want || links != nil {
			t.Errorf("%q: got %v, want %s", tc.text, err, tc.want)
		}
	}
	if _, err := corpus.ReadLinks("l.csv", broken(header), docs); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// broken ends in an error that is not the end of the file.
func broken(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))
}

func num(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
}
