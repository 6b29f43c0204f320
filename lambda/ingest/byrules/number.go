package byrules

import (
	"strings"

	"matchbook/lambda/document"
)

// The scores of a number or a title. A number with a mark (No., Nr.) behind a type's name is
// almost certain; position and size of the print decide between several.
const (
	withMark  = 4
	withTitle = 2
	titleOnly = 3
)

// numbers lists the labelled numbers with their types, and the bare titles.
func numbers(cells []cell) (found []named, headings []named) {
	for i, c := range cells {
		text := strings.TrimLeft(c.Text, " *•-–")
		for _, t := range titles {
			head := t.form.FindString(text)
			if head == "" {
				continue
			}
			rest := text[len(head):]
			bonus := 1 - c.Box.Top/2 + min(c.height()*20, 1)
			if m := mark.FindString(rest); m != "" {
				for _, h := range hints(cells, i, rest[len(m):]) {
					if n, ok := numberIn(h.text); ok {
						found = append(found, named{t.kind, n, h.quote(), c.page, withMark + float64(h.place)/2 + bonus, h.place, c})
						break
					}
				}
			} else if strings.HasPrefix(strings.TrimLeft(rest, " "), ":") || strings.HasPrefix(rest, " ") {
				if n, ok := numberIn(strings.TrimLeft(rest, " :")); ok {
					found = append(found, named{t.kind, n, c.Text, c.page, withTitle + bonus, 0, c})
				}
			}
			if bareTitle.MatchString(rest) {
				if n, ok := marked(cells, i); ok {
					found = append(found, named{t.kind, n.number, n.quote, n.page, withMark + bonus, 0, c})
				}
				headings = append(headings, named{kind: t.kind, page: c.page, score: titleOnly + bonus, cell: c})
			}
			break
		}
	}
	return found, headings
}

// marked reads a number behind a mark in the cell below a title or to its right.
func marked(cells []cell, i int) (named, bool) {
	for _, h := range hints(cells, i, "") {
		if m := mark.FindString(h.text); m != "" {
			if n, ok := numberIn(h.text[len(m):]); ok {
				return named{number: n, quote: h.quote(), page: h.value.page}, true
			}
		}
	}
	return named{}, false
}

// typeOf decides the type of a document by its best title and best number. A document cites
// numbers of other types, but its own number stands highest and has a title.
func typeOf(numbers, headings []named) (kind document.Type) {
	highest := 0.0
	for i, t := range titles {
		score := best(headings, t.kind) + best(numbers, t.kind)
		if score > 0 {
			score += float64(len(titles)-i) / 5 // ties go to the type that cites others
		}
		if score > highest {
			kind, highest = t.kind, score
		}
	}
	return kind
}

func best(all []named, kind document.Type) (score float64) {
	for _, n := range all {
		if n.kind == kind {
			score = max(score, n.score-float64(n.place)/2)
		}
	}
	return score
}

// own returns the best number of a type, otherwise the number behind a mark without a type.
func own(cells []cell, all []named, kind document.Type) (best named, ok bool) {
	for _, n := range all {
		if n.kind == kind && n.score > best.score {
			best, ok = n, true
		}
	}
	if ok || kind == "" {
		return best, ok
	}
	for i, c := range cells {
		if head := bareMark.FindString(c.Text); head != "" && c.Box.Top < 0.5 {
			for _, h := range hints(cells, i, c.Text[len(head):]) {
				if n, good := numberIn(h.text); good {
					return named{kind, n, h.quote(), c.page, 1, h.place, c}, true
				}
			}
		}
	}
	return best, false
}
