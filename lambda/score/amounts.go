package score

import (
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
)

// Relative differences of amounts: up to sameAmount it is the rounding of a tax,
// up to nearAmount freight, rebates and changed prices.
const (
	sameAmount = 0.00002
	nearAmount = 0.03
)

// compareAmounts looks for an amount that both state, net or gross.
func compareAmounts(first, second Document) []Evidence {
	if len(first.amounts) == 0 || len(second.amounts) == 0 {
		return nil
	}
	closest := 1.0
	var value float64
	for _, x := range first.amounts {
		for _, y := range second.amounts {
			if d := (max(x, y) - min(x, y)) / max(x, y); d < closest {
				closest, value = d, x
			}
		}
	}
	switch {
	case closest < sameAmount:
		kind, text := evAmount, strconv.FormatFloat(value, 'f', 2, 64)
		if round(text) {
			kind = evAmountRound
		}
		return kind.Because("Both state the amount %s.", text)
	case closest < nearAmount:
		return evAmountNear.Because("The amounts differ by %.1f %%.", closest*100)
	case first.Type != document.GoodsReceipt && slices.Min(second.amounts) > slices.Max(first.amounts)*1.1:
		return evAmountExceeds.Because("The %s states a higher amount than the %s.", second.Type.Words(), first.Type.Words())
	}
	return nil
}

// round reports whether an amount has at most two digits before its zeros:
// 1200.00 is round, 1184.37 is not.
func round(amount string) bool {
	return len(strings.Trim(strings.ReplaceAll(amount, ".", ""), "0")) <= 2
}

// compareReturn reads from a credit note whether goods were returned: only then
// it can belong to a receipt.
func compareReturn(first, second Document) []Evidence {
	if first.Type != document.GoodsReceipt || second.Type != document.CreditNote {
		return nil
	}
	for _, word := range words(second.Notes) {
		if returns[word] {
			return evReturned.Because("The credit note is for returned goods.")
		}
	}
	return evNotReturned.Because("The credit note does not mention returned goods.")
}

// returns are words for returned goods.
var returns = map[string]bool{
	"return": true, "returned": true, "returns": true, "retour": true, "retoure": true, "ruecksendung": true,
	"rueckware": true, "rueckgabe": true,
	"zurueckgesandt": true, "reklamation": true, "renvoi": true, "retourne": true, "retournee": true,
	"reso": true, "restituzione": true, "restituito": true,
}
