package explain

import (
	"slices"
	"time"

	"matchbook/lambda/cli/term"

	"github.com/google/uuid"
)

// decisionReport is a person's decision about a pair. All texts are clean.
type decisionReport struct {
	Document *named    `json:"document,omitempty"` // the other one; nil in a comparison
	Verdict  string    `json:"verdict"`            // confirmed, rejected or withdrawn
	By       string    `json:"by"`
	Origin   string    `json:"origin"` // command or console
	Note     string    `json:"note,omitempty"`
	At       time.Time `json:"at"`
}

// decisions lists people's decisions about the pairs of a document, latest first.
func (d *Reader) decisions(id uuid.UUID) ([]decisionReport, error) {
	list, others, err := d.history(id, uuid.Nil)
	if err != nil {
		return nil, err
	}
	names, err := d.names(others)
	if err != nil {
		return nil, err
	}
	for i, id := range others {
		if at := slices.IndexFunc(names, func(n named) bool { return n.ID == id }); at >= 0 {
			list[i].Document = &names[at]
		}
	}
	return list, nil
}

func (d *Reader) history(id, with uuid.UUID) (list []decisionReport, others []uuid.UUID, err error) {
	found, err := d.reports.Decisions(d.ctx, id, with)
	list = []decisionReport{}
	for _, c := range found {
		list = append(list, decisionReport{Verdict: c.Verdict, By: term.Clean(c.By, term.MaxValue), Origin: c.Origin,
			Note: term.Clean(c.Note, term.MaxText), At: c.At})
		others = append(others, ends{c.A, c.B}.other(id))
	}
	return list, others, err
}

const maxDecisions = 10

func (p *page) decisions(list []decisionReport) {
	if len(list) == 0 {
		return
	}
	p.Line("\nDECISIONS of people (%d)", len(list))
	for _, c := range list[:min(len(list), maxDecisions)] {
		what := c.Verdict
		if c.Document != nil {
			what += " " + c.Document.Called()
		}
		p.Hang("  "+c.At.UTC().Format("2006-01-02 15:04Z")+"  ", what+", by "+orNone(c.By))
		if c.Note != "" {
			p.Hang("      ", c.Note)
		}
	}
	if more := len(list) - maxDecisions; more > 0 {
		p.Line("  ... and %d more (--json lists them)", more)
	}
}
