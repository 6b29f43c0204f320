package rules

import (
	"cmp"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// Known is a document to which another belongs beyond doubt: a person confirmed it, or one cites
// the other and there is enough for a match.
type Known struct {
	Type   document.Type
	Number string // in comparable form; may be hostile
}

// partner is a known document with its id.
type partner struct {
	Known
	id uuid.UUID
}

// maxKnown bounds the documents that a question names as known for one of its documents.
const maxKnown = 4

// known lists the documents to which a document belongs beyond doubt, except one, in the order
// of their types and numbers.
func (f *field) known(id, except uuid.UUID) (list []Known) {
	partners, ok := f.partners[id]
	if !ok {
		partners = f.certain(id)
		f.partners[id] = partners
	}
	for _, p := range partners {
		if p.id != except && len(list) < maxKnown {
			list = append(list, p.Known)
		}
	}
	return list
}

// certain lists the first documents to which a document belongs beyond doubt, one more than a
// question names.
func (f *field) certain(id uuid.UUID) (list []partner) {
	for _, t := range document.Types {
		g := f.groups[seat{id, t}]
		if g == nil {
			continue
		}
		for i := range g.sides {
			s := &g.sides[i]
			if (s.confirmed || s.cites && s.points >= score.MatchAt) && s.far.Number != "" {
				list = append(list, partner{Known{t, s.far.Number}, s.rival})
			}
		}
	}
	slices.SortFunc(list, func(a, b partner) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Number, b.Number), slices.Compare(a.id[:], b.id[:]))
	})
	return list[:min(len(list), maxKnown+1)]
}
