package score

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// sold is a document of a supplier of gravel, with a date and one line.
func sold(t *testing.T, kind document.Type, number, date, price string) Document {
	t.Helper()
	return parsed(t, kind, object(`"number":"`+number+`"`, `"date":"`+date+`"`, `"supplier":{"name":"Kieswerk Rotach"}`,
		`"line_items":[{"sku":"K-16","description":"Kies 16/32","quantity":"17","unit_price":"`+price+`"}]`))
}

// A confirmed match shows what speaks against it, if that may be a habit.
func TestShownHabits(t *testing.T) {
	t.Parallel()
	order := sold(t, po, "B-1", "2026-03-09", "20")
	for name, tc := range map[string]struct {
		other Document
		want  string
	}{
		"nothing against it": {sold(t, inv, "R-1", "2026-03-10", "20"), ""},
		"days too early":     {sold(t, inv, "R-1", "2026-03-05", "20"), "invoices are dated before the purchase order"},
		"far too early":      {sold(t, inv, "R-1", "2026-01-05", "20"), "invoices are dated before the purchase order"},
		"another price":      {sold(t, inv, "R-1", "2026-03-10", "29"), "invoices have other prices than the purchase order"},
		"both":               {sold(t, oc, "A-1", "2026-01-05", "29"), "order confirmations have other prices than the purchase order, order confirmations are dated before the purchase order"},
	} {
		var got []string
		for _, fact := range Lessons(tc.other, order) {
			kind, words, source := Lesson(fact)
			if want := fmt.Sprintf(`the confirmed match of "B-1" and %q`, tc.other.Number); kind != "habit" || source != want {
				t.Errorf("%s: a %s by %s, want a habit by %s", name, kind, source, want)
			}
			got = append(got, words)
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// Three confirmed matches make a habit, for these types. It speaks against none of the supplier's
// documents any more, and the confidence isn't high.
func TestHabits(t *testing.T) {
	t.Parallel()
	facts := func(is string, of document.Type, sources ...string) string {
		var lines []string
		for _, s := range sources {
			lines = append(lines, factLines(HabitPrefix, []habit{{is, po, of, source{`"B` + s + `"`, `"R` + s + `"`}}})...)
		}
		return strings.Join(lines, "\n")
	}
	const said = ` The supplier's invoices are dated before the purchase order, by the confirmed matches of "B1" and "R1", "B2" and "R2", "B3" and "R3".`
	for name, tc := range map[string]struct {
		known  string
		points int
		text   string
	}{
		"none":           {"", -30, ""},
		"two":            {facts("dates", inv, "1", "2"), -30, ""},
		"one, thrice":    {facts("dates", inv, "1", "1", "1"), -30, ""},
		"three":          {facts("dates", inv, "1", "2", "3"), 0, said},
		"another type's": {facts("dates", oc, "1", "2", "3"), -30, ""},
		"another habit":  {facts("prices", inv, "1", "2", "3"), -30, ""},
		"unknown":        {facts("colour", inv, "1", "2", "3"), -30, ""},
		"no fact":        {HabitPrefix + "{", -30, ""},
	} {
		for side := range 2 {
			a, b := sold(t, po, "B-9", "2026-03-09", "20"), sold(t, inv, "R-9", "2026-01-05", "20")
			before := scoredBothWays(t, a, b)
			of := []*Document{&a, &b}[side]
			of.Know(tc.known)
			p := scoredBothWays(t, a, b)
			date := p.Evidence[len(p.Evidence)-1]
			if !evDateOrder.Is(date) || date.Points != tc.points || !strings.HasSuffix(date.Text, tc.text) || p.Points != before.Points+30+tc.points {
				t.Errorf("%s: got %d points, %+v", name, p.Points, date)
			}
			if !Doubtful(p.Evidence) || Reversed(p.Evidence) != (tc.points < 0) {
				t.Errorf("%s: doubtful %t, reversed %t", name, Doubtful(p.Evidence), Reversed(p.Evidence))
			}
			if of.Know(""); scoredBothWays(t, a, b).Points != before.Points {
				t.Errorf("%s: withdrawn, something stays", name)
			}
		}
	}
}

// goods is a document of lines such as "L-20 17", an article number and a quantity.
func goods(t *testing.T, kind document.Type, number string, lines ...string) Document {
	t.Helper()
	var items []string
	for _, l := range lines {
		sku, quantity, _ := strings.Cut(l, " ")
		items = append(items, `{"sku":"`+sku+`","description":"`+map[bool]string{true: "Leuchte", false: "Lamp"}[kind == document.Invoice]+`","quantity":"`+quantity+`","unit_price":"11.40"}`)
	}
	d, err := Read(Raw{ID: uuid.New(), Type: kind, Data: `{"number":"` + number + `","supplier":{"name":"Lampenhaus Wittmann GmbH"},
		"line_items":[` + strings.Join(items, ",") + `]}`})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTaughtArticles(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		order, invoice []string
		want           string
	}{
		"other numbers":     {[]string{"L-20 17"}, []string{"900411 17"}, "900411=L20"},
		"one numbering":     {[]string{"L-20 17", "L-30 6"}, []string{"L-20 17", "900412 6"}, ""},
		"the same number":   {[]string{"L-20 17"}, []string{"L.20 17"}, ""},
		"another quantity":  {[]string{"L-20 17"}, []string{"900411 11"}, ""},
		"without a number":  {[]string{" 17"}, []string{"900411 17"}, ""},
		"a number too long": {[]string{"L-20 17"}, []string{strings.Repeat("9", 99) + " 17"}, ""},
	} {
		var got []string
		order, invoice := goods(t, document.PurchaseOrder, "P1", tc.order...), goods(t, document.Invoice, "R1", tc.invoice...)
		for _, a := range taughtArticles(&order, &invoice) {
			got = append(got, strings.Join(a.Numbers[:], "="))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// A number with two counterparts teaches nothing, and neither does an article that the document
// has under both numbers.
func TestKnownArticles(t *testing.T) {
	t.Parallel()
	fact := func(a, b string) string {
		return factLines(articlePrefix, []taughtArticle{{[2]string{min(a, b), max(a, b)}, source{`"P1"`, `"R1"`}}})[0]
	}
	for name, tc := range map[string]struct {
		known string
		lines []string
		want  string
	}{
		"taught":            {"DE1\n" + fact("L20", "900411"), []string{"L-20 3", "900412 4"}, "900411 900412"},
		"taught twice":      {fact("L20", "900411") + "\n" + fact("L20", "900411"), []string{"L-20 3"}, "900411"},
		"two counterparts":  {fact("L20", "900411") + "\n" + fact("L20", "900417"), []string{"L-20 3"}, "L20"},
		"on the other side": {fact("L20", "900411") + "\n" + fact("L30", "900411"), []string{"L-20 3"}, "L20"},
		"both numbers":      {fact("L20", "900411"), []string{"L-20 3", "900411 4"}, "L20 900411"},
		"no fact":           {articlePrefix + "{", []string{"L-20 3"}, "L20"},
	} {
		d := goods(t, document.Invoice, "R2", tc.lines...)
		d.Know(tc.known)
		var got []string
		for _, it := range d.items {
			got = append(got, it.sku)
		}
		if strings.Join(got, " ") != tc.want || d.Normalized().Known != tc.known {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
		d.Know("")
		if d.items[0].sku != d.items[0].printed || d.supplier.known != nil {
			t.Errorf("%s: withdrawn, something stays", name)
		}
	}
}

// noted is a document with a note.
func noted(t *testing.T, kind document.Type, number, notes string, more ...string) Document {
	t.Helper()
	return parsed(t, kind, object(append(more, `"number":"`+number+`"`, `"notes":"`+notes+`"`, `"supplier":{"name":"Kieswerk Rotach"}`)...))
}

func TestTaughtLabels(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		number string // of the delivery note
		notes  string // of the invoice
		more   string
		want   string
	}{
		"unknown word":       {"0037", "Abrufkennung 0037, Angabe 0038", vat, "abrufkennung"},
		"two words":          {"LS-70037", "Abruf LS-70037, Wiegeschein 70037", vat, "abruf wiegeschein"},
		"known word":         {"0037", "Lieferschein 0037", vat, ""},
		"cited as well":      {"0037", "Abrufkennung 0037", refs(dn, "0037"), ""},
		"zeros missing":      {"0037", "Zimmer 37", vat, ""},
		"another number":     {"0037", "Abrufkennung 0041", vat, ""},
		"in prose as well":   {"70037", "Laut Angabe 70037. Andere Angabe fehlt.", vat, ""},
		"without any number": {"", "Abrufkennung 0037", vat, ""},
	} {
		a, b := noted(t, dn, tc.number, ""), noted(t, inv, "R1", tc.notes, tc.more)
		var got []string
		for _, l := range taughtLabels(&b, &a) {
			got = append(got, l.Word)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// A label counts for documents of the type that taught it. One that names two types names none.
func TestKnownLabels(t *testing.T) {
	t.Parallel()
	fact := func(on, to document.Type, number string) string {
		return factLines(labelPrefix, []taughtLabel{{"abrufkennung", on, to, source{`"R1"`, `"` + number + `"`}}})[0]
	}
	const said = ` "abrufkennung" names the delivery note, by the confirmed match of "R1" and "0037".`
	for name, tc := range map[string]struct{ known, notes, want, text string }{
		"taught":         {fact(inv, dn, "0037"), "Abrufkennung 0041", "cites-short", `The invoice cites the delivery note 0041.` + said},
		"another number": {fact(inv, dn, "0037"), "Abrufkennung 0042", "other-citation", `The invoice cites another delivery note: 0042.` + said},
		"one more type":  {fact(inv, dn, "0037") + "\n" + fact(inv, dn, "0038"), "Abrufkennung: 0041", "cites-short", said},
		"two types":      {fact(inv, dn, "0037") + "\n" + fact(inv, po, "17") + "\n" + fact(inv, dn, "0038"), "Abrufkennung 0041", "", ""},
		"on receipts":    {fact(gr, dn, "0037"), "Abrufkennung 0041", "", ""},
		"no fact":        {labelPrefix + "{", "Abrufkennung 0041", "", ""},
	} {
		a, b := noted(t, dn, "0041", ""), noted(t, inv, "R2", tc.notes)
		before := compareCitations(&a, &b)
		b.Know(tc.known)
		got := compareCitations(&a, &b)
		if names(got) != tc.want || tc.text != "" && !strings.Contains(got[0].Text, tc.text) || len(b.supplier.known) > 0 {
			t.Errorf("%s: got %+v, want %s %s", name, got, tc.want, tc.text)
		}
		if b.Know(""); names(compareCitations(&a, &b)) != names(before) {
			t.Errorf("%s: withdrawn, something stays", name)
		}
	}
}

// A number without a type elsewhere has the label's.
func TestLabelReplacesNoType(t *testing.T) {
	t.Parallel()
	d := noted(t, inv, "R2", "Abrufkennung Ref. 10041")
	d.Know(factLines(labelPrefix, []taughtLabel{{"abrufkennung", inv, dn, source{"1", "2"}}})[0])
	if len(d.cites) != 1 || d.cites[0].Type != string(dn) {
		t.Errorf("got %+v", d.cites)
	}
}
