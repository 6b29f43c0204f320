package chunk

import (
	"cmp"
	"slices"
)

// Above returns the headings above each place in a text, formatted as Part.Heading. The number
// of its clause comes last. The places can be in any order.
func Above(text string, places []int) []string {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	above := make([]string, len(places))
	var p path
	scan(text, func(e edge) {
		for len(order) > 0 && places[order[0]] < e.at {
			above[order[0]], order = p.join(), order[1:]
		}
		p.enter(e.heading)
	})
	for _, i := range order {
		above[i] = p.join()
	}
	return above
}
