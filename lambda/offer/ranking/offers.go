package ranking

import (
	"math"

	"github.com/google/uuid"
)

// Offers returns the set of a user, the best first. Its error is permanent: the user is not in
// the roster, or has an unreadable profile.
func (x *Index) Offers(id uuid.UUID) ([]Offer, error) {
	at, err := x.find(id)
	if err != nil {
		return nil, err
	}
	offers := make([]Offer, 0, x.algorithm.PerDay)
	for c := range x.descending(at, x.algorithm.Terms) {
		if !x.admits(c.user, at) {
			continue
		}
		p := between(&x.users[at], &x.users[c.user])
		offers = append(offers, Offer{p.to.id, len(offers) + 1, c.score, x.algorithm.points(p)})
		if len(offers) == cap(offers) {
			break
		}
	}
	return offers, nil
}

// admits reports whether a candidate admits a user: the user must be among the first ones in
// the candidate's order. The pair must pass all filters on its day.
func (x *Index) admits(candidate, u int32) bool {
	last := x.last(candidate)
	p := between(&x.users[candidate], &x.users[u])
	return !last.before(x.place(x.algorithm.Admits, p, u))
}

// last returns the last user a candidate admits. Concurrent callers find the same.
func (x *Index) last(candidate int32) *ranked {
	if known := x.admitted[candidate].Load(); known != nil {
		return known
	}
	last, n := ranked{score: math.MinInt}, 0 // behind all: there is room for more
	for r := range x.descending(candidate, x.algorithm.Admits) {
		if n++; n == x.algorithm.Exposure {
			last = r
			break
		}
	}
	x.admitted[candidate].Store(&last)
	return &last
}
