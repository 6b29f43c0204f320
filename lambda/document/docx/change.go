package docx

// kinds are the kinds of changes by their elements.
var kinds = map[string]ChangeKind{
	"w:ins": Inserted, "w:moveTo": MovedHere, "w:del": Deleted, "w:moveFrom": MovedAway, "w:cellDel": Deleted,
	"w:rPrChange": Formatted, "w:pPrChange": Formatted,
}

// change is a change being read.
type change struct {
	Change
	text []byte
}

// tracked reads what a change is about.
func (r *reader) tracked(n *node, read func()) {
	kind := kinds[n.name]
	outer := r.change
	if !r.isGone() { // what is deleted can't be changed otherwise
		r.change = r.begun(Change{Kind: kind, Author: visible(n.attr("w:author")), Date: visible(n.attr("w:date"))})
	}
	read()
	r.change = outer
}

// begun returns a new change, or the last one if this one goes on with it: word processors write
// a change as one element for each run.
func (r *reader) begun(c Change) *change {
	last := r.last
	if n := len(r.changes); c.Kind == Formatted && n > 0 {
		last = r.changes[n-1]
	}
	if last != nil && last.Kind == c.Kind && last.Author == c.Author && last.Date == c.Date {
		return last
	}
	return &change{Change: c}
}

// isGone reports whether text read now is deleted.
func (r *reader) isGone() bool {
	return r.change != nil && (r.change.Kind == Deleted || r.change.Kind == MovedAway)
}

// record notes the text of a change. It's listed with its first text.
func (r *reader) record(s string) {
	c := r.change
	if c == nil {
		r.last = nil
		return
	}
	if len(c.text) == 0 {
		c.Start = len(r.doc.text.text)
		r.changes = append(r.changes, c)
	}
	r.last = c
	c.text = append(c.text, s...)
}

// formatted records a change of the form of a paragraph or a run.
func (r *reader) formatted(change, of *node) {
	if words := wordsOf(of); change != nil && words != "" {
		r.tracked(change, func() { r.record(words) })
	}
}
