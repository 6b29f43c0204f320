// Package taught learns from corrections where a supplier prints a field, and reads it there on
// the supplier's next documents.
//
// A person corrects a field. Learn looks for the value on the pages of the document and keeps its
// place: the label in front of it, to its left or above it, otherwise the place on the page. A
// name has no place: it is kept as it is. The Keys of the document identify the supplier. Read
// finds the value of another document with these keys; its caller must check the value, and
// forget a rule that finds none or a wrong one, because a wrong rule is wrong every time.
//
// Rules belong to a tenant: never read a document by another tenant's.
package taught

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

// Rule is the lesson of one correction.
type Rule struct {
	ID     int64
	Field  string   // its path
	Keys   []string // of the supplier
	Source string   // the corrected document, such as invoice R-1
	At     time.Time
	Place
}

// Place is where a value is printed.
type Place struct {
	Type  document.Type `json:"type"`
	Value string        `json:"value"` // as corrected: the shape of a number; the name itself
	Where Where         `json:"where,omitempty"`
	Label string        `json:"label,omitempty"` // its words
	Nth   int           `json:"nth,omitempty"`   // among Of values with this label, from 0
	Of    int           `json:"of,omitempty"`
	Form  form          `json:"form,omitempty"`
	Page  int           `json:"page,omitempty"` // of the document, from 1
	Box   Box           `json:"box"`
}

// Where is the place of a value relative to its label.
type Where string

// The places, the surest first.
const (
	Behind Where = "behind"
	Right  Where = "right of"
	Below  Where = "below"
	Fixed  Where = "fixed" // without a label
)

// kinds are the fields to learn. An account is not among them: fraud changes
// accounts, so it must be read each time.
var kinds = map[string]extraction.Kind{"number": extraction.Text, "date": extraction.Day, "payment_terms.due": extraction.Day,
	"subtotal": extraction.Number, "tax": extraction.Number, "total": extraction.Number, "amount_due": extraction.Number,
	name: extraction.Text}

const name = "supplier.name"

// Learns reports whether corrections of the field at a path teach anything.
func Learns(path string) bool {
	_, ok := kinds[path]
	return ok
}

// By names the correction for people.
func (r Rule) By() string {
	return fmt.Sprintf("the correction of %s on %s", r.Source, r.At.UTC().Format(time.DateOnly))
}

// Name returns the field's name for people.
func (r Rule) Name() string { return strings.NewReplacer("_", " ", ".", " ").Replace(r.Field) }

// Adds reports whether the field is one of the sums, which must add up.
func (r Rule) Adds() bool { return kinds[r.Field] == extraction.Number }

// String describes the place for people.
func (p Place) String() string {
	switch p.Where {
	case "":
		return "the name " + p.Value
	case Fixed:
		return "by its place on the page"
	}
	return fmt.Sprintf("%s %q", p.Where, p.Label)
}

// Document is a corrected document.
type Document struct {
	Type  document.Type
	Data  document.Data // as corrected
	Lines []Line        // of its pages; nil if unknown
	Own   []document.Party
}

// Name returns the document in words.
func (d Document) Name() string {
	if d.Type == "" {
		return strings.TrimSpace("document " + d.Data.Number)
	}
	return strings.TrimSpace(d.Type.Words() + " " + d.Data.Number)
}

// Lesson says what a correction taught, or why it taught nothing.
type Lesson struct {
	Field   string `json:"field"`
	Learned string `json:"learned,omitempty"`
	Why     string `json:"not_learned,omitempty"`
}

// Said returns the lesson of a place, or of the reason against one.
func Said(field string, p Place, why string) Lesson {
	if why != "" {
		return Lesson{Field: field, Why: why}
	}
	return Lesson{Field: field, Learned: p.String()}
}

// Learn returns the place of a corrected field. If there is nothing to learn, why says so.
func (d Document) Learn(path string) (p Place, keys []string, why string) {
	all := extraction.Values(d.Data)
	at := slices.IndexFunc(all, func(v extraction.Value) bool { return v.Path == path })
	keys = Keys(d.Data, d.Lines, d.Own)
	switch {
	case at < 0:
		return p, nil, "it has no value"
	case len(d.Lines) == 0:
		return p, nil, "the places on its pages are not known; publish its file again first"
	case len(keys) == 0:
		return p, nil, "no VAT id, IBAN or letterhead tells the supplier's documents from others"
	case path == name && owned(d.Own, all[at].Text):
		return p, nil, "it is one of our own companies"
	case path == name && !known(keys) && !shown(d.Lines, all[at].Text):
		return p, nil, "it is not printed, and neither is a VAT id or an IBAN of the supplier"
	case path == name:
		return Place{Type: d.Type, Value: all[at].Text}, keys, ""
	}
	if path == "number" && !strings.ContainsAny(all[at].Text, "0123456789") {
		return p, nil, "it has no digits"
	}
	p, why = learn(d.Lines, all[at], d.Type, strings.ToLower(d.Data.Currency))
	return p, keys, why
}

func owned(own []document.Party, text string) bool {
	key := company.ParseName(text).Key()
	return slices.ContainsFunc(own, func(p document.Party) bool { return key != "" && company.ParseName(p.Name).Key() == key })
}

// shown reports whether a name is printed.
func shown(lines []Line, text string) bool { return lineOf(lines, text) >= 0 }

func lineOf(lines []Line, text string) int {
	wanted := printed.Letters(text)
	return slices.IndexFunc(lines, func(l Line) bool { return wanted != "" && strings.Contains(printed.Letters(l.Text), wanted) })
}

// learn tries each place. One label for the value alone is best; otherwise the value's turn among
// the ones with its label is kept.
func learn(lines []Line, v extraction.Value, kind document.Type, currency string) (best Place, why string) {
	spots := spotsOf(lines, v.Path, v.Text)
	rank := -1
	for _, s := range spots {
		f, ok := s.means(v, kind == document.CreditNote)
		if !ok {
			continue
		}
		for i, where := range []Where{Fixed, Below, Right, Behind} {
			p := Place{Type: kind, Value: v.Text, Where: where, Form: f, Page: lines[s.line].Page, Box: lines[s.line].Box}
			if p.Label = labelOf(lines, s, where); where != Fixed && (len(p.Label) < 2 || p.Label == currency) {
				continue
			}
			same := p.matches(lines, spots)
			p.Nth, p.Of = slices.Index(same, s), len(same)
			score := i
			if p.alone(same) {
				score += 4
			}
			if where == Fixed && !(p.alone(same) && p.Page == 1 && kinds[v.Path] != extraction.Number) {
				continue // sums move with the lines above them
			}
			if score > rank {
				best, rank = p, score
			}
		}
	}
	switch {
	case rank >= 0:
		return best, ""
	case slices.ContainsFunc(spots, func(s spot) bool { _, ok := s.means(v, kind == document.CreditNote); return ok }):
		return best, "no label names it on the pages"
	}
	return best, "it is not printed on the pages"
}
