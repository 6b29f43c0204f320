package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

var today = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// invoice is a transcription of two pages, written for these tests.
func invoice() transcript.Transcription {
	page := func(number int, lines ...string) (p transcript.Page) {
		p.Number, p.Quality = number, 1
		for i, l := range lines {
			top := float64(i) / 50
			p.Lines = append(p.Lines, transcript.Line{Text: l, Confidence: 1,
				Box: transcript.Box{Left: 0.1, Top: top, Right: 0.9, Bottom: top + 0.01}})
		}
		return p
	}
	return transcript.Transcription{Engine: "text", Pages: []transcript.Page{
		page(1, "Nordlicht Papier GmbH", "USt-IdNr. DE136695976", "Rechnung Nr. RE-2026-0042", "Datum 02.03.2026",
			"Bestellung Nr. 4500-12", "Papier 2 50,00 100,00", "Stifte 4 5,00 20,00", "Brutto 122,80"),
		page(2, "Zwischensumme 120,00", "19 % MwSt 22,80", "Gesamtbetrag 142,80 EUR", "Vorgang 7788-1"),
	}}
}

// right is the extraction of invoice.
func right(t *testing.T) extraction.Extraction {
	t.Helper()
	data, err := document.Parse([]byte(`{"number":"RE-2026-0042","date":"2026-03-02","currency":"EUR",
		"supplier":{"name":"Nordlicht Papier GmbH","vat_id":"DE136695976"},"references":[{"type":"purchase-order","number":"4500-12"}],
		"subtotal":"120","tax":"22.8","total":"142.8","taxes":[{"rate":"19","amount":"22.8"}],
		"line_items":[{"description":"Papier","quantity":"2","unit_price":"50","amount":"100"},
			{"description":"Stifte","quantity":"4","unit_price":"5","amount":"20"}]}`))
	must.OK(t, err)
	e := extraction.Extraction{Source: "model", Successful: true, Confidence: extraction.High, Type: document.Invoice,
		Pages: []int{1, 2}, Data: data, Fields: map[string]extraction.Field{}}
	for path, quote := range map[string]string{
		"number": "Rechnung Nr. RE-2026-0042", "date": "Datum 02.03.2026", "supplier.name": "Nordlicht Papier GmbH",
		"supplier.vat_id": "USt-IdNr. DE136695976", "references.0.number": "Bestellung Nr. 4500-12",
		"line_items.0.description": "Papier 2", "line_items.0.quantity": "Papier 2", "line_items.0.unit_price": "50,00",
		"line_items.0.amount": "100,00", "line_items.1.description": "Stifte 4", "line_items.1.quantity": "Stifte 4",
		"line_items.1.unit_price": "5,00", "line_items.1.amount": "20,00",
		"subtotal": "Zwischensumme 120,00", "tax": "22,80", "taxes.0.rate": "19 %", "taxes.0.amount": "22,80",
		"total": "Gesamtbetrag 142,80", "currency": "142,80 EUR",
	} {
		page := 1
		if slices.ContainsFunc([]string{"Zwischen", "22,80", "19 %", "Gesamt", "142"}, func(s string) bool { return strings.HasPrefix(quote, s) }) {
			page = 2
		}
		e.Fields[path] = extraction.Field{Quote: quote, Page: page, Trust: extraction.ModelAlone}
	}
	for _, v := range extraction.Values(e.Data) {
		f := e.Fields[v.Path]
		f.Value = v.Text
		e.Fields[v.Path] = f
	}
	return e
}

// set changes a value of the data, and the field that quotes it.
func set(e *extraction.Extraction, path, value, quote string, page int) {
	a, _ := document.ParseAmount(value)
	switch path {
	case "number":
		e.Data.Number = value
	case "subtotal":
		e.Data.Subtotal = a
	case "total":
		e.Data.Total = a
	case "prepaid":
		e.Data.Prepaid = a
	case "rounding":
		e.Data.Rounding = a
	case "amount_due":
		e.Data.AmountDue = a
	case "line_items.1.amount":
		e.Data.Lines[1].Amount = a
	}
	e.Fields[path] = extraction.Field{Value: value, Quote: quote, Page: page, Trust: extraction.ModelAlone}
}

func TestValidExtractionIsProved(t *testing.T) {
	t.Parallel()
	e := right(t)
	if reasons := Pass(&e, invoice(), today); len(reasons) > 0 {
		t.Fatalf("refused: %v", reasons)
	}
	want := map[string]extraction.Trust{"total": extraction.Arithmetic, "subtotal": extraction.Arithmetic, "tax": extraction.Arithmetic,
		"line_items.0.amount": extraction.Arithmetic, "supplier.vat_id": extraction.CheckDigit,
		"number": extraction.ModelAlone, "date": extraction.ModelAlone}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got := e.Fields[path].Trust; got != want[path] {
			t.Errorf("%s: got trust %q, want %q", path, got, want[path])
		}
	}
}

func TestFieldsInWords(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"line_items.3": "line 4", "line_items.3.unit_price": "unit price of line 4",
		"taxes.0": "tax 1", "taxes.0.base": "taxes 0 base", "supplier.vat_id": "supplier vat id"} {
		if got := words(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestGateRefuses(t *testing.T) {
	t.Parallel()
	wrong := func(s string) document.Amount {
		a := must.Get(document.ParseAmount(s))(t)
		return a
	}
	date := func(s string) document.Date {
		day := must.Get(time.Parse(time.DateOnly, s))(t)
		return document.DateOf(day)
	}
	for name, test := range map[string]struct {
		change func(e *extraction.Extraction)
		check  Check
		field  string
	}{
		"not successful":      {func(e *extraction.Extraction) { e.Successful = false }, Confidence, ""},
		"low confidence":      {func(e *extraction.Extraction) { e.Confidence = extraction.Low }, Confidence, ""},
		"no type":             {func(e *extraction.Extraction) { e.Type = "" }, Required, "type"},
		"unknown type":        {func(e *extraction.Extraction) { e.Type = "love-letter" }, Schema, "type"},
		"no number":           {func(e *extraction.Extraction) { e.Data.Number = "" }, Required, "number"},
		"no supplier":         {func(e *extraction.Extraction) { e.Data.Supplier.Name = "" }, Required, "supplier.name"},
		"currency in words":   {func(e *extraction.Extraction) { e.Data.Currency = "Euro" }, Schema, "currency"},
		"dropped field":       {func(e *extraction.Extraction) { e.Dropped = []string{"buyer.name"} }, Grounding, "buyer.name"},
		"no quote":            {func(e *extraction.Extraction) { delete(e.Fields, "date") }, Grounding, "date"},
		"invented quote":      {func(e *extraction.Extraction) { set(e, "number", "RE-2026-0042", "Rechnung RE-2026-0042", 1) }, Grounding, "number"},
		"quote elsewhere":     {func(e *extraction.Extraction) { set(e, "total", "142.8", "Gesamtbetrag 142,80", 1) }, Grounding, "total"},
		"foreign page":        {func(e *extraction.Extraction) { e.Pages = []int{1} }, Grounding, "total"},
		"quote without value": {func(e *extraction.Extraction) { set(e, "total", "142.8", "Zwischensumme 120,00", 2) }, Grounding, "total"},
		"part of a number":    {func(e *extraction.Extraction) { set(e, "total", "42.8", "Gesamtbetrag 142,80", 2) }, Grounding, "total"},
		"part of the number":  {func(e *extraction.Extraction) { set(e, "number", "RE-2026-004", "RE-2026-0042", 1) }, Grounding, "number"},
		"field differs":       {func(e *extraction.Extraction) { e.Data.Total = wrong("120") }, Grounding, "total"},
		"totals swapped": {func(e *extraction.Extraction) {
			set(e, "total", "120", "Zwischensumme 120,00", 2)
			set(e, "subtotal", "142.8", "Gesamtbetrag 142,80", 2)
		}, Arithmetic, "total"},
		"line left out":       {func(e *extraction.Extraction) { e.Data.Lines = e.Data.Lines[:1] }, Arithmetic, "line_items"},
		"wrong rate":          {func(e *extraction.Extraction) { e.Data.Taxes[0].Rate = wrong("7") }, Arithmetic, "taxes.0.amount"},
		"taxes beyond tax":    {func(e *extraction.Extraction) { e.Data.Taxes = append(e.Data.Taxes, document.Tax{Amount: wrong("5")}) }, Arithmetic, "tax"},
		"date in the future":  {func(e *extraction.Extraction) { e.Data.Date = date("2026-11-02") }, Plausibility, "date"},
		"date long ago":       {func(e *extraction.Extraction) { e.Data.Date = date("1986-03-02") }, Plausibility, "date"},
		"due before the date": {func(e *extraction.Extraction) { e.Data.Terms.Due = date("2026-03-01") }, Plausibility, "payment_terms.due"},
		"period backwards": {func(e *extraction.Extraction) {
			e.Data.Period = document.Period{From: date("2026-03-01"), To: date("2026-02-01")}
		}, Plausibility, "period.to"},
		"negative total":      {func(e *extraction.Extraction) { e.Data.Total = wrong("-1") }, Plausibility, "total"},
		"VAT id misread":      {func(e *extraction.Extraction) { e.Data.Supplier.VATID = "DE136695975" }, Plausibility, "supplier.vat_id"},
		"IBAN misread":        {func(e *extraction.Extraction) { e.Data.Supplier.IBAN = "DE89370400440532013001" }, Plausibility, "supplier.iban"},
		"number of an order":  {func(e *extraction.Extraction) { set(e, "number", "4500-12", "Bestellung Nr. 4500-12", 1) }, Plausibility, "number"},
		"number of a case":    {func(e *extraction.Extraction) { set(e, "number", "7788-1", "Vorgang 7788-1", 2) }, Plausibility, "number"},
		"an amount as number": {func(e *extraction.Extraction) { set(e, "number", "142,80", "Gesamtbetrag 142,80", 2) }, Plausibility, "number"},
		"sum of one rate": {func(e *extraction.Extraction) {
			e.Data.Lines, e.Data.Taxes = nil, nil
			set(e, "subtotal", "100", "100,00", 1)
			set(e, "total", "122.8", "Brutto 122,80", 1)
		}, Arithmetic, "total"},
		"lines off the amount": {func(e *extraction.Extraction) { set(e, "line_items.1.amount", "100", "100,00", 1) }, Arithmetic, "line_items"},
	} {
		e := right(t)
		test.change(&e)
		reasons := Pass(&e, invoice(), today)
		if !slices.ContainsFunc(reasons, func(r Reason) bool { return r.Check == test.check && r.Field == test.field && r.Text != "" }) {
			t.Errorf("%s: got reasons %+v, want %s of %q", name, reasons, test.check, test.field)
		}
	}
}

// A sum that holds by chance, or trivially, proves nothing.
func TestUnprovedTotal(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(e *extraction.Extraction){
		"total alone": func(e *extraction.Extraction) {
			e.Data.Subtotal, e.Data.Tax, e.Data.Taxes = document.Amount{}, document.Amount{}, nil
		},
		"tax overlooked": func(e *extraction.Extraction) {
			e.Data.Tax, e.Data.Taxes = document.Amount{}, nil
			set(e, "total", "120", "Zwischensumme 120,00", 2)
		},
		"subtotal without a quote": func(e *extraction.Extraction) { delete(e.Fields, "subtotal") },
		"tax of another page": func(e *extraction.Extraction) {
			e.Fields["tax"] = extraction.Field{Value: "22.8", Quote: "22,80", Page: 1}
		},
		"total as subtotal": func(e *extraction.Extraction) {
			e.Data.Tax, e.Data.Taxes, e.Data.Lines = document.Amount{}, nil, nil
			set(e, "subtotal", "142.8", "Gesamtbetrag 142,80", 2)
		},
	} {
		e := right(t)
		change(&e)
		Pass(&e, invoice(), today)
		if got := e.Fields["total"].Trust; got != extraction.ModelAlone {
			t.Errorf("%s: got trust %q", name, got)
		}
	}
}

// The lines make the subtotal, but the page prints more than the total: there
// may be a tax that no label names.
func TestGreaterAmountDoubtsTotal(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]extraction.Trust{"bitte 142,80 überweisen": extraction.ModelAlone, "bitte überweisen": extraction.Arithmetic} {
		text, e := invoice(), right(t)
		text.Pages[0].Lines = text.Pages[0].Lines[:7]
		text.Pages[1].Lines = text.Pages[1].Lines[:2]
		text.Pages[1].Lines[1].Text = more
		e.Data.Tax, e.Data.Taxes = document.Amount{}, nil
		e.Fields["currency"] = extraction.Field{Value: "EUR"}
		set(&e, "total", "120", "Zwischensumme 120,00", 2)
		if reasons := Pass(&e, text, today); len(reasons) > 0 || e.Fields["total"].Trust != want {
			t.Errorf("%s: got trust %q, reasons %v", more, e.Fields["total"].Trust, reasons)
		}
	}
}

// Rounding is tolerated, and proves nothing.
func TestRoundedTotalIsUnproved(t *testing.T) {
	t.Parallel()
	for test, want := range map[[3]string]bool{ // currency, total, quote
		{"EUR", "142.81", "142,81"}: true, // a cent
		{"EUR", "142.82", "142,82"}: false,
		{"CHF", "142.83", "142,83"}: true, // 5 Rappen, and the cent of the tax
		{"CHF", "142.85", "142,85"}: false,
		{"SEK", "143.00", "143,00"}: true,
		{"SEK", "143.80", "143,80"}: false,
	} {
		text, e := invoice(), right(t)
		text.Pages[1].Lines[2].Text = "Gesamtbetrag " + test[2]
		e.Data.Currency = test[0]
		delete(e.Fields, "currency")
		a := must.Get(document.ParseAmount(test[1]))(t)
		set(&e, "total", a.Canonical(), test[2], 2)
		reasons := Pass(&e, text, today)
		if passed := len(reasons) == 0; passed != want {
			t.Errorf("%v: got %v", test, reasons)
		}
		if e.Fields["total"].Trust != extraction.ModelAlone {
			t.Errorf("%v is trusted", test)
		}
	}
}

// An e-invoice has no quotes, and its fields keep their trust.
func TestEInvoiceNeedsNoPage(t *testing.T) {
	t.Parallel()
	e := right(t)
	e.Source = "einvoice"
	for path, f := range e.Fields {
		e.Fields[path] = extraction.Field{Value: f.Value, Trust: extraction.XML}
	}
	if reasons := Pass(&e, transcript.Transcription{}, today); len(reasons) > 0 {
		t.Errorf("refused: %v", reasons)
	}
	if got := e.Fields["total"].Trust; got != extraction.XML {
		t.Errorf("got trust %q", got)
	}
}

func TestRequiredFields(t *testing.T) {
	t.Parallel()
	for kind, want := range map[document.Type]int{document.Invoice: 5, document.CreditNote: 5, document.PurchaseOrder: 2,
		document.OrderConfirmation: 2, document.DeliveryNote: 3, document.GoodsReceipt: 2, document.Contract: 1} {
		e := extraction.Extraction{Successful: true, Confidence: extraction.High, Type: kind}
		if got := Pass(&e, transcript.Transcription{}, today); len(got) != want {
			t.Errorf("%s: got %v, want %d missing fields", kind, got, want)
		}
	}
}

func TestAmountDue(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ prepaid, rounding, due, reason string }{
		{"42.80", "", "100", ""},
		{"", "0.02", "142.82", ""},
		{"42.80", "", "142.80", "the amount due is 142.80, but total 142.80 - prepaid 42.80 + rounding 0.00 is 100.00"},
	} {
		text, e := invoice(), right(t)
		lines := text.Pages[1].Lines
		for path, v := range map[string]string{"prepaid": tc.prepaid, "rounding": tc.rounding, "amount_due": tc.due} {
			if v != "" {
				lines = append(lines, transcript.Line{Text: path + " EUR " + v})
				set(&e, path, v, path+" EUR "+v, 2)
			}
		}
		text.Pages[1].Lines = lines
		reasons := Pass(&e, text, today)
		if got := fmt.Sprint(reasons); got != "["+tc.reason+"]" {
			t.Errorf("prepaid %s, rounding %s, due %s: got %s, want %s", tc.prepaid, tc.rounding, tc.due, got, tc.reason)
		}
	}
}

func TestOurOwnCompanyIsNoSupplier(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		own  document.Party
		want string
	}{
		"another":      {document.Party{Name: "Weser Spedition AG", VATID: "DE999999999"}, ""},
		"by name":      {document.Party{Name: "NORDLICHT PAPIER"}, "the supplier is our own company"},
		"by VAT id":    {document.Party{Name: "Weser Spedition AG", VATID: "DE136695976"}, "the supplier is our own company"},
		"without both": {document.Party{}, ""},
	} {
		e := right(t)
		got := ""
		for _, r := range Pass(&e, invoice(), today, test.own) {
			got += r.String()
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestDoubtsOfTheSourceAreReasons(t *testing.T) {
	t.Parallel()
	e := right(t)
	e.Type, e.Doubts = "", []extraction.Doubt{{Field: "type", Text: "pro forma invoice: not to be paid"}}
	if got := fmt.Sprint(Pass(&e, invoice(), today)); got != "[pro forma invoice: not to be paid]" {
		t.Errorf("got %s", got)
	}
}
