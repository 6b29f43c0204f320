package extraction

import (
	"fmt"

	"matchbook/lambda/document"
)

// Kind is the shape of a value.
type Kind int

// The kinds.
const (
	Text Kind = iota
	Day
	Number
)

// Value is one value of structured data.
type Value struct {
	Path   string
	Kind   Kind
	Text   string          // as in Field.Value
	Amount document.Amount // of a Number
	Date   document.Date   // of a Day
}

// Values lists the values present in structured data.
func Values(d document.Data) []Value {
	var all []Value
	word := func(path, s string) {
		if s != "" {
			all = append(all, Value{Path: path, Kind: Text, Text: s})
		}
	}
	day := func(path string, v document.Date) {
		if !v.IsZero() {
			all = append(all, Value{Path: path, Kind: Day, Text: v.String(), Date: v})
		}
	}
	number := func(path string, v document.Amount) {
		if !v.IsZero() {
			all = append(all, Value{Path: path, Kind: Number, Text: v.Canonical(), Amount: v})
		}
	}
	word("number", d.Number)
	day("date", d.Date)
	word("currency", d.Currency)
	for i, p := range []document.Party{d.Supplier, d.Buyer, d.Payee} {
		side := []string{"supplier.", "buyer.", "payee."}[i]
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
	word("type_code", d.TypeCode)
	word("buyer_reference", d.BuyerReference)
	day("delivery_date", d.Delivered)
	number("prepaid", d.Prepaid)
	number("rounding", d.Rounding)
	number("amount_due", d.AmountDue)
	return all
}
