package ingest_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// shared is a folder of the evaluation data; the test is skipped without it.
func shared(t *testing.T, name string) string {
	t.Helper()
	return testenv.Shared(t, "eval/"+name)
}

// truth is a line of truth.jsonl.
type truth struct {
	File     string          `json:"file"`
	Number   string          `json:"number"`
	TypeCode string          `json:"type_code"`
	Date     string          `json:"date"`
	Currency string          `json:"currency"`
	Supplier string          `json:"supplier"`
	Buyer    string          `json:"buyer"`
	Order    string          `json:"buyer_order"`
	Subtotal document.Amount `json:"subtotal"`
	Tax      document.Amount `json:"tax"`
	Total    document.Amount `json:"total"`
	Lines    []document.Line `json:"lines"`
}

// truths reads truth.jsonl.
func truths(t *testing.T, dir string) (list []truth) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "truth.jsonl"))
	must.OK(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var w truth
		must.OK(t, json.Unmarshal(lines.Bytes(), &w))
		list = append(list, w)
	}
	return list
}

// differences names the fields of d that differ from the truth.
func (want truth) differences(d ingestion.Extracted) (names []string) {
	check := func(name string, same bool) {
		if !same {
			names = append(names, name)
		}
	}
	got := d.Data
	check("source", d.Source == "einvoice")
	check("type", (d.Type == document.Invoice) == (want.TypeCode != "381"))
	check("number", got.Number == want.Number)
	check("date", got.Date.String() == want.Date)
	check("currency", got.Currency == want.Currency)
	check("supplier", got.Supplier.Name == want.Supplier)
	check("buyer", got.Buyer.Name == want.Buyer)
	order := ""
	for _, r := range got.References {
		if r.Type == "purchase-order" {
			order = cmp.Or(order, r.Number)
		}
	}
	check("order", order == want.Order)
	check("subtotal", got.Subtotal.Equal(want.Subtotal))
	check("tax", got.Tax.Equal(want.Tax))
	check("total", got.Total.Equal(want.Total))
	check("count of lines", len(got.Lines) == len(want.Lines))
	for i, w := range want.Lines[:min(len(want.Lines), len(got.Lines))] {
		g := got.Lines[i]
		check("description", w.Description == "" || g.Description == w.Description)
		check("quantity", g.Quantity.Canonical() == w.Quantity.Canonical())
		check("amount", g.Amount.Canonical() == w.Amount.Canonical())
	}
	return names
}

// What the gate objects to, by words of its sentences.
var objections = []struct{ name, words string }{
	{"VAT id", "check digits of the supplier's VAT id"},
	{"VAT id", "check digits of the buyer's VAT id"},
	{"IBAN", "check digits of the supplier's IBAN"},
	{"IBAN", "check digits of the payee's IBAN"},
	{"sums", " add up to "},
	{"line", "differs from quantity x price"},
	{"test", "marked as a test"},
	{"rejected", "rejected by the seller"},
	{"foreign", "foreign name space"},
}

// objectionsTo lists the reasons against a document in short, each once.
func objectionsTo(d ingestion.Extracted) (names []string) {
	for _, reason := range d.Reasons {
		name := reason
		for _, o := range objections {
			if strings.Contains(reason, o.words) {
				name = o.name
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shownToPeople are the files of truth.jsonl that need a person. Those in a
// folder "fail" are broken on purpose. The others are called correct, but they
// are marked as tests, their ids are invented, and in three of them an amount is
// not quantity x price.
var shownToPeople = map[string]string{
	"XML-Rechnung/CII/EN16931_2_Teilrechnung.cii.xml":                                       "VAT id",
	"XML-Rechnung/CII/EN16931_Einfach.cii.xml":                                              "VAT id",
	"XML-Rechnung/CII/EN16931_Kraftfahrversicherung_Bruttopreise.cii.xml":                   "VAT id, line",
	"XML-Rechnung/CII/EN16931_Rabatte.cii.xml":                                              "VAT id",
	"XML-Rechnung/FX/EN16931_Einfach.pdf":                                                   "VAT id",
	"XML-Rechnung/FX/EN16931_Einfach_DueDate.pdf":                                           "VAT id",
	"XML-Rechnung/FX/EN16931_Einfach_negativePaymentDue.pdf":                                "VAT id",
	"ZUGFeRDv1/correct/Intarsys/ZUGFeRD_1p0_BASIC_Einfach.pdf":                              "VAT id, test",
	"ZUGFeRDv1/correct/Intarsys/ZUGFeRD_1p0_COMFORT_Einfach.pdf":                            "VAT id, test",
	"ZUGFeRDv1/correct/Intarsys/ZUGFeRD_1p0_COMFORT_Kraftfahrversicherung_Bruttopreise.pdf": "IBAN, test",
	"ZUGFeRDv1/correct/Intarsys/ZUGFeRD_1p0_COMFORT_Rabatte.pdf":                            "VAT id, line, test",
	"ZUGFeRDv1/correct/Intarsys/ZUGFeRD_1p0_COMFORT_SEPA_Prenotification.pdf":               "VAT id, test",
	"ZUGFeRDv2/correct/Mustangproject/MustangGnuaccountingBeispielRE-20190610_507.pdf":      "VAT id",
	"ZUGFeRDv2/fail/FNFE-factur-x-examples/Facture_FR_BASIC.pdf":                            "line",
	"ZUGFeRDv2/fail/FNFE-factur-x-examples/Facture_FR_EN16931.pdf":                          "line",
	"ZUGFeRDv2/fail/Mustangproject/MustangGnuaccountingBeispielRE-20190610_507a.pdf":        "VAT id, foreign",
	"mustangproject/EN16931_1_Teilrechnung.pdf":                                             "VAT id, line",
	"mustangproject/EN16931_Einfach.pdf":                                                    "VAT id",
}

// The XML of a PDF is found and read by the same steps as in the function.
func TestCorpusEqualsTruth(t *testing.T) {
	t.Parallel()
	dir, pdfs, broken := shared(t, "ingestion/invoices"), 0, 0
	all := truths(t, dir)
	for _, want := range all {
		r := newRigOf(t, filepath.Join(dir, filepath.FromSlash(want.File)))
		if err := r.ingest(t); err != nil || len(r.store.documents) != 1 {
			t.Errorf("%s: %d documents, %v", want.File, len(r.store.documents), err)
			continue
		}
		d := r.store.documents[0]
		if diff := want.differences(d); diff != nil {
			t.Errorf("%s: differs in %q", want.File, diff)
		}
		reasons := strings.Join(objectionsTo(d), ", ")
		if known := shownToPeople[strings.TrimPrefix(want.File, "ZUGFeRD-corpus/")]; reasons != known || d.Valid != (known == "") {
			t.Errorf("%s: valid %t, for a person because of %q, want %q", want.File, d.Valid, reasons, known)
		}
		if strings.Contains(want.File, "/fail/") {
			broken++
		}
		if strings.HasSuffix(want.File, ".pdf") {
			pdfs++
		}
	}
	if len(all) != 22 || pdfs != 18 || broken != 3 {
		t.Errorf("%d files, %d PDFs, %d broken ones; want 22, 18, 3", len(all), pdfs, broken)
	}
}

// eInvoices yields the documents of all files that are e-invoices or contain one.
func eInvoices(t *testing.T) (docs []ingestion.Extracted) {
	t.Helper()
	for _, folder := range []string{"ingestion/invoices", "ubl"} {
		err := filepath.WalkDir(shared(t, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".pdf" && filepath.Ext(path) != ".xml" {
				return err
			}
			r := newRigOf(t, path)
			if err := r.ingest(t); err == nil && r.store.documents[0].Source == "einvoice" {
				docs = append(docs, r.store.documents[0])
			}
			return nil
		})
		must.OK(t, err)
	}
	return docs
}

// An invented VAT id is wrong in the file, too: whether it is a misprint or
// another company is for a person to see. So most samples do not pass.
func TestEInvoiceRefusals(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for _, d := range eInvoices(t) {
		got["files"]++
		found := objectionsTo(d)
		for _, name := range found {
			got[name]++
		}
		if len(found) == 1 {
			got["only "+found[0]]++
		}
		if d.Valid {
			got["valid"]++
		}
	}
	want := map[string]int{"files": 73, "valid": 36, "VAT id": 32, "IBAN": 2, "sums": 9, "line": 6, "test": 5, "rejected": 2,
		"foreign": 1, "only VAT id": 15, "only line": 2, "only rejected": 2}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
