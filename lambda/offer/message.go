package offer

import (
	"encoding/json"
	"time"

	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

type message struct {
	Job       uuid.UUID  `json:"job"`
	Tenant    uuid.UUID  `json:"tenant"`
	Date      day.Date   `json:"date"`
	Zone      string     `json:"timezone"`
	User      uuid.UUID  `json:"user"`
	Algorithm int        `json:"algorithm_version"`
	OfferedAt time.Time  `json:"offered_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	Offers    []position `json:"offers"`
}

type position struct {
	ID        uuid.UUID `json:"id"`
	Candidate uuid.UUID `json:"candidate_id"`
	Rank      int       `json:"rank"`
	Score     int       `json:"score"`
}

// Message returns the JSON for a receiver. The same set gives the same bytes.
func (s Set) Message() []byte {
	m := message{Job: s.ID, Tenant: s.Tenant, Date: s.Date, Zone: s.Zone, User: s.User, Algorithm: s.Algorithm,
		OfferedAt: s.OfferedAt.UTC(), ExpiresAt: s.ExpiresAt.UTC(), Offers: make([]position, len(s.Offers))}
	for i, o := range s.Offers {
		m.Offers[i] = position{ID: ID(s.Date, s.User, o.Candidate), Candidate: o.Candidate, Rank: o.Rank,
			Score: o.Score}
	}
	text, _ := json.Marshal(m) // texts, numbers and times of four-digit years can be encoded
	return text
}
