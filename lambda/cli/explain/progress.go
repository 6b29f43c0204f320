package explain

import (
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// progress is the job state of a row. Its texts are clean.
type progress struct {
	Status    string     `json:"status"` // empty: never published
	Attempts  int        `json:"attempts"`
	Error     string     `json:"error,omitempty"`
	Published *time.Time `json:"published_at,omitempty"`
	Due       *time.Time `json:"due_at,omitempty"`      // of its next message
	Lease     *time.Time `json:"lease_until,omitempty"` // end of its worker's lease
	Failed    *time.Time `json:"failed_at,omitempty"`
	Service   string     `json:"waits_for,omitempty"` // a service that is away
	now       time.Time
}

func newProgress(status string, attempts int, err string, t report.Times) progress {
	p := progress{Status: status, Attempts: attempts, Error: term.Clean(err, term.MaxText),
		Published: t.Published, Due: t.Due, Lease: t.Lease, Failed: t.Failed, now: t.Now}
	if status == "pending" && t.Due != nil && t.Due.After(t.Now) { // publishing makes a parked row due
		p.Service = term.Clean(t.Service, term.MaxValue)
	}
	return p
}

// Waits describes what the row waits for; empty if for nothing.
func (p progress) Waits() string {
	switch {
	case p.Status == "in-progress" && p.Lease != nil:
		at, over := p.at(*p.Lease)
		if over {
			return "for the next delivery or the sweep: its worker's lease ended " + at
		}
		return "for its worker, with a lease until " + at
	case p.Service != "":
		return "for " + p.Service + ", which is away; it goes on by itself, and nothing is lost"
	case p.Status == "pending" && p.Due != nil:
		at, over := p.at(*p.Due)
		if over {
			return "for its message, due " + at + "; if lost, the sweep publishes it again"
		}
		return "for its message, due " + at
	case p.Status == "failed" && p.Failed != nil:
		at, _ := p.at(*p.Failed)
		return "for a person to fix the cause and publish it: it failed " + at
	}
	return ""
}

// act returns what to do about the error of a row that is tried again; nil if nothing.
func (p progress) act() []string {
	if r := RemedyOf(p.Error); r.Do != "" && !r.Passes {
		return []string{r.Do}
	}
	return nil
}

// do returns what to do about a row, which the command again tries once more; nil if nothing.
func (p progress) do(again string) []string {
	switch p.Status {
	case "failed":
		return DoAbout(p.Error, again)
	case "succeeded":
		return nil
	}
	return p.act()
}

// at returns a time with its distance from now, and whether it has passed.
func (p progress) at(t time.Time) (text string, over bool) {
	text, away := t.UTC().Format("2006-01-02 15:04:05Z"), p.now.Sub(t).Round(time.Second)
	if away >= 0 {
		return fmt.Sprintf("%s (%s ago)", text, away), true
	}
	return fmt.Sprintf("%s (in %s)", text, -away), false
}

func rows(b *strings.Builder, list [][2]string) {
	p := &term.Page{}
	for _, row := range list {
		if row[1] != "" {
			p.Hang(fmt.Sprintf("  %-7s ", row[0]), row[1])
		}
	}
	b.WriteString(p.String())
}

func attempts(n int) string { return plural.Of(n, "attempt") }

// file is the source of a document, with the state of its ingestion.
type file struct {
	Ingestion uuid.UUID `json:"ingestion_id"`
	Path      string    `json:"path"`
	Pages     []int     `json:"pages,omitempty"` // from 1
	progress
	Reasons []string           `json:"review_reasons,omitempty"` // for a person to look
	Account *ingestion.Account `json:"page_account,omitempty"`
	Taught  []string           `json:"taught,omitempty"` // fields by the corrections that taught where they stand
}

// file reads the file of a document; nil without one.
func (d *Reader) file(id uuid.UUID) (*file, error) {
	found, err := d.reports.File(d.ctx, id)
	if found == nil || err != nil {
		return nil, err
	}
	f := &file{Ingestion: found.Ingestion, Path: term.Clean(found.Path, term.MaxValue), Pages: found.Pages, Account: found.Account,
		progress: newProgress(found.Status, found.Attempts, found.Error, found.Times)}
	for _, reason := range found.Reasons {
		f.Reasons = append(f.Reasons, term.Clean(reason, term.MaxText))
	}
	for _, t := range found.Taught {
		f.Taught = append(f.Taught, term.Clean(t, term.MaxText))
	}
	return f, nil
}

// remedy returns what to do about a file of a document, empty if nothing.
func (f *file) remedy(document uuid.UUID) []string {
	switch {
	case f.Status == "failed":
		return unreadRemedy(f.Error, f.Ingestion)
	case f.Status != "succeeded":
		return f.act()
	case len(f.Reasons) > 0:
		return []string{remedy(report.WaitingFile, document)}
	}
	return nil
}

// unread describes an unread file; empty if it was read, or without one.
func (f *file) unread() string {
	switch {
	case f == nil || f.Status == "succeeded":
		return ""
	case f.Status == "failed":
		return fmt.Sprintf("Its file could not be read, %s: %s", attempts(f.Attempts), orNone(f.Error))
	case f.Status == "":
		return "Its file is not read yet: its ingestion was never published."
	}
	return fmt.Sprintf("Its file is not read yet: it is %s.", f.Status)
}
