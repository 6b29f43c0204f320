// Package offer composes the daily match offers of users in any time zone. A job is the row of
// one user and one date. A set is the result of a job, and a function of the roster of the
// date alone.
//
// Scheduler queues the jobs of a date and freezes its roster, and Offerer composes the set of
// a job. Use a Cache as the Rankings of an Offerer, as function/offer does: it reads each roster
// once for all jobs of an instance.
package offer

import (
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Job is a user and a date.
type Job struct {
	ID        uuid.UUID
	Tenant    uuid.UUID
	User      uuid.UUID
	Date      day.Date  // of the user's calendar
	Zone      string    // of the user when the job was queued
	Digest    [32]byte  // of the roster
	Algorithm int       // version
	OfferedAt time.Time // when the date is due, in UTC
	ExpiresAt time.Time // when the next date is due
}

// Set is a job's result.
type Set struct {
	Job
	Offers []ranking.Offer
}

// Completed is the result of an attempt.
type Completed struct {
	Fence job.Attempt
	Set
}

// Record is a job as stored, with its set once it is completed.
type Record struct {
	Set
	Status      string // pending, running, completed, failed or skipped
	Error       string // why it failed, was skipped or is retried
	Retries     int
	StartedAt   time.Time // of the latest attempt
	CompletedAt time.Time // or failed, or skipped
}

// Store reads jobs and rosters, and commits sets.
type Store interface {
	// Job returns a claimed job, or job.ErrFenceLost if the fence doesn't hold.
	Job(ctx context.Context, f job.Attempt) (Job, error)
	// RosterOf returns the roster of a job, by its digest, or the first one of its date if the
	// digest is unknown. It returns job.ErrNotFound if the date has none.
	RosterOf(ctx context.Context, j Job) (roster.Frozen, error)
	// Complete commits sets, their offers, their places in the outbox if deliver is true, and
	// success, fenced and in one transaction. It returns the fences that held. The function
	// sends the sets after its batch (see setup/outbox.go, which starts notify/outbox); the
	// sweep sends the rest.
	Complete(ctx context.Context, sets []Completed, deliver bool) ([]job.Attempt, error)
}

// Rankings computes the offers of a job's set from the roster. See Cache.
type Rankings interface {
	Offers(ctx context.Context, j Job) ([]ranking.Offer, error)
}

// Offerer composes sets.
type Offerer struct {
	Store    Store
	Rankings Rankings
	Deliver  bool // send completed sets to a receiver
}

// attempt is the work on a job.
type attempt struct {
	*job.Task
	Completed
}

// Offer composes the sets of a batch of jobs, and commits them together. It is a job.Work.
func (o Offerer) Offer(ctx context.Context, batch []*job.Task) {
	jobs := make([]*attempt, len(batch))
	for i, t := range batch {
		jobs[i] = &attempt{t, Completed{Fence: t.Attempt}}
	}
	job.Waves(jobs, o.compose, func(jobs []*attempt) {
		job.Commit(ctx, jobs, func(ctx context.Context, jobs []*attempt) ([]job.Attempt, error) {
			sets := make([]Completed, len(jobs))
			for i, a := range jobs {
				sets[i] = a.Completed
			}
			held, err := o.Store.Complete(ctx, sets, o.Deliver)
			return held, failure.At("store the set", err)
		})
	})
}

func (o Offerer) compose(ctx context.Context, a *attempt) (err error) {
	if a.Job, err = o.Store.Job(ctx, a.Fence); err != nil {
		return failure.At("read the job", err)
	}
	a.Offers, err = o.Rankings.Offers(ctx, a.Job)
	return failure.At("rank the candidates", err)
}

// Namespaces of ids derived from their content, so that making one twice makes it once.
var (
	jobNamespace   = uuid.MustParse("6d61746b-6f62-4a00-8000-6d6174636801")
	offerNamespace = uuid.MustParse("6d61746b-6f66-4a00-8000-6d6174636802")
)

// JobID returns the id of the job of a user for a date.
func JobID(tenant uuid.UUID, date day.Date, zone string, user uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(jobNamespace, []byte(tenant.String()+":"+date.String()+":"+zone+":"+user.String()))
}

// ID returns the id of the offer of a candidate to a user for a date.
func ID(date day.Date, user, candidate uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(offerNamespace, []byte(date.String()+":"+user.String()+":"+candidate.String()))
}
