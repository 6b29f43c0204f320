package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/memory"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

// ledger notes what the workers commit, and examines each date when it is over.
type ledger struct {
	*simulation
	marks   [][]state              // what became of each user's dates, from the first one
	digests map[uuid.UUID][32]byte // of the sets of sampled dates, as they were committed
	recent  []map[int][]int        // of the dates before: candidates by user, the latest last
}

// state is what became of a date of a user.
type state byte

const (
	none      state = iota
	committed       // and not examined yet
	completed
	skipped
	failed
	open
)

const (
	// late is the time after nine from which on a set is shown as late.
	late = time.Hour
)

// note returns the set without its points, which would fill the memory.
func (l *ledger) note(set offer.Set) offer.Set {
	lean := slices.Clone(set.Offers)
	for i := range lean {
		lean[i].Terms = nil
	}
	set.Offers = lean
	return set
}

// completed notes a set that was committed.
func (l *ledger) completed(set offer.Set) {
	m := l.mark(l.numbers[set.User], set.Date)
	if *m != none {
		l.broken("a second set of %s for %s was committed", set.Date, set.User)
	}
	*m = committed
	if set.Date%day.Date(l.checked) == 0 {
		l.digests[set.ID] = digest(set.Offers)
	}
}

func digest(offers []ranking.Offer) [32]byte {
	text, err := json.Marshal(offers)
	if err != nil {
		panic(err) // it is made of numbers and ids
	}
	return sha256.Sum256(text)
}

// close examines a date that is over, and forgets it.
func (l *ledger) close(date day.Date) {
	shown, sets := map[int]int{}, map[int][]int{}
	jobs := l.store.Jobs(l.tenant, date)
	for _, j := range jobs {
		n := l.numbers[j.User]
		l.examine(j, n)
		if j.Status == job.StatusSucceeded {
			sets[n] = l.set(j, n)
			for _, c := range sets[n] {
				shown[c]++
			}
		}
	}
	if l.Exposure.add(shown, l.limit(date)) {
		l.broken("a candidate was shown more often than %d times on %s", l.limit(date), date)
	}
	l.again(date, jobs)
	if l.recent = append(l.recent, sets); len(l.recent) == ranking.Versions()[0].Days {
		l.recent = l.recent[1:]
	}
	l.store.Forget(l.tenant, date)
}

func (l *ledger) limit(date day.Date) int {
	for _, a := range ranking.Versions() {
		if a.Version == l.versions[date] {
			return a.Exposure
		}
	}
	return 0
}

// mark returns the place of a user's date. The first dates are due before the
// simulation begins.
func (l *ledger) mark(person int, date day.Date) *state {
	for len(l.marks) <= person {
		l.marks = append(l.marks, make([]state, l.Days+8))
	}
	return &l.marks[person][date-day.Of(l.start)+4]
}

// examine counts a job by its state.
func (l *ledger) examine(j memory.Job, n int) {
	m, c := l.mark(n, j.Date), l.Heat.cell(j.Zone, j.Date)
	before := *m
	switch j.Status {
	case job.StatusSucceeded:
		l.Completed++
		*m = completed
		c.Offered++
		if j.EndedAt.Sub(j.OfferedAt) > late {
			l.Late++
			c.Late++
		}
		if before != committed {
			l.broken("the set of %s for %s is stored, and was not committed once", j.Date, j.User)
		}
	case job.StatusCancelled:
		l.Skipped++
		*m = skipped
		c.Skipped++
		if age := j.CreatedAt.Sub(j.OfferedAt); age < l.catchUp-mostSkew {
			l.broken("%s of %s was skipped only %s after nine", j.Date, j.User, age)
		}
	case job.StatusFailed:
		l.Failed++
		*m = failed
		c.Failed++
		if j.Error == "" {
			l.broken("%s of %s failed without a reason", j.Date, j.User)
		}
	default:
		*m = open
		l.broken("%s of %s is %s after %d days", j.Date, j.User, j.Status, over)
	}
	if j.Status != job.StatusSucceeded && before == committed {
		l.broken("the set of %s for %s was committed, and is gone", j.Date, j.User)
	}
}

// set returns the candidates of a set. None was offered on the dates before.
func (l *ledger) set(j memory.Job, n int) []int {
	list := make([]int, 0, len(j.Offers))
	for i, o := range j.Offers {
		c := l.numbers[o.Candidate]
		if o.Rank != i+1 || c == n || slices.Contains(list, c) {
			l.broken("the set of %s for %s is malformed at rank %d", j.Date, j.User, i+1)
		}
		for ago, sets := range l.recent {
			if slices.Contains(sets[n], c) {
				l.Repeated++
				l.broken("%s is offered %s on %s, and was %d days before", j.User, o.Candidate, j.Date,
					len(l.recent)-ago)
			}
		}
		list = append(list, c)
	}
	l.Offers += len(list)
	return list
}

// again computes the sets of a sampled date from its roster, and compares them with
// what was committed.
func (l *ledger) again(date day.Date, jobs []memory.Job) {
	if date%day.Date(l.checked) != 0 {
		return
	}
	frozen, err := l.store.Roster(context.Background(), l.tenant, date)
	if err != nil {
		return // no roster: all were skipped
	}
	index, err := thaw(frozen)
	if err != nil {
		l.broken("the roster of %s: %v", date, err)
		return
	}
	for _, j := range jobs {
		if j.Status != job.StatusSucceeded {
			continue
		}
		l.Recomputed++
		offers, err := index.Offers(j.User)
		if err != nil || digest(offers) != l.digests[j.ID] || j.Digest != frozen.Digest {
			l.broken("the set of %s for %s is not that of its roster", date, j.User)
		}
		delete(l.digests, j.ID)
	}
}
