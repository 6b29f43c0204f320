package offerrun

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// What a month should have: completed of a thousand ended jobs, and the time that 95 % of the
// completed ones took at most.
const (
	wantedPerMille = 999
	wantedP95      = 30 * time.Second
)

// Month is the state of a month, with the share of the ended jobs that completed.
type Month struct {
	Month string  `json:"month"`
	Share float64 `json:"completed_share"` // 1 without ended jobs
	report.OfferMonth
}

// ParseMonth returns the first date of a month such as 2026-03.
func ParseMonth(s string) (day.Date, error) {
	first, err := time.Parse("2006-01", s)
	if err != nil {
		return 0, fmt.Errorf("--month: invalid month %.20q: expected one such as 2026-03", s)
	}
	return day.Of(first), nil
}

// ReadMonth reads the state of the month that begins at first. A nil tenant means all tenants.
func ReadMonth(ctx context.Context, db *postgres.DB, first day.Date, tenant *uuid.UUID) (*Month, error) {
	counts, err := report.From(db).OfferMonth(ctx, first, tenant)
	m := &Month{Month: first.Time().Format("2006-01"), Share: 1, OfferMonth: counts}
	if ended := m.ended(); ended > 0 {
		m.Share = float64(m.Completed) / float64(ended)
	}
	return m, err
}

func (m *Month) ended() int { return m.Completed + m.Failed + m.Skipped }

// Succeeded reports whether the month is as it should be so far.
func (m *Month) Succeeded() bool {
	return m.Completed*1000 >= m.ended()*wantedPerMille && m.P95 < wantedP95.Seconds()
}

// Text returns the state for people. The share is rounded down, so that 99.9 % was reached.
func (m *Month) Text() string {
	var p term.Page
	share := 10_000
	if ended := m.ended(); ended > 0 {
		share = 10_000 * m.Completed / ended
	}
	p.Line("JOBS of %s: %d of %d completed, %d.%02d %%, at least %.1f %% wanted", m.Month, m.Completed, m.ended(),
		share/100, share%100, wantedPerMille/10.)
	p.Line("  %d failed, %d skipped, %d open; 95 %% took %.2f s or less, less than %.0f s wanted", m.Failed, m.Skipped, m.Open,
		m.P95, wantedP95.Seconds())
	return p.String()
}
