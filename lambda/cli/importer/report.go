package importer

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/failure"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Report counts the documents of an import by outcome.
type Report struct {
	Read        int              `json:"read"`
	Stored      int              `json:"stored"`
	Replaced    int              `json:"replaced"`
	Same        int              `json:"same"`    // already stored
	Changed     []Changed        `json:"changed"` // stored with other content, and left alone
	Sent        int              `json:"sent"`    // messages
	Unsent      int              `json:"unsent"`  // messages left to the sweep
	Left        int              `json:"left"`    // unreached documents
	Problems    []corpus.Problem `json:"problems"`
	Remarks     []corpus.Problem `json:"remarks"` // about accepted documents, such as unknown fields
	Skipped     corpus.Skipped   `json:"skipped"` // files by extension
	Interrupted bool             `json:"interrupted"`
	Seconds     float64          `json:"seconds"`
	PerSecond   float64          `json:"documents_per_second"`
	NewTenants  []uuid.UUID      `json:"new_tenants"` // tenants without documents before
	Refused     error            `json:"-"`           // error of the queue; it ended the run
	sends       bool
	empty       []uuid.UUID // tenants of the input without documents
}

// Changed is a document stored with other content.
type Changed struct {
	File string    `json:"file"`
	Line int       `json:"line"`
	ID   uuid.UUID `json:"id"`
}

func newReport(in *corpus.Input, sends bool) *Report {
	return &Report{Read: len(in.Documents), Left: len(in.Documents), Changed: []Changed{}, Problems: []corpus.Problem{},
		Remarks: append([]corpus.Problem{}, in.Remarks...), Skipped: in.Skipped, NewTenants: []uuid.UUID{}, sends: sends}
}

// readEmpty finds the tenants of the input without documents.
func (r *Report) readEmpty(ctx context.Context, db *postgres.DB, in *corpus.Input) (err error) {
	tenants := map[uuid.UUID]bool{}
	for _, d := range in.Documents {
		tenants[d.TenantID] = true
	}
	r.empty, err = report.From(db).WithoutDocuments(ctx, slices.Collect(maps.Keys(tenants)))
	return err
}

// noteNew notes the first document of a tenant.
func (r *Report) noteNew(tenant uuid.UUID) {
	if i := slices.Index(r.empty, tenant); i >= 0 {
		r.empty = slices.Delete(r.empty, i, i+1)
		r.NewTenants = append(r.NewTenants, tenant)
	}
}

// finish adds the problems found while reading, and the speed.
func (r *Report) finish(in *corpus.Input, took time.Duration) {
	r.Problems = append(in.Problems, r.Problems...)
	r.Seconds = math.Round(took.Seconds()*100) / 100
	if took > 0 {
		r.PerSecond = math.Round(float64(r.Read-r.Left) / took.Seconds())
	}
}

// Succeeded reports whether every document is stored with its content, and all messages are
// sent.
func (r *Report) Succeeded() bool {
	return len(r.Problems)+len(r.Changed)+r.Unsent+r.Left == 0 && r.Refused == nil
}

// Shown is the maximum number of entries per list of the text; the JSON has all.
const Shown = 20

// Text returns the report for people.
func (r *Report) Text() string {
	p := &term.Page{}
	for _, m := range r.Problems[:min(len(r.Problems), Shown)] {
		p.Line("MALFORMED %s: %s", term.Clean(m.Where(), term.MaxText), term.Clean(m.What, term.MaxText))
	}
	r.more(p, len(r.Problems))
	for _, c := range r.Changed[:min(len(r.Changed), Shown)] {
		at := corpus.Problem{File: c.File, Line: c.Line}
		p.Line("CHANGED   %s: document %s is stored with other content; use --replace", term.Clean(at.Where(), term.MaxText), c.ID)
	}
	r.more(p, len(r.Changed))
	for _, m := range r.Remarks[:min(len(r.Remarks), Shown)] {
		p.Line("CHECK     %s: %s", term.Clean(m.Where(), term.MaxText), term.Clean(m.What, term.MaxText))
	}
	r.more(p, len(r.Remarks))
	if len(r.Skipped) > 0 {
		p.Line("skipped files: %s", r.Skipped)
	}
	for _, id := range r.NewTenants[:min(len(r.NewTenants), Shown)] {
		p.Line("new tenant %s", id)
	}
	r.more(p, len(r.NewTenants))
	p.Line("read %d = stored %d + replaced %d + the same %d + changed %d + refused %d + left %d; malformed %d",
		r.Read, r.Stored, r.Replaced, r.Same, len(r.Changed), r.refused(), r.Left, len(r.Problems)-r.refused())
	p.Line("%.1f s, %.0f documents per second", r.Seconds, r.PerSecond)
	r.published(p)
	return p.String()
}

// refused returns the number of documents refused by the database.
func (r *Report) refused() int {
	return r.Read - r.Stored - r.Replaced - r.Same - len(r.Changed) - r.Left
}

func (r *Report) more(p *term.Page, all int) {
	if all > Shown {
		p.Line("... and %d more (--json lists them all)", all-Shown)
	}
}

// published prints the number of messages, and why the run ended early.
func (r *Report) published(p *term.Page) {
	switch {
	case r.Refused != nil:
		p.Line("stopped: %s", failure.Of(r.Refused).Text)
	case r.Interrupted:
		p.Line("interrupted: run the import again for the rest")
	}
	switch {
	case !r.sends && r.Stored+r.Replaced > 0:
		p.Line("missing %s, so the sweep publishes them, up to %d per minute", variable.MatchQueueURL, sweep.PerRun)
	case r.sends:
		p.Line("messages sent %d, left to the sweep %d", r.Sent, r.Unsent)
	}
}
