package ranking

import (
	"slices"

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
	for _, c := range x.set(at) {
		p := between(&x.users[at], &x.users[c.user])
		offers = append(offers, Offer{p.to.id, len(offers) + 1, c.score, x.algorithm.points(p)})
	}
	return offers, nil
}

// set returns the best candidates that admit a user or, of a settled market, the user's set.
func (x *Index) set(u int32) (set []ranked) {
	if x.algorithm.Settles {
		x.settle(x.markets[slot(x.users[u].hash, x.days)])
		for _, c := range x.sets[u] {
			set = append(set, x.place(x.algorithm.Terms, between(&x.users[u], &x.users[c]), c))
		}
		slices.SortFunc(set, func(a, b ranked) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		return set
	}
	for c := range x.descending(u, x.algorithm.Terms) {
		if !x.admission(c.user).last.before(x.asked(c.user, u)) {
			set = append(set, c)
		}
		if len(set) == x.algorithm.PerDay {
			return set
		}
	}
	return set
}

// asked returns the place of a user in a candidate's order. The pair must pass all filters on
// its day.
func (x *Index) asked(candidate, u int32) ranked {
	return x.place(x.algorithm.Admits, between(&x.users[candidate], &x.users[u]), u)
}

// admission returns the last users that a candidate admits. Concurrent callers find the same.
func (x *Index) admission(candidate int32) *admission {
	if known := x.admitted[candidate].Load(); known != nil {
		return known
	}
	if x.algorithm.Settles {
		x.settle(x.markets[slot(x.users[candidate].hash, x.days)])
		return x.admitted[candidate].Load()
	}
	last, n := behindAll, 0 // there is room for more
	for r := range x.descending(candidate, x.algorithm.Admits) {
		if n++; n == x.algorithm.Exposure {
			last = r
			break
		}
	}
	found := &admission{last, last}
	x.admitted[candidate].Store(found)
	return found
}
