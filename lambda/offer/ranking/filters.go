package ranking

import (
	"fmt"
	"slices"
)

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

func ageAndLimits(p pair) string {
	limits := "at least " + fmt.Sprint(p.from.wants.ages.Min)
	switch ages := p.from.wants.ages; {
	case ages.Max != 0 && ages.Min != 0:
		limits = fmt.Sprintf("%d to %d", ages.Min, ages.Max)
	case ages.Max != 0:
		limits = fmt.Sprintf("at most %d", ages.Max)
	}
	if p.to.age == 0 {
		return "unknown; wanted is " + limits
	}
	return fmt.Sprintf("%d; wanted is %s", p.to.age, limits)
}

func wantedLanguage(p pair) bool {
	return len(p.from.wants.languages) == 0 || common(p.from.wants.languages, p.to.languages)
}

// common reports whether two sorted lists have a name in common.
func common(a, b []name) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

func nearEnough(p pair) bool {
	limit := p.from.wants.metres
	return limit == 0 || p.metres <= limit
}

func kilometres(p pair) string {
	return fmt.Sprintf("%d km apart; the limit is %d km", (p.metres+999)/1000, p.from.wants.metres/1000)
}

func tooFar(from *user, in bounds) bool {
	limit := from.wants.metres
	return in.metres > in.reach || limit != 0 && in.metres > limit
}
