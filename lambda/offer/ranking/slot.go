package ranking

import (
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// hash is FNV-1a of an id, written out because it must never change.
func hash(id uuid.UUID) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range id {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

func slot(h uint64, days int) int { return int(h % uint64(days)) }

// meets returns the slot a user of the given slot looks into on a date. Two users meet when
// the sum of their slots is the date, modulo days: on one date in every days, the same for
// both.
func meets(slot int, date day.Date, days int) int {
	return ((int(date)-slot)%days + days) % days
}

// golden is the golden section of 2^64: its multiples are spread evenly over the circle.
const golden = 0x9e3779b97f4a7c15

// lot orders candidates with equal scores, differently on each date. Otherwise, in the order
// of ids, everyone would admit the same few.
func lot(a, b uint64, date day.Date) uint64 {
	h := (a ^ b) + uint64(date)*golden
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
