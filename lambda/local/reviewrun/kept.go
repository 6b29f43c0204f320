package reviewrun

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/job"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// keep chooses a folder for the private database of a run that a model is paid for. The same
// command finds it again, so that an interrupted run continues with the stored answers.
func (r *run) keep(o *Options, env setup.Env) error {
	if o.Database.Named || env(variable.Postgres) == "url" || r.source.Flags.Mode != scripted.ModeOpenAI {
		return nil
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n", r.source.Flags.Mode, env(variable.OpenAIBaseURL), r.playbook)
	for _, path := range r.files {
		f, err := os.Open(path)
		if err != nil {
			continue // its reader reports it
		}
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	r.kept = filepath.Join(filepath.Dir(database.Folder()), "reviews", fmt.Sprintf("%x", sum.Sum(nil)[:8]))
	o.Database.Keep = r.kept
	return nil
}

// end closes the run. It removes a kept database if all is done, otherwise it says where it is.
func (r *run) end(complete bool) error {
	err := errors.Join(r.Close(), r.pages.close())
	switch {
	case r.kept == "":
		return err
	case complete || len(r.reviews) == 0:
		return errors.Join(err, os.RemoveAll(r.kept))
	}
	r.Progress.Say("kept what was paid for in %s: run the same command to continue", r.kept)
	return err
}

// begin starts a review, or continues the one that an earlier run began.
func (r *run) begin(ctx context.Context, name, text string) (uuid.UUID, error) {
	starter := r.starter()
	q := review.Request{TenantID: r.tenant, Name: name, Text: text, Budget: r.budget, Playbook: r.playbook}
	q.ID = uuid.NewSHA1(r.tenant, fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s\x00%s", name, r.source.name, r.budget, r.playbook, text))
	j, err := reviews.New(r.Stack.DB).Job(ctx, q.ID)
	switch {
	case errors.Is(err, job.ErrNotFound):
		return starter.Start(ctx, q)
	case err != nil:
		return uuid.Nil, err
	case j.Status == record.Completed && r.kept != "":
		return q.ID, nil
	case j.Status == record.Completed || j.Status == record.Cancelled || j.Status == record.Cancelling:
		q.ID = uuid.Nil
		return starter.Start(ctx, q)
	}
	r.Progress.Say("continuing review %s after %d calls, USD %.4f", q.ID, j.Calls, j.Cost.Dollars())
	if !j.Status.Over() {
		return q.ID, nil // repaired at the start
	}
	stamped, err := reviews.New(r.Stack.DB).Retry(ctx, q.ID)
	if err != nil {
		return uuid.Nil, err
	}
	if unsent, err := r.Stack.Queue.Send(ctx, stamped); err != nil {
		return uuid.Nil, &job.PublishError{Unsent: unsent, Err: err}
	}
	return q.ID, nil
}

// repair publishes what a dead process left, at once instead of after its lease.
func (r *run) repair(ctx context.Context) error {
	n, err := r.Stack.Unfinished(ctx)
	if err != nil || n == 0 {
		return err
	}
	r.Progress.Say("%d unfinished parts of earlier runs are read, too", n)
	return r.Stack.Repair(ctx)
}

// wait waits for a delivery after a failure, as long as a deployed queue would: an outage of a
// minute must not use up all deliveries.
func (r *run) wait(ctx context.Context, d time.Duration) error {
	if d > 5*time.Second {
		r.Progress.Say("the next try is in %s; Ctrl-C keeps what was paid for", d.Round(time.Second))
	}
	return backoff.Sleep(ctx, d)
}
