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
	Yielded     Verdict = "yielded"      // to a candidate that is shown less often
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
	met, ranks := map[int32]bool{at: true}, map[int32]int{}
	last := behindAll
	for i, c := range x.set(at) {
		ranks[c.user], last = i+1, c
	}
	rank, before := len(ranks), ranked{turn: notYet}
	if rank < x.algorithm.PerDay {
		last = behindAll
	}
	for c := range x.descending(at, x.algorithm.Terms) {
		met[c.user] = true
		switch {
		case ranks[c.user] > 0:
			found := x.admitting(at, c, ranks[c.user])
			e.Candidates = append(e.Candidates, found)
			e.Offers = append(e.Offers, Offer{found.ID, found.Rank, found.Score, found.Terms})
		case !x.admits(at, c):
			e.Candidates = append(e.Candidates, x.refusing(at, c))
		case c.before(last):
			e.Candidates = append(e.Candidates, x.yielding(at, c))
		default:
			rank++
			e.Candidates = append(e.Candidates, x.admitting(at, c, rank))
		}
		e.Candidates[len(e.Candidates)-1].Reason += tie(before, c)
		before = c
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
	found.Reason += x.lately(c)
	return found
}

// lately gives the reason for a candidate that comes after others: it was offered before.
func (x *Index) lately(c ranked) string {
	if c.turn == 0 {
		return ""
	}
	return fmt.Sprintf("; offered %d days ago, so others come first", x.algorithm.Recent-c.turn)
}

// admits reports whether a candidate admits a user, who needs no further one if the set is full.
func (x *Index) admits(at int32, c ranked) bool {
	own, a := x.asked(c.user, at), x.admission(c.user)
	return !a.last.before(own) || x.algorithm.Settles && len(x.sets[at]) < x.algorithm.PerDay && !a.filling.before(own)
}

// yielding explains a candidate that others take the place of.
func (x *Index) yielding(at int32, c ranked) Candidate {
	found := x.candidate(at, c)
	found.Verdict = Yielded
	found.Reason = fmt.Sprintf("shown to %d users on the date; candidates shown less often come instead", x.shown[c.user])
	if len(x.sets[at]) < x.algorithm.PerDay {
		found.Reason = fmt.Sprintf("shown to %d users on the date already", x.shown[c.user])
	}
	return found
}

func (x *Index) refusing(at int32, c ranked) Candidate {
	found, own := x.candidate(at, c), x.asked(c.user, at)
	limit, last := x.algorithm.Exposure, x.admission(c.user).last
	if x.algorithm.Settles {
		limit = x.algorithm.usual()
	}
	found.Verdict = NotAdmitted
	found.Reason = fmt.Sprintf(
		"admits only the %d users that suit it best; the last is %s with %d points, this user has %d%s",
		limit, x.users[last.user].id, last.score, own.score, x.unequal(own, last))
	return found
}

// notYet is the turn of no candidate.
const notYet = -1

// tie gives the reason why a candidate comes after one with as many points.
func tie(before, c ranked) string {
	switch {
	case before.turn != c.turn || before.score != c.score:
		return ""
	case before.lot != c.lot:
		return "; after the one before by lot, since the points are equal"
	}
	return "; after the one before in the order of the ids, since points and lot are equal"
}

// unequal says why a user with as many points, or more, comes later.
func (x *Index) unequal(own, last ranked) string {
	switch {
	case own.turn > last.turn:
		return fmt.Sprintf("; it was offered to this user %d days ago, so others come first", x.algorithm.Recent-own.turn)
	case own.score == last.score && own.lot != last.lot:
		return "; by lot, since the points are equal"
	case own.score == last.score:
		return "; in the order of the ids, since points and lot are equal"
	}
	return ""
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
