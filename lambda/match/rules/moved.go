package rules

import (
	"slices"

	"matchbook/lambda/match/score"
)

// Moved lists the brief pairs of now on which other pairs have a different effect than among
// before. Decisions about all other brief pairs are unchanged, so you needn't decide about them.
func Moved(before, now []Pair) (moved []Pair) {
	was, is := newField(before), newField(now)
	for i := range now {
		if p := &now[i]; p.Brief && was.effect(p) != is.effect(p) {
			moved = append(moved, *p)
		}
	}
	return moved
}

// effect is the effect of other pairs on a pair. A plain pair is matched whatever its rivals,
// unless it is a copy.
func (f *field) effect(p *Pair) effect {
	e := effect{f.of(p), f.linksOf(p)}
	if p.Plain() && !slices.Contains(e.standings[:], copied) {
		e.rivals = [2]Rivals{}
	}
	return e
}

// effect is a rivalry with the links of the two documents. The links of a partner's partner
// may be unknown here, so a pair must be decided again if they change at all.
type effect struct {
	rivalry
	links [2]uint64
}

// Plain reports whether a pair is a match by the two documents alone: one cites the other's
// very number, and it has points for a match and no verdict. Plain pairs of one document
// affect each other only as copies of a number, and because none of several is the only one.
// So a few of them decide, however many there are.
func (p *Pair) Plain() bool {
	return p.Verdict == "" && p.Pair.Plain() && p.Points >= score.MatchAt
}
