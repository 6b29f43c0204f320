package score

import "matchbook/lambda/document"

// Aligned holds the lines of two documents about one article, as positions from 0. A document
// may have several lines about an article.
type Aligned struct{ A, B []int }

// AlignLines pairs the lines of two documents about the same article. It uses the rule of the
// score: article numbers, or else words.
func AlignLines(a, b []document.Line) (list []Aligned) {
	itemsA, linesA := articles(a)
	itemsB, linesB := articles(b)
	for _, l := range align(itemsA, itemsB) {
		list = append(list, Aligned{linesA[l.i], linesB[l.j]})
	}
	return list
}

// articles lists the articles of lines, and the lines of each.
func articles(lines []document.Line) (list []item, of [][]int) {
	index := map[string]int{}
	for i := range lines {
		for _, it := range items(lines[i : i+1]) {
			at, ok := index[it.key()]
			if ok {
				list[at].merge(it)
			} else {
				at = len(list)
				index[it.key()] = at
				list, of = append(list, it), append(of, nil)
			}
			of[at] = append(of[at], i)
		}
	}
	return list, of
}

// IsCharge reports whether a line is named like a charge for freight or handling. AlignLines
// pairs none of these without an article number.
func IsCharge(l document.Line) bool {
	it := readItem(l, false)
	return it.isCharge()
}

// Article names the article of a line: its number, or else its words.
func Article(l document.Line) string {
	it := readItem(l, false)
	return it.key()
}
