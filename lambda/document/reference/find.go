package reference

import "slices"

// Found is a citation found in a text.
type Found struct {
	Type   string // purchase-order, invoice, ... as in document.Type; empty when the label leaves it open
	Number string // as printed, after NFKC and without invisible characters
}

const most = 50

// Find returns the numbers cited after a label, in English, German, French and Italian, in the
// order of the text and each once, at most 50.
//
//	"Your order no. PO-2024-00620 of 13.07.2024." purchase-order PO-2024-00620
//	"Lieferschein-Nr.: LS 88120"                  delivery-note LS 88120
//	"Ihre Bestellung vom 3.4.2026, Nr. 4500-12"   purchase-order 4500-12
//	"orders 4711, 4712 and 4713"                  three purchase orders
//
// The grammar, where [] is optional:
//
//	citation = [mark [de]] label [date] {mark | ":" | "=" | "(" | ...} number {"," | "and" | "/" [mark] number}
//	mark     = no | nr | n° | # | number | ref ...
//	number   = [prefix " "] word {" " digits} [" " letter]
//	word     = letters and digits, single - / . _ between them
//
// Without a mark the number must have three significant characters; without mark or colon it
// must be on the label's line. Dates, years, amounts, quantities, percentages and texts of
// more than 64 characters don't count as numbers. More numbers may follow one label if it is
// plural, or if they have the shape and beginning of the first. Blanks join digits only in
// groups (09 433 444, 2024 00620), up to 14 digits.
func Find(text string) []Found { return allLabels().find(clean(text)) }

func (labels *index) find(s string) (found []Found) {
	labels.each(s, func(t *tail, _ int) bool {
		found = t.addTo(found)
		return len(found) < most
	})
	return found
}

// each yields the tails of labels with numbers, and each label's start, while yield returns true.
func (labels *index) each(s string, yield func(t *tail, from int) bool) {
	var buffer [longestWord]byte
	premarked := false // a number mark stands before: n° de commande
	for i := 0; i < len(s); {
		r, size := runeAt(s, i)
		if !isAlnum(r) {
			if r != ' ' && r != '.' && r != '\'' && r != '’' && r != '°' {
				premarked = false
			}
			i += size
			continue
		}
		key, end := foldedAt(buffer[:0], s, i)
		if l, after, mark := labels.at(s, i, end, key); l != nil {
			t := tail{s: s, label: l, at: after, mark: mark || premarked}
			counted := premarked && l.how&several != 0 // no. of orders: 250
			premarked = false
			if !counted && t.read(i) && !yield(&t, i) {
				return
			}
			i = max(t.at, after)
			continue
		}
		premarked = markLengths().may(key) && marks()[string(key)] || premarked && links()[string(key)]
		if i = end; wordGoesOn(s, i) {
			premarked = false
			i = alnumAt(s, i)
		}
	}
}

func (t *tail) addTo(found []Found) []Found {
	for _, n := range t.numbers {
		f := Found{t.label.typ, n}
		if len(found) < most && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}
