package ranking

import (
	"encoding/json"
	"fmt"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// remembering has users 1 to 9 with the same interest, all seen today: 1000 points for it, 500
// for reciprocity and 250 for activity. Ages are 46, and 16 for user 8.
func remembering() roster.Roster {
	r := roster.Roster{Key: roster.Key{Date: date, Algorithm: 4}, Settings: new(roster.Usual())}
	for i := byte(1); i <= 9; i++ {
		born := 1980
		if i == 8 {
			born = 2010
		}
		r.Rows = append(r.Rows, roster.Row{ID: uuid.UUID{i}, Active: date,
			Profile: fmt.Appendf(nil, `{"interests":["go"],"born":%d}`, born), Preferences: json.RawMessage(`{}`)})
	}
	return r
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		from, about byte // 1 is the user, 2 the candidate
		answer      roster.Answer
		ago         int
		want        string
	}{
		"no answer":                        {3, 4, roster.Blocked, 1, "offered 1750"},
		"blocked":                          {1, 2, roster.Blocked, 900, "filtered blocked"},
		"blocked by the candidate":         {2, 1, roster.Blocked, 0, "filtered blocked"},
		"reported":                         {1, 2, roster.Reported, 900, "filtered blocked"},
		"reported by the candidate":        {2, 1, roster.Reported, 1, "filtered blocked"},
		"declined lately":                  {1, 2, roster.Declined, 89, "filtered rest"},
		"declined by the candidate lately": {2, 1, roster.Declined, 0, "filtered rest"},
		"accepted lately":                  {2, 1, roster.Accepted, 89, "filtered rest"},
		"met lately":                       {1, 2, roster.Met, 1, "filtered rest"},
		"rested since today":               {1, 2, roster.Declined, 90, "offered 1374"},  // 500 * 275/365 = 376 less
		"declined by the candidate":        {2, 1, roster.Declined, 100, "offered 1750"}, // it counts for the candidate's set
		"declined long ago":                {1, 2, roster.Declined, 365, "offered 1750"}, // forgotten
		"accepted":                         {1, 2, roster.Accepted, 100, "offered 1569"}, // 250 * 265/365 = 181 less; others' welcome has ended
		"accepted by another":              {3, 2, roster.Accepted, 45, "offered 1775"},  // 50 * 45/90 more
		"met by another":                   {3, 2, roster.Met, 0, "offered 1800"},
		"reported by another":              {3, 2, roster.Reported, 73, "offered 1590"}, // 200 * 292/365 less
		"declined by another":              {3, 2, roster.Declined, 1, "offered 1750"},
		"after the date":                   {1, 2, roster.Accepted, -1, "filtered rest"},
	} {
		r := remembering()
		r.Rows[tc.from-1].Past = []roster.Past{{With: uuid.UUID{tc.about}, Answer: tc.answer, On: date - day.Date(tc.ago)}}
		if got := explained(t, r, 2); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// explained says what becomes of a candidate of the first user.
func explained(t *testing.T, r roster.Roster, candidate byte) string {
	t.Helper()
	for _, c := range must.Get(index(t, r).Explain(uuid.UUID{1}))(t).Candidates {
		switch {
		case c.ID == uuid.UUID{candidate} && c.Verdict == Filtered:
			return "filtered " + c.Filter
		case c.ID == uuid.UUID{candidate}:
			return fmt.Sprintf("%s %d", c.Verdict, c.Score)
		}
	}
	return "missing"
}

func TestSettingsOfARoster(t *testing.T) {
	t.Parallel()
	accepted := roster.Past{With: uuid.UUID{3}, Answer: roster.Accepted, On: date - 10}
	for name, tc := range map[string]struct {
		set       func(*roster.Roster)
		candidate byte
		want      string
	}{
		"too young":           {func(r *roster.Roster) { r.Settings.MinimumAge = 18 }, 8, "filtered minimum age"},
		"old enough":          {func(r *roster.Roster) { r.Settings.MinimumAge = 16 }, 8, "offered 1750"},
		"unknown age":         {func(r *roster.Roster) { r.Settings.MinimumAge, r.Rows[1].Profile = 18, nil }, 2, "filtered minimum age"},
		"user without an age": {func(r *roster.Roster) { r.Settings.MinimumAge, r.Rows[0].Profile = 18, nil }, 2, "filtered minimum age"},
		"short rest": {func(r *roster.Roster) {
			r.Settings.RestDays = 10
			r.Rows[0].Past = []roster.Past{accepted}
		}, 3, "offered 1551"}, // 250 * 355/365 = 243 less, 50 * 80/90 = 44 more
		"full": {func(r *roster.Roster) {
			r.Rows[1].Preferences, r.Rows[1].Past = json.RawMessage(`{"capacity":1}`), []roster.Past{accepted}
		}, 2, "filtered capacity"},
		"room for one": {func(r *roster.Roster) {
			r.Rows[1].Preferences, r.Rows[1].Past = json.RawMessage(`{"capacity":2}`), []roster.Past{accepted}
		}, 2, "offered 1750"},
		"accepted by the other": {func(r *roster.Roster) {
			r.Rows[2].Preferences, r.Rows[1].Past = json.RawMessage(`{"capacity":1}`), []roster.Past{accepted}
		}, 3, "filtered capacity"},
		"another case": {func(r *roster.Roster) { r.Rows[1].Profile = json.RawMessage(`{"interests":[" GO"],"born":1980}`) }, 2, "offered 1750"},
		"offered lately": {func(r *roster.Roster) {
			r.Settings.SetSize = 7
			r.Rows[0].Shown = []roster.Shown{{Ago: 27, Users: []int32{1}}}
		}, 2, "lower 1750"},
		"offered long ago": {func(r *roster.Roster) {
			r.Rows[0].Shown = []roster.Shown{{Ago: 3, Users: []int32{2, 3, 4, 5, 6, 7, 8}}, {Ago: 28, Users: []int32{1}}}
			r.Settings.SetSize = 1
		}, 2, "offered 1750"},
	} {
		r := remembering()
		tc.set(&r)
		if got := explained(t, r, tc.candidate); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}
