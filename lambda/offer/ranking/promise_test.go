package ranking

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

func TestMeetsOnceInSevenDates(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		a, b := random.Uint64(), random.Uint64()
		last := day.Date(-100)
		for d := day.Date(-30); d < 700; d++ {
			days := versions[0].days(random.IntN(200_000)) // it changes every day
			if slot(b, days) != meets(slot(a, days), d, days) {
				continue
			}
			if slot(a, days) != meets(slot(b, days), d, days) {
				t.Fatalf("seed %d: on %s only one of two users meets the other", seed, d)
			}
			if d-last < 7 {
				t.Fatalf("seed %d: two users meet on %s and on %s", seed, last, d)
			}
			last = d
		}
	}
}

func TestSmallRosterMeetsWeekly(t *testing.T) {
	t.Parallel()
	for a := range uint64(7) {
		for b := range uint64(7) {
			met := 0
			for d := day.Date(20_000); d < 20_000+70; d++ {
				if slot(b, 7) == meets(slot(a, 7), d, 7) {
					met++
				}
			}
			if met != 10 {
				t.Errorf("slots %d and %d meet on %d of 70 dates", a, b, met)
			}
		}
	}
}

// FNV-1a of known bytes: it may never change.
func TestHashIsFNV(t *testing.T) {
	t.Parallel()
	if got := hash(uuid.UUID{}); got != 0x88201fb960ff6465 {
		t.Errorf("the hash of sixteen zeros is %x", got)
	}
}

func TestSlotsAreEven(t *testing.T) {
	t.Parallel()
	var counts [7]int
	for i := range uint64(70_000) {
		var id uuid.UUID // neighbouring ids, as some generators make
		binary.BigEndian.PutUint64(id[8:], i)
		counts[slot(hash(id), 7)]++
	}
	for s, n := range counts {
		if n < 9_500 || n > 10_500 {
			t.Errorf("slot %d has %d of 70,000 users", s, n)
		}
	}
}

func TestExposureLimit(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for name, shape := range worlds {
		w := newWorld(seed)
		shape(w)
		x := must.Get(prepare(small(10, 4000, 12), w.roster(testenv.Size(400, 10_000))))(t)
		most, offers := exposure(t, x)
		if most > 12 || offers == 0 {
			t.Errorf("seed %d: %s: a candidate is shown %d times, of %d offers", seed, name, most, offers)
		}
	}
}

// exposure computes all sets, and returns how often one candidate is shown at most.
func exposure(t *testing.T, x *Index) (most, offers int) {
	t.Helper()
	shown := map[uuid.UUID]int{}
	for i := range x.users {
		if x.users[i].err != nil {
			continue
		}
		set := must.Get(x.Offers(x.users[i].id))(t)
		offers += len(set)
		for _, o := range set {
			shown[o.Candidate]++
			most = max(most, shown[o.Candidate])
		}
	}
	return most, offers
}

// Were equal scores in the order of the ids, all would admit the same thirty.
func TestAlikeUsersServedAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(rand.Uint64())
	worlds["all alike"](w)
	x := index(t, w.roster(700))
	most, offers := exposure(t, x)
	if offers < 6_900 || most > versions[0].Exposure {
		t.Errorf("700 users have %d offers, one candidate %d times; want full sets of ten", offers, most)
	}
}
