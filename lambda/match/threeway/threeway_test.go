package threeway_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
)

func id(n byte) uuid.UUID { return uuid.UUID{15: n} }

var types = map[byte]document.Type{'O': document.PurchaseOrder, 'D': document.DeliveryNote, 'R': document.GoodsReceipt,
	'I': document.Invoice, 'C': document.CreditNote}

// papers reads documents, one in a line: a letter for its type, a digit, the net
// amount or -, and its lines as sku quantity@price or sku quantity@price/for. A
// document of a higher digit is dated later.
func papers(t *testing.T, text string) (docs []threeway.Document) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		d := threeway.Document{ID: id(f[0][0] + f[0][1]*16), Type: types[f[0][0]]}
		data := fmt.Sprintf(`{"number":%q,"date":"2026-03-0%c"`, f[0], f[0][1])
		if f[1] != "-" {
			data += fmt.Sprintf(`,"subtotal":%q`, f[1])
		}
		var lines []string
		for i := 2; i < len(f); i += 2 {
			quantity, price, _ := strings.Cut(f[i+1], "@")
			price, per, _ := strings.Cut(price, "/")
			lines = append(lines, fmt.Sprintf(`{"sku":%q,"quantity":%q,"unit_price":%q,"price_quantity":%q}`, f[i], quantity, price, per))
		}
		data += `,"line_items":[` + strings.Join(lines, ",") + "]}"
		var err error
		if d.Data, err = document.Parse([]byte(data)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		docs = append(docs, d)
	}
	return docs
}

// matched reads matches: O1-I1 O1-I2.
func matched(text string) (list [][2]uuid.UUID) {
	for m := range strings.FieldsSeq(text) {
		list = append(list, [2]uuid.UUID{id(m[0] + m[1]*16), id(m[3] + m[4]*16)})
	}
	return list
}

func usual() threeway.Tolerances { return threeway.Tolerances{"": threeway.Usual()} }

// inShort is: verdict: verdicts of the lines; what is left of each order.
func inShort(v threeway.Invoice) string {
	var lines, orders []string
	for _, l := range v.Lines {
		lines = append(lines, string(l.Verdict))
	}
	for _, o := range v.Orders {
		rest := o.Remaining.Canonical()
		for _, l := range o.Lines {
			rest += " " + l.Remaining.Canonical()
		}
		orders = append(orders, rest)
	}
	return fmt.Sprintf("%s: %s; %s", v.Verdict, strings.Join(lines, " "), strings.Join(orders, ", "))
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	const exact = "matched: matched; 0 0"
	for name, tc := range map[string]struct {
		docs, matches string
		want          []string // an invoice each
	}{
		"all agrees":                    {"O1 100 a 10@10\nR2 - a 10@\nI3 100 a 10@10", "O1-R2 O1-I3", []string{exact}},
		"an order that is written last": {"O3 100 a 10@10\nR2 - a 10@\nI1 100 a 10@10", "O3-R2 O3-I1", []string{exact}},
		"a price within 2 %": {"O1 100 a 10@10\nR2 - a 10@\nI3 102 a 10@10.2", "O1-R2 O1-I3",
			[]string{"matched: matched; -2 0"}},
		"a higher price": {"O1 100 a 10@10\nR2 - a 10@\nI3 60 a 5@12", "O1-R2 O1-I3",
			[]string{"price-variance: price-variance; 40 5"}},
		"a price for 100": {"O1 45 a 1000@4.50/100\nR2 - a 1000@\nI3 45 a 1000@0.045", "O1-R2 O1-I3", []string{exact}},
		"a part, then too much": {"O1 100 a 10@10\nR2 - a 12@\nI3 60 a 6@10\nI4 60 a 6@10", "O1-R2 O1-I3 O1-I4",
			[]string{"matched: matched; -20 -2", "over-billed: over-billed; -20 -2"}},
		"not received": {"O1 100 a 10@10\nI3 100 a 10@10", "O1-I3", []string{"not-received: not-received; 0 0"}},
		"another item received": {"O1 100 a 10@10\nR2 - b 10@\nI3 100 a 10@10", "O1-R2 O1-I3",
			[]string{"not-received: not-received; 0 0"}},
		"received short": {"O1 100 a 10@10\nR2 - a 8@\nI3 100 a 10@10", "O1-R2 O1-I3",
			[]string{"quantity-variance: quantity-variance; 0 0"}},
		"the receipt is matched with the invoice only": {"O1 100 a 10@10\nR2 - a 10@\nI3 100 a 10@10", "O1-I3 R2-I3", []string{exact}},
		"a delivery note without a receipt":            {"O1 100 a 10@10\nD2 - a 10@\nI3 100 a 10@10", "O1-D2 O1-I3", []string{exact}},
		"the receipt counts, not its delivery note": {"O1 100 a 10@10\nD2 - a 10@\nR2 - a 8@\nI3 100 a 10@10", "O1-D2 O1-R2 D2-R2 O1-I3",
			[]string{"quantity-variance: quantity-variance; 0 0"}},
		"an item that is not ordered": {"O1 100 a 10@10\nR2 - a 10@\nI3 112 a 10@10 freight 1@12", "O1-R2 O1-I3",
			[]string{"not-ordered: matched not-ordered; 0 0"}},
		"a wrong invoice, credited and written again": {"O1 100 a 10@10\nR2 - a 10@\nI3 100 a 10@10\nC4 100 a 10@10\nI5 100 a 10@10", "O1-R2 O1-I3 I3-C4 O1-I5",
			[]string{exact, exact}},
		"a wrong invoice without prices": {"O1 100 a 10@10\nR2 - a 10@\nI3 100 a 10@\nC4 100 a 10@10\nI5 100 a 10@10", "O1-R2 O1-I3 I3-C4 O1-I5",
			[]string{exact, exact}},
		"goods of an order that isn't matched": {"O1 50 a 5@10\nO2 50 b 5@10\nR3 - a 10@ b 5@ c 5@\nI4 200 a 10@10 b 5@10 c 5@10", "O1-R3 O2-R3 O1-I4 O2-I4",
			[]string{"not-ordered: quantity-variance matched not-ordered; -50 -5, 0 0"}},
		"a part of the price is credited": {"O1 100 a 10@10\nR2 - a 10@\nI3 120 a 10@12\nC4 20 a 10@2", "O1-R2 O1-I3 I3-C4",
			[]string{"price-variance: price-variance; 0 0"}},
		"a down payment and the rest": {"O1 100 a 10@10\nR3 - a 10@\nI2 30 advance 1@30\nI4 70 a 10@10 less 1@-30", "O1-R3 O1-I2 O1-I4",
			[]string{"down-payment: down-payment; 0 0", "final-invoice: matched final-invoice; 0 0"}},
		"one item of two orders": {"O1 50 a 5@10\nO2 50 a 5@10\nR3 - a 10@\nI4 70 a 7@10", "O1-R3 O2-R3 O1-I4 O2-I4",
			[]string{"matched: matched; 0 0, 30 3"}},
		"one item of two orders at two prices": {"O1 50 a 5@10\nO2 60 a 5@12\nR3 - a 10@\nI4 110 a 5@12 a 5@10", "O1-R3 O2-R3 O1-I4 O2-I4",
			[]string{"matched: matched matched; 0 0, 0 0"}},
		"an item of an order that isn't matched": {"O1 50 a 5@10\nR2 - a 5@\nI3 74 a 2@12 a 5@10", "O1-R2 O1-I3",
			[]string{"not-ordered: not-ordered matched; 0 0"}},
		"two lines about one item": {"O1 100 a 4@10 a 6@10\nR2 - a 10@\nI3 90 a 5@10 a 4@10", "O1-R2 O1-I3",
			[]string{"matched: matched matched; 10 1"}},
		"only amounts":        {"O1 100 a 10@10\nR2 - a 10@\nI3 130", "O1-R2 O1-I3", []string{"over-billed: ; -30 10"}},
		"no printed quantity": {"O1 100 a 10@10\nR2 - a 10@\nI3 100 a @", "O1-R2 O1-I3", []string{"matched: matched; 0 "}},
		"only a receipt":      {"R2 - a 10@\nI3 100 a 10@10", "R2-I3", []string{"not-ordered: not-ordered; "}},
		"nothing":             {"I3 100 a 10@10", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, v := range threeway.Check(papers(t, tc.docs), matched(tc.matches), usual(), nil) {
				got = append(got, inShort(v))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestDoubt: an open question may explain why more is billed than ordered; if it doesn't
// explain all of it, or is about other goods, over-billed stays.
func TestDoubt(t *testing.T) {
	t.Parallel()
	const twins = "O1 100 a 10@10\nO2 100 a 10@10\nI4 100 a 10@10\nI5 100 a 10@10"
	for name, tc := range map[string]struct {
		docs, matches, open string
		want                []string // of the invoices
	}{
		"no question":              {twins, "O1-I4 O1-I5", "", []string{"not-received", "over-billed!"}},
		"another order":            {twins, "O1-I4 O1-I5", "I5-O2", []string{"not-received", "maybe-over-billed"}},
		"one order for two":        {twins + "\nI6 100 a 10@10", "O1-I4 O1-I5 O1-I6", "I5-O2 I6-O2", []string{"not-received", "maybe-over-billed", "over-billed!"}},
		"two clusters, one order":  {twins + "\nO6 100 a 10@10\nI7 100 a 10@10\nI8 100 a 10@10", "O1-I4 O1-I5 O6-I7 O6-I8", "I5-O2 I8-O2", []string{"not-received", "maybe-over-billed", "not-received", "maybe-over-billed"}},
		"an order of other goods":  {twins + "\nO6 210 b 3@70", "O1-I4 O1-I5", "I5-O6", []string{"not-received", "over-billed!"}},
		"an order of too few":      {twins + "\nO6 40 a 4@10", "O1-I4 O1-I5", "I5-O6", []string{"not-received", "over-billed!"}},
		"only amounts":             {"O1 100\nO2 100\nI4 100\nI5 100", "O1-I4 O1-I5", "I5-O2", []string{"not-received", "maybe-over-billed"}},
		"a credit note":            {twins + "\nC6 100 a 10@10", "O1-I4 O1-I5", "I5-C6", []string{"not-received", "maybe-over-billed"}},
		"a small credit note":      {twins + "\nC6 20 a 2@10", "O1-I4 O1-I5", "I5-C6", []string{"not-received", "over-billed!"}},
		"a question about another": {twins, "O1-I4 O1-I5", "I4-O2", []string{"not-received", "over-billed!"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docs, matches := papers(t, tc.docs), matched(tc.matches)
			list := threeway.Check(docs, matches, usual(), nil)
			threeway.Doubt(list, docs, matches, matched(tc.open), usual(), nil)
			var got []string
			for _, v := range list {
				verdict := string(v.Verdict)
				if v.OverBills() {
					verdict += "!"
				}
				got = append(got, verdict)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestNoReceiptIsNeeded(t *testing.T) {
	t.Parallel()
	tol := threeway.Usual()
	tol.NeedsReceipt = false
	got := threeway.Check(papers(t, "O1 100 a 10@10\nI3 100 a 10@10"), matched("O1-I3"), threeway.Tolerances{"": tol}, nil)
	if len(got) != 1 || inShort(got[0]) != "matched: matched; 0 0" {
		t.Errorf("got %+v", got)
	}
}

func TestItemNames(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]document.Line{
		"A-1 Oak board": {SKU: "A-1", Description: "Oak board"},
		"A-1":           {SKU: "A-1"},
		"Oak board":     {Description: "Oak board"},
	} {
		docs := papers(t, "O1 100 a 10@10\nI2 100 a 10@10")
		docs[1].Lines[0].SKU, docs[1].Lines[0].Description = l.SKU, l.Description
		if got := threeway.Check(docs, matched("O1-I2"), usual(), nil); len(got) != 1 || got[0].Lines[0].Item != want {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

func TestOrderIsIrrelevant(t *testing.T) {
	t.Parallel()
	docs := papers(t, "O1 100 a 10@10 b 1@5\nO2 50 a 5@10\nR2 - a 8@\nD3 - a 3@\nI3 60 a 6@10\nI4 80 a 8@10 b 1@9\nI5 60 a 6@10\nC6 60 a 6@10")
	matches := matched("O1-R2 O2-D3 O1-I3 O1-I4 O2-I4 O1-I5 I5-C6")
	first := ""
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		r.Shuffle(len(matches), func(i, j int) { matches[i], matches[j] = matches[j], matches[i] })
		raw := must.Get(json.Marshal(threeway.Check(docs, matches, usual(), nil)))(t)
		if first == "" {
			first = string(raw)
		}
		if string(raw) != first {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, raw, first)
		}
	}
}

func TestOrderSentence(t *testing.T) {
	t.Parallel()
	for docs, want := range map[string]string{
		"O1 100 a 10@10\nI3 60 a 6@10": "  line 1 (a): 10 ordered, 0 received, 6 billed, 4 left",
		"O1 100 a 10@10\nI3 100 a @":   "  line 1 (a): 10 ordered, 0 received, billed without a printed quantity",
	} {
		list := threeway.Check(papers(t, docs), matched("O1-I3"), usual(), nil)[0].Sentences(func(uuid.UUID) string { return "O1" })
		if !slices.Contains(list, want) {
			t.Errorf("got %q, want %q among them", list, want)
		}
	}
}

// One unit of the first line is so many of the second, if the prices say so and the units don't.
func TestConvert(t *testing.T) {
	t.Parallel()
	line := func(quantity, unit, price string) (l document.Line) {
		l = document.Line{Quantity: document.MustAmount(quantity), Unit: unit}
		if price != "" {
			l.UnitPrice = document.MustAmount(price)
		}
		l.Amount = l.Quantity.Times(l.UnitPrice)
		return l
	}
	for name, tc := range map[string]struct {
		a, b document.Line
		want string
	}{
		"a box, by price":          {line("2", "box", "50"), line("200", "pc", "0.5"), "100"},
		"another quantity":         {line("2", "box", "50"), line("70", "pc", "0.5"), "100"},
		"pieces, by price":         {line("200", "pc", "0.5"), line("2", "box", "50"), "0.01"},
		"a dozen":                  {line("5", "dozen", "12"), line("60", "pc", "1"), ""},
		"tonnes without prices":    {line("1.5", "t", ""), line("1500", "kg", ""), ""},
		"a box without prices":     {line("2", "box", ""), line("200", "pc", ""), ""},
		"the same unit":            {line("2", "pc", "5"), line("3", "Stk", "5"), ""},
		"one names no unit":        {line("2", "", "50"), line("200", "pc", "0.5"), "100"},
		"it may be another price":  {line("2", "", "10"), line("2", "pc", "5"), ""},
		"the unit is contradicted": {line("2", "pc", "100"), line("200", "pc", "1"), "100"},
		"no whole multiple":        {line("2", "box", "7"), line("9", "pc", "2"), ""},
	} {
		if got := threeway.Convert(tc.a, tc.b).Canonical(); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
