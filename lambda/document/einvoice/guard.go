package einvoice

import "io"

// maxTag bounds a tag with its attributes, in bytes. It is needed because the decoder keeps
// all attributes of an element in memory, each much larger than in the file, before a caller
// sees the first.
const maxTag = 64 << 10

// guard refuses long tags. It must see UTF-8, or an encoding with the same markup characters.
type guard struct {
	r      io.Reader
	state  func(*guard, byte)
	length int     // of the tag
	start  []byte  // of a declaration, a comment or a CDATA section
	end    string  // of a comment, a CDATA section, an instruction
	last   [3]byte // before the end
	quote  byte
}

func newGuard(r io.Reader) *guard { return &guard{r: r, state: (*guard).text} }

// Read implements io.Reader; it refuses a tag that is too long.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	for _, c := range p[:n] {
		g.state(g, c)
		if g.length > maxTag {
			return 0, &Refused{Reason: "tag too long: over 64 KiB"}
		}
	}
	return n, err
}

func (g *guard) text(c byte) {
	if c == '<' {
		g.state = (*guard).opened
	}
}

// opened is the state after "<".
func (g *guard) opened(c byte) {
	switch c {
	case '!':
		g.state, g.start = (*guard).declared, nil
	case '?':
		g.skip("?>")
	default:
		g.state = (*guard).tag
	}
}

// declared is the state after "<!". The parser refuses a declaration.
func (g *guard) declared(c byte) {
	g.start = append(g.start, c)
	switch start := string(g.start); {
	case start == "--":
		g.skip("-->")
	case start == "[CDATA[":
		g.skip("]]>")
	case len(start) == len("[CDATA["), start[0] != '-' && start[0] != '[':
		g.state = (*guard).text
	}
}

func (g *guard) skip(end string) { g.state, g.end, g.last = (*guard).skipped, end, [3]byte{} }

// skipped is the state up to the end of a comment, a section or an instruction.
func (g *guard) skipped(c byte) {
	g.last = [3]byte{g.last[1], g.last[2], c}
	if string(g.last[3-len(g.end):]) == g.end {
		g.state = (*guard).text
	}
}

func (g *guard) tag(c byte) {
	g.length++
	switch c {
	case '>':
		g.state, g.length = (*guard).text, 0
	case '"', '\'':
		g.state, g.quote = (*guard).quoted, c
	}
}

func (g *guard) quoted(c byte) {
	if g.length++; c == g.quote {
		g.state = (*guard).tag
	}
}
