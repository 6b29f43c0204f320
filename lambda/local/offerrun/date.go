package offerrun

import (
	"context"
	"slices"
	"time"

	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// oneDate is a store that shows the scheduler the users of some tenants who wait
// for one date, once it is due. When it becomes due in the west, the next one is due
// in the east already: that would be a further run.
type oneDate struct {
	offer.ScheduleStore
	date    day.Date
	tenants []uuid.UUID
}

// Waiting implements offer.ScheduleStore.
func (s oneDate) Waiting(ctx context.Context) ([]offer.Group, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	groups, err := s.ScheduleStore.Waiting(ctx)
	return slices.DeleteFunc(groups, func(g offer.Group) bool {
		due, waits := s.waits(g)
		return !waits || due.After(now)
	}), err
}

// due returns the times at which the date is due, in order.
func (s oneDate) due(ctx context.Context) (list []time.Time, err error) {
	groups, err := s.ScheduleStore.Waiting(ctx)
	for _, g := range groups {
		if due, waits := s.waits(g); waits {
			list = append(list, due)
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return slices.CompactFunc(list, time.Time.Equal), err
}

func (s oneDate) waits(g offer.Group) (due time.Time, waits bool) {
	zone, err := day.Zone(g.Zone)
	if err != nil || !slices.Contains(s.tenants, g.Tenant) || g.Through != nil && *g.Through >= s.date {
		return due, false
	}
	return day.Due(s.date, zone)
}
