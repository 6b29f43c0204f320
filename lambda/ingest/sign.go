package ingest

import (
	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
)

// positive gives a credit note one sign: its amounts say how much is credited, so they're
// positive even if the page prints them with a minus. Call it after the gate, because
// quotes show the printed sign.
func positive(e *extraction.Extraction) {
	d := &e.Data
	if e.Type != document.CreditNote || d.Total.Sign() >= 0 {
		return
	}
	amounts := []*document.Amount{&d.Subtotal, &d.Tax, &d.Total, &d.Prepaid, &d.Rounding, &d.AmountDue}
	for i := range d.Lines {
		amounts = append(amounts, &d.Lines[i].Amount)
	}
	for i := range d.Taxes {
		amounts = append(amounts, &d.Taxes[i].Base, &d.Taxes[i].Amount)
	}
	for i := range d.Charges {
		amounts = append(amounts, &d.Charges[i].Amount)
	}
	for _, a := range amounts {
		*a = a.Negated()
	}
	for i := range d.Lines {
		agree(&d.Lines[i])
	}
	for _, v := range extraction.Values(*d) {
		if f, ok := e.Fields[v.Path]; ok && v.Kind == extraction.Number {
			f.Value = v.Text
			e.Fields[v.Path] = f
		}
	}
}

// agree gives quantity x price of a line the sign of its amount.
func agree(l *document.Line) {
	switch {
	case l.Quantity.Times(l.UnitPrice).Sign()*l.Amount.Sign() >= 0:
	case l.UnitPrice.Sign() < 0:
		l.UnitPrice = l.UnitPrice.Negated()
	default:
		l.Quantity = l.Quantity.Negated()
	}
}
