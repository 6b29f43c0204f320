package offerrun

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// SimulateOptions are the options of a simulation.
type SimulateOptions struct {
	Date     string // the first one; empty means today in UTC
	Days     int
	Versions []int // of the ranking, one or two
	Settings roster.Settings
	JSON     bool
}

// Simulation has what the dates would give, for each tenant.
type Simulation struct {
	From     day.Date          `json:"from"`
	Days     int               `json:"days"`
	Exposure int               `json:"exposure_limit"`
	Tenants  []SimulatedTenant `json:"tenants"`
	Problems []corpus.Problem  `json:"problems"` // malformed parts of the folder
}

// SimulatedTenant has the figures of a tenant by version.
type SimulatedTenant struct {
	Tenant   uuid.UUID `json:"tenant_id"`
	Users    int       `json:"users"` // active ones
	Versions []Figures `json:"versions"`
	Same     float64   `json:"same_offers"` // share of the first version's that the second makes on the date, too
}

// Figures are of all dates. A share is from 0 to 1.
type Figures struct {
	Version    int     `json:"version"`
	Unreadable int     `json:"unreadable"` // users without a readable profile or preferences
	Offers     int     `json:"offers"`
	Offered    float64 `json:"users_with_offers"` // share of the users with offers on any date
	Empty      float64 `json:"empty_days"`        // share of the users' dates without offers
	Repeats    float64 `json:"repeats"`           // share of the offers that the user had before
	Mutual     float64 `json:"mutual"`            // share of the offers to both sides on the same date
	Exposure   int     `json:"exposure"`          // how often a user was shown on a date, at most
	Gini       float64 `json:"gini"`              // of how often the users were shown on all dates
}

// Simulate composes the sets of the next dates for the users of a folder in memory, prints what
// they would be like, and reports whether all users were readable. Nobody answers, and all users
// stay as active as they are on the first date.
func (o SimulateOptions) Simulate(ctx context.Context, dir string, out io.Writer, m *term.Meter) (succeeded bool, err error) {
	result := &Simulation{From: day.Of(time.Now().UTC()), Days: o.Days, Exposure: o.Settings.Exposure, Tenants: []SimulatedTenant{}}
	if o.Date != "" {
		if result.From, err = day.Parse(o.Date); err != nil {
			return false, fmt.Errorf("--date: %w", err)
		}
	}
	f, err := readFolder(dir)
	if err != nil {
		return false, err
	}
	m.Say("%s read from %s, %d malformed", plural.Of(len(f.users), "user", "users"), dir, len(f.problems))
	result.Problems = append([]corpus.Problem{}, f.problems...)
	slices.SortFunc(f.users, func(a, b offer.User) int {
		if order := bytes.Compare(a.Tenant[:], b.Tenant[:]); order != 0 {
			return order
		}
		return bytes.Compare(a.ID[:], b.ID[:])
	})
	for len(f.users) > 0 {
		n := 1
		for n < len(f.users) && f.users[n].Tenant == f.users[0].Tenant {
			n++
		}
		t, err := o.tenant(ctx, result.From, f.users[:n], m)
		if err != nil {
			return false, err
		}
		result.Tenants, f.users = append(result.Tenants, t), f.users[n:]
	}
	return result.Succeeded(), term.Print(out, result, o.JSON)
}

// Succeeded reports whether every user was read.
func (s *Simulation) Succeeded() bool {
	return len(s.Problems) == 0 && !slices.ContainsFunc(s.Tenants, func(t SimulatedTenant) bool {
		return slices.ContainsFunc(t.Versions, func(f Figures) bool { return f.Unreadable > 0 })
	})
}

// tenant simulates the dates with each version, which has a memory of its sets only.
func (o SimulateOptions) tenant(ctx context.Context, from day.Date, users []offer.User, m *term.Meter) (SimulatedTenant, error) {
	rows := eligible(users, from, o.Settings.StaleDays)
	t := SimulatedTenant{Tenant: users[0].Tenant, Users: len(rows)}
	var worlds []*world
	for _, version := range o.Versions {
		worlds = append(worlds, newWorld(roster.Roster{
			Key:      roster.Key{Tenant: t.Tenant, Algorithm: version},
			Settings: &o.Settings, Rows: slices.Clone(rows),
		}))
	}
	same := 0
	for d := range o.Days {
		date := from + day.Date(d)
		if o.Settings.Paused(date) {
			continue
		}
		for _, w := range worlds {
			if ctx.Err() != nil {
				return t, ctx.Err()
			}
			m.Step("%s, version %d: date %d of %d, %s", t.Tenant, w.roster.Algorithm, d+1, o.Days, date)
			if err := w.pass(date, d); err != nil {
				return t, err
			}
		}
		if len(worlds) == 2 {
			same += common(worlds[0].sets[date], worlds[1].sets[date])
		}
	}
	for _, w := range worlds {
		t.Versions = append(t.Versions, w.figures())
	}
	t.Same = share(same, t.Versions[0].Offers)
	return t, nil
}

// eligible returns the users who would be in a roster, in the order of their ids.
func eligible(users []offer.User, date day.Date, stale int) (rows []roster.Row) {
	for _, u := range users {
		seen := date
		if u.ActiveAt != nil {
			seen = min(day.Of(u.ActiveAt.UTC()), date)
		}
		if u.Active && (stale == 0 || int(date-seen) < stale) {
			rows = append(rows, roster.Row{ID: u.ID, Version: 1, Profile: u.Profile, Preferences: u.Preferences, Active: seen})
		}
	}
	return rows
}

func common(a, b [][]int32) (n int) {
	for u, set := range a {
		for _, c := range set {
			if slices.Contains(b[u], c) {
				n++
			}
		}
	}
	return n
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }
