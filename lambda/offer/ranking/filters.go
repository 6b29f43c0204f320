package ranking

import "slices"

func wantedKind(p pair) bool { return wanted(p.from.wants.kinds, p.to.kind) }

func wanted(these []name, this name) bool { return len(these) == 0 || slices.Contains(these, this) }

func wantedAge(p pair) bool {
	ages := p.from.wants.ages
	switch {
	case ages.Min == 0 && ages.Max == 0:
		return true
	case p.to.age == 0:
		return false
	}
	return p.to.age >= ages.Min && (ages.Max == 0 || p.to.age <= ages.Max)
}

func wantedLanguage(p pair) bool {
	these := p.from.wants.languages
	return len(these) == 0 ||
		slices.ContainsFunc(p.to.languages, func(n name) bool { return slices.Contains(these, n) })
}

func nearEnough(p pair) bool {
	limit := p.from.wants.metres
	return limit == 0 || p.metres <= limit
}

func tooFar(from *user, in bounds) bool {
	limit := from.wants.metres
	return in.metres > in.reach || limit != 0 && in.metres > limit
}
