package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
)

// A CSV file is stored by its mapping; the row that changed is the same document.
func TestImportReadsCSV(t *testing.T) {
	t.Parallel()
	url, file := postgrestest.URL(t), filepath.Join(t.TempDir(), "invoices.csv")
	put := func(total string) []string {
		t.Helper()
		text := "Key;Invoice No;Date;Vendor;Amount;PO\n1;RE-1;02.03.2026;Acme GmbH;" + total + ";PO-7\n2;RE-2;2026-03-02;Acme GmbH;5,00;\n"
		must.OK(t, os.WriteFile(file, []byte(text), 0o600))
		return []string{file, "--tenant", oneTenant, "--type", "Rechnung", "--date-format", "DD.MM.YYYY", "--map",
			`id=Key,number="Invoice No",date=Date,supplier.name=Vendor,total=Amount,references.purchase-order=PO`}
	}
	r := imported(t, url, cli.ExitFindings, put("1.190,00")...)
	if r.Stored != 1 || len(r.Problems) != 1 || r.Problems[0].Line != 3 || !strings.Contains(r.Problems[0].What, "--date-format") {
		t.Errorf("got %+v", r)
	}
	if r := imported(t, url, cli.ExitFindings, append(put("1.200,00"), "--replace")...); r.Replaced != 1 || r.Stored != 0 {
		t.Errorf("got %+v", r)
	}
	data := postgrestest.Value[string](t, postgrestest.Conn(t, url), "SELECT type || ' ' || structured_data FROM document")
	if data != `invoice {"date": "2026-03-02", "total": "1200", "number": "RE-1", "supplier": {"name": "Acme GmbH"}, "references": [{"type": "purchase-order", "number": "PO-7"}]}` {
		t.Errorf("stored %s", data)
	}
}

func TestCSVFlags(t *testing.T) {
	t.Parallel()
	file := clitest.File(t, "a.csv", "No\n1\n")
	wantRefused(t, "", "check "+file, clitest.Refusals{
		{nil, "is CSV; use --map"},
		{[]string{"--type", "invoice"}, "missing --map"},
		{[]string{"--map", "number=No"}, "missing --type"},
		{[]string{"--map", "number=No", "--type", "letter"}, `unknown --type "letter"`},
		{[]string{"--map", "number=No", "--type", "invoice", "--decimal", ";"}, `invalid --decimal ";"`},
		{[]string{"--map", "number=No", "--type", "invoice", "--date-format", "iso"}, "expected a form such as"},
		{[]string{"--map", "numbr=No", "--type", "invoice"}, `unknown field "numbr"`},
	})
	if code, out, _ := matchbook(t, "", "check", file, "--map", "number=No", "--type", "invoice"); code != cli.ExitOK || !strings.Contains(out, "1 document can be matched") {
		t.Errorf("exit status %d: %s", code, out)
	}
}
