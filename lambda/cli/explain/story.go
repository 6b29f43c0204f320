package explain

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"
)

// Story is the state of a row with its timeline, as far as it is stored.
type Story struct {
	State    Report  `json:"state"`
	Timeline []Event `json:"timeline"` // earliest first
	More     bool    `json:"more"`     // earlier events are left out
}

// Story tells about one row: a document by its id, its ingestion's id or its number, a review, a
// chunk, or a job of match offers.
func (d *Reader) Story(arg string, prices *cost.ModelPrices) (*Story, error) {
	for _, find := range []func(string, *cost.ModelPrices) (*Story, error){d.reviewStory, d.offerStory} {
		if s, err := find(arg, prices); s != nil || err != nil {
			return s, err
		}
	}
	docs, err := d.resolve([]string{arg})
	if err != nil {
		return nil, err
	}
	latest, err := d.Timeline(docs[0].ID, prices)
	return told(documentOnly{docs[0]}, latest), err
}

func told(state Report, latest []Event) *Story {
	latest = latest[:min(len(latest), maxEvents)]
	slices.Reverse(latest)
	return &Story{State: state, Timeline: latest, More: len(latest) == maxEvents}
}

// documentOnly is a document without its pairs.
type documentOnly struct{ *documentState }

// Text returns the state for people.
func (d documentOnly) Text() string {
	p := &page{}
	p.document(d.documentState)
	return p.String()
}

// reviewState is a review with its unfinished parts. Its texts are clean.
type reviewState struct {
	report.Review
	Parts *chunks `json:"unfinished,omitempty"`
}

func (d *Reader) reviewStory(arg string, prices *cost.ModelPrices) (*Story, error) {
	id, err := document.ParseID(arg)
	if err != nil {
		return nil, nil //nolint:nilerr // a number of a document
	}
	found, err := d.reports.Review(d.ctx, id)
	if err != nil || found == nil {
		return nil, err
	}
	found.Name, found.Error = term.Clean(found.Name, term.MaxValue), term.Clean(found.Error, term.MaxText)
	r := &reviewState{Review: *found}
	unfinished, err := d.chunks(found.ID.String())
	if err != nil {
		return nil, err
	}
	r.Parts, _ = unfinished.(*chunks)
	latest, err := d.events(report.OfReview, found.ID, prices)
	return told(r, latest), err
}

// Text returns the state for people.
func (r *reviewState) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "review of %s\n", orNone(r.Name))
	paid := fmt.Sprintf("%d calls, %.4f USD", r.Calls, r.USD)
	if r.Budget != nil {
		paid += fmt.Sprintf(" of %.4f", *r.Budget)
	}
	var do []string
	if r.Status == "failed" || r.Status == "completed-with-gaps" {
		do = DoAbout(r.Error, fmt.Sprintf("matchbook review retry %s", r.ID))
	}
	rows(&b, [][2]string{{"id", r.ID.String()}, {"tenant", r.TenantID.String()}, {"of", r.DocumentID.String()}, {"status", r.Status},
		{"error", r.Error}, {"paid", paid}, {"do", strings.Join(do, " ")}})
	if r.Parts != nil {
		b.WriteString("\n" + r.Parts.Text())
	}
	return b.String()
}

func (d *Reader) offerStory(arg string, prices *cost.ModelPrices) (*Story, error) {
	job, err := d.offerJob(arg)
	if err != nil || job == nil {
		return nil, err
	}
	latest, err := d.events(report.OfOffers, job.(*offerJob).ID, prices)
	return told(job, latest), err
}

// Text returns state and timeline for people.
func (s *Story) Text() string {
	p := &page{}
	p.WriteString(s.State.Text())
	p.Line("\nTIMELINE")
	if s.More {
		p.Line("  ... earlier events are left out")
	}
	p.events(s.Timeline)
	return p.String()
}

// Waits describes what a row in trouble waits for; empty if for nothing.
func Waits(t report.Trouble) string {
	return newProgress(t.Status, t.Attempts, t.Error, t.Times).Waits()
}
