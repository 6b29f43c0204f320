package einvoice

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"matchbook/lambda/document"
)

// Format is a syntax of electronic documents.
type Format string

// The formats known to Read.
const (
	UBL       Format = "UBL"       // OASIS Universal Business Language 2
	CII       Format = "CII"       // UN/CEFACT Cross Industry Invoice D16B
	ZUGFeRD1  Format = "ZUGFeRD 1" // CrossIndustryDocument, the CII of 2014
	OrderX    Format = "Order-X"   // the order of CII D20B
	FatturaPA Format = "FatturaPA" // the Italian invoice, 1.0 to 1.2
)

// Document is the content of a file.
type Document struct {
	Format   Format
	Profile  string // such as "XRechnung"; empty if unknown
	Type     document.Type
	Data     document.Data // document.Parse accepts its JSON
	Problems []Problem
}

// Problem is an unreadable value, or a fact that a person must know. It never quotes the file.
type Problem struct {
	Line int    // of the file
	Path string // of the element below the root; ZUGFeRD 1 uses the names of CII
	What string
}

// String returns the problem as a sentence.
func (p Problem) String() string { return fmt.Sprintf("line %d: %s: %s", p.Line, p.Path, p.What) }

// Refused is the error for a file that is broken, foreign, too large, or of a type that isn't
// matched. Don't retry: the same file is always refused.
type Refused struct {
	Line   int // 0: the file as a whole
	Reason string
}

// Error returns the reason, after the line.
func (r *Refused) Error() string {
	if r.Line == 0 {
		return r.Reason
	}
	return fmt.Sprintf("line %d: %s", r.Line, r.Reason)
}

// Detect reports whether a file beginning with head is in a format of this package. Read may
// still refuse it. Use 8 KiB of head: comments before the root element count, but that is
// enough in practice.
func Detect(head []byte) (Format, bool) {
	_, vocab, err := newParser(head).root()
	if err != nil || vocab == nil {
		return "", false
	}
	return vocab.format, true
}

// Read reads the only document of a file. The error is *Refused, unless reading from r fails.
func Read(r io.Reader) (Document, error) {
	all, err := ReadAll(r)
	switch {
	case err != nil:
		return Document{}, err
	case len(all) > 1:
		return Document{}, &Refused{Reason: "several documents in a file: expected one"}
	}
	return all[0], nil
}

// ReadAll reads the documents of a file: one, each in its envelope (SBDH), or each body of a
// FatturaPA. If one of them is refused, the file is. The error is *Refused, unless reading from r fails.
func ReadAll(r io.Reader) ([]Document, error) {
	source := &source{r: r}
	data, err := io.ReadAll(source)
	if source.err != nil {
		return nil, fmt.Errorf("read an electronic document: %w", source.err)
	}
	if err != nil {
		return nil, err
	}
	found, err := newParser(data).parse()
	if err != nil {
		return nil, err
	}
	var all []Document
	for _, file := range found {
		parts := file.split()
		if len(parts) > maxDocuments {
			return nil, &Refused{Reason: "too many documents in the file: over 1,000"}
		}
		for _, p := range parts {
			d, err := p.read()
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// split separates the bodies of a file with several documents; each has the same head.
func (p parsed) split() (all []parsed) {
	var head, bodies []*node
	for _, n := range p.root.children {
		if n.name == p.vocab.each {
			bodies = append(bodies, n)
		} else {
			head = append(head, n)
		}
	}
	if len(bodies) < 2 {
		return []parsed{p}
	}
	for _, body := range bodies {
		root := *p.root
		root.children = slices.Concat(head, []*node{body})
		all = append(all, parsed{&root, p.vocab, p.problems})
	}
	return all
}

func (p parsed) read() (Document, error) {
	kind, mapping, reason := p.vocab.kind(p.root)
	if reason != "" {
		return Document{}, &Refused{p.root.line, reason}
	}
	rd := reading{mapping: mapping, root: p.root, problems: p.problems}
	doc := Document{Format: p.vocab.format, Profile: profile(p.root.one(mapping.profile)), Type: kind, Data: rd.data()}
	if err := acceptable(doc.Data); err != nil {
		return Document{}, err
	}
	doc.Problems = rd.problems
	return doc, nil
}

// acceptable keeps the promise of Document.Data.
func acceptable(data document.Data) error {
	only := data
	if only.TypeCode = ""; reflect.ValueOf(only).IsZero() {
		return &Refused{Reason: "missing every field of a business document"}
	}
	raw, err := json.Marshal(data)
	if err == nil {
		_, err = document.Parse(raw)
	}
	if err != nil {
		return &Refused{Reason: err.Error()}
	}
	return nil
}

func refusal(line int, err error) error {
	var refused *Refused
	if errors.As(err, &refused) {
		if refused.Line == 0 {
			refused.Line = line
		}
		return refused
	}
	return &Refused{line, "invalid XML 1.0: not well-formed"}
}
