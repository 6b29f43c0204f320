package console

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// number parses an amount; an empty text is none.
func number(text string) document.Amount {
	a, _ := document.ParseAmount(text)
	return a
}

// What is left of a line is known if all of its order's lines are counted.
func TestCompared(t *testing.T) {
	t.Parallel()
	known, blind := uuid.UUID{1}, uuid.UUID{2}
	line := func(order *uuid.UUID, billed, counted, ordered, before string) threeway.Line {
		return threeway.Line{Order: order, Billed: number(billed), Counted: number(counted), Ordered: number(ordered), Before: number(before)}
	}
	open := threeway.OrderLine{Ordered: number("5"), Remaining: number("2")}
	v := threeway.Invoice{Orders: []threeway.Order{
		{ID: known, Lines: []threeway.OrderLine{open, {}}},
		{ID: blind, Lines: []threeway.OrderLine{open, {Ordered: number("5")}, open}},
	}, Lines: []threeway.Line{line(&known, "2", "24", "100", "10"), line(&known, "3", "", "10", ""), line(&known, "", "", "10", ""), line(&known, "3", "3", "", ""), line(&blind, "3", "3", "10", ""), line(nil, "3", "3", "10", "")}}
	var got []string
	for _, l := range compared(v, threeway.Usual()).Lines {
		got = append(got, fmt.Sprint(l.Counted.Canonical(), " ", l.Left.Canonical()))
	}
	if want := "24 66, 3 7,  , 3 , 3 , 3 "; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	for lines, more := range map[int]int{maxCompared: 0, maxCompared + 2: 2} {
		if c := compared(threeway.Invoice{Lines: make([]threeway.Line, lines)}, threeway.Usual()); len(c.Lines) != maxCompared || c.More != more {
			t.Errorf("%d lines: %d shown, and %d more", lines, len(c.Lines), c.More)
		}
	}
}

// The pages of a file are those of the document, ten at most, with what was read there.
func TestMarks(t *testing.T) {
	t.Parallel()
	read := map[string]extraction.Field{"total": {Page: 2, Box: [4]float64{.25, .5, .5, .75}}, "number": {Page: 2, Box: [4]float64{0, .5, 1, 1}}, "tax": {Page: 2},
		"date": {Page: 3, Box: [4]float64{0, 0, 1, 1}}, "secret": {Page: 2, Box: [4]float64{0, 0, 1, 1}}}
	marks := []mark{{"number", "number", 0, .5, 1, .5}, {"total", "gross total", .25, .5, .25, .25}}
	for name, tc := range map[string]struct {
		sheet report.Sheet
		want  []shownPage
	}{
		"its pages":  {report.Sheet{Path: "a.pdf", Pages: []int{2}, Of: 3}, []shownPage{{2, marks}}},
		"all pages":  {report.Sheet{Path: "a.tif", Of: 2}, []shownPage{{1, nil}, {2, marks}}},
		"an image":   {report.Sheet{Path: "a.png"}, []shownPage{{1, nil}}},
		"a photo":    {report.Sheet{Path: "a.webp"}, []shownPage{{1, nil}}},
		"a text":     {report.Sheet{Path: "a.txt", Of: 1}, nil},
		"an invoice": {report.Sheet{Path: "a.xml"}, nil},
	} {
		d := desk{Sheet: tc.sheet}
		d.fill(map[string]string{"line_items.1.amount": "7"}, nil, nil)
		if d.mark(read); !reflect.DeepEqual(d.Shown, tc.want) {
			t.Errorf("%s: got %v, want %v", name, d.Shown, tc.want)
		}
	}
	d := desk{Sheet: report.Sheet{Path: "a.pdf", Of: 11}}
	if d.mark(nil); len(d.Shown) != 10 {
		t.Errorf("%d pages are shown, want 10", len(d.Shown))
	}
}

// The first flaw of a field is next to it; the others, and those of no field, come before all.
func TestBlame(t *testing.T) {
	t.Parallel()
	var d desk
	d.fill(map[string]string{"line_items.0.amount": "7"}, nil, nil)
	d.blame([]flaw{{"total", "one"}, {"total", "two"}, {"", "three"}, {"line_items.1.sku", "four"}, {"line_items.2.sku", "five"}})
	if want := []flaw{{"total", "two"}, {"", "three"}, {"line_items.2.sku", "five"}}; !reflect.DeepEqual(d.Flaws, want) {
		t.Errorf("got %v, want %v", d.Flaws, want)
	}
	if e := d.entries(); e["total"].Flaw != "one" || e["line_items.1.sku"].Flaw != "four" || e["tax"].Flaw != "" {
		t.Errorf("got %q and %q", e["total"].Flaw, e["line_items.1.sku"].Flaw)
	}
}

// A file is split and joined if it has pages, not too many, and is read, not sent as data.
func TestDivisible(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sheet report.Sheet
		want  string
	}{
		"three":       {report.Sheet{Of: 3, Begins: []int{1, 3}}, "[{1 true} {2 false} {3 true}]"},
		"not yet":     {report.Sheet{Of: 2}, "[{1 true} {2 false}]"},
		"one page":    {report.Sheet{Of: 1}, "[]"},
		"electronic":  {report.Sheet{Of: 3, Source: "einvoice"}, "[]"},
		"as many":     {report.Sheet{Of: 60}, "60"},
		"over bounds": {report.Sheet{Of: 61}, "[]"},
	} {
		pages := (&desk{Sheet: tc.sheet}).Divisible()
		if got := fmt.Sprint(pages); got != tc.want && fmt.Sprint(len(pages)) != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestShownForms(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for text, want := range map[string]string{"119": "119.00", "119.5": "119.50", "119.125": "119.125", "-7": "-7.00", "a": "a", "": "", "1,5": "1,5"} {
		if got := amount(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	for text, want := range map[string]string{"=1": "'=1", "+1": "'+1", "-1": "-1", "-1.5": "-1.5", "-a": "'-a", "@a": "'@a", "\ta": "'\ta", "\ra": "'\ra", "a=": "a=", "": ""} {
		if got := cell(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]string{"119": "[119 119.0 119.00]", "119.5": "[119.5 119.50]", "119.50": "[119.5 119.50]", "1.119,50": "[1119.5 1119.50]",
		"7.125": "[7.125]", "0": "[0 0.0 0.00]", "x": "[]"} {
		if got := fmt.Sprint(totals(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	for at, want := range map[string]string{"taxes.0.rate": "rate of tax 1", "charges.2.amount": "amount of charge 3", "references.1.type": "type of reference 2",
		"delivery_date": "delivery date", "buyer_reference": "buyer reference"} {
		if got := nameOf(at); got != want {
			t.Errorf("%s: %s", at, got)
		}
	}
	for at, want := range map[string]string{"date": "date", "payment_terms.due": "date", "total": "text", "number": "text", "nothing": "text"} {
		if got := inputOf(at); got != want {
			t.Errorf("%s: %s", at, got)
		}
	}
}
