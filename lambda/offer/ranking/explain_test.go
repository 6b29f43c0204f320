package ranking

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

func TestExplanationIsComplete(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for name, shape := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range testenv.Size(1, 20) {
				w := newWorld(seed + uint64(i))
				shape(w)
				x := index(t, w.roster(300))
				for _, u := range w.Perm(300)[:30] {
					checkExplanation(t, seed+uint64(i), x, u)
				}
			}
		})
	}
}

func checkExplanation(t *testing.T, seed uint64, x *Index, at int) {
	t.Helper()
	offers, err := x.Offers(x.users[at].id)
	e, explainErr := x.Explain(x.users[at].id)
	if err != nil || explainErr != nil {
		if x.users[at].err == nil || err == nil || explainErr == nil {
			t.Fatalf("seed %d: errors %v and %v", seed, err, explainErr)
		}
		return
	}
	if got, want := encode(e.Offers), encode(offers); got != want {
		t.Fatalf("seed %d: the explanation of user %d has the set\n%s\nwant\n%s", seed, at, got, want)
	}
	offered := map[Verdict]int{}
	all := map[string]bool{}
	for _, c := range e.Candidates {
		offered[c.Verdict]++
		all[c.ID.String()] = true
		sum := 0
		for _, p := range c.Terms {
			sum += p.Points
		}
		if sum != c.Score || c.Reason == "" {
			t.Fatalf("seed %d: candidate %+v", seed, c)
		}
		if c.Verdict == Offered && offers[c.Rank-1].Candidate != c.ID {
			t.Fatalf("seed %d: candidate %+v is not the one in the set", seed, c)
		}
	}
	if len(all) != len(x.users)-1 || len(e.Candidates) != len(all) || offered[Offered] != len(offers) {
		t.Fatalf("seed %d: %d candidates %v, want %d, %d of them offered", seed, len(all), offered, len(x.users)-1,
			len(offers))
	}
}

// inSlot returns the nth id of a slot.
func inSlot(s, nth int) (id uuid.UUID) {
	for nth >= 0 {
		id[0]++
		if id[0] == 0 {
			id[1]++
		}
		if slot(hash(id), 7) == s {
			nth--
		}
	}
	return id
}

// The date is 3 modulo 7, so slot 5 looks into itself: 5 + 5 is 10, and slot 6 has
// its day with 5 on the day after, as 11 is 4 modulo 7. Sets have one offer here, and
// candidates admit two users. All share the same interest, and were seen today: 1000
// points for it, 500 for reciprocity, 250 for activity (which does not count for
// admission), and up to 500 for nearness.
func TestExplanationReasons(t *testing.T) {
	t.Parallel()
	me, best, second, taken := inSlot(5, 0), inSlot(5, 1), inSlot(5, 2), inSlot(5, 3)
	distant, old, later, broken := inSlot(5, 4), inSlot(5, 5), inSlot(6, 0), inSlot(5, 6)
	rivals := []uuid.UUID{inSlot(5, 7), inSlot(5, 8)}
	r := roster.Roster{Key: roster.Key{Date: date, Algorithm: 1}}
	add := func(id uuid.UUID, profile, preferences string) {
		r.Rows = append(r.Rows, roster.Row{ID: id, Active: date,
			Profile:     json.RawMessage(`{"interests":["go"]` + profile + `}`),
			Preferences: json.RawMessage(`{"x":0` + preferences + `}`)})
	}
	const here, near = `,"place":{"lat":0,"lon":0},"born":1990`, `,"place":{"lat":0,"lon":"0.1"},"born":1990`
	add(me, here, `,"age":{"min":30,"max":40}`)
	add(best, here, ``)
	add(second, near, ``)
	add(taken, `,"place":{"lat":0,"lon":"-0.2"},"born":1990`, ``)
	for _, rival := range rivals {
		add(rival, `,"place":{"lat":0,"lon":"-0.2"},"born":1900`, ``)
	}
	add(distant, `,"place":{"lat":0,"lon":2},"born":1990`, `,"max_km":50`)
	add(old, `,"place":{"lat":60,"lon":0},"born":1966`, ``)
	add(later, here, ``)
	add(broken, `,"born":"Sesame"`, ``)
	x := must.Get(prepare(small(1, 4000, 2), r))(t)
	e := must.Get(x.Explain(me))(t)
	got := map[uuid.UUID]string{}
	for _, c := range e.Candidates {
		got[c.ID] = fmt.Sprintf("%s: %s (%d)", c.Verdict, c.Reason, c.Score)
	}
	for id, want := range map[uuid.UUID]string{
		best:   "offered: offered at rank 1 (2250)",
		second: "lower: rank 2 of the candidates that admit the user; a set has 1 (2190)",
		distant: "filtered: " +
			"filter distance: the user needs to be as near as the other wants, if both have a place (223 km apart; the limit is 50 km) (0)",
		old: "filtered: " +
			"filter age: the candidate needs to have an age the other looks for, in the year of the date (60; wanted is 30 to 40) (0)",
		later:  "another day: the pair's next day is 2026-03-30 (0)",
		broken: "unreadable: unreadable profile of the user: born must be a whole number (0)",
	} {
		if got[id] != want {
			t.Errorf("got  %s\nwant %s", got[id], want)
		}
	}
	if !strings.HasPrefix(got[taken], "not admitted: admits only the 2 users that suit it best; the last is ") ||
		!strings.HasSuffix(got[taken], " with 2000 points, this user has 1885 (2135)") {
		t.Errorf("got %s", got[taken])
	}
}
