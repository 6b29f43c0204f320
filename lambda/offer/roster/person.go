package roster

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// Limits for one user.
const (
	maxName  = 64 // bytes of a kind, a language or an interest
	maxNames = 50 // of each list
	maxKM    = 20_100

	maxCapacity = 1000
)

// Person is a user as the ranking uses it. A zero field was not given.
type Person struct {
	ID        uuid.UUID
	Active    day.Date // when the user was last seen
	Kind      string   // of user, such as mentor
	Born      int      // year
	Place     *Place
	Languages []string // sorted, as all lists
	Interests []string
	Wants     Wants
}

// Place is a point on the Earth, in units of 1/10,000 degree.
type Place struct {
	Lat, Lon Degrees
}

// Wants describes the users a person looks for.
type Wants struct {
	Kinds     []string // any of them
	Age       Ages     // in the year of the date
	MaxKM     int      // how far away, at most
	Languages []string // any of them
	Interests []Weight // by name
	Distance  int      // weight of being near, 0 to 10
	Activity  int      // weight of having been seen lately, 0 to 10
	Capacity  int      // matches at a time; 0: any number
}

// Ages is a range; the zero value is any age.
type Ages struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Weight is the weight of an interest, 0 to 10.
type Weight struct {
	Name   string
	Weight int
}

type profile struct {
	Kind      *string  `json:"kind"`
	Born      *int     `json:"born"`
	Place     *place   `json:"place"`
	Languages []string `json:"languages"`
	Interests []string `json:"interests"`
}

type place struct {
	Lat *Degrees `json:"lat"`
	Lon *Degrees `json:"lon"`
}

type preferences struct {
	Kinds     []string       `json:"kinds"`
	Age       Ages           `json:"age"`
	MaxKM     *int           `json:"max_km"`
	Languages []string       `json:"languages"`
	Interests map[string]int `json:"interests"`
	Weights   struct {
		Distance *int `json:"distance"`
		Activity *int `json:"activity"`
	} `json:"weights"`
	Capacity *int `json:"capacity"`
}

// usualWeight is the default weight of a term.
const usualWeight = 5

// Reading says how to read profiles and preferences. Each way adds to the one before.
type Reading int

const (
	// Lenient ignores unknown keys.
	Lenient Reading = iota
	// Strict refuses misspelt keys, and any unknown one of the preferences, because a wish that
	// isn't read would be no limit.
	Strict
	// Canonical takes names for equal that differ in case, Unicode form or white space, and
	// reads the capacity.
	Canonical
)

// Person reads profile and preferences. Its error is permanent and names the first wrong
// field, but not its value.
func (r Row) Person(how Reading) (Person, error) {
	p := Person{ID: r.ID, Active: r.Active}
	if err := p.readProfile(r.Profile, how); err != nil {
		return Person{}, failure.Permanently("unreadable profile of the user: %v", err)
	}
	if err := p.Wants.read(r.Preferences, how); err != nil {
		return Person{}, failure.Permanently("unreadable preferences of the user: %v", err)
	}
	if how >= Canonical {
		p.fold()
	}
	return p, nil
}

func (p *Person) readProfile(raw json.RawMessage, how Reading) error {
	var in profile
	if err := object(raw, &in, reading{profileKeys, how >= Strict, true}); err != nil {
		return err
	}
	var err error
	switch {
	case in.Kind != nil && !isName(*in.Kind):
		return notName("kind")
	case in.Born != nil && !within(*in.Born, 1900, 2100):
		return errors.New("born must be a year from 1900 to 2100")
	case in.Place != nil && (in.Place.Lat == nil || in.Place.Lon == nil):
		return errors.New("place is missing lat or lon")
	case in.Place != nil && !within(*in.Place.Lat, -90*degree, 90*degree):
		return errors.New("place.lat must be from -90 to 90")
	case in.Place != nil && !within(*in.Place.Lon, -180*degree, 180*degree):
		return errors.New("place.lon must be from -180 to 180")
	}
	p.Kind, p.Born = value(in.Kind, ""), value(in.Born, 0)
	if in.Place != nil {
		p.Place = &Place{*in.Place.Lat, *in.Place.Lon}
	}
	if p.Languages, err = names("languages", in.Languages); err != nil {
		return err
	}
	p.Interests, err = names("interests", in.Interests)
	return err
}

func (w *Wants) read(raw json.RawMessage, how Reading) error {
	var in preferences
	known := wantedKeys
	if how >= Canonical {
		known = withCapacity
	}
	if err := object(raw, &in, reading{known, how >= Strict, false}); err != nil {
		return err
	}
	*w = Wants{Age: in.Age, MaxKM: value(in.MaxKM, 0),
		Distance: value(in.Weights.Distance, usualWeight), Activity: value(in.Weights.Activity, usualWeight)}
	if how >= Canonical {
		w.Capacity = value(in.Capacity, 0)
	}
	switch {
	case in.Capacity != nil && how >= Canonical && !within(w.Capacity, 1, maxCapacity):
		return fmt.Errorf("capacity must be from 1 to %d", maxCapacity)
	case !within(w.Age.Min, 0, 150) || !within(w.Age.Max, 0, 150):
		return errors.New("age must be from 0 to 150")
	case w.Age.Max != 0 && w.Age.Max < w.Age.Min:
		return errors.New("age.max must not be below age.min")
	case in.MaxKM != nil && !within(w.MaxKM, 1, maxKM):
		return fmt.Errorf("max_km must be from 1 to %d", maxKM)
	case !within(w.Distance, 0, 10):
		return errors.New("weights.distance must be from 0 to 10")
	case !within(w.Activity, 0, 10):
		return errors.New("weights.activity must be from 0 to 10")
	}
	var err error
	if w.Kinds, err = names("kinds", in.Kinds); err != nil {
		return err
	}
	if w.Languages, err = names("languages", in.Languages); err != nil {
		return err
	}
	w.Interests, err = weights(in.Interests)
	return err
}

func weights(in map[string]int) ([]Weight, error) {
	if len(in) > maxNames {
		return nil, fmt.Errorf("too many interests: limit %d", maxNames)
	}
	out := make([]Weight, 0, len(in))
	for name, weight := range in {
		if !isName(name) {
			return nil, notName("interests")
		}
		if !within(weight, 0, 10) {
			return nil, errors.New("weights of interests must be from 0 to 10")
		}
		out = append(out, Weight{name, weight})
	}
	slices.SortFunc(out, func(a, b Weight) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// names returns the list sorted, without repetitions.
func names(field string, list []string) ([]string, error) {
	if len(list) > maxNames {
		return nil, fmt.Errorf("too many %s: limit %d", field, maxNames)
	}
	for _, name := range list {
		if !isName(name) {
			return nil, notName(field)
		}
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list), nil
}

func isName(s string) bool { return s != "" && len(s) <= maxName }

func notName(field string) error {
	return fmt.Errorf("%s must have names of 1 to %d bytes", field, maxName)
}

func within[N ~int | ~int32](n, least, most N) bool { return n >= least && n <= most }

func value[T any](given *T, usual T) T {
	if given == nil {
		return usual
	}
	return *given
}
