package offers_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func TestFeedbackIsStored(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 4, "UTC")
	yesterday := start.Add(-24 * time.Hour)
	list := []offer.Feedback{
		{User: num(1), Candidate: num(2), Answer: roster.Declined, At: yesterday},
		{User: num(1), Candidate: num(99), Answer: roster.Met},
		{User: num(1), Candidate: num(2), Answer: roster.Declined, At: yesterday.Add(-time.Hour)},
		{User: num(2), Candidate: num(2), Answer: roster.Blocked},
		{User: num(3), Candidate: num(1), Answer: roster.Reported, At: start.Add(time.Hour)},
		{User: num(2), Candidate: num(1), Answer: roster.Blocked, At: start.AddDate(-20, 0, 0)},
		{User: num(2), Candidate: num(3), Answer: roster.Met, At: start.AddDate(-2, 0, 0)},
	}
	for range 2 { // a second time it changes nothing
		unknown := must.Get(o.store.AddFeedback(t.Context(), tenant, list))(t)
		if !slices.Equal(unknown, []int{1, 3}) {
			t.Errorf("unknown %v", unknown)
		}
		rows := must.Get(o.store.Eligible(t.Context(), tenant, roster.Usual()))(t)
		want := [][]roster.Past{
			{{With: num(2), Answer: roster.Declined, On: today - 1}},
			{{With: num(1), Answer: roster.Blocked, On: day.Of(start.AddDate(-20, 0, 0))}},
			{{With: num(1), Answer: roster.Reported, On: today}},
			nil,
		}
		for i, row := range rows {
			if !reflect.DeepEqual(row.Past, want[i]) {
				t.Errorf("user %d has %v, want %v", i+1, row.Past, want[i])
			}
		}
	}
	other := must.Get(o.store.AddFeedback(t.Context(), otherTenant, list[:1]))(t)
	if !slices.Equal(other, []int{0}) {
		t.Errorf("of another tenant's users %v", other)
	}
	o.refuses("23514", "INSERT INTO offer_feedback VALUES ($1, $2, $3, 'liked')", tenant, num(1), num(3))
	o.refuses("23514", "INSERT INTO offer_feedback VALUES ($1, $2, $2, 'met')", tenant, num(1))
}

func TestSettingsAreStored(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 2, "UTC")
	if got := must.Get(o.store.SettingsOf(t.Context(), tenant))(t); !reflect.DeepEqual(got, roster.Usual()) {
		t.Errorf("without a row %+v", got)
	}
	o.Exec("INSERT INTO offer_setting (tenant_id) VALUES ($1)", tenant)
	usual := roster.Usual()
	usual.Holidays = []day.Date{}
	if got := must.Get(o.store.SettingsOf(t.Context(), tenant))(t); !reflect.DeepEqual(got, usual) {
		t.Errorf("the defaults of the table are %+v", got)
	}
	want := roster.Settings{MinimumAge: 18, Exposure: 20, SetSize: 5, RestDays: 30, StaleDays: 60, DeliveryHour: 17,
		SkipWeekends: true, Holidays: []day.Date{today, today + 7}}
	set := func(change func(s *roster.Settings) error) error {
		_, err := o.store.SetSettings(t.Context(), tenant, change)
		return err
	}
	must.OK(t, set(func(s *roster.Settings) error { *s = want; return nil }))
	if err := set(func(s *roster.Settings) error { s.SetSize = 0; return nil }); err == nil || !strings.Contains(err.Error(), "set_size must be from 1 to 100") {
		t.Errorf("a set without offers: %v", err)
	}
	refused := errors.New("refused")
	if err := set(func(*roster.Settings) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
	if got := must.Get(o.store.Settings(t.Context()))(t); !reflect.DeepEqual(got, map[uuid.UUID]roster.Settings{tenant: want}) {
		t.Errorf("got %+v", got)
	}
	o.Exec("UPDATE offer_user SET active_at = now() - CASE id WHEN $1 THEN interval '59 days' ELSE interval '61 days' END", num(1))
	if rows := must.Get(o.store.Eligible(t.Context(), tenant, want))(t); len(rows) != 1 || rows[0].ID != num(1) {
		t.Errorf("not stale: %v", rows)
	}
}

// A block counts at once, both ways, also for a set composed before and for the next try.
func TestBlockedAreNotSent(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 1, "UTC")
	o.users(2, 3, "Etc/GMT-1")
	id := o.queue("UTC")[0].ID
	record := must.Get(o.store.JobByID(t.Context(), id))(t)
	offers := []ranking.Offer{{Candidate: num(2), Rank: 1}, {Candidate: num(3), Rank: 2}, {Candidate: num(4), Rank: 3}}
	must.OK(t, o.complete(t.Context(), o.claimed(id), offer.Set{Job: record.Job, Offers: offers}, true))
	sent := func() (ids []uuid.UUID) {
		var body struct {
			Offers []struct {
				Candidate uuid.UUID `json:"candidate_id"`
			}
		}
		must.OK(t, json.Unmarshal(o.claimSets(1)[0].Body, &body))
		for _, o := range body.Offers {
			ids = append(ids, o.Candidate)
		}
		o.Advance(2 * time.Minute) // the sender died
		return ids
	}
	want := []uuid.UUID{num(2), num(3), num(4)}
	check := func(when string) {
		t.Helper()
		if got := sent(); !slices.Equal(got, want) {
			t.Errorf("%s: sent %v, want %v", when, got, want)
		}
	}
	check("before")
	const blockSQL = "INSERT INTO offer_feedback (tenant_id, user_id, candidate_id, answer) VALUES ($1, $2, $3, $4)"
	o.Exec(blockSQL, tenant, num(1), num(4), "blocked")
	want = []uuid.UUID{num(2), num(3)}
	check("blocked by the user")
	o.Exec(blockSQL, tenant, num(2), num(1), "reported")
	want = []uuid.UUID{num(3)}
	check("reported by the candidate")
	o.Exec(blockSQL, tenant, num(1), num(3), "declined")
	check("declined")
}

// A user who is the same is left alone: the version, which rosters carry, stays.
func TestImportUsersUpserts(t *testing.T) {
	t.Parallel()
	f := postgrestest.NewFixture(t)
	seen := start
	users := []offer.User{
		{ID: num(2), Tenant: otherTenant, Zone: "Asia/Kathmandu", Active: true, ActiveAt: &seen, Profile: json.RawMessage(`{"born": 1990}`)},
		{ID: num(1), Tenant: tenant, Zone: "Europe/Berlin"},
	}
	step := func(changed int, others ...uuid.UUID) {
		t.Helper()
		n, left, err := offers.New(f.DB).ImportUsers(t.Context(), users)
		if err != nil || n != changed || !slices.Equal(left, others) {
			t.Errorf("got %d changed and %v of others, %v; want %d, %v", n, left, err, changed, others)
		}
	}
	step(2)
	users[0].Profile = json.RawMessage(`{ "born":1990 }`)
	step(0)
	users[1].Active = true
	step(1)
	users[1].Tenant, users[1].Zone = otherTenant, "Europe/Rome"
	step(0, num(1))
	rows := postgrestest.Value[string](t, f.Conn, `SELECT string_agg(concat_ws(' ', tenant_id = $1, timezone, active, profile, preferences, version),
		', ' ORDER BY id) FROM offer_user`, tenant)
	postgrestest.Equal(t, "rows", rows, `t Europe/Berlin t {} {} 2, f Asia/Kathmandu t {"born": 1990} {} 1`)
}
