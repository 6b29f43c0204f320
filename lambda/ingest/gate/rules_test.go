package gate_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/internal/must"
)

// today is when the samples are read.
var today = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// invented adds the truth of the two PDFs without an XML, from their JSON files.
func (s *sample) invented(t *testing.T) {
	t.Helper()
	text := map[string]string{
		"invoice2data/AzureInterior.pdf":          `{"number":"INV/2023/03/0008","date":"2023-03-20","supplier":{"name":"Azure Interior"},"total":"279.84"}`,
		"invoice2data/SammyMaystoneLinesTest.pdf": `{"number":"invoice_number_1","date":"2022-01-01","supplier":{"name":"Sammy Maystone"},"total":"127.50"}`,
	}[filepath.ToSlash(s.name)]
	if text == "" {
		return
	}
	d, err := document.Parse([]byte(text))
	must.OK(t, err)
	s.truth.Data = d
}

// score counts the fields that are printed, and of these the ones that rules
// read rightly.
type score struct{ printed, right map[string]int }

func (c score) add(t *testing.T, s sample, field, got, want string, printed bool) {
	t.Helper()
	if want == "" || !printed {
		return
	}
	corpus, _, _ := strings.Cut(filepath.ToSlash(s.name), "/")
	for _, key := range []string{corpus + " " + field, field} {
		c.printed[key]++
		if got == want {
			c.right[key]++
		}
	}
	if got != want {
		t.Logf("%s: %s is %q, want %q", s.name, field, got, want)
	}
}

// more adds the fields that are no part of the promise.
func (c score) more(t *testing.T, s sample, got document.Data) {
	t.Helper()
	want, o := s.truth.Data, oracle{s}
	valid := func(id string, check func(string) (string, bool)) string {
		plain, ok := check(id)
		if !ok {
			return "" // an invented one is left out by the rules
		}
		return plain
	}
	iban := valid(want.Supplier.IBAN, company.IBAN)
	c.add(t, s, "buyer", got.Buyer.Name, want.Buyer.Name, o.word(want.Buyer.Name) != nil)
	c.add(t, s, "supplier's VAT id", got.Supplier.VATID, valid(want.Supplier.VATID, company.VATID), o.word(want.Supplier.VATID) != nil)
	c.add(t, s, "buyer's VAT id", got.Buyer.VATID, valid(want.Buyer.VATID, company.VATID), o.word(want.Buyer.VATID) != nil)
	c.add(t, s, "IBAN", got.Supplier.IBAN, iban, o.word(want.Supplier.IBAN) != nil)
	c.add(t, s, "due date", got.Terms.Due.String(), want.Terms.Due.String(), o.date(want.Terms.Due) != nil)
	c.add(t, s, "subtotal", got.Subtotal.Fixed(), want.Subtotal.Fixed(), o.amount(want.Subtotal, true) != nil)
	c.add(t, s, "tax", got.Tax.Fixed(), want.Tax.Fixed(), o.amount(want.Tax, true) != nil)
	c.add(t, s, "lines", amounts(got.Lines), amounts(want.Lines), len(want.Lines) > 0)
}

// amounts lists quantity and amount of the lines that have one.
func amounts(lines []document.Line) (text string) {
	for _, l := range lines {
		if !l.Amount.IsZero() {
			text += fmt.Sprintf("%s for %s, ", l.Quantity.Canonical(), l.Amount.Fixed())
		}
	}
	return text
}

// The XML of the PDFs is hidden from the rules.
func TestRulesTrustNoWrongTotal(t *testing.T) {
	t.Parallel()
	c := score{map[string]int{}, map[string]int{}}
	passed := 0
	all := samples(t)
	for _, s := range all {
		s.invented(t)
		found := byrules.Extract(s.text)
		if len(found) != 1 {
			t.Errorf("%s: got %d documents", s.name, len(found))
			continue
		}
		e, want, o := found[0], s.truth.Data, oracle{s}
		if len(gate.Pass(&e, s.text, today)) == 0 {
			passed++
		}
		name := e.Data.Supplier.Name
		if company.Similarity(company.ParseName(name), company.ParseName(want.Supplier.Name)) >= 0.85 {
			name = want.Supplier.Name // without its legal form, or with it
		}
		c.add(t, s, "number", e.Data.Number, want.Number, o.word(want.Number) != nil)
		c.add(t, s, "date", e.Data.Date.String(), want.Date.String(), o.date(want.Date) != nil)
		c.add(t, s, "supplier", name, want.Supplier.Name, o.word(want.Supplier.Name) != nil)
		c.add(t, s, "total", e.Data.Total.Fixed(), want.Total.Fixed(), o.amount(want.Total, true) != nil)
		c.more(t, s, e.Data)
		if trust := e.Fields["total"].Trust; trust == extraction.Arithmetic && !e.Data.Total.Equal(want.Total) {
			t.Errorf("%s: the wrong total %s is trusted", s.name, e.Data.Total.Fixed())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.printed)) {
		t.Logf("%s: %d of %d", key, c.right[key], c.printed[key])
	}
	t.Logf("%d of %d pass the gate", passed, len(all))
	for field, least := range map[string]int{"number": 15, "date": 15, "supplier": 15, "total": 15, "subtotal": 15, "tax": 15,
		"buyer": 15, "due date": 10, "supplier's VAT id": 5, "buyer's VAT id": 5} {
		if 100*c.right[field] < 80*c.printed[field] || c.printed[field] < least {
			t.Errorf("%s: %d of %d are right, want 80 %%", field, c.right[field], c.printed[field])
		}
	}
	if c.right["lines"] < 12 {
		t.Errorf("the lines of %d of %d are right, want 12", c.right["lines"], c.printed["lines"])
	}
	if passed < 18 {
		t.Errorf("%d of %d pass the gate, want 18", passed, len(all))
	}
}
