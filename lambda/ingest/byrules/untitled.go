package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// capitals lists the titles in capitals with one word more: "FATTURA DIFFERITA", "FREIGHT INVOICE". They are no labels of
// values, and no number with a mark is of another type.
func capitals(cells []cell, found []named) (headings []named) {
	for i, c := range cells {
		words := strings.Fields(c.Text)
		sum, _ := labelOf(c.Text)
		if sum != "" || len(words) != 2 || c.Text != strings.ToUpper(c.Text) || strings.ContainsAny(c.Text, ":.0123456789") ||
			!c.top(cells) || valued(cells, i) && !underMark(cells, i) || inHead(cells, i) || sideOf(c.Text) != "" {
			continue
		}
		for _, t := range titles {
			n := named{kind: t.kind, page: c.page, cell: c, size: 1, score: 1}
			whole := func(w string) bool { return t.form().FindString(w) == w }
			if slices.ContainsFunc(words, whole) && !n.rivalled(found) {
				headings = append(headings, n)
				break
			}
		}
	}
	return headings
}

// underMark reports whether a label of a number without a type stands in the row above cell i, so that the cell is a value.
func underMark(cells []cell, i int) bool {
	a, ok := above(cells, i)
	return ok && slices.ContainsFunc(right(cells, a.at), func(c cell) bool { return bareMark().FindString(c.Text) == c.Text })
}

// bills lists the numbers of bills, which have no title.
func bills(cells []cell) (found []named) {
	for i, c := range cells {
		label := billNumber().FindString(c.Text)
		if label == "" || !c.top(cells) {
			continue
		}
		for _, h := range hints(cells, i, c.Text[len(label):]) {
			if n, ok := numberIn(h.text); ok {
				return []named{{document.Invoice, n, h.quote(), c.page, withMark, h.place, c, 1}}
			}
		}
	}
	return nil
}

var billNumber = lazy.Regexp(`(?i)^bill (?:number|no\.?|#)(?: *:|$)`)
