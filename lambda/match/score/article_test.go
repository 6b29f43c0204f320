package score

import (
	"strings"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

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
		for _, a := range taughtArticles(goods(t, document.PurchaseOrder, "P1", tc.order...), goods(t, document.Invoice, "R1", tc.invoice...)) {
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
		return taughtArticle{[2]string{min(a, b), max(a, b)}, [2]string{`"P1"`, `"R1"`}}.fact()
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
