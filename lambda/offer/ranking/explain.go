package ranking

import (
	"fmt"

	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// Explanation has a reason for each other user of the roster.
type Explanation struct {
	User       uuid.UUID
	Offers     []Offer     // as Index.Offers returns them
	Candidates []Candidate // in the user's order; then all others, by id
}

// Candidate is another user of the roster, with the reason for offering it or not.
type Candidate struct {
	ID      uuid.UUID
	Verdict Verdict
	Filter  string   // the first one that rules it out
	Reason  string   // a sentence for people
	Rank    int      // among the candidates that admit the user, from 1; otherwise 0
	Score   int      // 0 if it is filtered or meets the user on another day
	Terms   []Points // the parts of the score
}

// Verdict is the step that decides about a candidate.
type Verdict string

// The verdicts.
const (
	Offered     Verdict = "offered"
	Lower       Verdict = "lower"        // than the last one of the set
	NotAdmitted Verdict = "not admitted" // other users suit the candidate better
	Filtered    Verdict = "filtered"
	AnotherDay  Verdict = "another day"
	Unreadable  Verdict = "unreadable"
)

// Explain computes the set of a user again, with the reason for each candidate. It returns the
// same errors as Offers.
func (x *Index) Explain(id uuid.UUID) (Explanation, error) {
	at, err := x.find(id)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{User: id, Offers: []Offer{}}
	met, rank := map[int32]bool{at: true}, 0
	for c := range x.descending(at, x.algorithm.Terms) {
		met[c.user] = true
		if x.admits(c.user, at) {
			rank++
			e.Candidates = append(e.Candidates, x.admitting(at, c, rank))
		} else {
			e.Candidates = append(e.Candidates, x.refusing(at, c))
		}
		if rank > len(e.Offers) && rank <= x.algorithm.PerDay {
			last := e.Candidates[len(e.Candidates)-1]
			e.Offers = append(e.Offers, Offer{last.ID, last.Rank, last.Score, last.Terms})
		}
	}
	for c := range x.users {
		if !met[int32(c)] {
			e.Candidates = append(e.Candidates, x.out(&x.users[at], &x.users[c]))
		}
	}
	return e, nil
}

func (x *Index) admitting(at int32, c ranked, rank int) Candidate {
	found := x.candidate(at, c)
	found.Rank = rank
	found.Verdict, found.Reason = Offered, fmt.Sprintf("offered at rank %d", rank)
	if rank > x.algorithm.PerDay {
		found.Verdict = Lower
		found.Reason = fmt.Sprintf("rank %d of the candidates that admit the user; a set has %d", rank,
			x.algorithm.PerDay)
	}
	return found
}

func (x *Index) refusing(at int32, c ranked) Candidate {
	found, last := x.candidate(at, c), x.last(c.user)
	p := between(&x.users[c.user], &x.users[at])
	found.Verdict = NotAdmitted
	found.Reason = fmt.Sprintf(
		"admits only the %d users that suit it best; the last is %s with %d points, this user has %d",
		x.algorithm.Exposure, x.users[last.user].id, last.score, score(x.algorithm.Admits, p))
	return found
}

func (x *Index) candidate(at int32, c ranked) Candidate {
	p := between(&x.users[at], &x.users[c.user])
	return Candidate{ID: p.to.id, Score: c.score, Terms: x.algorithm.points(p)}
}

// out explains a candidate outside the user's order.
func (x *Index) out(u, c *user) Candidate {
	found := Candidate{ID: c.id}
	p := between(u, c)
	filter, direction := x.algorithm.fails(p)
	switch {
	case c.err != nil:
		found.Verdict, found.Reason = Unreadable, c.err.Error()
	case filter == nil:
		found.Verdict, found.Reason = AnotherDay, "the pair's next day is "+x.meeting(u, c).String()
	default:
		found.Verdict, found.Filter = Filtered, filter.Name
		found.Reason = fmt.Sprintf("filter %s: %s needs %s", filter.Name, direction, filter.Needs)
		if direction == theUser {
			p = p.turned()
		}
		if filter.found != nil {
			found.Reason += " (" + filter.found(p) + ")"
		}
	}
	return found
}

// meeting returns the first date on which two users meet, from the roster's date on.
func (x *Index) meeting(u, c *user) day.Date {
	wait := slot(u.hash, x.days) - meets(slot(c.hash, x.days), x.key.Date, x.days)
	return x.key.Date + day.Date((wait+x.days)%x.days)
}
