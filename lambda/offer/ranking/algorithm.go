package ranking

import "slices"

// Algorithm is a version of the ranking. A version that a roster was frozen with is
// never changed: a change is a further version, for future dates.
type Algorithm struct {
	Version  int
	PerDay   int // offers in a set, at most
	Days     int // a pair meets on one date in so many; a new version keeps it, or multiplies it
	Exposure int // how often a candidate is shown on a date, at most
	Filters  []Filter
	Terms    []Term
}

// Filter rules a pair out, unless it passes in both directions.
type Filter struct {
	Name   string
	Needs  string // completes "the candidate needs", and "the user needs"
	passes func(*pair) bool
	// never reports that no candidate in the bounds passes; it may be nil.
	never func(from *user, in bounds) bool
}

// Term gives points to a candidate.
type Term struct {
	Name    string
	For     string
	Largest int // points, at most
	points  func(*pair) int
	// most is at least the points of each candidate in the bounds.
	most func(from *user, in bounds) int
}

// pair is a user and a candidate, seen by the user.
type pair struct {
	from, to *user
	known    int64 // the distance, 0 until it is asked for, in metres plus 1
}

// metres is the distance; noDistance where one has no place.
func (p *pair) metres() int64 {
	if !p.from.placed || !p.to.placed {
		return noDistance
	}
	if p.known == 0 {
		p.known = p.from.place.metres(p.to.place) + 1
	}
	return p.known - 1
}

// turn makes it the same pair, seen by the candidate.
func (p *pair) turn() { p.from, p.to = p.to, p.from }

// bounds are the best that some candidates have.
type bounds struct {
	metres int64 // the least; noDistance if they or the user have no place
	reach  int64 // the farthest that one of them looks, in metres
	idle   int   // the least, in days
}

// fails returns the first filter that rules the pair out, and which of the two; nil if all pass.
func (a *Algorithm) fails(p *pair) (f *Filter, which string) {
	for i := range a.Filters {
		if !a.Filters[i].passes(p) {
			return &a.Filters[i], "the candidate"
		}
		p.turn()
		mutual := a.Filters[i].passes(p)
		p.turn()
		if !mutual {
			return &a.Filters[i], "the user"
		}
	}
	return nil, ""
}

func (a *Algorithm) passes(p *pair) bool {
	failed, _ := a.fails(p)
	return failed == nil
}

func (a *Algorithm) score(p *pair) int {
	sum := 0
	for i := range a.Terms {
		sum += a.Terms[i].points(p)
	}
	return sum
}

// most returns the most points that a candidate in the bounds can get; false if none
// passes the filters.
func (a *Algorithm) most(from *user, in bounds) (sum int, possible bool) {
	for i := range a.Filters {
		if never := a.Filters[i].never; never != nil && never(from, in) {
			return 0, false
		}
	}
	for i := range a.Terms {
		sum += a.Terms[i].most(from, in)
	}
	return sum, true
}

func (a *Algorithm) points(p *pair) []Points {
	out := make([]Points, len(a.Terms))
	for i, t := range a.Terms {
		out[i] = Points{t.Name, t.points(p)}
	}
	return out
}

func algorithm(version int) (*Algorithm, bool) {
	i := slices.IndexFunc(versions, func(a Algorithm) bool { return a.Version == version })
	if i < 0 {
		return nil, false
	}
	return &versions[i], true
}
