package train

import (
	"context"
	"maps"
	"slices"

	"matchbook/lambda/match/score"
)

// Group is kinds of evidence.
type Group struct {
	Name  string
	Kinds []string
}

// Groups are the families of evidence, or each kind alone.
func Groups(alone bool) (groups []Group) {
	byName := map[string][]string{}
	for kind, family := range score.Families() {
		if alone {
			family = kind
		}
		byName[family] = append(byName[family], kind)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		groups = append(groups, Group{name, byName[name]})
	}
	return groups
}

// Without is the F1 that is lost, from 0 to 1, when these kinds of evidence have no
// points; it is negative if something is gained.
func (s *Sample) Without(ctx context.Context, g Group) (lost float64, err error) {
	none := make(map[string]int, len(g.Kinds))
	for _, kind := range g.Kinds {
		none[kind] = 0
	}
	if s.whole == nil {
		m, err := s.Measure(ctx, score.Learned)
		if err != nil {
			return 0, err
		}
		f, _ := m.Pairwise.F1.Value()
		s.whole = &f
	}
	m, err := s.Measure(ctx, score.Learned.With(none))
	if err != nil {
		return 0, err
	}
	f, _ := m.Pairwise.F1.Value()
	return *s.whole - f, nil
}
