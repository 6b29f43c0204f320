package ranking

import (
	"math"
	"slices"

	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// user is a user of the roster, with numbers for names.
type user struct {
	id        uuid.UUID
	index     int32
	hash      uint64
	date      day.Date // of the roster
	err       error    // set if the profile or the preferences are unreadable
	place     place
	placed    bool
	kind      name // 0 if not given
	age       int  // in the year of the date; 0 if not given
	leastAge  int  // of the tenant
	idle      int  // days since the user was last seen
	languages []name
	interests []name
	wants     wants
	past      []memory // by the index of the other
	seen      []seen
	matches   int // that take a place
	welcome   int // points by the answers of others
	reports   int
	standing  int // of both
}

type wants struct {
	kinds     []name
	ages      roster.Ages
	metres    int64 // 0: any distance
	languages []name
	interests []weight
	total     int // of the weights of interests
	distance  int
	activity  int
	capacity  int // 0: any
}

// name is the number of a name. Equal names have equal numbers.
type name int32

type weight struct {
	name   name
	weight int32
}

// names numbers the names of a roster in the order of their first use, since only their
// equality counts.
type names map[string]name

func (n names) of(s string) name {
	if s == "" {
		return 0
	}
	if _, ok := n[s]; !ok {
		n[s] = name(len(n) + 1)
	}
	return n[s]
}

func (n names) all(list []string) []name {
	out := make([]name, len(list))
	for i, s := range list {
		out[i] = n.of(s)
	}
	slices.Sort(out)
	return out
}

func (n names) user(r roster.Row, date day.Date, how roster.Reading) user {
	u := user{id: r.ID, hash: hash(r.ID), date: date}
	p, err := r.Person(how)
	if err != nil {
		u.err = err
		return u
	}
	u.kind, u.languages, u.interests = n.of(p.Kind), n.all(p.Languages), n.all(p.Interests)
	u.idle = max(0, int(date-p.Active))
	if p.Born != 0 {
		u.age = date.Time().Year() - p.Born
	}
	if p.Place != nil {
		u.place, u.placed = place{int64(p.Place.Lat), int64(p.Place.Lon)}, true
	}
	u.wants = wants{kinds: n.all(p.Wants.Kinds), ages: p.Wants.Age, metres: int64(p.Wants.MaxKM) * 1000,
		languages: n.all(p.Wants.Languages), distance: p.Wants.Distance, activity: p.Wants.Activity,
		capacity: p.Wants.Capacity}
	u.wants.weigh(n.weights(p))
	return u
}

// weights returns the interests a person looks for. Without a choice it uses the person's
// interests.
func (n names) weights(p roster.Person) []weight {
	var out []weight
	for _, w := range p.Wants.Interests {
		out = append(out, weight{n.of(w.Name), int32(w.Weight)})
	}
	if len(out) == 0 {
		for _, s := range p.Interests {
			out = append(out, weight{n.of(s), 1})
		}
	}
	return out
}

func (w *wants) weigh(interests []weight) {
	slices.SortFunc(interests, func(a, b weight) int { return int(a.name - b.name) })
	for _, i := range interests {
		w.total += int(i.weight)
	}
	w.interests = interests
}

func (u *user) reach() int64 {
	if u.wants.metres == 0 {
		return math.MaxInt64
	}
	return u.wants.metres
}
