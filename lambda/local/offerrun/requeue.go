package offerrun

import (
	"context"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/cli/offerset"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Jobs selects jobs: by id, or the failed ones of a date, a tenant, or both.
type Jobs struct {
	IDs    []uuid.UUID
	Date   *day.Date
	Tenant *uuid.UUID
}

// ParseJobs parses a selection from arguments and flags. Empty flags are ignored.
func ParseJobs(ids []string, date, tenant string) (j Jobs, err error) {
	for _, s := range ids {
		id, err := document.ParseID(s)
		if err != nil {
			return j, fmt.Errorf("invalid job id %.50q: %w", s, err)
		}
		j.IDs = append(j.IDs, id)
	}
	if tenant != "" {
		id, err := document.ParseID(tenant)
		if err != nil {
			return j, fmt.Errorf("--tenant: invalid id %.50q: %w", tenant, err)
		}
		j.Tenant = &id
	}
	if date != "" {
		d, err := day.Parse(date)
		if err != nil {
			return j, fmt.Errorf("--date: %w", err)
		}
		j.Date = &d
	}
	return j, nil
}

// Requeued is the result for the selected jobs.
type Requeued struct {
	Published int    `json:"published"`
	Unsent    int    `json:"unsent"`     // pending without a message; the sweep sends it
	Skipped   int    `json:"skipped"`    // changed since the selection
	Left      int    `json:"left"`       // not reached
	Kept      []Kept `json:"left_alone"` // selected by id, but not failed
	Refused   error  `json:"-"`          // the queue's error, after which the run stopped
	refreezes bool
}

// Kept is a job left alone.
type Kept struct {
	Job    uuid.UUID `json:"job_id"`
	Status string    `json:"status"`
	Reason string    `json:"reason"`
}

// Requeue publishes the failed jobs of the selection again. Completed and skipped jobs stay as
// they are, and pending or running ones already have a message.
func (j Jobs) Requeue(ctx context.Context, db *postgres.DB, queue job.Sender, m *term.Meter) (*Requeued, error) {
	failed, kept, err := j.failed(ctx, report.From(db))
	if err != nil {
		return nil, err
	}
	r := &Requeued{Kept: kept}
	if len(failed) == 0 {
		return r, nil
	}
	done, err := republish.Publish(ctx, db, postgres.Tables[manifest.Offer.Name], queue, postgres.FailedFilter{IDs: failed}, m)
	if done != nil {
		r.Published, r.Unsent, r.Left, r.Refused = done.Published, done.Unsent, done.Left, done.Refused
		r.Skipped = len(failed) - done.Published - done.Unsent - done.Left
	}
	return r, err
}

// failed finds the failed jobs of the selection, and the jobs to leave alone.
func (j Jobs) failed(ctx context.Context, reports report.Reader) (ids []uuid.UUID, kept []Kept, err error) {
	kept = []Kept{}
	if j.IDs == nil {
		var date *time.Time
		if j.Date != nil {
			t := j.Date.Time()
			date = &t
		}
		ids, err = reports.FailedOffers(ctx, date, j.Tenant)
		return ids, kept, err
	}
	found, err := reports.OfferJobs(ctx, j.IDs)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range j.IDs {
		i := slices.IndexFunc(found, func(f report.OfferJob) bool { return f.ID == id })
		switch {
		case i < 0:
			return nil, nil, offerset.NoJob(id)
		case found[i].Status == "failed":
			ids = append(ids, id)
		default:
			kept = append(kept, Kept{id, found[i].Status, whyKept(found[i])})
		}
	}
	return ids, kept, nil
}

func whyKept(j report.OfferJob) string {
	switch j.Status {
	case "completed":
		return "its set stays as offered"
	case "skipped":
		return "skipped dates are not made up for: " + term.Clean(j.Error, term.MaxText)
	case "running":
		return "a worker is running it"
	}
	return "waiting for its message; the sweep sends it again if it got lost"
}

// Text returns the report for people.
func (r *Requeued) Text() string {
	var p term.Page
	if r.refreezes {
		p.Line("jobs with rosters of their own: published %d, unsent %d", r.Published, r.Unsent)
	} else {
		p.Line("failed jobs: published %d, unsent %d, skipped %d, left %d", r.Published, r.Unsent, r.Skipped, r.Left)
		if r.Published+r.Unsent > 0 {
			p.Line("the roster of a date is frozen: a profile corrected since counts from the next date on, or with --refreeze")
		}
	}
	for _, k := range r.Kept {
		p.Hang(fmt.Sprintf("left alone %s, %s: ", k.Job, k.Status), k.Reason)
	}
	return p.String()
}
