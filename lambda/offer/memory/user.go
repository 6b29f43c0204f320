package memory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// User is a row of offer_user as other programs write it.
type User struct {
	ID, Tenant  uuid.UUID
	Zone        string
	Active      bool
	Profile     json.RawMessage
	Preferences json.RawMessage
	ActiveAt    time.Time
}

// user is a User with what offer_user_state and the scheduler keep.
type user struct {
	User
	version   int64
	queued    bool // through is not NULL
	through   day.Date
	flownFrom day.Date // to before flownTo; both 0 without any
	flownTo   day.Date
}

// group is an offer.Group in a form that can be compared.
type group struct {
	tenant             uuid.UUID
	zone               string
	queued             bool
	through            day.Date
	flownFrom, flownTo day.Date
}

func (u *user) group() group {
	return group{u.Tenant, u.Zone, u.queued, u.through, u.flownFrom, u.flownTo}
}

func (g group) compare(o group) int {
	return cmp.Or(compare(g.tenant, o.tenant), cmp.Compare(g.zone, o.zone), cmp.Compare(g.through, o.through),
		cmp.Compare(g.flownFrom, o.flownFrom), cmp.Compare(g.flownTo, o.flownTo))
}

func groupOf(g offer.Group) group {
	key := group{tenant: g.Tenant, zone: g.Zone, queued: g.Through != nil, flownFrom: g.FlownFrom, flownTo: g.FlownTo}
	if key.queued {
		key.through = *g.Through
	}
	return key
}

// Insert adds a user.
func (s *Store) Insert(u User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := &user{User: u, version: 1}
	s.users[u.ID] = row
	s.enter(row)
}

// Update changes a user as another program does.
func (s *Store) Update(id uuid.UUID, change func(*User)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[id]
	if u == nil {
		return fmt.Errorf("no user %s", id)
	}
	after := *u
	change(&after.User)
	if !same(u.User, after.User) {
		after.version++
	}
	if after.Active && !u.Active {
		after.queued, after.through = false, 0
	}
	if after.Zone != u.Zone {
		if err := after.fly(u.Zone, s.now()); err != nil {
			return err
		}
	}
	s.leave(u)
	*u = after
	s.enter(u)
	return nil
}

// same reports whether a roster reads nothing else of the two.
func same(a, b User) bool {
	return a.Active == b.Active && a.ActiveAt.Equal(b.ActiveAt) && bytes.Equal(a.Profile, b.Profile) &&
		bytes.Equal(a.Preferences, b.Preferences)
}

// fly notes the dates between the date before a move and the one after it: they
// are in no calendar of the user, unless he flies back into them.
func (u *user) fly(from string, now time.Time) error {
	before, err := dateIn(from, now)
	if err != nil {
		return err
	}
	after, err := dateIn(u.Zone, now)
	if err != nil {
		return err
	}
	if after > before+1 {
		u.flownFrom, u.flownTo = before+1, after
	} else {
		u.flownTo = min(u.flownTo, after)
	}
	u.landed(u.flownFrom - 1)
	if u.queued {
		u.through = min(u.through, after-1)
	}
	return nil
}

// landed forgets the dates that were flown over, when all of them are behind.
func (u *user) landed(through day.Date) {
	if u.flownTo <= u.flownFrom || u.flownTo-1 <= through {
		u.flownFrom, u.flownTo = 0, 0
	}
}

// dateIn returns the date that the clocks of a zone show.
func dateIn(name string, now time.Time) (day.Date, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return 0, fmt.Errorf("time zone %q: %w", name, err)
	}
	return day.Of(now.In(zone)), nil
}

// enter adds an active user to his group.
func (s *Store) enter(u *user) {
	if !u.Active {
		return
	}
	g := u.group()
	if s.groups[g] == nil {
		s.groups[g] = map[uuid.UUID]*user{}
	}
	s.groups[g][u.ID] = u
}

func (s *Store) leave(u *user) {
	g := u.group()
	delete(s.groups[g], u.ID)
	if len(s.groups[g]) == 0 {
		delete(s.groups, g)
	}
}
