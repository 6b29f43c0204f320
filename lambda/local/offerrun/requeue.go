package offerrun

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// Jobs selects jobs: those with these ids, or the failed ones of a date, of a
// tenant, or of both.
type Jobs struct {
	IDs    []uuid.UUID
	Date   *day.Date
	Tenant *uuid.UUID
}

// ParseJobs reads a selection from arguments and flags. The flags may be empty.
func ParseJobs(ids []string, date, tenant string) (j Jobs, err error) {
	for _, s := range ids {
		id, err := document.ParseID(s)
		if err != nil {
			return j, fmt.Errorf("%.50q is not the id of a job: %w", s, err)
		}
		j.IDs = append(j.IDs, id)
	}
	if tenant != "" {
		id, err := document.ParseID(tenant)
		if err != nil {
			return j, fmt.Errorf("--tenant %.50q is %w", tenant, err)
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

// Requeued is the fate of the selected jobs.
type Requeued struct {
	Published int    `json:"published"`
	Unsent    int    `json:"unsent"`     // pending, without a message: the sweep sends it
	Skipped   int    `json:"skipped"`    // changed since they were selected
	Left      int    `json:"left"`       // not reached
	Kept      []Kept `json:"left_alone"` // named by their ids, and not failed
	Refused   error  `json:"-"`          // the queue's, which ended the run
}

// Kept is a job that is left alone.
type Kept struct {
	Job    uuid.UUID `json:"job_id"`
	Status string    `json:"status"`
	Reason string    `json:"reason"`
}

// Requeue publishes the selected jobs that failed. What is completed or skipped
// stays as it is, and what is pending or running has its message already.
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

// failed finds the failed jobs of the selection, and those that are left alone.
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
			return nil, nil, NoJob(id)
		case found[i].Status == "failed":
			ids = append(ids, id)
		default:
			kept = append(kept, Kept{id, found[i].Status, whyKept(found[i])})
		}
	}
	return ids, kept, nil
}

// NoJob is the error about an id that no job has.
func NoJob(id uuid.UUID) error { return fmt.Errorf("%w: there is no job %s", job.ErrNotFound, id) }

func whyKept(j report.OfferJob) string {
	switch j.Status {
	case "completed":
		return "its set stays as it was offered"
	case "skipped":
		return "a date that was skipped is not made up for: " + term.Clean(j.Error, term.MaxText)
	case "running":
		return "a worker has it"
	}
	return "it waits for its message, which the sweep sends again if it got lost"
}

// Text is the report for people.
func (r *Requeued) Text() string {
	var p term.Page
	p.Line("failed jobs: published %d, unsent %d, skipped %d, left %d", r.Published, r.Unsent, r.Skipped, r.Left)
	for _, k := range r.Kept {
		p.Hang(fmt.Sprintf("left alone %s, %s: ", k.Job, k.Status), k.Reason)
	}
	return p.String()
}
