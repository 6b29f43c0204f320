package matchrun

import (
	"maps"
	"slices"

	"github.com/google/uuid"
)

// elsewhere returns the documents in matches, questions and warnings that aren't in the folder,
// because an earlier run or another program stored them. The report names them too.
func (f *Found) elsewhere() []uuid.UUID {
	ids := map[uuid.UUID]bool{}
	for _, m := range f.Matches {
		ids[m.A], ids[m.B] = true, true
	}
	for _, q := range f.Open {
		ids[q.A], ids[q.B] = true, true
	}
	for _, w := range f.Warnings {
		ids[w.Document], ids[w.Other] = true, true
	}
	maps.DeleteFunc(ids, func(id uuid.UUID, _ bool) bool { return f.byID[id] != nil })
	return slices.Collect(maps.Keys(ids))
}
