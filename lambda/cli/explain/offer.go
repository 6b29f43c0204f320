package explain

import (
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

type offerJob struct {
	ID     uuid.UUID `json:"id"`
	Tenant uuid.UUID `json:"tenant_id"`
	User   uuid.UUID `json:"user_id"`
	Name   string    `json:"name,omitempty"`
	Date   day.Date  `json:"date"`
	Zone   string    `json:"timezone"`
	Due    time.Time `json:"offered_at"` // when the date is due
	State  string    `json:"job"`        // pending, running, completed, failed or skipped
	progress
	Tries tries `json:"tries,omitempty"`
}

// offerJob explains the job with this id. It returns nil for an unknown id.
func (d *Reader) offerJob(arg string) (Report, error) {
	id, err := document.ParseID(arg)
	if err != nil {
		return nil, nil //nolint:nilerr // a number of a document
	}
	found, err := d.reports.OfferJobs(d.ctx, []uuid.UUID{id})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return newOfferJob(found[0]), nil
}

func newOfferJob(j report.OfferJob) *offerJob {
	return &offerJob{ID: j.ID, Tenant: j.Tenant, User: j.User, Name: term.Clean(j.Name, term.MaxValue), Date: j.Date,
		Zone: term.Clean(j.Zone, term.MaxValue), Due: j.OfferedAt.UTC(), State: j.Status,
		progress: newProgress(j.Job, j.Attempts, j.Error, j.Times)}
}

// Text returns the state for people.
func (j *offerJob) Text() string {
	var b strings.Builder
	user := j.User.String()
	if j.Name != "" {
		user += " (" + j.Name + ")"
	}
	fmt.Fprintf(&b, "offers of %s for the user %s\n", j.Date, user)
	rows(&b, [][2]string{
		{"job", j.ID.String()}, {"tenant", j.Tenant.String()}, {"due", j.Due.Format("2006-01-02 15:04Z") + " in " + j.Zone},
		{"status", j.State + ", " + attempts(j.Attempts)}, {"error", j.Error}, {"waits", j.Waits()},
		{"do", strings.Join(j.do("matchbook offers requeue "+j.ID.String()), " ")},
		{"more", fmt.Sprintf("\"matchbook offers explain %s\" computes it again", j.ID)}})
	b.WriteString(j.Tries.text())
	return b.String()
}
