// Package offerset shows the set of match offers of a user and a date, and computes it again from
// the date's roster, with a reason for each candidate. All texts in its reports are clean.
package offerset

import (
	"encoding/json"
	"fmt"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// UserSet is the job of a user.
type UserSet struct {
	Job       uuid.UUID  `json:"job_id"`
	User      uuid.UUID  `json:"user_id"`
	Name      string     `json:"name,omitempty"`
	Zone      string     `json:"timezone"`
	OfferedAt time.Time  `json:"offered_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	Status    string     `json:"status"`
	Error     string     `json:"error,omitempty"`
	Offers    []UserPick `json:"offers"`
}

// UserPick is an offered candidate.
type UserPick struct {
	ranking.Offer
	Name string `json:"name,omitempty"`
}

// Of returns the stored set of a job with the candidates' names, and an error if it is invalid.
func Of(j report.OfferJob, names map[uuid.UUID]string) (UserSet, error) {
	s := UserSet{Job: j.ID, User: j.User, Name: term.Clean(j.Name, term.MaxValue), Zone: term.Clean(j.Zone, term.MaxValue),
		OfferedAt: j.OfferedAt.UTC(), ExpiresAt: j.ExpiresAt.UTC(), Status: j.Status, Error: term.Clean(j.Error, term.MaxText),
		Offers: []UserPick{}}
	offers, err := Offers(j)
	for _, o := range offers {
		s.Offers = append(s.Offers, UserPick{o, names[o.Candidate]})
	}
	return s, err
}

// Offers returns the set of a job, or nil.
func Offers(j report.OfferJob) (offers []ranking.Offer, err error) {
	if j.Offers != nil {
		err = json.Unmarshal(j.Offers, &offers)
	}
	return offers, err
}

// NoJob returns the error for an unknown job id. Use errors.Is with job.ErrNotFound.
func NoJob(id uuid.UUID) error { return fmt.Errorf("%w: job %s", job.ErrNotFound, id) }
