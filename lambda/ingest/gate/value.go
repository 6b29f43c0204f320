package gate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
)

// kind is the shape of a value.
type kind int

const (
	text kind = iota
	date
	amount
)

// value is one value of structured data.
type value struct {
	path   string
	kind   kind
	text   string // as Field.Value has it
	amount document.Amount
	date   document.Date
}

// valuesOf lists the values of structured data that are present.
func valuesOf(d document.Data) []value {
	var all []value
	word := func(path, s string) {
		if s != "" {
			all = append(all, value{path: path, kind: text, text: s})
		}
	}
	day := func(path string, v document.Date) {
		if !v.IsZero() {
			all = append(all, value{path: path, kind: date, text: v.String(), date: v})
		}
	}
	number := func(path string, v document.Amount) {
		if !v.IsZero() {
			all = append(all, value{path: path, kind: amount, text: v.Canonical(), amount: v})
		}
	}
	word("number", d.Number)
	day("date", d.Date)
	word("currency", d.Currency)
	for i, p := range []document.Party{d.Supplier, d.Buyer} {
		side := []string{"supplier.", "buyer."}[i]
		word(side+"name", p.Name)
		word(side+"vat_id", p.VATID)
		word(side+"iban", p.IBAN)
		word(side+"address", p.Address)
	}
	for i, r := range d.References {
		word(fmt.Sprintf("references.%d.number", i), r.Number)
	}
	day("period.from", d.Period.From)
	day("period.to", d.Period.To)
	number("subtotal", d.Subtotal)
	number("tax", d.Tax)
	number("total", d.Total)
	for i, l := range d.Lines {
		at := fmt.Sprintf("line_items.%d.", i)
		word(at+"sku", l.SKU)
		word(at+"description", l.Description)
		number(at+"quantity", l.Quantity)
		word(at+"unit", l.Unit)
		number(at+"unit_price", l.UnitPrice)
		number(at+"price_quantity", l.PriceFor)
		number(at+"amount", l.Amount)
		number(at+"tax_rate", l.TaxRate)
	}
	for i, x := range d.Taxes {
		at := fmt.Sprintf("taxes.%d.", i)
		number(at+"rate", x.Rate)
		number(at+"base", x.Base)
		number(at+"amount", x.Amount)
	}
	for i, x := range d.Charges {
		at := fmt.Sprintf("charges.%d.", i)
		word(at+"description", x.Description)
		number(at+"amount", x.Amount)
		number(at+"tax_rate", x.TaxRate)
	}
	day("payment_terms.due", d.Terms.Due)
	word("payment_terms.text", d.Terms.Text)
	return all
}

// words names a path for people.
func words(path string) string {
	switch path {
	case "supplier.name":
		return "supplier's name"
	case "payment_terms.due":
		return "due date"
	}
	if i, field, ok := item(path); ok {
		return fmt.Sprintf("%s of line %d", field, i+1)
	}
	return strings.NewReplacer("_", " ", ".", " ").Replace(path)
}

var lineItem = regexp.MustCompile(`^line_items\.(\d+)\.(.+)$`)

func item(path string) (index int, field string, ok bool) {
	m := lineItem.FindStringSubmatch(path)
	if m == nil {
		return 0, "", false
	}
	_, err := fmt.Sscan(m[1], &index)
	return index, strings.ReplaceAll(m[2], "_", " "), err == nil
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// schema checks what a document's structured data must fulfil to be read again.
func (c *checker) schema() {
	if c.e.Type != "" && !slices.Contains(document.Types, c.e.Type) {
		c.refuse(Schema, "type", "the type of the document is not one that Matchbook knows")
	}
	raw, err := json.Marshal(c.e.Data)
	if err == nil {
		_, err = document.Parse(raw)
	}
	if err != nil {
		c.refuse(Schema, "", "the structured data breaks its schema: %v", err)
	}
	if cur := c.e.Data.Currency; cur != "" && !currency.MatchString(cur) {
		c.refuse(Schema, "currency", "the currency is not a code of three letters")
	}
	for _, path := range c.e.Dropped {
		c.refuse(Grounding, path, "the %s was left out: the quoted text is not in the document", words(path))
	}
}

// trust raises a field's trust, never lowers it.
func (c *checker) trust(path string, t extraction.Trust) {
	order := []extraction.Trust{extraction.PrintedXML, extraction.XML, extraction.Arithmetic, extraction.CheckDigit, extraction.Printed, extraction.ModelAlone}
	f, ok := c.e.Fields[path]
	if !ok || slices.Index(order, f.Trust) >= 0 && slices.Index(order, f.Trust) <= slices.Index(order, t) {
		return
	}
	f.Trust = t
	c.e.Fields[path] = f
}
