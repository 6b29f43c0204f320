package chunk

import "strings"

// Outline returns a text's headings in order, separated by semicolons: as many ranks, the
// outermost first, as fit into most bytes, or the first headings of the outermost.
func Outline(text string, most int) (outline string) {
	var all []*heading
	scan(text, func(e edge) {
		if e.heading != nil && e.heading.title != "" {
			all = append(all, e.heading)
		}
	})
	for rank := 1; rank < rankItem; rank++ {
		var titles []string
		for _, h := range all {
			if h.rank <= rank {
				titles = append(titles, h.text())
			}
		}
		longer := strings.Join(titles, "; ")
		if len(longer) > most && outline == "" {
			longer = longer[:most]
			return longer[:max(strings.LastIndexByte(longer, ';'), 0)]
		}
		if len(longer) > most {
			break
		}
		outline = longer
	}
	return outline
}
