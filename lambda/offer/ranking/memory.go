package ranking

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Effects of answers in version 4. Each falls day by day to nothing.
const (
	afterDecline = 500 // points less for a candidate that the user declined
	afterMatch   = 250 // for one that the user accepted or met
	remembered   = 365 // days
	forWelcome   = 50  // points more for a candidate, for each user who accepted or met it
	mostWelcome  = 200
	welcomeDays  = 90
	forReport    = 200 // points less, for each user who reported it
	mostReports  = 1000
)

// memory has the answers of two users about each other, as one of them sees it.
type memory struct {
	with    int32    // index of the other
	blocked bool     // by either
	matched bool     // by either, lately
	rests   day.Date // the first date on which the pair may meet again
	less    int      // points
}

// recall sorts the answers of a roster to the users they are about. rest is in days.
func (x *Index) recall(rows []roster.Row, rest int) {
	for i, row := range rows {
		welcome, reports := map[int32]int{}, map[int32]int{}
		for _, past := range row.Past {
			with, known := x.position(past.With)
			if !known || with == int32(i) {
				continue
			}
			ago := max(0, int(x.key.Date-past.On))
			x.remember(int32(i), with, past, rest, falling(past, ago))
			switch past.Answer {
			case roster.Accepted, roster.Met:
				welcome[with] = max(welcome[with], fall(forWelcome, ago, welcomeDays))
			case roster.Reported:
				reports[with] = max(reports[with], fall(forReport, ago, remembered))
			}
		}
		for c, points := range welcome {
			x.users[c].welcome += points
		}
		for c, points := range reports {
			x.users[c].reports += points
		}
	}
	for i := range x.users {
		x.users[i].conclude()
	}
}

func fall(points, ago, days int) int { return points * max(0, days-ago) / days }

// falling returns the points that a user's answer takes from the other.
func falling(p roster.Past, ago int) int {
	switch p.Answer {
	case roster.Declined:
		return fall(afterDecline, ago, remembered)
	case roster.Accepted, roster.Met:
		return fall(afterMatch, ago, remembered)
	}
	return 0
}

func (x *Index) remember(from, with int32, past roster.Past, rest, less int) {
	m := memory{blocked: past.Answer == roster.Blocked || past.Answer == roster.Reported}
	if !m.blocked {
		m.rests = past.On + day.Date(rest)
		m.matched = past.Answer != roster.Declined && m.rests > x.key.Date
	}
	m.with = from
	x.users[with].past = append(x.users[with].past, m)
	m.with, m.less = with, less
	x.users[from].past = append(x.users[from].past, m)
}

// conclude joins what is known about each other user, and counts the matches that take a place.
func (u *user) conclude() {
	slices.SortFunc(u.past, func(a, b memory) int { return cmp.Compare(a.with, b.with) })
	joined := u.past[:0]
	for _, m := range u.past {
		last := len(joined) - 1
		if last < 0 || joined[last].with != m.with {
			joined = append(joined, m)
			continue
		}
		j := &joined[last]
		j.blocked, j.matched = j.blocked || m.blocked, j.matched || m.matched
		j.rests, j.less = max(j.rests, m.rests), max(j.less, m.less)
	}
	u.past = joined
	for _, m := range u.past {
		u.known.add(m.with)
		if m.matched {
			u.matches++
		}
	}
	u.standing = min(u.welcome, mostWelcome) - min(u.reports, mostReports)
}

func (x *Index) position(id uuid.UUID) (int32, bool) {
	i, ok := slices.BinarySearchFunc(x.users, id, func(u user, id uuid.UUID) int {
		return bytes.Compare(u.id[:], id[:])
	})
	return int32(i), ok
}

// about returns the answers of a user and another one about each other. It is asked for each
// pair, and slices.BinarySearchFunc would copy each memory that it compares.
func (u *user) about(other *user) memory {
	if !u.known.has(other.index) {
		return memory{}
	}
	from, to := 0, len(u.past)
	for from < to {
		if middle := (from + to) / 2; u.past[middle].with < other.index {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if from == len(u.past) || u.past[from].with != other.index {
		return memory{}
	}
	return u.past[from]
}

func unblocked(p pair) bool { return !p.from.about(p.to).blocked }

func rested(p pair) bool {
	return !p.from.known.has(p.to.index) || p.from.about(p.to).rests <= p.from.date
}

func restUntil(p pair) string {
	return "it rests until " + p.from.about(p.to).rests.String() + " because of an answer"
}

func grownUp(p pair) bool { return p.to.age >= p.to.leastAge }

func ageAndMinimum(p pair) string {
	if p.to.age == 0 {
		return fmt.Sprintf("unknown; the tenant's minimum is %d", p.to.leastAge)
	}
	return fmt.Sprintf("%d; the tenant's minimum is %d", p.to.age, p.to.leastAge)
}

func hasRoom(p pair) bool { return p.to.wants.capacity == 0 || p.to.matches < p.to.wants.capacity }

func matchesAndCapacity(p pair) string {
	return fmt.Sprintf("%d now; the capacity is %d", p.to.matches, p.to.wants.capacity)
}

// past takes points from a candidate for the user's answers.
func past(p pair) int { return -p.from.about(p.to).less }

func mostPast(*user, bounds) int { return 0 }

// standing gives a candidate points for the answers of others, or takes them.
func standing(p pair) int { return p.to.standing }

func mostStanding(_ *user, in bounds) int { return in.standing }
