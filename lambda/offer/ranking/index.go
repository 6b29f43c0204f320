package ranking

import (
	"bytes"
	"slices"
	"sync/atomic"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Index is a roster prepared for its sets. It is safe for concurrent use.
type Index struct {
	key       roster.Key
	algorithm *Algorithm
	days      int                         // a pair meets on one date in so many
	users     []user                      // in the order of their ids
	slots     []part                      // by the hashes of the ids
	markets   []*market                   // by slot
	sets      [][]int32                   // by user, once its market is settled
	shown     []int32                     // by candidate, the same
	admitted  []atomic.Pointer[admission] // by user, once known
	compared  atomic.Int64                // pairs
}

// part is a part of the roster, with trees by kind, separate for users with and without a
// place.
type part map[name][]*tree

// New prepares a roster. Its error is permanent.
func New(r roster.Roster) (*Index, error) {
	a, err := algorithmOf(r)
	if err != nil {
		return nil, err
	}
	return prepare(a, r)
}

// Read prepares a stored roster, of which it keeps no profile. Its error is permanent.
func Read(f roster.Frozen) (*Index, error) {
	var p *preparation
	var unknown error
	r, err := f.Each(func(of roster.Roster, row roster.Row) {
		if p == nil {
			var a *Algorithm
			a, unknown = algorithmOf(of)
			p = begin(a, of, f.Users)
		}
		if unknown == nil {
			p.add(row)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case unknown != nil:
		return nil, unknown
	case p == nil: // it is empty
		return New(r)
	}
	return p.index()
}

func algorithmOf(r roster.Roster) (*Algorithm, error) {
	a, ok := algorithm(r.Algorithm)
	if !ok {
		return &Algorithm{}, failure.Permanently("unknown ranking version %d in the roster of %s", r.Algorithm, r.Date)
	}
	return a, nil
}

func prepare(a *Algorithm, r roster.Roster) (*Index, error) {
	p := begin(a, r, len(r.Rows))
	for _, row := range sorted(r.Rows) {
		p.add(row)
	}
	return p.index()
}

// preparation is an index to which users are added, in the order of their ids.
type preparation struct {
	*Index
	names    names
	settings *roster.Settings
	rows     []roster.Row // without profiles and preferences
}

func begin(a *Algorithm, r roster.Roster, users int) *preparation {
	a = a.chosen(r.Settings)
	x := &Index{key: r.Key, algorithm: a, users: make([]user, 0, min(max(users, 0), 1<<20))}
	return &preparation{Index: x, names: names{numbers: map[string]name{}}, settings: r.Settings}
}

func (p *preparation) add(row roster.Row) {
	u := p.names.user(row, p.key.Date, p.algorithm.Reading)
	u.index = int32(len(p.users))
	u.see(row.Shown)
	p.users = append(p.users, u)
	p.rows = append(p.rows, roster.Row{ID: row.ID, Past: row.Past})
}

func (p *preparation) index() (*Index, error) {
	x := p.Index
	x.days = x.algorithm.days(len(x.users))
	for i := 1; i < len(x.users); i++ {
		if x.users[i].id == x.users[i-1].id {
			return nil, failure.Permanently("duplicate user %s in the roster", x.users[i].id)
		}
	}
	x.sets, x.shown = make([][]int32, len(x.users)), make([]int32, len(x.users))
	x.admitted = make([]atomic.Pointer[admission], len(x.users))
	if p.settings != nil {
		x.recall(p.rows, p.settings.RestDays)
		for i := range x.users {
			x.users[i].leastAge = p.settings.MinimumAge
		}
	}
	x.plant()
	return x, nil
}

// Algorithm returns the algorithm of the roster.
func (x *Index) Algorithm() Algorithm { return *x.algorithm }

// Users returns the number of users in the roster.
func (x *Index) Users() int { return len(x.users) }

func sorted(rows []roster.Row) []roster.Row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b roster.Row) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return rows
}

func (x *Index) plant() {
	type plot struct {
		slot   int
		kind   name
		placed bool
	}
	plots := map[plot][]int32{}
	for i := range x.users {
		u := &x.users[i]
		if u.err == nil {
			p := plot{slot(u.hash, x.days), u.kind, u.placed}
			plots[p] = append(plots[p], int32(i))
		}
	}
	x.slots = make([]part, x.days)
	for i := range x.slots {
		x.slots[i] = part{}
	}
	for p, members := range plots {
		x.slots[p.slot][p.kind] = append(x.slots[p.slot][p.kind], grow(x.users, members, p.placed))
	}
	x.divide()
}

// divide divides the readable users into markets: everyone whom a user may meet is in the
// user's market.
func (x *Index) divide() {
	x.markets = make([]*market, x.days)
	for s := range x.markets {
		if x.markets[s] == nil {
			x.markets[s] = &market{}
			x.markets[meets(s, x.key.Date, x.days)] = x.markets[s]
		}
	}
	for i := range x.users {
		if u := &x.users[i]; u.err == nil {
			m := x.markets[slot(u.hash, x.days)]
			m.members = append(m.members, int32(i))
		}
	}
}

// trees returns the trees of the users u may meet on the date and looks for by kind. Their
// order doesn't matter.
func (x *Index) trees(u *user) (found []*tree) {
	part := x.slots[meets(slot(u.hash, x.days), x.key.Date, x.days)]
	for _, kind := range u.wants.kinds {
		found = append(found, part[kind]...)
	}
	if len(u.wants.kinds) == 0 {
		for _, trees := range part {
			found = append(found, trees...)
		}
	}
	return found
}

func (x *Index) find(id uuid.UUID) (int32, error) {
	i, ok := x.position(id)
	if !ok {
		return 0, failure.Permanently("user not found in the roster of %s", x.key.Date)
	}
	return i, x.users[i].err
}
