package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
)

func TestFolderReadsEInvoices(t *testing.T) {
	t.Parallel()
	const head = `<%[1]s xmlns="urn:oasis:names:specification:ubl:schema:xsd:%[1]s-2"
xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<b:ID>RE-1</b:ID><b:IssueDate>%[2]s</b:IssueDate></%[1]s>`
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.json":   `{"type":"invoice","structured_data":{"number":"RE-1","date":"2026-03-02"}}`,
		"2.XML":    fmt.Sprintf(head, "Invoice", "2026-03-02"),
		"3.xml":    fmt.Sprintf(head, "Order", "2026-03-02"),
		"4.xml":    fmt.Sprintf(head, "CreditNote", "2.3.2026"),
		"5.xml":    fmt.Sprintf(head, "Quotation", "2026-03-02"),
		"6.xml":    "<html/>",
		"7.xml":    "",
		"8.xml.gz": "not looked at",
	} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	in, err := ReadFolder(dir)
	must.OK(t, err)
	var types []document.Type
	for _, d := range in.Documents {
		types = append(types, d.Type)
	}
	if want := []document.Type{document.Invoice, document.PurchaseOrder, document.CreditNote}; !slices.Equal(types, want) {
		t.Errorf("got %q, want %q", types, want)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	problems := []Problem{
		{file("2.XML"), 1, "duplicate of the document in " + file("1.json") + ":1"},
		{file("5.xml"), 2, "unsupported UBL document: Quotation"},
		{file("6.xml"), 1, "unsupported XML: expected UBL 2, UN/CEFACT CII or FatturaPA"},
		{file("7.xml"), 0, "missing root element"},
	}
	if !slices.Equal(in.Problems, problems) {
		t.Errorf("got the problems %v, want %v", in.Problems, problems)
	}
	if remarks := []Problem{{file("4.xml"), 3, "IssueDate: invalid date"}}; !slices.Equal(in.Remarks, remarks) {
		t.Errorf("got the remarks %v, want %v", in.Remarks, remarks)
	}
}
