package explain

import (
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// warningReport is a warning about the document, or about another one compared with it. All
// texts are clean.
type warningReport struct {
	Kind     string    `json:"kind"`
	Document uuid.UUID `json:"document"` // subject of the warning
	Other    named     `json:"other"`    // not the explained one
	Words    string    `json:"words"`
	Settled  *settled  `json:"settled,omitempty"`
	Facts    string    `json:"-"`
}

type settled report.Settled

// InShort describes a settlement.
func (s *settled) InShort() string {
	found := ""
	if s.Verdict != "" {
		found = strings.ReplaceAll(s.Verdict, "-", " ") + ", "
	}
	return fmt.Sprintf("Settled by %s on %s: %s%s", s.By, s.At.UTC().Format(time.DateOnly), found, s.Reason)
}

const maxWarnings = 100

func (d *Reader) warnings(id uuid.UUID) (list []warningReport, err error) {
	stored, err := d.reports.Warnings(d.ctx, []uuid.UUID{id})
	if err != nil {
		return nil, err
	}
	list = []warningReport{}
	for _, w := range stored[:min(len(stored), maxWarnings)] {
		names, err := d.names([]uuid.UUID{ends{w.Document, w.Other}.other(id)})
		if err != nil || len(names) == 0 {
			return list, err
		}
		r := warningReport{w.Kind, w.Document, names[0], term.Clean(w.Words, term.MaxText), nil, w.Facts}
		if s := w.Settled; s != nil {
			r.Settled = &settled{term.Clean(s.By, term.MaxValue), term.Clean(s.Verdict, term.MaxValue),
				term.Clean(s.Reason, term.MaxText), s.At}
		}
		list = append(list, r)
	}
	return list, nil
}

func (p *page) warnings(e *Explanation) {
	if len(e.Warnings) == 0 {
		return
	}
	p.Line("\nWARNINGS (%d)", len(e.Warnings))
	for _, w := range e.Warnings[:min(len(e.Warnings), maxPairs)] {
		p.Line("  %s  %s  %s", term.Pad(w.Kind, 24), term.Pad(term.Cut(w.Other.Called(), 34), 34), w.Other.ID)
		words := w.Words
		if w.Document != e.Document.ID {
			words = "About the " + w.Other.Called() + ": " + words
		}
		p.Hang("      ", words)
		if w.Settled != nil {
			p.Hang("      ", w.Settled.InShort())
		} else {
			about := ends{e.Document.ID, w.Other.ID}
			p.Hang("      do: ", remedy(report.WaitingWarning, w.Kind, w.Document, about.other(w.Document)))
		}
	}
	if more := len(e.Warnings) - maxPairs; more > 0 {
		p.Line("  ... and %d more (--json lists them)", more)
	}
}
