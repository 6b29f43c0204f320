package ingesteval

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/ingest/ingestion"
)

// Result compares the documents read from pages with the e-invoices.
type Result struct {
	Dirs        []string  `json:"dirs"`
	OCR         string    `json:"ocr"`
	Without     int       `json:"without"` // PDFs without a readable e-invoice; not counted in Files
	Files       int       `json:"files"`
	Passed      int       `json:"passed"` // without a person
	People      int       `json:"people"`
	Unread      []string  `json:"unread"`  // of people: files that failed, with the reason
	Wrong       []Mistake `json:"wrong"`   // of passed: files with a wrong key field
	Differs     []Mistake `json:"differs"` // of passed: files with a page that lacks the e-invoice's values
	WithLines   int       `json:"with_lines"`
	Lines       int       `json:"lines"` // of with_lines: each line is right
	PassedLines int       `json:"passed_lines"`
}

// Mistake is a file that passed although key fields differ from its e-invoice.
type Mistake struct {
	File   string  `json:"file"`
	Fields []Field `json:"fields"`
}

// Field is a key field that differs.
type Field struct {
	Name string `json:"name"`
	Got  string `json:"got"`
	Want string `json:"want"`
	// Shown reports whether the page has the wanted value. If not, the page and its
	// e-invoice contradict each other, and no reading of the page is at fault.
	Shown bool `json:"shown"`
}

func (r *Result) add(path string, o outcome) {
	if o.truth == nil {
		r.Without++
		return
	}
	r.Files++
	passed := len(o.docs) > 0 && !slices.ContainsFunc(o.docs, func(d ingestion.Extracted) bool { return !d.Valid })
	right := len(o.docs) > 0 && sameLines(o.docs[0].Data.Lines, o.truth.Data.Lines)
	if len(o.truth.Data.Lines) > 0 {
		r.WithLines++
		r.Lines += count(right)
		r.PassedLines += count(right && passed)
	}
	if !passed {
		r.People++
		if o.failed != "" {
			r.Unread = append(r.Unread, path+": "+o.failed)
		}
		return
	}
	r.Passed++
	switch wrong := differences(o); {
	case len(wrong) == 0:
	case slices.ContainsFunc(wrong, func(f Field) bool { return f.Shown }):
		r.Wrong = append(r.Wrong, Mistake{path, wrong})
	default:
		r.Differs = append(r.Differs, Mistake{path, wrong})
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Text returns the result for a terminal.
func (r *Result) Text() string {
	p := &term.Page{}
	p.Line("FILES %s, e-invoice hidden, by rules, OCR %s", strings.Join(r.Dirs, " "), r.OCR)
	p.Line("  files        %4d with an e-invoice, %d without", r.Files, r.Without)
	p.Line("  passed       %4d %s", r.Passed, percent(r.Passed, r.Files))
	p.Line("  people       %4d, of these %d not read", r.People, len(r.Unread))
	p.Line("  wrong        %4d %s of the passed", len(r.Wrong), percent(len(r.Wrong), r.Passed))
	p.Line("  differs      %4d of the passed: the page doesn't show the e-invoice's values", len(r.Differs))
	p.Line("  lines right  %4d of %d %s, %d of them passed", r.Lines, r.WithLines, percent(r.Lines, r.WithLines), r.PassedLines)
	mistakes(p, "WRONG", r.Wrong)
	mistakes(p, "PAGE DIFFERS", r.Differs)
	for _, u := range r.Unread {
		p.Line("  NOT READ %s", term.Clean(u, 200))
	}
	return p.String()
}

func mistakes(p *term.Page, what string, list []Mistake) {
	for _, m := range list {
		p.Line("  %s %s", what, term.Clean(m.File, 200))
		for _, f := range m.Fields {
			p.Line("    %-9s %s for %s", f.Name, term.Clean(f.Got, 60), term.Clean(f.Want, 60))
		}
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "(-)"
	}
	return fmt.Sprintf("(%.1f %%)", 100*float64(n)/float64(of))
}
