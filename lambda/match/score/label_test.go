package score

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

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
	fact := func(on, to document.Type, source string) string {
		return taughtLabel{"abrufkennung", on, to, [2]string{`"R1"`, `"` + source + `"`}}.fact()
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
	d.Know(taughtLabel{"abrufkennung", inv, dn, [2]string{"1", "2"}}.fact())
	if len(d.cites) != 1 || d.cites[0].Type != string(dn) {
		t.Errorf("got %+v", d.cites)
	}
}
