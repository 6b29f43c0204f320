package simulate

import (
	"slices"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Result counts what happened. A promise is broken if Broken is not 0.
type Result struct {
	Options
	// Jobs by their end.
	Completed int `json:"completed"`
	Late      int `json:"late"` // of the completed ones: more than an hour after nine
	Skipped   int `json:"skipped"`
	Failed    int `json:"failed"` // with the reason: profiles that cannot be read
	Offers    int `json:"offers"`
	Rosters   int `json:"rosters"`
	// What was done to them.
	Sent           int `json:"sent"`
	Twice          int `json:"delivered_twice"`
	Delayed        int `json:"delayed"`
	Deliveries     int `json:"deliveries"`
	Dead           int `json:"dead_letters"`
	Killed         int `json:"killed"`
	DeadSchedulers int `json:"killed_schedulers"`
	Faults         int `json:"database_faults"`
	Stale          int `json:"stale_writes_refused"`
	Repaired       int `json:"repaired_by_the_sweep"`
	Reruns         int `json:"reruns"`
	Requeued       int `json:"requeued"`
	Moves          int `json:"moves"`
	// The promises.
	Missed     int      `json:"missed"`
	Extra      int      `json:"extra"`
	Repeated   int      `json:"repeated_within_days"`
	Recomputed int      `json:"sets_computed_again"`
	Broken     int      `json:"broken"`
	Problems   []string `json:"problems,omitempty"` // the first ones

	Exposure Exposure `json:"exposure"`
	Heat     Heat     `json:"-"`
}

func newResult(o Options) *Result {
	return &Result{Options: o,
		Heat: Heat{From: o.From - 1, Days: o.Days + 2, Zones: map[string][]Cell{}}, Exposure: Exposure{Times: map[int]int{}}}
}

// Heat is the year by zone and date.
type Heat struct {
	From  day.Date
	Days  int
	Zones map[string][]Cell
}

// Cell is a date in a zone: jobs by their end.
type Cell struct{ Offered, Late, Skipped, Failed int }

// cell returns the cell of a date; those before and after the heat map share the
// first and the last one.
func (h *Heat) cell(zone string, date day.Date) *Cell {
	if h.Zones[zone] == nil {
		h.Zones[zone] = make([]Cell, h.Days)
	}
	return &h.Zones[zone][min(max(int(date-h.From), 0), h.Days-1)]
}

// Exposure counts how often candidates were shown on a date.
type Exposure struct {
	Limit int         `json:"limit"`
	Most  int         `json:"most"`
	Times map[int]int `json:"times"` // candidates and dates, by how often one was shown
	Top   []Shown     `json:"top"`   // the candidates who were shown most
	total map[int]int // by candidate
}

// Shown is how often a candidate was shown, on all dates.
type Shown struct {
	User  uuid.UUID `json:"user"`
	Times int       `json:"times"`
}

// top finds the candidates who were shown most.
func (e *Exposure) top(people []*person) {
	for _, p := range people {
		e.Top = append(e.Top, Shown{p.id, e.total[p.number]})
	}
	slices.SortStableFunc(e.Top, func(a, b Shown) int { return b.Times - a.Times })
	e.Top = e.Top[:min(10, len(e.Top))]
}

func (e *Exposure) add(shown map[int]int, limit int) (over bool) {
	e.Limit = max(e.Limit, limit)
	if e.total == nil {
		e.total = map[int]int{}
	}
	for c, n := range shown {
		e.Times[n]++
		e.total[c] += n
		e.Most = max(e.Most, n)
		over = over || n > limit
	}
	return over
}

func thaw(f roster.Frozen) (*ranking.Index, error) {
	r, err := f.Thaw()
	if err != nil {
		return nil, failure.At("thaw", err)
	}
	return ranking.New(r)
}

// unreadable reports whether a job failed because of what a user wrote.
func unreadable(reason string) bool { return strings.Contains(reason, "cannot be read") }
