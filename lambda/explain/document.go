package explain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/score"
	"matchbook/lambda/term"

	"github.com/google/uuid"
)

// named identifies a document for people.
type named struct {
	ID     uuid.UUID     `json:"id"`
	Type   document.Type `json:"type"`
	Number string        `json:"number,omitempty"`
}

func (n named) called() string { return term.Label(n.Type, n.Number, n.ID) }

// documentState is a document and its state of matching. All texts are clean.
type documentState struct {
	named
	TenantID   uuid.UUID   `json:"tenant_id"`
	Date       string      `json:"date,omitempty"`
	Supplier   string      `json:"supplier,omitempty"`
	Buyer      string      `json:"buyer,omitempty"`
	Status     string      `json:"status"` // empty: never published
	Attempts   int         `json:"attempts"`
	Error      string      `json:"error,omitempty"`
	Published  *time.Time  `json:"published_at,omitempty"`
	Due        *time.Time  `json:"due_at,omitempty"`      // when a message for it is next due
	Lease      *time.Time  `json:"lease_until,omitempty"` // until when the claim of its worker holds
	Failed     *time.Time  `json:"failed_at,omitempty"`
	ClusterID  *uuid.UUID  `json:"cluster_id"`
	Cluster    []named     `json:"cluster,omitempty"` // its members
	Cites      []reference `json:"cites,omitempty"`
	Unreadable string      `json:"unreadable,omitempty"` // why its structured data cannot be read
	now        time.Time
	raw        score.Raw
	data       document.Data // as it came, not clean
}

type reference struct {
	Type   string `json:"type"`
	Number string `json:"number"`
}

// String returns the type in words, and the number.
func (r reference) String() string {
	return cmp.Or(strings.ReplaceAll(r.Type, "-", " "), "number") + " " + r.Number
}

// read reads a document that exists.
func (d *Reader) read(id uuid.UUID) (*documentState, error) {
	summaries, err1 := d.reports.Summaries(d.ctx, []uuid.UUID{id})
	raws, err2 := d.db.Raws(d.ctx, []uuid.UUID{id})
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if len(summaries) != 1 || len(raws) != 1 {
		return nil, Errorf("no document has the id %s", id)
	}
	times, err := d.reports.Times(d.ctx, id)
	if err != nil {
		return nil, err
	}
	s := summaries[0]
	doc := &documentState{named: name(s), TenantID: s.TenantID, Supplier: term.Clean(s.Supplier, term.MaxValue),
		Status: s.Status, Attempts: s.Attempts, Error: term.Clean(s.Error, term.MaxText), ClusterID: s.Cluster, raw: raws[0],
		Published: times.Published, Due: times.Due, Lease: times.Lease, Failed: times.Failed, now: times.Now}
	doc.parse()
	if s.Cluster == nil {
		return doc, nil
	}
	members, err := d.reports.Clustered(d.ctx, *s.Cluster)
	if err != nil {
		return nil, err
	}
	doc.Cluster, err = d.names(members)
	return doc, err
}

func (d *documentState) parse() {
	var err error
	if d.data, err = document.Parse([]byte(d.raw.Data)); err != nil {
		d.Unreadable = err.Error()
		if d.raw.Data == "" {
			d.Unreadable = fmt.Sprintf("there is none, or more than %d bytes of it", document.MaxBytes)
		}
		return
	}
	d.Date, d.Buyer = d.data.Date.String(), term.Clean(d.data.Buyer.Name, term.MaxValue)
	for _, r := range d.data.References {
		d.Cites = append(d.Cites, reference{term.Clean(r.Type, term.MaxValue), term.Clean(r.Number, term.MaxValue)})
	}
}

func name(s report.Summary) named { return named{s.ID, s.Type, term.Clean(s.Number, term.MaxValue)} }

// names reads the types and numbers of documents, in the order of ids.
func (d *Reader) names(ids []uuid.UUID) (list []named, err error) {
	summaries, err := d.reports.Summaries(d.ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if i := slices.IndexFunc(summaries, func(s report.Summary) bool { return s.ID == id }); i >= 0 {
			list = append(list, name(summaries[i]))
		}
	}
	return list, nil
}

// waits describes the next event that a document waits for; empty if it waits for none.
func (d *documentState) waits() string {
	switch {
	case d.Status == "in-progress" && d.Lease != nil:
		at, over := d.at(*d.Lease)
		if over {
			return "for the next delivery, or the sweep, to take it over: its worker's claim ended " + at
		}
		return "for its worker, whose claim holds until " + at
	case d.Status == "pending" && d.Due != nil:
		at, over := d.at(*d.Due)
		if over {
			return "for its message, due " + at + "; if that got lost, the sweep publishes it again"
		}
		return "for its message, due " + at
	case d.Status == "failed" && d.Failed != nil:
		at, _ := d.at(*d.Failed)
		return "for a person to repair the cause and publish it: it failed " + at
	}
	return ""
}

// at returns a moment with its distance from now, and whether it has passed.
func (d *documentState) at(t time.Time) (text string, over bool) {
	text, away := t.UTC().Format("2006-01-02 15:04:05Z"), d.now.Sub(t).Round(time.Second)
	if away >= 0 {
		return fmt.Sprintf("%s (%s ago)", text, away), true
	}
	return fmt.Sprintf("%s (in %s)", text, -away), false
}

// unmatched describes a document that was not matched; empty if it was.
func (d *documentState) unmatched() string {
	switch d.Status {
	case "succeeded":
		return ""
	case "":
		return "It was never published for matching."
	case "failed":
		return fmt.Sprintf("Matching it failed, %s: %s", attempts(d.Attempts), orNone(d.Error))
	}
	return fmt.Sprintf("It is not matched yet: it is %s.", d.Status)
}

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func orNone(s string) string { return cmp.Or(s, "-") }
