package clitest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// ID returns the id of document n of a corpus.
func ID(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("30000000-0000-4000-8000-%012d", n))
}

// Line returns document n of a corpus as a line of its file.
func Line(n, typ, data string) string {
	return fmt.Sprintf(`{"id":"30000000-0000-4000-8000-%012s","tenant_id":"10000000-0000-4000-8000-000000000003",`+
		`"type":"%s","received_at":"2026-04-%02sT08:00:00Z","structured_data":%s}`, n, typ, n, data) + "\n"
}

// WriteCorpus writes a corpus; use "" for a missing file.
func WriteCorpus(t *testing.T, documents, links string) (dir string) {
	t.Helper()
	files := map[string]string{"documents.visible.jsonl": documents, "links.csv": links}
	maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
	return Folder(t, files)
}

// Folder writes files into a new folder.
func Folder(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// File writes a file into a new folder.
func File(t testing.TB, name, text string) (file string) {
	t.Helper()
	return filepath.Join(Folder(t, map[string]string{name: text}), name)
}

// Ties writes groups of an order and two invoices, a tenant per group. Both invoices charge
// the whole order and neither cites it, so the rules leave both open. The first is the true one.
func Ties(t *testing.T, groups int) (dir string) {
	t.Helper()
	var documents, links strings.Builder
	links.WriteString("a_id,b_id\n")
	for g := range groups {
		common := fmt.Sprintf(`"currency":"EUR","supplier":{"name":"Lampenwerk %[1]d GmbH","vat_id":"DE9991%05[1]d"},`+
			`"buyer":{"name":"Baumarkt %[1]d AG","vat_id":"DE9992%05[1]d"},"subtotal":"%[2]d.50",`+
			`"line_items":[{"description":"Lamp no. %[1]d","quantity":"20","unit":"EA","amount":"%[2]d.50"}]`, g, 300+7*g)
		n := 3 * g
		for i, d := range []string{`"number":"B%04d","date":"2026-04-02"`, `"number":"R1-%04d","date":"2026-04-09"`,
			`"number":"R2-%04d","date":"2026-04-09"`} {
			typ := "invoice"
			if i == 0 {
				typ = "purchase-order"
			}
			fmt.Fprintf(&documents, `{"id":"%s","tenant_id":"%s","type":"%s","received_at":"2026-04-0%dT08:00:00Z",`+
				`"structured_data":{%s,%s}}`+"\n",
				ID(n+i), ID(100_000+g), typ, i+1, fmt.Sprintf(d, g), common)
		}
		fmt.Fprintf(&links, "%s,%s\n", ID(n), ID(n+1))
	}
	return WriteCorpus(t, documents.String(), links.String())
}
