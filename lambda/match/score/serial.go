package score

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// Bounds of serial and lot numbers: shorter ones are sizes, and one alone may be an article's.
const (
	serialDigits = 5
	fewSerials   = 2
	maxSerials   = 200
)

// serials lists the longest number in the text of each single piece, sorted: implants, tools and
// machines have a serial or a lot number each. The article number doesn't count.
func serials(lines []document.Line) (list []string) {
	notDigit := func(r rune) bool { return r < '0' || r > '9' }
	for _, l := range lines[:min(len(lines), maxSerials)] {
		if l.Quantity.Float() != 1 {
			continue
		}
		sku, longest := alphanumeric(l.SKU), ""
		for number := range strings.FieldsFuncSeq(l.Description[:min(len(l.Description), maxText)], notDigit) {
			if len(number) > len(longest) && !strings.Contains(sku, number) {
				longest = number
			}
		}
		if len(longest) >= serialDigits {
			list = append(list, longest)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// samePieces counts the serial numbers of both documents; it is 0 for fewer than two.
func samePieces(a, b *Document) int {
	if n := common(a.serials, b.serials); n >= fewSerials {
		return n
	}
	return 0
}
