package einvoice

import "strings"

// path lists places for one fact, in order of preference. A place is a list of names from its
// starting element: "PartyName/Name". The empty place is that element.
type path []string

// at returns the elements at one place, in the order of the file.
func (n *node) at(place string) []*node {
	found := []*node{n}
	for place != "" && len(found) > 0 {
		var name string
		name, place, _ = strings.Cut(place, "/")
		var next []*node
		for _, f := range found {
			for _, c := range f.children {
				if c.name == name {
					next = append(next, c)
				}
			}
		}
		found = next
	}
	return found
}

func (n *node) every(p path) (found []*node) {
	for _, place := range p {
		found = append(found, n.at(place)...)
	}
	return found
}

// some returns the elements at the first place that has any with content.
func (n *node) some(p path) []*node {
	for _, place := range p {
		var found []*node
		for _, f := range n.at(place) {
			if len(f.children) > 0 || f.value() != "" {
				found = append(found, f)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// one returns the text of the first element of some, or "".
func (n *node) one(p path) string {
	if found := n.some(p); found != nil {
		return found[0].value()
	}
	return ""
}

// value returns the text of a leaf on one line.
func (n *node) value() string { return strings.Join(strings.Fields(string(n.text)), " ") }

// paragraph returns the text of a leaf, its lines kept and tidied.
func (n *node) paragraph() string {
	var lines []string
	for line := range strings.Lines(string(n.text)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
