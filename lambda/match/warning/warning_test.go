package warning_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/match/warning"

	"github.com/google/uuid"
)

const (
	anAccount      = "DE89370400440532013000"
	anotherAccount = "GB82WEST12345698765432"
)

// base is an invoice of 20 lamps; a case changes fields of it.
var base = map[string]string{"number": `"RE-1"`, "date": `"2026-03-02"`, "currency": `"EUR"`, "total": `"119.00"`,
	"supplier": `{"name":"Lampenhaus Wittmann GmbH","iban":"` + anAccount + `"}`, "line_items": lamps("20")}

func lamps(quantity string) string {
	return `[{"sku":"L-20","description":"Lamp, 20 W","quantity":"` + quantity + `"}]`
}

func supplier(fields string) string {
	return `"supplier":{"name":"Lampenhaus Wittmann GmbH"` + fields + `}`
}

// bill is the base with changes such as `"number":"RE-2"`; a change to null leaves a
// field out.
func bill(t *testing.T, n int, changes ...string) warning.Document {
	t.Helper()
	d := warning.Document{ID: uuid.UUID{15: byte(n)}, Type: document.Invoice}
	fields := maps.Clone(base)
	for _, change := range changes {
		name, value, _ := strings.Cut(change, ":")
		if name == "type" {
			d.Type = document.Type(value)
			continue
		}
		fields[strings.Trim(name, `"`)] = value
	}
	var list []string
	for name, value := range fields {
		list = append(list, fmt.Sprintf("%q:%s", name, value))
	}
	var err error
	if d.Data, err = document.Parse([]byte("{" + strings.Join(list, ",") + "}")); err != nil {
		t.Fatal(err)
	}
	return d
}

// warned computes the warnings of a set of documents as the store does.
func warned(docs ...warning.Document) (list []warning.Warning) {
	dated := func(d warning.Document) string { return strings.Replace(warning.Dated(d), "-infinity", "", 1) }
	slices.SortFunc(docs, func(a, b warning.Document) int {
		return cmp.Or(strings.Compare(dated(a), dated(b)), slices.Compare(a.ID[:], b.ID[:]))
	})
	earlier, all := map[string][]uuid.UUID{}, map[uuid.UUID]warning.Document{}
	for _, d := range docs {
		all[d.ID] = d
		var groups []warning.Group
		for _, key := range slices.Sorted(slices.Values(warning.Keys(d))) {
			before := slices.Clone(earlier[key])
			slices.Reverse(before)
			groups = append(groups, warning.Group{Key: key, Before: before[:min(len(before), warning.Looked)]})
			earlier[key] = append(earlier[key], d.ID)
		}
		others := map[uuid.UUID]warning.Document{}
		for _, id := range warning.Compared(groups) {
			others[id] = all[id]
		}
		list = append(list, warning.Of(d, groups, others)...)
	}
	return list
}

// inShort is the documents and the kind of each warning, such as "2 billed-twice 1".
func inShort(list []warning.Warning) string {
	var words []string
	for _, w := range list {
		words = append(words, fmt.Sprintf("%d %s %d", w.Document[15], w.Kind, w.Other[15]))
	}
	return strings.Join(words, ", ")
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	const twice, billed, changed = "2 number-used-twice 1", "2 billed-twice 1", "2 account-changed 1"
	note := func(s string) string { return `"notes":"` + s + `"` }
	ref := func(number string) string {
		return `"references":[{"type":"purchase-order","number":"` + number + `"}]`
	}
	other := supplier(`,"iban":"` + anotherAccount + `"`)
	number, later, period := `"number":"RE-2"`, `"date":"2026-03-12"`, `"period":{"from":"2026-03-01","to":"2026-03-31"}`
	for _, tc := range []struct {
		name          string
		first, second []string // changes to the base
		want          string
	}{
		{"sent again", nil, nil, twice},
		{"the number spelled otherwise", nil, []string{`"number":"re 1"`}, twice},
		{"another total", nil, []string{`"total":"120.00"`}, twice},
		{"no total", nil, []string{`"total":null`}, twice},
		{"another total, the next year", nil, []string{`"total":"120.00"`, `"date":"2027-03-02"`}, ""},
		{"the next year", nil, []string{`"date":"2027-03-02"`}, ""},
		{"the next year, a long number", []string{`"number":"RE-26-0001"`}, []string{`"number":"RE-26-0001"`, `"date":"2027-03-02"`}, twice},
		{"a credit note of the number", nil, []string{"type:credit-note"}, ""},
		{"two credit notes", []string{"type:credit-note"}, []string{"type:credit-note"}, twice},
		{"two orders", []string{"type:purchase-order"}, []string{"type:purchase-order"}, ""},
		{"of another supplier", nil, []string{`"supplier":{"name":"Eisen Kurz KG"}`}, ""},
		{"of a namesake", []string{supplier(`,"vat_id":"DE136695976"`)}, []string{supplier(`,"vat_id":"ATU49838010"`)}, ""},
		{"no number", []string{`"number":null`}, []string{`"number":null`, later}, ""},

		{"another number", nil, []string{number, later}, billed},
		{"by the same day", nil, []string{number}, billed},
		{"four weeks later", nil, []string{number, `"date":"2026-03-30"`}, ""},
		{"a month later", nil, []string{number, `"date":"2026-04-02"`}, ""},
		{"a month and four days later", nil, []string{number, `"date":"2026-04-06"`}, ""},
		{"a month and five days later", nil, []string{number, `"date":"2026-04-07"`}, billed},
		{"ten weeks later", nil, []string{number, `"date":"2026-05-11"`}, billed},
		{"ten weeks later, another text", nil, []string{number, `"date":"2026-05-11"`,
			`"line_items":[{"sku":"L-20","description":"Lamp, 20 W, May","quantity":"20"}]`}, ""},
		{"ten weeks later, another note", []string{note("of March")}, []string{number, `"date":"2026-05-11"`, note("of May")}, ""},
		{"two months later, with a suffix", nil, []string{`"number":"RE-1/A"`, `"date":"2026-05-02"`}, billed},
		{"two months later, as a copy", nil, []string{`"number":"RE-1 (Kopie)"`, `"date":"2026-05-02"`}, billed},
		{"two months later, the next number", nil, []string{`"number":"RE-12"`, `"date":"2026-05-02"`}, ""},
		{"ends of months", []string{`"date":"2026-01-31"`}, []string{number, `"date":"2026-04-30"`}, ""},
		{"more than a year later", nil, []string{number, `"date":"2027-03-09"`}, ""},
		{"without a date", nil, []string{number, `"date":null`}, ""},
		{"another quantity", nil, []string{number, later, `"line_items":` + lamps("21")}, ""},
		{"no lines", []string{`"line_items":[]`}, []string{number, later, `"line_items":[]`}, ""},
		{"another currency", nil, []string{number, later, `"currency":"CHF"`}, ""},
		{"another period", []string{period}, []string{number, later, `"period":{"from":"2026-04-01","to":"2026-04-30"}`}, ""},
		{"of one order", []string{ref("4500010046")}, []string{number, later, ref("4500010046/10")}, billed},
		{"of two orders", []string{ref("4500010046")}, []string{number, later, ref("4500010047")}, ""},
		{"of two orders, in notes", []string{note("Bestell-Nr. 4500017681 vom 15.02.2026")},
			[]string{number, later, note("Bestell-Nr.: 4500017699")}, ""},
		{"of one order and position", []string{ref("4500010046/10")}, []string{number, later, ref("4500010046")}, billed},
		{"cited in a note", []string{note("Bestell-Nr. 4500010046")}, []string{number, later, ref("4500010046")}, billed},
		{"one cites nothing", []string{ref("4500010046")}, []string{number, later}, billed},

		{"another account", nil, []string{number, `"date":"2026-06-02"`, other}, changed},
		{"a misread account", nil, []string{number, `"date":"2026-06-02"`, supplier(`,"iban":"DE89370400440532013001"`)}, ""},
		{"no account", nil, []string{number, `"date":"2026-06-02"`, supplier("")}, ""},
		{"the first account", []string{supplier("")}, []string{number, `"date":"2026-06-02"`}, ""},
		{"the account of a credit note", nil, []string{"type:credit-note", later, other}, ""},
		{"after a credit note", []string{"type:credit-note"}, []string{later, other}, changed},
	} {
		a, b := bill(t, 1, tc.first...), bill(t, 2, tc.second...)
		if got := inShort(warned(a, b)); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
		if got := inShort(warned(b, a)); got != tc.want {
			t.Errorf("%s, in the other order: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

// Two equal invoices make no series, and a copy within one is found.
func TestSeriesIsNoCopy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ dates, want string }{
		{"2026-03-02 2026-03-09 2026-03-16 2026-03-23", "2 billed-twice 1"},
		{"2026-01-05 2026-02-16 2026-03-30 2026-05-11", "2 billed-twice 1"}, // six weeks
		{"2026-01-01 2026-02-01 2026-03-01 2026-03-12 2026-04-01", "4 billed-twice 3"},
		{"2026-01-05 2026-02-16 2026-03-02", "2 billed-twice 1, 3 billed-twice 2"},
	} {
		var docs []warning.Document
		for i, date := range strings.Fields(tc.dates) {
			docs = append(docs, bill(t, i+1, fmt.Sprintf(`"number":"RE-%d"`, 101+i), `"date":"`+date+`"`))
		}
		if got := inShort(warned(docs...)); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.dates, got, tc.want)
		}
	}
}

// A settled warning must return if a value that it compares changes, and only then.
func TestFacts(t *testing.T) {
	t.Parallel()
	facts := func(changes ...string) string { return warned(bill(t, 1), bill(t, 2, changes...))[0].Facts }
	if facts() != facts(`"notes":"again"`) {
		t.Error("a note changes the facts")
	}
	for _, change := range []string{`"date":"2026-03-03"`, `"total":"120.00"`, `"currency":"CHF"`} {
		if facts() == facts(change) {
			t.Errorf("%s doesn't change the facts", change)
		}
	}
}

// TestCreditNotesNameNoAccount: a credit note does not prepare a fraud.
func TestCreditNotesNameNoAccount(t *testing.T) {
	t.Parallel()
	other := supplier(`,"iban":"` + anotherAccount + `"`)
	docs := []warning.Document{
		bill(t, 1),
		bill(t, 2, "type:credit-note", `"number":"GS-1"`, `"date":"2026-04-01"`, other),
		bill(t, 3, `"number":"RE-3"`, `"date":"2026-05-01"`, other),
		bill(t, 4, `"number":"RE-4"`, `"date":"2026-06-01"`, other),
		bill(t, 5, `"number":"RE-5"`, `"date":"2026-07-01"`),
	}
	if got, want := inShort(warned(docs...)), "3 account-changed 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	const start = "The invoice RE-1 of 2026-03-02 of the same supplier"
	const same = ", bills the same items and the same total (119.00) under another number. " +
		"The goods may be billed twice, or ordered twice."
	long := `"number":"` + strings.Repeat("7", 200) + `"`
	for _, tc := range []struct {
		changes []string
		want    string
	}{
		{nil, start + " has the same number, date and total (119.00). It seems to be the same document, sent again."},
		{[]string{`"date":"2026-03-03"`}, start + " has the same number and total (119.00) and another date. " +
			"It may be the same document, sent again."},
		{[]string{`"total":"120.00"`}, start + " has the same number and another total: 120.00 here, 119.00 there. " +
			"One may be a correction of the other."},
		{[]string{`"total":null`}, start + " has the same number; their totals cannot be compared. " +
			"One may be a copy of the other."},
		{[]string{`"number":"RE-2"`}, start + ", dated on the same day" + same},
		{[]string{`"number":"RE-2"`, `"date":"2026-03-03"`}, start + ", dated the day before" + same},
		{[]string{long, `"date":"2026-03-04"`}, start + ", dated 2 days before" + same},
		{[]string{`"number":"RE-2"`, `"date":"2026-06-02"`, supplier(`,"iban":"` + anotherAccount + `"`)},
			"Credit notes apart, no earlier document of this supplier here names the account GB82WEST12345698765432; " +
				"the invoice RE-1 of 2026-03-02 before it names DE89370400440532013000. The supplier may have a new account " +
				"or have sold its claims; it may be fraud. Check with the supplier, but don't use the contact details on this document."},
	} {
		list := warned(bill(t, 1), bill(t, 2, tc.changes...))
		if len(list) != 1 || list[0].Words != tc.want {
			t.Errorf("got %q, want %q", list, tc.want)
		}
		for _, w := range list {
			if w.Kind.Sentence() == "" || strings.Contains(w.Kind.Sentence(), "RE-1") {
				t.Errorf("%s: %q", w.Kind, w.Kind.Sentence())
			}
		}
	}
	for _, w := range warned(bill(t, 1, long), bill(t, 2, long)) {
		if len(w.Words) > 250 {
			t.Errorf("%d bytes: %s", len(w.Words), w.Words)
		}
	}
}

func TestOtherBuyer(t *testing.T) {
	t.Parallel()
	const trade, homes = `"name":"Südhang Handels GmbH"`, `"name":"Südhang Metallbau GmbH"`
	const id, otherID, foreign = `"vat_id":"DE136695976"`, `"vat_id":"DE111111125"`, `"vat_id":"ATU49838010"`
	for name, tc := range map[string]struct {
		invoice, order string
		want           bool
	}{
		"another of the group":           {homes + "," + otherID, trade, true},
		"with both ids":                  {homes + "," + otherID, trade + "," + id, true},
		"of another country":             {homes + "," + foreign, trade + "," + id, true},
		"the same":                       {trade + "," + id, trade, false},
		"one id, two names":              {homes + "," + id, trade + "," + id, false},
		"one name, ids of two countries": {trade + "," + foreign, trade + "," + id, false},
		"without an id":                  {homes, trade, false},
		"a misread id":                   {homes + `,"vat_id":"DE136695977"`, trade, false},
		"two wrong ids, two names":       {homes + `,"vat_id":"DE136695977"`, trade + `,"vat_id":"DE136695970"`, true},
		"wrong ids far apart":            {`"name":"Bäckerei Kornblum","vat_id":"DE136695977"`, trade + `,"vat_id":"DE220915330"`, true},
		"near, of two names":             {`"name":"Bäckerei Kornblum","vat_id":"DE136695977"`, trade + `,"vat_id":"DE136695970"`, false},
		"a misread id of one name":       {trade + `,"vat_id":"DE136695977"`, trade + "," + id, false},
		"a shorter name":                 {`"name":"Südhang",` + id, trade, false},
		"another name altogether":        {`"name":"Bäckerei Kornblum",` + id, trade, false},
		"no name":                        {id, trade, false},
		"nothing on the order":           {trade + "," + id, "", false},
	} {
		invoice, order := bill(t, 2, `"buyer":{`+tc.invoice+`}`), bill(t, 1, "type:purchase-order", `"buyer":{`+tc.order+`}`)
		if w, ok := warning.OtherBuyer(invoice, order); ok != tc.want || ok && (w.Other != order.ID || w.Words == "" || w.Facts == "") {
			t.Errorf("%s: got %v %+v, want %v", name, ok, w, tc.want)
		}
	}
}
