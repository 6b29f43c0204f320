package score

import (
	"fmt"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
)

// Days between the dates of two documents. The later in business may be dated days earlier.
const (
	brief   = 7 // between a delivery and its receipt
	soon    = 60
	months  = 120
	far     = 200
	earlier = 7
	slack   = 3 // at both ends of a contract
)

// Days from a document's date until it is received: at most prompt if it comes at once; more than
// late, or before the date, if the date may be misread.
const (
	prompt = 8
	late   = 20
)

// readDate swaps day and month if only then the document was received right after its date.
func (d *Document) readDate(received document.Date) {
	swapped := d.Date.Swapped()
	printed, other := d.Date.DaysUntil(received), swapped.DaysUntil(received)
	if d.Date != swapped && (printed < -1 || printed > late) && other >= 0 && other <= prompt {
		d.Date, d.swapped = swapped, true
	}
}

func compareDates(first, second *Document) (evidence []Evidence) {
	if first.Type == document.Contract && !first.Period.From.IsZero() && !second.Date.IsZero() {
		if first.Period.From.DaysUntil(second.Date) >= -slack &&
			(first.Period.To.IsZero() || second.Date.DaysUntil(first.Period.To) >= -slack) {
			return evInPeriod.Because("The date lies in the contract's period.")
		}
		return evOutOfPeriod.Because("The date lies outside the contract's period.")
	}
	p, q := first.Period, second.Period
	if !p.From.IsZero() && !q.From.IsZero() {
		switch {
		case p == q:
			evidence = evPeriod.Because("Both cover %s to %s.", p.From, p.To)
		case !p.To.IsZero() && p.To.DaysUntil(q.From) > 0 || !q.To.IsZero() && q.To.DaysUntil(p.From) > 0:
			evidence = evOtherPeriod.Because("They cover different periods.")
		}
	}
	if first.Date.IsZero() || second.Date.IsZero() {
		return evidence
	}
	days := first.Date.DaysUntil(second.Date)
	kind := dateKind(days, first.Type == document.DeliveryNote && second.Type == document.GoodsReceipt)
	switch {
	case kind == evDateHalf && !p.From.IsZero() && p == q: // the period has the time already
		return evidence
	case days < 0 && samePieces(first, second) > 0: // consigned goods are ordered when they are used
		return evidence
	}
	return append(evidence, kind.says(apart(first, second, days)))
}

func dateKind(days int, received bool) Kind {
	switch {
	case days < -earlier:
		return evDateOrder
	case days < 0:
		return evDateEarly
	case received && days <= brief:
		return evDateBrief
	case received:
		return evDateLate
	case days <= soon:
		return evDate
	case days > far:
		return evDateFar
	case days <= months:
		return evDateMonths
	}
	return evDateHalf
}

func apart(first, second *Document, days int) string {
	swapped := ""
	for _, d := range []*Document{first, second} {
		if d.swapped {
			swapped += fmt.Sprintf(" Day and month of the %s are read as %s.", d.Type.Words(), d.Date)
		}
	}
	switch {
	case days == 0:
		return "They have the same date." + swapped
	case days < 0:
		return fmt.Sprintf("The %s is dated %s before the %s.%s", second.Type.Words(), plural.Of(-days, "day"), first.Type.Words(), swapped)
	}
	return fmt.Sprintf("The %s is dated %s after the %s.%s", second.Type.Words(), plural.Of(days, "day"), first.Type.Words(), swapped)
}
