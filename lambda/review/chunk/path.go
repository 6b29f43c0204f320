package chunk

import "slices"

// path is the headings above a place, outermost first.
type path []*heading

// enter adds a heading; it closes open ones of its rank and below.
func (p *path) enter(h *heading) {
	if h == nil {
		return
	}
	for len(*p) > 0 && (*p)[len(*p)-1].rank >= h.rank {
		*p = (*p)[:len(*p)-1]
	}
	*p = append(*p, h)
}

// at returns the headings above a part, at its start, and directly after.
func (p path) at(open []edge) string {
	p = slices.Clone(p)
	until := open[0].at
	for i, e := range open {
		if e.at < until {
			continue // inside a title
		}
		if e.heading == nil || i > 0 && e.heading.rank <= p[len(p)-1].rank {
			break
		}
		p.enter(e.heading)
		if until = e.heading.alone; until == 0 {
			break
		}
	}
	return p.join()
}

// join leaves out outermost headings until the rest fits.
func (p path) join() (joined string) {
	for i := len(p) - 1; i >= 0; i-- {
		text := cutTitle(p[i].text())
		if joined != "" {
			text += " > " + joined
		}
		if len(text) > maxPath {
			break
		}
		joined = text
	}
	return joined
}
