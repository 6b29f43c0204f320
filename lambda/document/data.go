package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
)

// Limits of structured data. A larger document fails with an error naming the limit.
const (
	MaxBytes      = 1 << 20 // of JSON
	MaxLines      = 5_000
	MaxReferences = 500
	MaxDepth      = 100 // of nested arrays and objects
)

// Data is the structured data of a document; every field is optional.
type Data struct {
	Number     string      `json:"number,omitempty"`
	Date       Date        `json:"date,omitzero"`
	Currency   string      `json:"currency,omitempty"` // ISO 4217
	Supplier   Party       `json:"supplier,omitzero"`
	Buyer      Party       `json:"buyer,omitzero"`
	References []Reference `json:"references,omitempty"`
	Period     Period      `json:"period,omitzero"`
	Subtotal   Amount      `json:"subtotal,omitzero"`
	Tax        Amount      `json:"tax,omitzero"`
	Total      Amount      `json:"total,omitzero"`
	Lines      []Line      `json:"line_items,omitempty"`
	Notes      string      `json:"notes,omitempty"`
	Taxes      []Tax       `json:"taxes,omitempty"`   // Tax, by rate
	Charges    []Charge    `json:"charges,omitempty"` // with the lines they are Subtotal
	Terms      Terms       `json:"payment_terms,omitzero"`

	TypeCode       string `json:"type_code,omitempty"`       // UNTDID 1001, of an e-invoice: 380, 381, 386 ...
	BuyerReference string `json:"buyer_reference,omitempty"` // BT-10: the buyer's routing id
	Delivered      Date   `json:"delivery_date,omitzero"`
	Payee          Party  `json:"payee,omitzero"` // owns the account if it isn't the supplier
	Prepaid        Amount `json:"prepaid,omitzero"`
	Rounding       Amount `json:"rounding,omitzero"`
	AmountDue      Amount `json:"amount_due,omitzero"` // Total - Prepaid + Rounding
}

// Party is the supplier or the buyer, as printed.
type Party struct {
	Name    string `json:"name,omitempty"`
	VATID   string `json:"vat_id,omitempty"`
	IBAN    string `json:"iban,omitempty"`
	Address string `json:"address,omitempty"`
}

// Reference is the number of another document, cited by this one.
type Reference struct {
	Type   string `json:"type"` // a document type, or anything else that was printed
	Number string `json:"number"`
}

// Period is the time covered by a document, both days included.
type Period struct {
	From Date `json:"from,omitzero"`
	To   Date `json:"to,omitzero"`
}

// Line is one line item.
type Line struct {
	SKU         string `json:"sku,omitempty"`
	Description string `json:"description,omitempty"`
	Quantity    Amount `json:"quantity,omitzero"`
	Unit        string `json:"unit,omitempty"`
	UnitPrice   Amount `json:"unit_price,omitzero"`
	PriceFor    Amount `json:"price_quantity,omitzero"` // UnitPrice is for this many units; absent: for one
	Amount      Amount `json:"amount,omitzero"`
	TaxRate     Amount `json:"tax_rate,omitzero"` // in per cent
}

// Tax is the tax at one rate.
type Tax struct {
	Category string `json:"category,omitempty"` // a letter of UNCL 5305: S standard, E exempt, AE reverse charge
	Rate     Amount `json:"rate,omitzero"`      // in per cent
	Base     Amount `json:"base,omitzero"`
	Amount   Amount `json:"amount,omitzero"`
}

// Charge is an amount for the whole document, such as freight. A discount must be negative.
type Charge struct {
	Description string `json:"description,omitempty"`
	Amount      Amount `json:"amount,omitzero"`
	TaxRate     Amount `json:"tax_rate,omitzero"` // in per cent
}

// Terms are the terms of payment.
type Terms struct {
	Due  Date   `json:"due,omitzero"`
	Text string `json:"text,omitempty"`
}

// nulEscape finds the escape of a NUL, but not an escaped backslash before u0000. PostgreSQL's
// jsonb refuses NUL; Parse refuses it first, so that the error is a sentence.
var nulEscape = lazy.Regexp(`(^|[^\\])(\\\\)*\\u0000`)

// hasNUL uses the expression only where it may find something, because it takes 80 ms for a
// megabyte and every candidate of every document is parsed.
func hasNUL(raw []byte) bool {
	return bytes.Contains(raw, []byte(`\u0000`)) && nulEscape().Match(raw)
}

// Parse decodes structured data. Its errors contain the place and the mistake, never the
// value, so they are safe to log.
func Parse(raw []byte) (Data, error) {
	var d Data
	switch {
	case len(raw) > MaxBytes:
		return d, fmt.Errorf("structured data must be at most %d bytes", MaxBytes)
	case !utf8.Valid(raw):
		return d, errors.New("invalid UTF-8 in structured data")
	case hasNUL(raw):
		return d, errors.New("structured data must not contain a NUL character")
	case depth(raw) > MaxDepth:
		return d, fmt.Errorf("structured data must be nested at most %d levels deep", MaxDepth)
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return Data{}, explain(err)
	}
	switch {
	case len(d.Lines) > MaxLines:
		return Data{}, fmt.Errorf("too many line items: over %d", MaxLines)
	case len(d.References) > MaxReferences:
		return Data{}, fmt.Errorf("too many references: over %d", MaxReferences)
	}
	return d, nil
}

func depth(raw []byte) (deepest int) {
	level, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inString = !inString
		case c == '\\' && inString:
			i++
		case inString:
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
}

// explain turns an error of encoding/json into a sentence without values.
func explain(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var field *fieldError
	switch {
	case errors.As(err, &kind) && kind.Field == "" && kind.Value == "string":
		return errors.New("structured data must be an object, not a string: it was encoded as JSON twice")
	case errors.As(err, &kind):
		return fmt.Errorf("invalid field %q: unexpected %s",
			kind.Field, strings.Fields(kind.Value + " ?")[0])
	case errors.As(err, &syntax):
		return fmt.Errorf("invalid JSON at byte %d", syntax.Offset)
	case errors.As(err, &field):
		return field
	}
	return errors.New("invalid JSON")
}

// fieldError describes a mistake in a value without quoting it.
type fieldError struct{ problem string }

// Error returns the mistake.
func (e *fieldError) Error() string { return e.problem }

// Date is a calendar day; the zero Date is absent.
type Date struct{ t time.Time }

// DateOf returns the day of t in UTC.
func DateOf(t time.Time) Date { return Date{t.UTC().Truncate(24 * time.Hour)} }

// IsZero reports whether the date is absent.
func (d Date) IsZero() bool { return d.t.IsZero() }

// DaysUntil returns the number of days from d to e, negative if e is earlier.
func (d Date) DaysUntil(e Date) int { return int(e.t.Sub(d.t).Hours() / 24) }

// Swapped returns the date with day and month swapped, or the date itself if there is no such day.
func (d Date) Swapped() Date {
	if d.IsZero() || d.t.Day() > 12 {
		return d
	}
	return Date{time.Date(d.t.Year(), time.Month(d.t.Day()), int(d.t.Month()), 0, 0, 0, 0, time.UTC)}
}

// Month returns the month offset months after d's, as "2026-03".
func (d Date) Month(offset int) string {
	return time.Date(d.t.Year(), d.t.Month()+time.Month(offset), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
}

// String returns the ISO form, or "" when absent.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.t.Format(time.DateOnly)
}

// MarshalJSON writes the ISO form, YYYY-MM-DD.
func (d Date) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the ISO form; an empty string or null makes the zero Date.
func (d *Date) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return &fieldError{"invalid date: expected a string"}
	}
	if s == "" {
		*d = Date{}
		return nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return &fieldError{"invalid date: expected YYYY-MM-DD"}
	}
	*d = Date{t}
	return nil
}
