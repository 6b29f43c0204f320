package chunk

// Part sizes, in words.
const (
	least   = 450
	target  = 700
	most    = 900
	tail    = 150 // a shorter rest of the contract joins the last part
	overlap = 120
)

// Part is a part of a contract: two offsets, without surrounding white space, and a heading.
// See record.Chunk for its stored form, and analyst.Passage for its text in a question.
type Part struct {
	Start, End int
	Heading    string // headings above its clause, outermost first, joined by " > "; at most 200 bytes
}

// Split divides a text into parts, in order. The text must come from Clean. Every character
// except white space is in one part, or in two if they overlap.
func Split(text string) []Part {
	s := splitter{}
	scan(text, func(e edge) {
		for len(s.open) > 1 && e.weight-s.open[0].weight > most+tail {
			s.cut(s.best())
		}
		if len(s.open) == 0 {
			s.start = e.at
		}
		s.open = append(s.open, e)
	})
	if len(s.open) > 1 {
		s.close(len(s.open) - 1)
	}
	return s.parts
}

// splitter holds the open part: the edges before its words, and the one after the last.
type splitter struct {
	parts []Part
	open  []edge
	start int // of the part; before the first edge if it repeats sentences
	above path
}

// reward is the value of an edge, in words of distance from the target size.
var reward = [...]int{inWord: -30_000, word: -20_000, sentence: 0, paragraph: 100, clause: 200, section: 300}

// best returns the best edge to end the open part at.
func (s *splitter) best() (best int) {
	highest := -1 << 30
	for i, e := range s.open[1:] {
		words := e.weight - s.open[0].weight
		if words > most && i > 0 {
			break
		}
		score := reward[e.kind] - max(words-target, target-words)
		if words < least {
			score -= 10_000
		}
		if e.kind <= word {
			score = reward[e.kind] + words
		}
		if score > highest {
			highest, best = score, i+1
		}
	}
	return best
}

func (s *splitter) cut(at int) {
	s.close(at)
	s.start = s.open[s.repeated(at)].at
	for _, e := range s.open[:at] {
		s.above.enter(e.heading)
	}
	s.open = append(s.open[:0], s.open[at:]...)
}

func (s *splitter) close(at int) {
	s.parts = append(s.parts, Part{Start: s.start, End: s.open[at].end, Heading: s.above.at(s.open)})
}

// repeated returns the edge where the next part begins: at, or the start of a sentence before
// it if at divides a clause. After a cut inside a sentence it repeats half as many words.
func (s *splitter) repeated(at int) int {
	cut, from := s.open[at], at
	kind, words := sentence, overlap
	switch {
	case cut.kind >= clause:
		return at
	case cut.kind < sentence:
		kind, words = cut.kind, overlap/2
	}
	for i := at - 1; i > 0 && cut.weight-s.open[i].weight <= words; i-- {
		if s.open[i].kind >= kind {
			from = i
		}
		if s.open[i].kind >= clause {
			break
		}
	}
	return from
}
