package docx

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// patch is a part with what to insert into it.
type patch struct {
	root  *node
	space string // declares the prefix w, where the part uses another
	cuts  map[int]*cut
	tags  map[int]*node // elements of text to be opened again as keeping white space
	skip  map[int]int   // white space that they did not keep
}

// cut is a place for new elements. If it's inside of a run, they stand between two halves of it.
type cut struct {
	at                    int
	before, after         string // end and beginning of the halves
	ends, inserts, starts string
}

func newPatch(root *node) *patch {
	p := &patch{root: root, cuts: map[int]*cut{}, tags: map[int]*node{}, skip: map[int]int{}}
	if !bytes.HasPrefix(root.raw[root.start:], []byte("<w:")) {
		p.space = fmt.Sprintf(" xmlns:w=%q", mainSpace(root))
	}
	return p
}

func (p *patch) at(at int) *cut {
	if p.cuts[at] == nil {
		p.cuts[at] = &cut{at: at}
	}
	return p.cuts[at]
}

// cut divides a run at a byte, if that is inside of it.
func (p *patch) cut(run *node, at int) *cut {
	content := run.kids
	if len(content) > 0 && content[0].name == "w:rPr" {
		content = content[1:]
	}
	if run.name != "w:r" || len(content) == 0 {
		if at > run.start {
			return p.at(run.end)
		}
		return p.at(run.start)
	}
	i := slices.IndexFunc(content, func(k *node) bool { return k.start < at && at < k.end })
	if i >= 0 {
		switch from, to := content[i].edges(); {
		case at <= from:
			at, i = content[i].start, -1
		case at >= to:
			at, i = content[i].end, -1
		}
	}
	switch {
	case at <= content[0].start:
		return p.at(run.start)
	case at >= content[len(content)-1].end:
		return p.at(run.end)
	}
	c := p.at(at)
	c.before, c.after = run.source(run.outer, run.end), run.source(run.start, run.inner)
	if props := run.kid("w:rPr"); props != nil {
		c.after += props.source(props.start, props.end)
	}
	if i >= 0 {
		t := content[i]
		p.tags[t.start] = t
		_, to := t.edges()
		p.skip[to] = t.outer
		c.before = t.source(t.outer, t.end) + c.before
		c.after += t.keeping()
	}
	return c
}

func (n *node) source(from, to int) string { return string(n.raw[from:to]) }

// keeping returns the tag of a text that keeps its white space.
func (n *node) keeping() string {
	tag := n.source(n.start, n.inner)
	return tag[:strings.IndexAny(tag, " \t\r\n>")] + ` xml:space="preserve">`
}

// after returns the place after the element of the paragraph in which a cut is, so that a
// comment's reference isn't a part of a tracked insertion, a link or a control.
func (p *patch) after(s stretch, c *cut) *cut {
	kids := s.paragraph.kids
	i := sort.Search(len(kids), func(i int) bool { return kids[i].end > c.at })
	if i < len(kids) && kids[i].start < c.at && kids[i] != s.run {
		return p.at(kids[i].end)
	}
	return c
}

// bytes returns the part with everything inserted. A part of one empty element is opened.
func (p *patch) bytes() []byte {
	var b bytes.Buffer
	raw, done := p.root.raw, 0
	copyTo := func(at int) {
		if at > done {
			b.Write(raw[done:at])
			done = at
		}
	}
	places := slices.Collect(maps.Keys(p.cuts))
	places = slices.AppendSeq(slices.AppendSeq(places, maps.Keys(p.tags)), maps.Keys(p.skip))
	slices.Sort(places)
	for _, at := range slices.Compact(places) {
		if p.root.inner == p.root.end && at == p.root.end { // <w:comments/>
			copyTo(at - len("/>"))
			done = at
			b.WriteString(">" + p.cuts[at].text() + "</" + p.root.tag() + ">")
			continue
		}
		copyTo(at)
		if c := p.cuts[at]; c != nil {
			b.WriteString(c.text())
		}
		if t := p.tags[at]; t != nil {
			b.WriteString(t.keeping())
			done, _ = t.edges()
		}
		done = max(done, p.skip[at])
	}
	copyTo(len(raw))
	return b.Bytes()
}

func (c *cut) text() string { return c.before + c.ends + c.inserts + c.starts + c.after }

func (n *node) tag() string {
	name := n.source(n.start+1, n.inner)
	return name[:strings.IndexAny(name, " \t\r\n/>")]
}
