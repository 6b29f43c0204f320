package ranking

import (
	"cmp"
	"slices"

	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"
)

// seen is a candidate offered to a user lately: its index and the days since then, in the low
// byte.
type seen uint32

const daysBits = 8

func (u *user) see(shown []roster.Shown) {
	for _, s := range shown {
		for _, with := range s.Users {
			u.seen = append(u.seen, seen(with)<<daysBits|seen(min(s.Ago, 1<<daysBits-1)))
			u.shown.add(with)
		}
	}
	// The latest date of a candidate comes first, and counts.
	slices.Sort(u.seen)
	u.seen = slices.CompactFunc(u.seen, func(a, b seen) bool { return a>>daysBits == b>>daysBits })
}

// turn is 0 if the user wasn't offered the candidate lately. Otherwise it is the larger, the
// later that was.
func (p pair) turn(recent int) int {
	if !p.from.shown.has(p.to.index) {
		return 0
	}
	i, ok := slices.BinarySearchFunc(p.from.seen, p.to.index, func(s seen, with int32) int {
		return cmp.Compare(int32(s>>daysBits), with)
	})
	if !ok {
		return 0
	}
	return max(0, recent-int(p.from.seen[i]&(1<<daysBits-1)))
}

// lot orders pairs with equal scores. With a memory, the order is a circle that is entered at
// another point after each Recent dates, so that all pairs come in its beginning alike.
func (x *Index) lot(p pair) uint64 {
	if x.algorithm.Recent == 0 {
		return lot(p.from.hash, p.to.hash, x.key.Date)
	}
	return lot(p.from.hash, p.to.hash, 0) + uint64(int(x.key.Date)/x.algorithm.Recent)*golden
}

// Earlier returns the earlier dates with offers that count for a roster: on others its pairs
// don't meet.
func Earlier(k roster.Key, users int) (dates []day.Date) {
	a, ok := algorithm(k.Algorithm)
	if !ok {
		return nil
	}
	for ago := a.days(users); ago < a.Recent; ago += a.days(users) {
		dates = append(dates, k.Date-day.Date(ago))
	}
	return dates
}

// MeetsDaily reports whether pairs of a roster may meet on every date, because it is small.
func MeetsDaily(version, users int) bool {
	a, ok := algorithm(version)
	return ok && a.days(users) == 1
}
