package offers_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// traveller is a user who moves.
type traveller struct {
	name  string
	id    uuid.UUID
	zone  string // at the beginning
	moves []move // in order
	want  string // dates in March with a set, as far as they are over at the end
}

type move struct {
	at   string // in March 2026, in UTC: "3 10:30"
	zone string
}

func inMarch(t *testing.T, s string) time.Time {
	t.Helper()
	return must.Get(time.Parse("2006-01-2 15:04", "2026-03-"+s))(t)
}

const (
	pago, kiritimati, chatham = "Pacific/Pago_Pago", "Pacific/Kiritimati", "Pacific/Chatham"
	honolulu, tokyo           = "Pacific/Honolulu", "Asia/Tokyo"
)

// The test lasts from 9:00 on March 2, in UTC, until 9:00 on March 6: from 22:00 on
// the 1st until 22:00 on the 5th in Pago Pago, from 23:00 on the 2nd until 23:00 on
// the 6th on Kiritimati.
var travellers = []traveller{
	{name: "stays in the west", zone: pago, want: "1 2 3 4"},
	{name: "stays in the east", zone: kiritimati, want: "2 3 4 5"},
	{name: "flies over a date: 23:30 on the 2nd becomes 0:30 on the 4th", zone: pago,
		moves: []move{{"3 10:30", kiritimati}}, want: "1 2 4 5"},
	{name: "gets dates again: 0:30 on the 4th becomes 23:30 on the 2nd", zone: kiritimati,
		moves: []move{{"3 10:30", pago}}, want: "2 3 4"},
	{name: "comes back to the date after a morning in the next one", zone: pago,
		moves: []move{{"3 10:30", kiritimati}, {"3 20:30", pago}}, want: "1 2 3 4"},
	{name: "comes back to the date before nine in the next one", zone: pago,
		moves: []move{{"3 10:30", kiritimati}, {"3 18:30", pago}}, want: "1 2 3 4"},
	{name: "comes back at once", zone: pago,
		moves: []move{{"3 10:30", kiritimati}, {"3 11:00", pago}}, want: "1 2 3 4"},
	{name: "comes back when the date is over", zone: pago,
		moves: []move{{"3 10:30", kiritimati}, {"4 11:30", pago}}, want: "1 2 4"},
	{name: "comes back for the last minutes of the date", zone: pago,
		moves: []move{{"3 10:30", kiritimati}, {"4 10:30", pago}}, want: "1 2 3 4"},
	{name: "has a day in the west", zone: kiritimati,
		moves: []move{{"3 10:30", pago}, {"4 09:30", kiritimati}}, want: "2 3 4 5"},
	{name: "leaves a date that had begun, and flies over it", zone: kiritimati, // 3:30 on the 3rd becomes 2:30 on the 2nd
		moves: []move{{"2 13:30", pago}, {"3 10:30", kiritimati}}, want: "2 4 5"},
	{name: "leaves a date before the schedule sees that it is due, and flies over it", zone: chatham, // 9:15 on the 3rd, 8:30 on the 2nd
		moves: []move{{"2 19:30", pago}, {"3 10:30", chatham}}, want: "2 3 4 5"},
	{name: "leaves a date after nine", zone: honolulu, // 10:30 on the 3rd becomes 5:30 on the 4th
		moves: []move{{"3 20:30", tokyo}}, want: "1 2 3 4 5"},
	{name: "leaves a date before nine", zone: honolulu, // 7:30 on the 3rd becomes 2:30 on the 4th
		moves: []move{{"3 17:30", tokyo}}, want: "1 2 3 4 5"},
	{name: "leaves a date before nine for the afternoon of the next", zone: pago, // 2:30 on the 3rd, 3:30 on the 4th
		moves: []move{{"3 13:30", kiritimati}}, want: "1 2 3 4 5"},
	{name: "comes to the afternoon before", zone: tokyo, // 8:30 on the 4th becomes 13:30 on the 3rd
		moves: []move{{"3 23:30", honolulu}}, want: "2 3 4"},
}

// travel is the length of the test.
const travel = 4 * 24 * time.Hour

// commuters returns users who move in each hour of a day between zones on both sides
// of the date line and others, and some who move often, at random.
func commuters(random *rand.Rand) (list []traveller) {
	for _, way := range [][]string{{pago, kiritimati}, {kiritimati, pago}, {honolulu, tokyo}, {chatham, honolulu},
		{"America/New_York", "Asia/Kathmandu"}} {
		for hour := range 24 {
			list = append(list, traveller{name: fmt.Sprint(way, hour), zone: way[0],
				moves: []move{{fmt.Sprintf("3 %d:30", hour), way[1]}}})
		}
	}
	zones := []string{pago, kiritimati, "Etc/GMT+12", "Pacific/Apia", "Pacific/Auckland", honolulu, "America/St_Johns",
		"UTC", "Asia/Kolkata"}
	for i := range testenv.Size(40, 1000) {
		u := traveller{name: fmt.Sprint("random ", i), zone: zones[random.IntN(len(zones))]}
		// Not on the hour, when a date may begin in the moment of a move.
		for hour := 1 + random.IntN(20); hour < 60; hour += 1 + random.IntN(20) {
			u.moves = append(u.moves, move{inMarchAfter(60*hour + 30), zones[random.IntN(len(zones))]})
		}
		list = append(list, u)
	}
	return list
}

func inMarchAfter(minutes int) string {
	return time.Date(2026, 3, 2, 9, minutes, 0, 0, time.UTC).Format("2 15:04")
}

// runs reports whether the schedule of the test runs then; the real one runs twice as
// often as with -thorough.
func runs(at time.Time) bool { return at.Minute() == 0 || at.Minute() == 30 && testenv.Thorough() }

// dates returns the dates of the user's calendar that are over at the end: those that
// the clocks of the user showed at some time, looked at every quarter of an hour. A
// move back in the calendar takes back the dates after it that were not due yet.
func (u traveller) dates(t *testing.T, start time.Time) string {
	t.Helper()
	shown, due, last := map[int]bool{}, 0, 0
	for at := start; !at.After(start.Add(travel)); at = at.Add(15 * time.Minute) {
		local := at.In(u.where(t, at))
		last = local.Day()
		maps.DeleteFunc(shown, func(d int, _ bool) bool { return d > max(last, due) })
		shown[last] = true
		due = max(due, local.Add(-9*time.Hour).Day()%28) // the 28th is in February
	}
	var list []string
	for d := 1; d < last; d++ {
		if shown[d] {
			list = append(list, fmt.Sprint(d))
		}
	}
	return strings.Join(list, " ")
}

// where returns the zone in which the user is.
func (u traveller) where(t *testing.T, at time.Time) *time.Location {
	t.Helper()
	name := u.zone
	for _, m := range u.moves {
		if !at.Before(inMarch(t, m.at)) {
			name = m.zone
		}
	}
	return must.Get(time.LoadLocation(name))(t)
}

// sets returns the dates of March with a job of the user that are before the last one.
func (u traveller) sets(o *fixture, end time.Time) string {
	o.T.Helper()
	zone := u.zone
	if len(u.moves) > 0 {
		zone = u.moves[len(u.moves)-1].zone
	}
	list := postgrestest.Value[string](o.T, o.Conn, `
		SELECT coalesce(string_agg(extract(day FROM date)::text, ' ' ORDER BY date), '') FROM matchmaking_job WHERE user_id = $1 AND date < ($2::timestamptz AT TIME ZONE $3)::date`,
		u.id, end, zone)
	return list
}

// anyQueue takes all messages.
type anyQueue struct{}

func (anyQueue) Send(context.Context, []job.Stamped) ([]uuid.UUID, error) { return nil, nil }

// A user has one set for each date of his calendar, wherever he is and whenever he
// moves.
func TestTravellersGetOneSet(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	begin := inMarch(t, "2 09:00")
	if !begin.Equal(start) {
		t.Fatalf("the fixture begins at %s", start)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	list := append(slices.Clone(travellers), commuters(rand.New(rand.NewPCG(seed, 0)))...)
	for i := range list {
		u := &list[i]
		u.id = num(i + 1)
		o.Exec(`INSERT INTO offer_user (id, tenant_id, timezone, through)
			VALUES ($1, $2, $3, ($4::timestamptz AT TIME ZONE $3)::date - 1)`, u.id, tenant, u.zone, begin)
		if want := u.dates(t, begin); u.want == "" {
			u.want = want
		} else if want != u.want {
			t.Fatalf("%s: the dates of the calendar are %s, not %s", u.name, want, u.want)
		}
	}
	scheduler := &offer.Scheduler{Store: o.store, Sender: anyQueue{}, Log: slog.New(slog.DiscardHandler)}
	step := 30 * time.Minute
	for at := begin; !at.After(begin.Add(travel)); at = at.Add(step) {
		for _, u := range list {
			for _, m := range u.moves {
				if inMarch(t, m.at).Equal(at) {
					o.Exec("UPDATE offer_user SET timezone = $2 WHERE id = $1", u.id, m.zone)
				}
			}
		}
		if runs(at) {
			must.Get(scheduler.Run(t.Context()))(t)
		}
		o.Advance(step)
	}
	for _, u := range list {
		if got := u.sets(o, begin.Add(travel)); got != u.want {
			t.Errorf("%s: sets of %s, want %s (from %s, %v)", u.name, got, u.want, u.zone, u.moves)
		}
	}
}
