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
	known     mask     // of the ones in past
	seen      []seen
	shown     mask // of the ones in seen
	matches   int  // that take a place
	welcome   int  // points by the answers of others
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

// mask has a bit for each index modulo 256, because most pairs know nothing of each other.
type mask [4]uint64

func (m *mask) add(index int32)      { m[index>>6&3] |= 1 << (index & 63) }
func (m *mask) has(index int32) bool { return m[index>>6&3]>>(index&63)&1 == 1 }

// name is the number of a name. Equal names have equal numbers.
type name int32

type weight struct {
	name   name
	weight int32
}

// names numbers the names of a roster in the order of their first use, since only their
// equality counts. A user's lists lie next to each other, because a comparison reads all of them.
type names struct {
	numbers map[string]name
	lists   []name
	weights []weight
}

func (n *names) of(s string) name {
	if s == "" {
		return 0
	}
	if _, ok := n.numbers[s]; !ok {
		n.numbers[s] = name(len(n.numbers) + 1)
	}
	return n.numbers[s]
}

func (n *names) all(list []string) []name {
	n.lists = room(n.lists, len(list))
	first := len(n.lists)
	for _, s := range list {
		n.lists = append(n.lists, n.of(s))
	}
	out := n.lists[first:len(n.lists):len(n.lists)]
	slices.Sort(out)
	return out
}

// room returns a list that further elements can be appended to where they are.
func room[T any](list []T, more int) []T {
	if len(list)+more > cap(list) {
		return make([]T, 0, max(more, 1024))
	}
	return list
}

func (n *names) user(r roster.Row, date day.Date, how roster.Reading) user {
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
	u.wants.weigh(n.weigh(p))
	return u
}

// weigh returns the interests a person looks for. Without a choice it uses the person's
// interests.
func (n *names) weigh(p roster.Person) []weight {
	n.weights = room(n.weights, max(len(p.Wants.Interests), len(p.Interests)))
	first := len(n.weights)
	for _, w := range p.Wants.Interests {
		n.weights = append(n.weights, weight{n.of(w.Name), int32(w.Weight)})
	}
	if len(p.Wants.Interests) == 0 {
		for _, s := range p.Interests {
			n.weights = append(n.weights, weight{n.of(s), 1})
		}
	}
	return n.weights[first:len(n.weights):len(n.weights)]
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
