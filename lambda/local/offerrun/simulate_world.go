package offerrun

import (
	"errors"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// world has the sets of a version so far. A user is a place in its roster.
type world struct {
	roster     roster.Roster
	places     map[uuid.UUID]int32
	sets       map[day.Date][][]int32 // by user
	met        map[[2]int32]bool      // users with a candidate
	offered    map[int]bool           // users with offers on any date
	unreadable map[int]bool
	shown      []int // by candidate
	sum        struct{ dates, offers, empty, mutual, exposure int }
}

func newWorld(r roster.Roster) *world {
	w := &world{roster: r, places: map[uuid.UUID]int32{}, sets: map[day.Date][][]int32{}, met: map[[2]int32]bool{},
		offered: map[int]bool{}, unreadable: map[int]bool{}, shown: make([]int, len(r.Rows))}
	for i, row := range r.Rows {
		w.places[row.ID] = int32(i)
	}
	return w
}

// pass composes the sets of the next date, which is so many days after the first one.
func (w *world) pass(date day.Date, days int) error {
	r := w.roster
	r.Date, r.Rows = date, slices.Clone(r.Rows)
	for i := range r.Rows {
		r.Rows[i].Active += day.Date(days)
	}
	for _, earlier := range ranking.Earlier(r.Key, len(r.Rows)) {
		for i, set := range w.sets[earlier] {
			if len(set) > 0 {
				shown := roster.Shown{Ago: int(date - earlier), Users: slices.Sorted(slices.Values(set))}
				r.Rows[i].Shown = append(r.Rows[i].Shown, shown)
			}
		}
	}
	x, err := ranking.New(r)
	if err != nil {
		return err
	}
	sets := make([][]int32, len(r.Rows))
	for i, row := range r.Rows {
		offers, err := x.Offers(row.ID)
		if bad := (*failure.Error)(nil); errors.As(err, &bad) && bad.Kind == failure.Permanent {
			w.unreadable[i] = true
		} else if err != nil {
			return err
		}
		for _, o := range offers {
			sets[i] = append(sets[i], w.places[o.Candidate])
		}
	}
	w.sets[date] = sets
	w.count(sets)
	return nil
}

func (w *world) count(sets [][]int32) {
	w.sum.dates += len(sets)
	shown := make([]int, len(sets))
	for u, set := range sets {
		w.sum.offers += len(set)
		if len(set) == 0 {
			w.sum.empty++
		} else {
			w.offered[u] = true
		}
		for _, c := range set {
			w.met[[2]int32{int32(u), c}] = true
			shown[c]++
			if slices.Contains(sets[c], int32(u)) {
				w.sum.mutual++
			}
		}
	}
	for c, n := range shown {
		w.shown[c] += n
		w.sum.exposure = max(w.sum.exposure, n)
	}
}

func (w *world) figures() Figures {
	n := w.sum
	return Figures{Version: w.roster.Algorithm, Unreadable: len(w.unreadable), Offers: n.offers,
		Offered: share(len(w.offered), len(w.shown)), Empty: share(n.empty, n.dates),
		Repeats: share(n.offers-len(w.met), n.offers), Mutual: share(n.mutual, n.offers),
		Exposure: n.exposure, Gini: ranking.Gini(w.shown)}
}
