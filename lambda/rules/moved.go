package rules

// Moved lists the brief pairs of now for which other pairs of their documents have
// a different effect than among the pairs of before. The decisions about all other
// brief pairs are the same as before.
func Moved(before, now []Pair) (moved []Pair) {
	was, is := newField(before), newField(now)
	for i := range now {
		if p := &now[i]; p.Brief && was.of(p) != is.of(p) {
			moved = append(moved, *p)
		}
	}
	return moved
}
