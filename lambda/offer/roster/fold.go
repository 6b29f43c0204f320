package roster

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold brings all names into one form. Unicode promises that the form of a character stays the
// same once it is assigned, so later versions of the tables change no stored roster.
func (p *Person) fold() {
	p.Kind = canonical(p.Kind)
	for _, list := range []*[]string{&p.Languages, &p.Interests, &p.Wants.Kinds, &p.Wants.Languages} {
		for i, name := range *list {
			(*list)[i] = canonical(name)
		}
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	wishes := p.Wants.Interests
	for i := range wishes {
		wishes[i].Name = canonical(wishes[i].Name)
	}
	// The largest weight of a name counts.
	slices.SortFunc(wishes, func(a, b Weight) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(b.Weight, a.Weight))
	})
	p.Wants.Interests = slices.CompactFunc(wishes, func(a, b Weight) bool { return a.Name == b.Name })
}

func canonical(name string) string {
	if plain(name) {
		return name
	}
	name = norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
	return strings.Join(strings.Fields(name), " ")
}

// plain reports whether a name is in its canonical form already, as nearly all are.
func plain(name string) bool {
	for i := range len(name) {
		c := name[i]
		inside := c == ' ' && i > 0 && i < len(name)-1 && name[i-1] != ' '
		if !inside && (c <= ' ' || c >= 0x7f || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return true
}
