package docx

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// Limits of a part. Word nests its elements about five deep for each level of tables.
const (
	maxDepth = 300
	maxNodes = 4_000_000
)

// node is an element, with the bytes of its part from start to end. The content is between
// inner and outer.
type node struct {
	name, space              string     // with the usual prefix of its namespace, or "?"
	attrs                    []xml.Attr // named like elements
	kids                     []*node
	raw                      []byte // of the whole part
	start, inner, outer, end int
	spaces                   bool // white space at the edges of its text counts
	unknown                  bool // alternative that is not understood
}

// prefixes has the usual prefix of each namespace, in both forms of the standard.
var prefixes = map[string]string{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main":        "w",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":                    "w",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":         "mc",
	"http://schemas.openxmlformats.org/officeDocument/2006/math":          "m",
	"http://purl.oclc.org/ooxml/officeDocument/math":                      "m",
	"http://schemas.openxmlformats.org/drawingml/2006/picture":            "pic",
	"http://purl.oclc.org/ooxml/drawingml/picture":                        "pic",
	"http://schemas.openxmlformats.org/drawingml/2006/chart":              "c",
	"http://schemas.openxmlformats.org/drawingml/2006/diagram":            "dgm",
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
	"urn:schemas-microsoft-com:vml":                                       "v",
	"http://schemas.microsoft.com/office/word/2010/wordml":                "w14",
	"http://www.w3.org/XML/1998/namespace":                                "xml",
	"xml":                                                                 "xml",
}

// parser builds the tree of a part.
type parser struct {
	raw   []byte
	open  []*node
	root  *node
	nodes int
	names map[xml.Name]string
	known map[string]string // namespaces by the prefixes of the part
}

var errBadXML = errors.New("invalid XML")

// parse reads a part. Entities and document types are refused, because Word writes neither and
// both serve attacks.
func parse(name string, raw []byte) (*node, error) {
	p := &parser{raw: raw, names: map[xml.Name]string{}, known: map[string]string{}}
	d := xml.NewDecoder(bytes.NewReader(raw))
	for {
		start := int(d.InputOffset())
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.take(token, start, int(d.InputOffset()))
		}
		if errors.Is(err, errLarge) {
			return nil, err
		}
		if err != nil {
			return nil, damaged(name)
		}
	}
	if p.root == nil {
		return nil, damaged(name)
	}
	return p.root, nil
}

func (p *parser) take(token xml.Token, start, end int) error {
	switch t := token.(type) {
	case xml.Directive:
		return errBadXML
	case xml.StartElement:
		if p.nodes++; p.nodes > maxNodes {
			return errLarge
		}
		n := &node{name: p.name(t.Name), space: t.Name.Space, raw: p.raw, start: start, inner: end, outer: end, end: end}
		p.attributes(n, t.Attr)
		switch depth := len(p.open); {
		case depth >= maxDepth:
			return errBadXML
		case depth > 0:
			above := p.open[depth-1]
			above.kids = append(above.kids, n)
		case p.root != nil:
			return errBadXML
		default:
			p.root = n
		}
		p.open = append(p.open, n)
	case xml.EndElement:
		n := p.open[len(p.open)-1]
		n.outer, n.end = start, end
		p.open = p.open[:len(p.open)-1]
	}
	return nil
}

func (p *parser) name(n xml.Name) string {
	name, ok := p.names[n]
	if !ok {
		name = cmp.Or(prefixes[n.Space], "?") + ":" + n.Local
		p.names[n] = name
	}
	return name
}

func (p *parser) attributes(n *node, attrs []xml.Attr) {
	if len(p.open) > 0 {
		n.spaces = p.open[len(p.open)-1].spaces
	}
	for _, a := range attrs {
		name := a.Name.Local
		switch {
		case a.Name.Space == "xmlns":
			p.known[name] = a.Value
			continue
		case a.Name.Space != "":
			name = p.name(a.Name)
		}
		n.attrs = append(n.attrs, xml.Attr{Name: xml.Name{Local: name}, Value: a.Value})
		if name == "xml:space" {
			n.spaces = a.Value == "preserve"
		}
	}
	if n.name == "mc:Choice" {
		n.unknown = !understood(n.attr("Requires"), p.known)
	}
}

// understood reports whether all required namespaces are extensions of Word, with the elements that
// this package reads. Diagrams and charts of later versions are in others.
func understood(required string, known map[string]string) bool {
	if required == "" {
		return false
	}
	for prefix := range strings.FieldsSeq(required) {
		if !strings.HasPrefix(known[prefix], "http://schemas.microsoft.com/office/word/") {
			return false
		}
	}
	return true
}

func (n *node) attr(name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// val returns the attribute w:val of a child.
func (n *node) val(child string) string { return n.kid(child).attr("w:val") }

// kid returns the first child of a name, or nil.
func (n *node) kid(names ...string) *node {
	for _, name := range names {
		var found *node
		if n != nil {
			for _, k := range n.kids {
				if k.name == name {
					found = k
					break
				}
			}
		}
		n = found
	}
	return n
}

// all returns the children of a name.
func (n *node) all(name string) (found []*node) {
	if n != nil {
		for _, k := range n.kids {
			if k.name == name {
				found = append(found, k)
			}
		}
	}
	return found
}

// on reports whether a child that switches something on says so.
func (n *node) on(child string) (is, set bool) {
	k := n.kid(child)
	if k == nil {
		return false, false
	}
	switch k.attr("w:val") {
	case "0", "false", "off":
		return false, true
	}
	return true, true
}

// chosen returns the alternative to read: the first one that this package understands.
func (n *node) chosen() []*node {
	for _, k := range n.all("mc:Choice") {
		if !k.unknown {
			return k.kids
		}
	}
	if k := n.kid("mc:Fallback"); k != nil {
		return k.kids
	}
	return nil
}

// each calls f for an element and all below it, of all alternatives.
func (n *node) each(f func(*node)) {
	if n != nil {
		f(n)
		for _, k := range n.kids {
			k.each(f)
		}
	}
}

// below calls f for an element and all below it, of the chosen alternatives, until f returns
// false for a branch.
func (n *node) below(f func(*node) bool) {
	if n == nil || !f(n) {
		return
	}
	kids := n.kids
	if n.name == "mc:AlternateContent" {
		kids = n.chosen()
	}
	for _, k := range kids {
		k.below(f)
	}
}
