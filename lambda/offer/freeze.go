package offer

import (
	"context"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

func (s *Scheduler) members(f roster.Frozen) (ids []uuid.UUID, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.read {
		if m.digest == f.Digest {
			return m.ids, nil
		}
	}
	if _, err := f.Each(func(_ roster.Roster, row roster.Row) { ids = append(ids, row.ID) }); err != nil {
		return nil, err
	}
	s.read = append(s.read, membership{f.Digest, ids})
	s.read = slices.Clone(s.read[max(0, len(s.read)-keptMemberships):])
	return ids, nil
}

func (r *run) freeze(ctx context.Context, k roster.Key) (f roster.Frozen, err error) {
	content, err := r.compose(ctx, k)
	if err != nil {
		return f, err
	}
	if f, err = content.Freeze(); err != nil {
		return f, failure.At("freeze", err)
	}
	r.report.Rosters++
	r.Log.Info("roster frozen", "tenant", k.Tenant, "date", k.Date, "users", f.Users, "algorithm", k.Algorithm)
	return r.Store.Freeze(ctx, f)
}

// compose reads the content of a roster.
func (r *run) compose(ctx context.Context, k roster.Key) (content roster.Roster, err error) {
	settings := r.settings.of(k.Tenant)
	content = roster.Roster{Key: k, Settings: &settings}
	if content.Rows, err = r.Store.Eligible(ctx, k.Tenant, settings); err != nil {
		return content, failure.At("read the users", err)
	}
	dates := ranking.Earlier(k, len(content.Rows))
	if len(dates) == 0 {
		return content, nil
	}
	shown, err := r.Store.Shown(ctx, k.Tenant, dates)
	if err != nil {
		return content, failure.At("read the earlier offers", err)
	}
	recall(&content, shown)
	return content, nil
}

// recall adds earlier offers to a roster with rows in the order of their ids. It leaves out
// users who aren't in the roster.
func recall(r *roster.Roster, shown []Shown) {
	places := make(map[uuid.UUID]int32, len(r.Rows))
	for i, row := range r.Rows {
		places[row.ID] = int32(i)
	}
	for _, s := range shown {
		at, ok := places[s.User]
		if !ok {
			continue
		}
		users := make([]int32, 0, len(s.Candidates))
		for _, c := range s.Candidates {
			if place, ok := places[c]; ok {
				users = append(users, place)
			}
		}
		if len(users) > 0 {
			slices.Sort(users)
			r.Rows[at].Shown = append(r.Rows[at].Shown, roster.Shown{Ago: int(r.Date - s.Date), Users: users})
		}
	}
	for i := range r.Rows {
		slices.SortFunc(r.Rows[i].Shown, func(a, b roster.Shown) int { return a.Ago - b.Ago })
	}
}

// settings are by tenant.
type settings map[uuid.UUID]roster.Settings

func (s settings) of(tenant uuid.UUID) roster.Settings {
	if chosen, ok := s[tenant]; ok {
		return chosen
	}
	return roster.Usual()
}

// rule says when the dates of a tenant are due.
func (s settings) rule(tenant uuid.UUID) day.Rule {
	return s.of(tenant).Rule()
}
