package ranking

import (
	"slices"

	"matchbook/lambda/offer/roster"
)

// Algorithm is a version of the ranking. You must not change a version once a roster was
// frozen with it: add a version for future dates instead.
type Algorithm struct {
	Version  int
	PerDay   int // offers in a set, at most
	Days     int // a pair meets on one date in so many, or in a multiple; a new version must keep or multiply it
	Part     int // of a roster to look into on a date, in users, before Days is multiplied
	Exposure int // how often to show a candidate on a date, at most
	Reading  roster.Reading
	Settles  bool // fill sets that other users' wishes left short; see market
	Small    int  // a pair may meet on every date in a roster with fewer users
	Recent   int  // others come before a candidate that was offered in so many dates
	Filters  []Filter
	Terms    []Term // a user's preferences
	Admits   []Term // a candidate's preferences
}

// days returns the number of dates in which a pair of a roster meets once. It is a multiple of
// Days, so that the part looked into on a date doesn't grow with the roster.
func (a *Algorithm) days(users int) int {
	if users < a.Small {
		return 1
	}
	return a.Days * max(1, users/(a.Days*a.Part))
}

// chosen returns the algorithm with a tenant's settings.
func (a *Algorithm) chosen(s *roster.Settings) *Algorithm {
	if s == nil || a.Reading < roster.Canonical {
		return a
	}
	b := *a
	b.PerDay, b.Exposure = s.SetSize, s.Exposure
	return &b
}

// Filter rules out a pair unless it passes in both directions.
type Filter struct {
	Name   string
	Needs  string // completes "the candidate needs" and "the user needs"
	passes func(pair) bool
	// found is the value that fails, and the limit, in words; it may be nil.
	found func(pair) string
	// never reports that no candidate in the bounds can pass; it may be nil.
	never func(from *user, in bounds) bool
	// mutual says that a pair passes in both directions or in none.
	mutual bool
}

// Term gives points to a candidate.
type Term struct {
	Name    string
	For     string
	Largest int // points, at most; it may take points, too
	points  func(pair) int
	// most returns at least the points of each candidate in the bounds.
	most func(from *user, in bounds) int
}

// pair is a user and a candidate, as the user sees it.
type pair struct {
	from, to *user
	metres   int64 // noDistance if one lacks a place
}

func between(from, to *user) pair {
	p := pair{from, to, noDistance}
	if from.placed && to.placed {
		p.metres = from.place.metres(to.place)
	}
	return p
}

// turned returns the pair as the candidate sees it.
func (p pair) turned() pair { return pair{p.to, p.from, p.metres} }

// bounds are the best values of some candidates.
type bounds struct {
	metres   int64 // the least; noDistance if they or the user lack a place
	reach    int64 // the farthest one of them looks, in metres
	idle     int   // the least, in days
	standing int   // the most
}

// The sides of a pair.
const theCandidate, theUser = "the candidate", "the user"

// fails returns the first filter that rules out the pair, and which side fails it; nil if all
// pass.
func (a *Algorithm) fails(p pair) (f *Filter, which string) {
	for i := range a.Filters {
		switch f := &a.Filters[i]; {
		case !f.passes(p):
			return f, theCandidate
		case !f.passes(p.turned()):
			return f, theUser
		}
	}
	return nil, ""
}

// passes tries the last filters first: they need no search in what the user remembers.
func (a *Algorithm) passes(p pair) bool {
	q := p.turned()
	for i := len(a.Filters) - 1; i >= 0; i-- {
		if f := &a.Filters[i]; !f.passes(p) || !f.mutual && !f.passes(q) {
			return false
		}
	}
	return true
}

func score(terms []Term, p pair) int {
	sum := 0
	for i := range terms {
		sum += terms[i].points(p)
	}
	return sum
}

// most returns the most points a candidate in the bounds can get, or false if none passes the
// filters.
func (a *Algorithm) most(terms []Term, from *user, in bounds) (sum int, possible bool) {
	for i := range a.Filters {
		if never := a.Filters[i].never; never != nil && never(from, in) {
			return 0, false
		}
	}
	for i := range terms {
		sum += terms[i].most(from, in)
	}
	return sum, true
}

func (a *Algorithm) points(p pair) []Points {
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
