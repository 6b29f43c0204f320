package einvoice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"matchbook/lambda/document"
)

// Format is a syntax of electronic documents.
type Format string

// The formats that Read takes.
const (
	UBL      Format = "UBL"       // OASIS Universal Business Language 2
	CII      Format = "CII"       // UN/CEFACT Cross Industry Invoice D16B
	ZUGFeRD1 Format = "ZUGFeRD 1" // CrossIndustryDocument, the CII of 2014
)

// Document is the content of a file.
type Document struct {
	Format   Format
	Profile  string // "XRechnung" for example; empty if it is not a known one
	Type     document.Type
	Data     document.Data // document.Parse accepts its JSON
	Problems []Problem
}

// Problem is a value that could not be taken, or a fact that a person has to
// know. It never contains text of the document.
type Problem struct {
	Line int    // of the file
	Path string // of the element below the root; ZUGFeRD 1 in the names of CII
	What string
}

// String is the problem as a sentence.
func (p Problem) String() string { return fmt.Sprintf("line %d: %s: %s", p.Line, p.Path, p.What) }

// Refused is the error for a file that is broken, foreign, too large, or of a
// type that is not matched. The same file is always refused.
type Refused struct {
	Line   int // 0: the file as a whole
	Reason string
}

// Error is the reason, after the line.
func (r *Refused) Error() string {
	if r.Line == 0 {
		return r.Reason
	}
	return fmt.Sprintf("line %d: %s", r.Line, r.Reason)
}

// Detect reports whether a file that begins with head is in a format of this
// package. Read may still refuse it. Comments in front of the root element
// count: 8 KiB of head are enough in practice.
func Detect(head []byte) (Format, bool) {
	_, vocab, err := newParser(&source{r: bytes.NewReader(head)}).root()
	if err != nil || vocab == nil {
		return "", false
	}
	return vocab.format, true
}

// Read reads a document. The error is *Refused, unless reading from r fails.
func Read(r io.Reader) (Document, error) {
	source := &source{r: r}
	root, vocab, problems, err := newParser(source).parse()
	if source.err != nil {
		return Document{}, fmt.Errorf("read an electronic document: %w", source.err)
	}
	if err != nil {
		return Document{}, err
	}
	kind, mapping, reason := vocab.kind(root)
	if reason != "" {
		return Document{}, &Refused{root.line, reason}
	}
	rd := reading{mapping: mapping, root: root, problems: problems}
	doc := Document{Format: vocab.format, Profile: profile(root.one(mapping.profile)), Type: kind, Data: rd.data()}
	if err := acceptable(doc.Data); err != nil {
		return Document{}, err
	}
	doc.Problems = rd.problems
	return doc, nil
}

// acceptable keeps the promise of Document.Data.
func acceptable(data document.Data) error {
	if reflect.ValueOf(data).IsZero() {
		return &Refused{Reason: "it contains no field of a business document"}
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

// refusal makes an error of the decoder a Refused.
func refusal(line int, err error) error {
	var refused *Refused
	if errors.As(err, &refused) {
		if refused.Line == 0 {
			refused.Line = line
		}
		return refused
	}
	return &Refused{line, "it is not well-formed XML 1.0"}
}
