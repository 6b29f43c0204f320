package offerrun

import (
	"context"
	"fmt"
	"slices"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Status is the state of a date.
type Status struct {
	Date  day.Date            `json:"date"`
	Zones []report.OfferCount `json:"zones"`
}

// ReadStatus reads the state of a date. A nil tenant means all tenants.
func ReadStatus(ctx context.Context, db *postgres.DB, date day.Date, tenant *uuid.UUID) (*Status, error) {
	counts, err := report.From(db).OfferCounts(ctx, date, tenant)
	return &Status{Date: date, Zones: append([]report.OfferCount{}, counts...)}, err
}

// Succeeded reports whether no job of the date failed. Note that jobs may still be unfinished.
func (s *Status) Succeeded() bool {
	return !slices.ContainsFunc(s.Zones, func(c report.OfferCount) bool { return c.Status == "failed" })
}

// statuses are the columns, in the order of a job's life.
var statuses = []string{"pending", "running", "completed", "failed", "skipped"}

// Text returns the state for people.
func (s *Status) Text() string {
	var p term.Page
	if len(s.Zones) == 0 {
		p.Line("no jobs for %s", s.Date)
		return p.String()
	}
	p.Line("JOBS of %s", s.Date)
	p.Line("  %-30s %9s %9s %9s %9s %9s %6s %12s", "time zone", "pending", "running", "completed", "failed", "skipped", "late",
		"undelivered")
	total := map[string]int{}
	for i, c := range s.Zones {
		if i > 0 && s.Zones[i-1].Zone == c.Zone {
			continue
		}
		row := map[string]int{}
		for _, same := range s.Zones[i:] {
			if same.Zone == c.Zone {
				add(row, same)
				add(total, same)
			}
		}
		s.line(&p, term.Clean(c.Zone, term.MaxValue), row)
	}
	s.line(&p, "all", total)
	s.reasons(&p)
	return p.String()
}

func add(sum map[string]int, c report.OfferCount) {
	sum[c.Status] += c.Jobs
	sum["late"] += c.Late
	sum["undelivered"] += c.Undelivered
}

func (s *Status) line(p *term.Page, name string, row map[string]int) {
	line := "  " + term.Pad(name, 30)
	for _, status := range statuses {
		line += fmt.Sprintf(" %9d", row[status])
	}
	p.Line("%s %6d %12d", line, row["late"], row["undelivered"])
}

func (s *Status) reasons(p *term.Page) {
	first := true
	for _, c := range s.Zones {
		if c.Status != "failed" && c.Status != "skipped" {
			continue
		}
		if first {
			p.Line("REASONS")
			first = false
		}
		p.Hang(fmt.Sprintf("  %s, %s, %d: ", c.Status, term.Clean(c.Zone, term.MaxValue), c.Jobs),
			term.Clean(c.Error, term.MaxText))
	}
}
