package ranking

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

const date = day.Date(20_541) // 2026-03-29

// world makes rosters. Each part of a user comes from a function that a test may
// replace; it returns JSON, or nothing to leave the field out.
type world struct {
	*rand.Rand
	kind, born, place, interests, languages      func() string
	kinds, ages, reach, wish, wanted, importance func() string
	unread                                       func() string // a member that nothing reads, of old rosters
}

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, seed))}
	w.kind = func() string { return w.oneOf(`"mentor"`, `"mentee"`) }
	w.born = func() string { return fmt.Sprint(1950 + w.IntN(58)) }
	w.place = w.country
	w.interests = func() string { return w.some(3+w.IntN(5), 40) }
	w.languages = func() string { return w.oneOf(`["de"]`, `["de","en"]`, `["de","en"]`, `["en"]`) }
	w.kinds = func() string { return w.oneOf(`["mentor"]`, `["mentee"]`, ``) }
	w.ages = func() string { return w.oneOf(``, fmt.Sprintf(`{"min":%d,"max":%d}`, 18+w.IntN(20), 45+w.IntN(30))) }
	w.reach = func() string { return w.oneOf(`25`, `50`, `100`, `300`, ``) }
	w.wish = func() string { return w.weights(3+w.IntN(4), 40) }
	w.wanted = func() string { return w.oneOf(``, ``, `["de"]`, `["en"]`) }
	w.importance = func() string {
		return w.oneOf(``, fmt.Sprintf(`{"distance":%d,"activity":%d}`, w.IntN(11), w.IntN(11)))
	}
	w.unread = func() string { return "" }
	return w
}

func (w *world) oneOf(these ...string) string { return these[w.IntN(len(these))] }

// country is a point in a country of the size of Germany.
func (w *world) country() string { return point(475_000+w.IntN(70_000), 60_000+w.IntN(85_000)) }

// city is a point of one city, most likely near its middle.
func (w *world) city() string {
	return point(523_700+w.IntN(1500)+w.IntN(1500), 131_600+w.IntN(2400)+w.IntN(2400))
}

// point writes a place that is given in units of 1/10,000 degree, not as floating
// point, so that worlds are the same on every processor.
func point(lat, lon int) string {
	return fmt.Sprintf(`{"lat":%s,"lon":%s}`, decimal(lat), decimal(lon))
}

func decimal(units int) string {
	if units < 0 {
		return "-" + decimal(-units)
	}
	return fmt.Sprintf("%d.%04d", units/degree, units%degree)
}

func (w *world) some(n, of int) string {
	var list []string
	for range n {
		list = append(list, fmt.Sprintf("interest %d", w.IntN(of)))
	}
	return encode(list)
}

func (w *world) weights(n, of int) string {
	list := map[string]int{}
	for range n {
		list[fmt.Sprintf("interest %d", w.IntN(of))] = w.IntN(11)
	}
	return encode(list)
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func object(fields ...string) json.RawMessage {
	var members []string
	for i := 0; i < len(fields); i += 2 {
		if fields[i+1] != "" {
			members = append(members, `"`+fields[i]+`":`+fields[i+1])
		}
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

func (w *world) id() (id uuid.UUID) {
	for i := range id {
		id[i] = byte(w.Uint32())
	}
	return id
}

func (w *world) roster(users int) roster.Roster {
	r := roster.Roster{Key: roster.Key{Date: date, Algorithm: Current}}
	for range users {
		r.Rows = append(r.Rows, roster.Row{ID: w.id(), Version: 1, Active: date - day.Date(min(w.IntN(50), w.IntN(50))),
			Profile: object("x", w.unread(), "kind", w.kind(), "born", w.born(), "place", w.place(), "languages", w.languages(),
				"interests", w.interests()),
			Preferences: object("x", w.unread(), "kinds", w.kinds(), "age", w.ages(), "max_km", w.reach(), "languages", w.wanted(),
				"interests", w.wish(), "weights", w.importance())})
	}
	return r
}

// remember adds what version 4 remembers: answers, offers of earlier dates, and settings.
func (w *world) remember(r *roster.Roster) {
	r.Settings = new(roster.Usual())
	r.Settings.MinimumAge = w.IntN(2) * 25
	r.Rows = sorted(r.Rows)
	for i := range r.Rows {
		row := &r.Rows[i]
		for range w.IntN(20) {
			with := r.Rows[w.IntN(len(r.Rows))].ID
			row.Past = append(row.Past, roster.Past{With: with, Answer: roster.Answers()[w.IntN(5)], On: date - day.Date(w.IntN(400))})
		}
		for _, ago := range []int{7, 14, 21, 28} {
			var shown []int32
			for range w.IntN(12) {
				shown = append(shown, int32(w.IntN(len(r.Rows))))
			}
			row.Shown = append(row.Shown, roster.Shown{Ago: ago, Users: shown})
		}
	}
}

func index(t testing.TB, r roster.Roster) *Index {
	t.Helper()
	return must.Get(New(r))(t)
}
