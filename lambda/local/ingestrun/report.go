package ingestrun

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Report is the outcome of a run. It can be marshalled to JSON.
type Report struct {
	Files      []fileReport    `json:"files"`
	LeftOut    []leftOut       `json:"left_out"` // of folders
	OCR        OCR             `json:"ocr"`
	Matched    *matchrun.Found `json:"matched,omitempty"` // nil unless requested
	Accounting accounting      `json:"accounting"`

	width int // columns of the text; 0: term.Width
}

type fileReport struct {
	File      string             `json:"file"`
	Ingestion *uuid.UUID         `json:"ingestion_id,omitempty"`
	Status    string             `json:"status"` // completed, failed, in-progress, or same
	SameAs    string             `json:"same_as,omitempty"`
	Error     string             `json:"error,omitempty"`
	Attempts  int                `json:"attempts"`
	Account   *ingestion.Account `json:"page_account,omitempty"`
	Documents []documentReport   `json:"documents"`

	blob, transcription string // keys
}

type documentReport struct {
	ID      uuid.UUID     `json:"id"`
	Type    document.Type `json:"type,omitempty"` // empty if unknown
	Number  string        `json:"number,omitempty"`
	Pages   []int         `json:"pages"`  // of the file; empty if it has none
	Source  string        `json:"source"` // einvoice, rules, or the model's name
	Fields  []Field       `json:"fields"`
	Sums    []Sum         `json:"sums"`
	Review  bool          `json:"needs_review"`
	Reasons []string      `json:"reasons"` // why a person is needed

	References []document.Reference `json:"references"` // documents that this one cites

	currency string
}

// Field is an extracted value with its origin.
type Field struct {
	Path string `json:"path"`
	extraction.Field
}

// accounting shows that each file was counted exactly once.
type accounting struct {
	Files     int     `json:"files"`
	Completed int     `json:"completed"`
	Failed    int     `json:"failed"`
	Same      int     `json:"same"`           // same content as another file
	Found     int     `json:"found"`          // on disk: files, left out, or a container
	LeftOut   int     `json:"left_out"`       // of these
	Opened    int     `json:"containers"`     // of these
	Inside    int     `json:"in_containers"`  // of the files
	Pages     int     `json:"pages"`          // of the completed files
	Blank     int     `json:"pages_blank"`    // of these
	Unread    int     `json:"pages_not_read"` // of these
	Documents int     `json:"documents"`
	Review    int     `json:"need_review"` // of these
	Seconds   float64 `json:"seconds"`
}

// AllCompleted reports whether every file was read. Documents for a person count as read.
func (a accounting) AllCompleted() bool { return a.Completed+a.Same == a.Files }

// Report reads the outcome from the database, with the matches if requested.
func (r *Run) Report(ctx context.Context, matched bool) (*Report, error) {
	rows, err := report.From(r.Stack.DB).Ingestions(ctx, r.ids)
	if err != nil {
		return nil, fmt.Errorf("read outcome: %w", err)
	}
	rep := &Report{Files: []fileReport{}, LeftOut: append([]leftOut{}, r.found.leftOut...), OCR: r.OCR,
		Accounting: accounting{Files: len(r.stored), Found: r.found.found, LeftOut: len(r.found.leftOut), Opened: r.found.containers,
			Inside: r.found.inside, Seconds: math.Round(r.took.Seconds()*100) / 100}}
	for _, s := range r.stored {
		f, err := s.report(rows)
		if err != nil {
			return nil, err
		}
		rep.Files = append(rep.Files, f)
		rep.Accounting.add(f)
	}
	if matched {
		found, err := r.matched(ctx, rep)
		if err != nil {
			return nil, fmt.Errorf("read matches: %w", err)
		}
		rep.Matched = &found
	}
	return rep, nil
}

func (a *accounting) add(f fileReport) {
	switch f.Status {
	case "completed":
		a.Completed++
	case "failed":
		a.Failed++
	case "same":
		a.Same++
	}
	if f.Account != nil {
		a.Pages, a.Blank, a.Unread = a.Pages+f.Account.Pages, a.Blank+len(f.Account.Blank), a.Unread+len(f.Account.Unread)
	}
	a.Documents += len(f.Documents)
	for _, d := range f.Documents {
		if d.Review {
			a.Review++
		}
	}
}

// report selects the file's rows.
func (s storedFile) report(rows []report.Ingestion) (fileReport, error) {
	f := fileReport{File: s.Path, Documents: []documentReport{}, blob: s.blob}
	switch {
	case s.refused != "":
		f.Status, f.Error = "failed", s.refused
		return f, nil
	case s.same != "":
		f.Status, f.SameAs = "same", s.same
		return f, nil
	}
	f.Ingestion = &s.ingestion
	for _, row := range rows {
		if row.File != s.ingestion {
			continue
		}
		if row.ID == s.ingestion {
			f.Status, f.Error, f.Attempts, f.transcription = row.Status, row.Error, row.Attempts, row.Transcription
			f.Account = row.Account
		}
		if row.Status != "completed" {
			continue
		}
		d, err := documentOf(row)
		if err != nil {
			return f, fmt.Errorf("read document %s: %w", row.DocumentID, err)
		}
		f.Documents = append(f.Documents, d)
	}
	return f, nil
}

func documentOf(row report.Ingestion) (documentReport, error) {
	d := documentReport{ID: row.DocumentID, Type: row.Type, Pages: row.Pages, Source: row.Source, Fields: []Field{},
		Review: row.NeedsReview, Reasons: row.Reasons}
	if d.Pages == nil {
		d.Pages = []int{}
	}
	var data document.Data
	if row.Data != nil {
		var err error
		if data, err = document.Parse(row.Data); err != nil {
			return d, err
		}
	}
	d.Number, d.Sums, d.currency = data.Number, sumsOf(data), data.Currency
	d.References = append([]document.Reference{}, data.References...)
	var byPath map[string]extraction.Field
	if row.Fields != nil {
		if err := json.Unmarshal(row.Fields, &byPath); err != nil {
			return d, err
		}
	}
	for path, f := range byPath {
		d.Fields = append(d.Fields, Field{path, f})
	}
	slices.SortFunc(d.Fields, func(a, b Field) int { return comparePaths(a.Path, b.Path) })
	return d, nil
}

// matched reads the matches.
func (r *Run) matched(ctx context.Context, rep *Report) (matchrun.Found, error) {
	ids, called := []uuid.UUID{}, map[uuid.UUID]string{}
	for _, f := range rep.Files {
		for _, d := range f.Documents {
			ids, called[d.ID] = append(ids, d.ID), d.called(f.File)
		}
	}
	found, err := matchrun.Find(ctx, r.Stack.DB, ids)
	found.Called = called
	return found, err
}

// order is the reading order of the fields, by the parts of their paths.
var order = []string{"number", "date", "currency", "supplier", "buyer", "references", "period", "line_items", "charges",
	"subtotal", "taxes", "tax", "total", "payment_terms",
	"name", "vat_id", "iban", "address", "type", "from", "to", "sku", "description", "quantity", "unit", "unit_price",
	"price_quantity", "amount", "category", "rate", "base", "tax_rate", "due", "text"}

// comparePaths compares paths in a document's reading order: parties, lines, sums.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
}

// rank returns the rank of a path's part; a number is its own rank.
func rank(part string) int {
	if n, err := strconv.Atoi(part); err == nil {
		return n
	}
	if i := slices.Index(order, part); i >= 0 {
		return i
	}
	return len(order)
}
