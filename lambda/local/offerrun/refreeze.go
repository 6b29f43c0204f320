package offerrun

import (
	"context"
	"errors"
	"strings"

	"matchbook/lambda/cli/offerset"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/report"
)

// Refreeze gives each job another roster, with the profile of its user as it is now.
type Refreeze struct {
	Wanted     bool
	By, Reason string
}

// Check returns an error unless the reason is given, and the jobs one by one.
func (f Refreeze) Check(byFlag bool) error {
	switch {
	case byFlag:
		return errors.New("--refreeze needs JOB IDs")
	case strings.TrimSpace(f.Reason) == "":
		return errors.New("--refreeze needs --reason")
	}
	return nil
}

// Requeue refreezes the jobs, and publishes them.
func (f Refreeze) Requeue(
	ctx context.Context, j Jobs, db *postgres.DB, queue job.Sender, _ *term.Meter,
) (*Requeued, error) {
	r := &Requeued{Kept: []Kept{}, refreezes: true}
	found, err := report.From(db).OfferJobs(ctx, j.IDs)
	if err != nil {
		return nil, err
	}
	status := map[string]string{}
	for _, known := range found {
		status[known.ID.String()] = known.Status
	}
	for _, id := range j.IDs {
		if status[id.String()] == "" {
			return nil, offerset.NoJob(id)
		}
	}
	for _, id := range j.IDs {
		stamped, err := offers.New(db).Refreeze(ctx, id, postgres.Action{By: f.By, Reason: f.Reason})
		var refused offers.Refused
		switch {
		case errors.As(err, &refused):
			r.Kept = append(r.Kept, Kept{id, status[id.String()], string(refused)})
			continue
		case err != nil:
			return r, err
		}
		unsent, err := queue.Send(ctx, stamped)
		r.Published, r.Unsent = r.Published+len(stamped)-len(unsent), r.Unsent+len(unsent)
		if err != nil {
			r.Refused = err
		}
	}
	return r, nil
}
