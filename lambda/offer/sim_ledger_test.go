package offer_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

// ledger notes what the workers commit, and examines each date when it is over.
type ledger struct {
	marks   [][]mark               // what became of each user's dates, from the first one
	digests map[uuid.UUID][32]byte // of the sets of sampled dates, as they were committed
	recent  []map[int][]int        // of the dates before: candidates by user, the latest last
}

// mark is what became of a date of a user.
type mark byte

const (
	none      mark = iota
	committed      // and not examined yet
	ended
	skipped
)

// lean returns the set without its points, which would fill the memory.
func lean(set offer.Set) offer.Set {
	set.Offers = slices.Clone(set.Offers)
	for i := range set.Offers {
		set.Offers[i].Terms = nil
	}
	return set
}

// completed notes a set that was committed.
func (s *simulation) completed(set offer.Set) {
	m := s.mark(s.numbers[set.User], set.Date)
	if *m != none {
		s.broken("a second set of %s for %s was committed", set.Date, set.User)
	}
	*m = committed
	if s.sampled(set.Date) {
		s.digests[set.ID] = digest(set.Offers)
	}
}

func (s *simulation) sampled(date day.Date) bool { return date%day.Date(s.checked) == 0 }

func digest(offers []ranking.Offer) [32]byte {
	text, err := json.Marshal(offers)
	if err != nil {
		panic(err) // it is made of numbers and ids
	}
	return sha256.Sum256(text)
}

// mark returns the place of a user's date. The first dates are due before the
// simulation begins.
func (s *simulation) mark(n int, date day.Date) *mark {
	for len(s.marks) <= n {
		s.marks = append(s.marks, make([]mark, s.Days+8))
	}
	return &s.marks[n][date-s.From+4]
}

// close examines a date that is over, and forgets it.
func (s *simulation) close(date day.Date) {
	shown, sets := map[int]int{}, map[int][]int{}
	jobs := s.store.Jobs(s.tenant, date)
	for _, j := range jobs {
		n := s.numbers[j.User]
		s.examine(j, n)
		if j.Status == job.StatusSucceeded {
			sets[n] = s.set(j, n)
			for _, c := range sets[n] {
				shown[c]++
			}
		}
	}
	for c, n := range shown {
		if n > s.limits[date] {
			s.broken("%s was shown %d times on %s", s.people[c].ID, n, date)
		}
	}
	s.again(date, jobs)
	if s.recent = append(s.recent, sets); len(s.recent) == ranking.Versions()[0].Days {
		s.recent = s.recent[1:]
	}
	s.store.Forget(s.tenant, date)
}

// examine counts a job by its state.
func (s *simulation) examine(j *fakeJob, n int) {
	m := s.mark(n, j.Date)
	before := *m
	if *m = ended; (j.Status == job.StatusSucceeded) != (before == committed) {
		s.broken("%s of %s is %s, and that a set was committed is %t", j.Date, j.User, j.Status, before == committed)
	}
	switch j.Status {
	case job.StatusSucceeded:
		s.count("sets", 1)
		if j.EndedAt.Sub(j.OfferedAt) > time.Hour {
			s.count("late", 1)
		}
	case job.StatusCancelled:
		s.count("skipped", 1)
		*m = skipped
		if age := j.CreatedAt.Sub(j.OfferedAt); age < offer.CatchUp-mostSkew {
			s.broken("%s of %s was skipped only %s after nine", j.Date, j.User, age)
		}
	case job.StatusFailed:
		s.count("failed", 1)
		if !theirFault(j) {
			s.broken("%s of %s failed: %q", j.Date, j.User, j.Error)
		}
	default:
		s.broken("%s of %s is %s after %d days", j.Date, j.User, j.Status, over)
	}
}

// theirFault reports whether a job failed because of what the user wrote.
func theirFault(j *fakeJob) bool { return strings.Contains(j.Error, "cannot be read") }

// set returns the candidates of a set. None was offered on the dates before.
func (s *simulation) set(j *fakeJob, n int) []int {
	list := make([]int, 0, len(j.Offers))
	for i, o := range j.Offers {
		c := s.numbers[o.Candidate]
		if o.Rank != i+1 || c == n || slices.Contains(list, c) {
			s.broken("the set of %s for %s is malformed at rank %d", j.Date, j.User, i+1)
		}
		for ago, sets := range s.recent {
			if slices.Contains(sets[n], c) {
				s.broken("%s is offered %s on %s, and was %d days before", j.User, o.Candidate, j.Date, len(s.recent)-ago)
			}
		}
		list = append(list, c)
	}
	s.count("offers", len(list))
	return list
}

// again computes the sets of a sampled date from its roster, and compares them with
// what was committed.
func (s *simulation) again(date day.Date, jobs []*fakeJob) {
	frozen, err := s.store.Roster(context.Background(), s.tenant, date)
	if err != nil || !s.sampled(date) {
		return // no roster: all were skipped
	}
	thawed, err := frozen.Thaw()
	if err != nil {
		s.broken("the roster of %s: %v", date, err)
		return
	}
	index, err := ranking.New(thawed)
	if err != nil {
		s.broken("the roster of %s: %v", date, err)
		return
	}
	for _, j := range jobs {
		if j.Status != job.StatusSucceeded {
			continue
		}
		s.count("computed again", 1)
		offers, err := index.Offers(j.User)
		if err != nil || digest(offers) != s.digests[j.ID] || j.Digest != frozen.Digest {
			s.broken("the set of %s for %s is not that of its roster", date, j.User)
		}
		delete(s.digests, j.ID)
	}
}
