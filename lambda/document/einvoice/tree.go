package einvoice

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"matchbook/lambda/document"

	"golang.org/x/text/encoding/charmap"
)

// Bounds of a file. A line item takes about 50 elements, so 5,000 lines must fit.
const (
	maxDepth    = 64
	maxElements = 300_000
	maxText     = document.MaxBytes // of an element; only attachments are longer
	maxProblems = 100

	maxDocuments = 1000 // of an envelope
)

// node is an element of the vocabulary. Only leaves have text.
type node struct {
	name     string
	text     []byte
	attrs    []xml.Attr
	line     int
	children []*node
}

// attributes lists the attributes used by this package. They lack a name space.
var attributes = []string{"schemeID", "currencyID", "unitCode", "format"}

// known returns a copy of the attributes we use, because the decoder's own list may be long.
func known(all []xml.Attr) (kept []xml.Attr) {
	for _, a := range all {
		if a.Name.Space == "" && slices.Contains(attributes, a.Name.Local) && len(kept) < len(attributes) {
			kept = append(kept, a)
		}
	}
	return kept
}

func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// vocabulary is the part of an XML format that Read understands.
type vocabulary struct {
	format  Format
	spaces  []string          // URIs of the elements to read
	ignored string            // URI of extensions to skip silently
	names   map[string]string // names to replace by others
	each    string            // a child of the root that is a document, if there may be several
	// kind returns the type of a document and its mapping, or the reason for refusing it.
	kind func(root *node) (t document.Type, m *mapping, refused string)
}

type parser struct {
	decoder  *xml.Decoder
	vocab    *vocabulary
	open     []*node
	skip     int // depth below a skipped element; 0: none
	depth    int
	elements int
	problems []Problem
	begun    bool // the root element of the file was read
	inside   bool // an envelope
	misread  bool // its encoding is a guess
}

func newParser(data []byte) *parser {
	var r io.Reader = bytes.NewReader(data)
	p := &parser{misread: misdeclared(data)}
	if p.misread {
		r = charmap.Windows1252.NewDecoder().Reader(r)
	}
	p.decoder = xml.NewDecoder(newGuard(utf8Reader(r)))
	p.decoder.CharsetReader = charsetReader(p.misread || readable(data), isASCII(data))
	return p
}

// envelope is the root element of a message in Peppol, which holds a header and documents.
var envelope = xml.Name{Space: "http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader",
	Local: "StandardBusinessDocument"}

// root reads up to the root element of the next document: the file's, or one in its envelope.
// The vocabulary is nil if it is foreign.
func (p *parser) root() (*node, *vocabulary, error) {
	for {
		token, err := p.token()
		if err != nil {
			return nil, nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch {
			case t.Name == envelope && !p.begun:
				p.begun, p.inside = true, true
				continue
			case p.inside && t.Name == xml.Name{Space: envelope.Space, Local: envelope.Local + "Header"}:
				if err := p.decoder.Skip(); err != nil {
					return nil, nil, err
				}
				continue
			case p.begun && !p.inside:
				return nil, nil, &Refused{Reason: "second root element"}
			}
			p.begun, p.vocab = true, vocabularyOf(t.Name)
			p.depth, p.skip, p.problems = 1, 0, nil
			p.elements++
			return &node{name: t.Name.Local, line: p.line()}, p.vocab, nil
		case xml.EndElement:
			p.inside = false
		case xml.CharData:
			if err := outside(t); err != nil {
				return nil, nil, err
			}
		}
	}
}

// outside accepts only white space outside the root element.
func outside(text xml.CharData) error {
	if len(bytes.TrimSpace(text)) > 0 {
		return &Refused{Reason: "text outside the root element"}
	}
	return nil
}

// token returns the next token. It refuses a document type declaration, so that there are no
// entities; e-invoices don't use one.
func (p *parser) token() (xml.Token, error) {
	token, err := p.decoder.Token()
	if err != nil {
		return nil, err
	}
	if _, ok := token.(xml.Directive); ok {
		return nil, &Refused{Reason: "unsupported document type declaration: it may define entities"}
	}
	return token, nil
}

func (p *parser) line() int {
	line, _ := p.decoder.InputPos()
	return line
}

// parsed is one document of a file.
type parsed struct {
	root     *node
	vocab    *vocabulary
	problems []Problem
}

// parse reads the whole file. Its error is a *Refused.
func (p *parser) parse() (all []parsed, err error) {
	for {
		root, vocab, err := p.root()
		switch {
		case errors.Is(err, io.EOF) && len(all) > 0:
			return all, nil
		case errors.Is(err, io.EOF) && p.begun:
			return nil, &Refused{Reason: "envelope without a document"}
		case errors.Is(err, io.EOF):
			return nil, &Refused{Reason: "missing root element"}
		case err != nil:
			return nil, refusal(p.line(), err)
		case vocab == nil:
			return nil, &Refused{p.line(), "unsupported XML: expected UBL 2, UN/CEFACT CII or FatturaPA"}
		case len(all) == maxDocuments:
			return nil, &Refused{p.line(), "too many documents in the envelope: over 1,000"}
		}
		if err := p.document(root); err != nil {
			return nil, refusal(p.line(), err)
		}
		if p.misread {
			p.problems = append(p.problems, Problem{1, "the root element", "not in UTF-8 as declared; read as windows-1252"})
		}
		all = append(all, parsed{root, vocab, p.problems})
	}
}

// document reads the elements below a root, up to its end.
func (p *parser) document(root *node) error {
	for p.open = []*node{root}; p.depth > 0; {
		token, err := p.token()
		if err == nil {
			err = p.take(token)
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		p.end()
	case xml.CharData:
		return p.chars(t)
	}
	return nil
}

func (p *parser) start(t xml.StartElement) error {
	p.depth++
	p.elements++
	switch {
	case p.depth > maxDepth:
		return &Refused{Reason: "elements nested too deep: over 64 levels"}
	case p.elements > maxElements:
		return &Refused{Reason: "too many elements: over 300,000"}
	case p.skip > 0:
		return nil
	case !slices.Contains(p.vocab.spaces, t.Name.Space):
		p.skip = p.depth
		if p.vocab.ignored == "" || t.Name.Space != p.vocab.ignored {
			p.foreign()
		}
		return nil
	}
	name := t.Name.Local
	if other := p.vocab.names[name]; other != "" {
		name = other
	}
	parent := p.open[len(p.open)-1]
	parent.text = nil
	n := &node{name: name, attrs: known(t.Attr), line: p.line()}
	parent.children = append(parent.children, n)
	p.open = append(p.open, n)
	return nil
}

// foreign reports an element with a foreign name space, since it would otherwise be read.
func (p *parser) foreign() {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems,
			Problem{p.line(), p.path(), "ignored an element of a foreign name space"})
	}
}

func (p *parser) path() string {
	var names []string
	for _, n := range p.open[1:] {
		names = append(names, n.name)
	}
	if names == nil {
		return "the root element"
	}
	return strings.Join(names, "/")
}

func (p *parser) end() {
	if p.skip == 0 {
		p.open = p.open[:len(p.open)-1]
	} else if p.skip == p.depth {
		p.skip = 0
	}
	p.depth--
}

// chars adds text to a leaf, up to one byte more than any field may have.
func (p *parser) chars(text xml.CharData) error {
	if n := p.open[len(p.open)-1]; p.skip == 0 && len(n.children) == 0 {
		n.text = append(n.text, text[:min(len(text), maxText+1-len(n.text))]...)
	}
	return nil
}
