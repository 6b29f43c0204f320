package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

var (
	vatForm = lazy.Regexp(`\b(?:[A-Z]{2}U? ?[A-Z0-9][A-Z0-9 .]{6,14}[A-Z0-9]|` +
		`CHE-?[\d.]{9,11}(?: ?(?:MWST|TVA|IVA))?)\b`)
	ibanForm = lazy.Regexp(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{1,4}){3,8}\b`)
)

// id is a VAT id or an IBAN, in plain form.
type id struct {
	value string
	label string // the text before it, or the cell to its left
	cell  cell
}

// ids finds the ids with valid check digits. It also tries shorter texts of a cell, because
// words may follow the id, and a label in capitals may stand before it: NIF, TVA.
func ids(cells []cell, form pattern, valid func(string) (string, bool)) (found []id) {
	for _, c := range cells {
		for from := 0; ; {
			at := form().FindStringIndex(c.Text[from:])
			if at == nil {
				break
			}
			start, end := from+at[0], from+at[1]
			v, length, ok := validIn(c.Text[start:end], valid)
			if !ok {
				from = end
				if i := strings.IndexByte(c.Text[start:end], ' '); i >= 0 {
					from = start + i // the id may begin at the next word
				}
				continue
			}
			label := c.Text[:start]
			if l, ok := leftOf(cells, c.at); ok && label == "" {
				label = l.Text
			}
			found, from = append(found, id{v, label, c}), start+length
		}
	}
	return found
}

// validIn returns the id at the beginning of a text, and its length.
func validIn(s string, valid func(string) (string, bool)) (value string, length int, ok bool) {
	for ; s != ""; s = cutWord(s) {
		if v, ok := valid(s); ok {
			return v, len(s), true
		}
	}
	return "", 0, false
}

func cutWord(s string) string {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return ""
	}
	return s[:i]
}

var (
	// yours marks the label of the recipient's VAT id.
	yours = lazy.Regexp(`(?i)(?:^|[ (])(?:ihre|your|votre|vostr[ao]|su|customer|buyer|kunden?|käufer|client|acheteur|` +
		`cliente)(?: |$|-|['’.:])`)
	// payer marks a sentence about the recipient's account.
	payer = lazy.Regexp(`(?i)\b(?:ihrem|ihr|your|votre|vostro|su) (?:bank)?(?:konto|account|compte|conto|cuenta)\b`)
)

func (v id) distance(p party) float64 { return abs(v.cell.Box.Top - p.name.Box.Top) }

// below reports whether the id stands in the block of a name.
func (v id) below(p party) bool {
	return p.text != "" && v.cell.page == p.name.page && v.distance(p) < 0.15 &&
		v.cell.Box.Bottom > p.name.Box.Top && abs(v.cell.Box.Left-p.name.Box.Left) < 0.1
}

// assign gives VAT ids to the sides. Our own id, or one below a buyer's label, or nearer to the buyer's
// name, is the buyer's.
func assign(all []id, supplier, buyer party, own []document.Party) (ofSupplier, ofBuyer id) {
	for _, v := range all {
		side := v.cell.side
		near := v.below(buyer)
		if !buys(side) && supplier.text != "" {
			near = near && v.distance(supplier) >= v.distance(buyer)
		}
		near = near || yours().MatchString(v.label) ||
			slices.ContainsFunc(own, func(p document.Party) bool { return p.VATID == v.value })
		switch {
		case near && ofBuyer.value == "":
			ofBuyer = v
		case !near && ofSupplier.value == "":
			ofSupplier = v
		}
	}
	if ofSupplier.value == ofBuyer.value {
		ofBuyer = id{}
	}
	return ofSupplier, ofBuyer
}

func abs(f float64) float64 { return max(f, -f) }
