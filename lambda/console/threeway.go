package console

import (
	"fmt"

	"matchbook/lambda/document"
	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
)

// maxCompared bounds the lines of a three-way match to show.
const maxCompared = 60

// comparison is the table of an invoice's three-way match.
type comparison struct {
	Lines     []comparedLine
	More      int
	Tolerance []string // what applied
}

type comparedLine struct {
	threeway.Line
	Left document.Amount // ordered, but not billed up to this invoice
}

// Compared returns the table of the document's own three-way match, or nil.
func (d documentPage) Compared() *comparison {
	for _, w := range d.ThreeWay {
		if w.ID == d.Document.ID && len(w.Lines) > 0 {
			return compared(w.Invoice, w.Tolerance)
		}
	}
	return nil
}

func compared(v threeway.Invoice, t threeway.Tolerance) *comparison {
	lines, blind := v.Lines, blindOrders(v)
	c := &comparison{More: max(len(lines)-maxCompared, 0), Tolerance: toleranceWords(t)}
	for _, l := range lines[:min(len(lines), maxCompared)] {
		if l.Counted.IsZero() { // the units are the same, or not comparable
			l.Counted = l.Billed
		}
		row := comparedLine{Line: l}
		if !l.Ordered.IsZero() && !l.Counted.IsZero() && l.Order != nil && !blind[*l.Order] {
			row.Left = l.Ordered.Minus(l.Before).Minus(l.Counted)
		}
		c.Lines = append(c.Lines, row)
	}
	return c
}

// blindOrders are the orders with a line of which nobody knows how much is left, because an
// invoice prints no quantity, or one in another unit.
func blindOrders(v threeway.Invoice) map[uuid.UUID]bool {
	blind := map[uuid.UUID]bool{}
	for _, o := range v.Orders {
		for _, l := range o.Lines {
			blind[o.ID] = blind[o.ID] || !l.Ordered.IsZero() && l.Remaining.IsZero()
		}
	}
	return blind
}

// toleranceWords describes the differences that were ignored.
func toleranceWords(t threeway.Tolerance) []string {
	list := []string{
		fmt.Sprintf("price %s %% or %s", t.PricePercent.Canonical(), t.PriceAbsolute.Canonical()),
		fmt.Sprintf("quantity %s %%, measured %s %%, or %s",
			t.QuantityPercent.Canonical(), t.MeasuredPercent.Canonical(), t.QuantityAbsolute.Canonical()),
		fmt.Sprintf("an order's total %s %% or %s", t.TotalPercent.Canonical(), t.TotalAbsolute.Canonical()),
		fmt.Sprintf("unplanned charges %s %% or %s", t.ChargePercent.Canonical(), t.ChargeAbsolute.Canonical()),
	}
	if !t.NeedsReceipt {
		list = append(list, "no receipt needed")
	}
	return list
}
