package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/internal/plural"
)

// maxUnlisted bounds the XML in files that a PDF doesn't list, in bytes.
const maxUnlisted = 10 << 20

// attach reads the e-invoice among the files of a PDF. If it is broken, the pages are read
// instead, with a note. Without an e-invoice, a note names every file, because it wasn't read.
// Next to an e-invoice other files are its supporting documents, so only another e-invoice is
// for a person.
func (src *source) attach(files []pdf.File) error {
	others, err := src.read(files)
	if err != nil || src.invoices != nil {
		return err
	}
	unlisted := slices.DeleteFunc(pdf.Unlisted(src.data, maxUnlisted), func(u pdf.File) bool {
		return slices.ContainsFunc(files, func(f pdf.File) bool {
			return u.Content == nil && u.Name == f.Name || u.Content != nil && bytes.Equal(u.Content, f.Content)
		})
	})
	more, err := src.read(unlisted)
	if len(files) == 0 {
		others = append(others, more...)
	}
	if len(others) > 0 && src.invoices == nil {
		src.notes = append(src.notes, "not read: "+plural.Of(len(others), "file")+" in the PDF: "+strings.Join(others, ", "))
	}
	return err
}

// read reads e-invoices. It returns the names of the other files.
func (src *source) read(files []pdf.File) (others []string, err error) {
	for i, f := range files {
		name := fileName(f.Name, i)
		if _, ok := einvoice.Detect(f.Content); !ok {
			others = append(others, name)
			continue
		}
		doc, err := einvoice.Read(bytes.NewReader(f.Content))
		var refused *einvoice.Refused
		switch {
		case errors.As(err, &refused):
			src.notes = append(src.notes, fmt.Sprintf("unreadable e-invoice in the PDF (%s): %s", name, refused.Reason))
		case err != nil:
			return nil, failure.At("read the embedded e-invoice", err)
		case src.invoices == nil:
			src.invoices = []einvoice.Document{doc}
		case !twins(src.invoices[0], doc):
			src.notes = append(src.notes, "not read: another e-invoice in the PDF, with other values: "+name)
		}
	}
	return others, nil
}

// twins reports whether two e-invoices are one in two formats.
func twins(a, b einvoice.Document) bool {
	x, y := a.Data, b.Data
	return a.Type == b.Type && x.Number == y.Number && x.Date == y.Date && x.Currency == y.Currency &&
		x.Total.Equal(y.Total) && x.Supplier.IBAN == y.Supplier.IBAN && x.Supplier.VATID == y.Supplier.VATID
}

// fileName returns the name of an embedded file for people, or its place.
func fileName(name string, i int) string {
	const longest = 80
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name))
	if name == "" {
		return "file " + strconv.Itoa(i+1)
	}
	if runes := []rune(name); len(runes) > longest {
		name = string(runes[:longest]) + "…"
	}
	return name
}
