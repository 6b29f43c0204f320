package console

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"
)

type overview struct {
	Stages   []stage
	Oldest   string // age of the backlog; empty: no backlog
	Hours    []hour
	Received int  // in Hours
	Full     bool // Received is a lower bound
	Failures []report.KindCount
	Waiting  []waits // for people, by kind
	Cost     []dayCost
	Lately   bool // Cost covers only the latest calls
	Away     []postgres.Away
}

type stage struct {
	Name string
	report.Count
}

// hour is a bar of the chart, stacked from the bottom up.
type hour struct {
	report.Hour
	X                                                         int
	SucceededY, Succeeded, FailedY, Failed, WaitingY, Waiting int // in chart units
}

// Total is the number of the hour's documents.
func (h hour) Total() int { return h.Hour.Succeeded + h.Hour.Failed + h.Hour.Waiting }

// Clock labels every third hour with the time.
func (h hour) Clock() string {
	if at := h.Start.UTC().Hour(); at%3 == 0 {
		return fmt.Sprintf("%02d", at)
	}
	return ""
}

type dayCost struct {
	Day        string
	Calls      int
	Tokens     int
	USD        *float64 // nil: unknown price
	Incomplete bool
}

// Price is the known amount in dollars.
func (c dayCost) Price() string {
	switch {
	case c.USD == nil:
		return "no price"
	case c.Incomplete:
		return fmt.Sprintf("over %.2f", *c.USD)
	}
	return fmt.Sprintf("%.2f", *c.USD)
}

// Bounds of the failures and costs on an overview.
const (
	failureDays = 7
	costDays    = 7
	costCalls   = 10_000 // of models, and the same number of embeddings
)

func (h *handler) overview(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	o := overview{}
	for _, read := range []func(*visit, *overview) error{h.away, h.stages, h.hours, h.failures, h.waits, h.cost} {
		if err := read(v, &o); err != nil {
			return err
		}
	}
	return h.show(v, http.StatusOK, "overview", "Overview", o)
}

func (h *handler) away(v *visit, o *overview) (err error) {
	o.Away, err = postgres.ReadAway(v.Context(), h.DB)
	return err
}

func (h *handler) stages(v *visit, o *overview) error {
	counts, err := h.reports.Stages(v.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	for _, name := range report.Stages {
		o.Stages = append(o.Stages, stage{name, counts[name]})
	}
	age, err := h.reports.Oldest(v.Context(), v.tenant.ID)
	if waits := counts["pending"].N + counts["in-progress"].N; waits > 0 {
		o.Oldest = age.Round(time.Second).String()
	}
	return err
}

// Height of the chart, and distance of its bars.
const (
	hoursHeight = 100
	hoursStep   = 25
)

func (h *handler) hours(v *visit, o *overview) error {
	hours, err := h.reports.Hours(v.Context(), v.tenant.ID, time.Now())
	most := 1
	for i, r := range hours {
		o.Hours = append(o.Hours, hour{Hour: r, X: i * hoursStep})
		o.Received += o.Hours[i].Total()
		o.Full = o.Full || r.Full
		most = max(most, o.Hours[i].Total())
	}
	for i := range o.Hours {
		b, top := &o.Hours[i], hoursHeight
		part := func(n int) (y, height int) {
			if height = n * hoursHeight / most; n > 0 {
				height = max(height, 2)
			}
			top -= height
			return top, height
		}
		b.SucceededY, b.Succeeded = part(b.Hour.Succeeded)
		b.FailedY, b.Failed = part(b.Hour.Failed)
		b.WaitingY, b.Waiting = part(b.Hour.Waiting)
	}
	return err
}

func (h *handler) failures(v *visit, o *overview) (err error) {
	o.Failures, err = h.reports.FailureKinds(v.Context(), v.tenant.ID, failureDays*24*time.Hour)
	return err
}

func (h *handler) waits(v *visit, o *overview) error {
	counts, err := h.reports.WaitingCounts(v.Context(), report.WaitingFilter{Tenant: v.tenant.ID, Newest: maxRanked})
	for _, kind := range report.WaitingKinds {
		o.Waiting = append(o.Waiting, waits{kind, counts[kind]})
	}
	return err
}

func (h *handler) cost(v *visit, o *overview) error {
	since := time.Now().UTC().AddDate(0, 0, 1-costDays).Truncate(24 * time.Hour)
	spent, err := h.reports.Spent(v.Context(), since, v.tenant.ID, costCalls)
	if err != nil {
		return err
	}
	var calls, embeddings int
	for _, s := range spent {
		calls, embeddings = calls+s.Calls, embeddings+s.Embeddings
	}
	o.Lately = max(calls, embeddings) >= costCalls
	priced := cost.Spent{Prices: h.Prices}
	priced.Add(spent)
	for _, d := range priced.Days {
		i := slices.IndexFunc(o.Cost, func(c dayCost) bool { return c.Day == d.Day })
		if i < 0 {
			i, o.Cost = len(o.Cost), append(o.Cost, dayCost{Day: d.Day})
		}
		c := &o.Cost[i]
		c.Calls += d.Calls
		c.Tokens += d.PromptTokens + d.CompletionTokens
		c.Incomplete = c.Incomplete || d.Incomplete
		if d.USD != nil {
			usd := *d.USD
			if c.USD != nil {
				usd += *c.USD
			}
			c.USD = &usd
		}
	}
	slices.SortFunc(o.Cost, func(a, b dayCost) int { return cmp.Compare(b.Day, a.Day) })
	return nil
}
