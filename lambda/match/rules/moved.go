package rules

import (
	"slices"

	"matchbook/lambda/match/score"
)

// Moved lists the brief pairs of now for which other pairs of their documents have
// a different effect than among the pairs of before. The decisions about all other
// brief pairs are the same as before.
func Moved(before, now []Pair) (moved []Pair) {
	was, is := newField(before), newField(now)
	for i := range now {
		if p := &now[i]; p.Brief && was.effect(p) != is.effect(p) {
			moved = append(moved, *p)
		}
	}
	return moved
}

// effect is the effect of other pairs on a pair. Plain is matched whatever its rivals, unless
// it is a copy.
func (f *field) effect(p *Pair) rivalry {
	r := f.of(p)
	if p.Plain() && !slices.Contains(r.standings[:], copied) {
		r.rivals = [2]Rivals{}
	}
	return r
}

// Plain reports whether a pair is a match by what the two documents say of each other
// alone: the very number of one is cited by the other, and a person has said nothing. Of
// such pairs of a document only copies of one number make a difference to each other, and
// that one of them is not the only one: however many they are, a few decide.
func (p *Pair) Plain() bool {
	return p.Verdict == "" && p.Pair.Plain() && p.Points >= score.MatchAt
}
