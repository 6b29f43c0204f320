package ranking

import (
	"slices"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Users block and report others on random dates, most often someone just offered. From the next
// roster on, none of these pairs meets for a year, in either direction, in a small tenant and a
// larger one. Sets composed before are mended when they are sent: see TestBlockedAreNotSent.
func TestBlockedForAYear(t *testing.T) {
	t.Parallel()
	for _, users := range []int{60, 160} {
		w := newWorld(uint64(users))
		populations["one city"].shape(w)
		r := w.roster(users)
		r.Settings, r.Rows = new(roster.Usual()), sorted(r.Rows)
		blocked := map[[2]uuid.UUID]bool{}
		offers := 0
		for d := range testenv.Size(15, 365) {
			r.Date = date + day.Date(d)
			x, today := index(t, r), [][2]uuid.UUID{}
			for i, row := range r.Rows {
				set := must.Get(x.Offers(row.ID))(t)
				offers += len(set)
				for _, o := range set {
					if blocked[[2]uuid.UUID{row.ID, o.Candidate}] || blocked[[2]uuid.UUID{o.Candidate, row.ID}] {
						t.Fatalf("%d users, %s: %s is offered %s", users, r.Date, row.ID, o.Candidate)
					}
				}
				if w.IntN(20) > 0 {
					continue
				}
				with := r.Rows[w.IntN(users)].ID
				if len(set) > 0 && w.IntN(4) > 0 {
					with = set[w.IntN(len(set))].Candidate
				}
				today = append(today, [2]uuid.UUID{row.ID, with})
				r.Rows[i].Past = append(slices.Clone(row.Past),
					roster.Past{With: with, Answer: []roster.Answer{roster.Blocked, roster.Reported}[w.IntN(2)], On: r.Date})
			}
			for _, pair := range today {
				blocked[pair] = true
			}
		}
		if t.Logf("%d users: %d offers, %d blocked pairs", users, offers, len(blocked)); offers < 1000 || len(blocked) < 30 {
			t.Errorf("%d users: too few offers or blocks", users)
		}
	}
}
