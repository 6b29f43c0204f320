package offers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

var (
	_ offer.Store         = (*offers.Store)(nil)
	_ offer.ScheduleStore = (*offers.Store)(nil)
)

// jobs lists the jobs by date and user: "today+1 3 pending Asia/Tokyo".
func (o *fixture) jobs() (list []string) {
	o.T.Helper()
	rows, _ := o.Conn.Query(o.T.Context(), "SELECT date - $1::date, user_id, status, timezone FROM matchmaking_job ORDER BY date, user_id", today.Time())
	return must.Get(pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var date int
		var user uuid.UUID
		var status, zone string
		err := row.Scan(&date, &user, &status, &zone)
		return fmt.Sprintf("today%+d %d %s %s", date, user[15], status, zone), err
	}))(o.T)
}

func (o *fixture) wantJobs(want ...string) {
	o.T.Helper()
	if got := o.jobs(); !slices.Equal(got, want) {
		o.T.Errorf("jobs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// groups lists the groups: "Asia/Tokyo today+0 flown 1 to 2: 3".
func (o *fixture) groups() (list []string) {
	o.T.Helper()
	groups := must.Get(o.store.Waiting(o.T.Context()))(o.T)
	for _, g := range groups {
		text := g.Zone
		if g.Through != nil {
			text += fmt.Sprintf(" today%+d", *g.Through-today)
		}
		if g.FlownFrom != g.FlownTo {
			text += fmt.Sprintf(" flown %d to %d", g.FlownFrom-today, g.FlownTo-today)
		}
		list = append(list, fmt.Sprintf("%s: %d", text, g.Users))
	}
	return list
}

func (o *fixture) wantGroups(want ...string) {
	o.T.Helper()
	postgrestest.EqualLists(o.T, "groups", o.groups(), want)
}

// take is a step of Queue.
func (o *fixture) take(s offer.Shard) (stamps, users int) {
	o.T.Helper()
	stamped, users, err := o.store.Queue(o.T.Context(), s)
	if err != nil {
		o.T.Error(err)
	}
	return len(stamped), users
}

func TestDateIsQueuedInSteps(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 5, "Asia/Tokyo")
	o.users(6, 1, "Asia/Seoul")
	o.Exec("UPDATE offer_user SET active = false WHERE id = $1", num(2))
	o.wantGroups("Asia/Seoul: 1", "Asia/Tokyo: 4")

	s := o.shard("Asia/Tokyo", nil)
	s.Limit = 3
	s.Member = func(user uuid.UUID) bool { return user != num(3) }
	for _, want := range [][2]int{{2, 3}, {1, 1}, {0, 0}} {
		if stamps, users := o.take(s); stamps != want[0] || users != want[1] {
			t.Errorf("%d stamps of %d users, want %v", stamps, users, want)
		}
	}
	o.wantJobs("today+0 1 pending Asia/Tokyo", "today+0 4 pending Asia/Tokyo", "today+0 5 pending Asia/Tokyo")
	o.wantGroups("Asia/Seoul: 1", "Asia/Tokyo today+0: 4")

	through := today
	next := o.shard("Asia/Tokyo", &through)
	if n, err := o.store.Skip(t.Context(), next, "too late"); n != 4 || err != nil {
		t.Errorf("skipped %d, %v", n, err)
	}
	o.wantGroups("Asia/Seoul: 1", "Asia/Tokyo today+1: 4")
	skipped, err := o.store.JobByID(t.Context(), offer.JobID(tenant, today+1, "Asia/Tokyo", num(3)))
	if err != nil || skipped.Status != "skipped" || skipped.Error != "too late" || !skipped.CompletedAt.Equal(start) ||
		skipped.Digest != [32]byte{} || skipped.Offers != nil {
		t.Errorf("skipped %+v, %v", skipped, err)
	}
	if got, err := o.store.Find(t.Context(), skipped.ID); err != nil || got.Status != job.StatusCancelled {
		t.Errorf("skipped: found %+v, %v", got, err)
	}
}

// A step that is repeated from what was known before it does nothing; neither does
// one for a group of another tenant, zone or date.
func TestStepFindsItsGroupOnly(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 2, "Asia/Tokyo")
	o.Exec("UPDATE offer_user SET through = $1 WHERE id = $2", today.Time(), num(2))
	o.Exec("UPDATE offer_user SET flown = daterange($1, $2) WHERE id = $3", (today + 1).Time(), (today + 2).Time(), num(1))
	unchanged := o.Unchanged(tables...)
	yesterday, other := today-1, o.shard("Asia/Tokyo", nil)
	other.Tenant = otherTenant
	for name, s := range map[string]offer.Shard{
		"another zone": o.shard("asia/tokyo", nil), "another date": o.shard("Asia/Tokyo", &yesterday),
		"another tenant": other, "without the flown date": o.shard("Asia/Tokyo", nil),
	} {
		if stamps, users := o.take(s); stamps != 0 || users != 0 {
			t.Errorf("%s: %d stamps of %d users", name, stamps, users)
		}
	}
	unchanged("nothing to write")
}

// The flown dates are kept as long as one of them is to come.
func TestStepForgetsFlownDates(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 1, "Asia/Tokyo")
	o.Exec("UPDATE offer_user SET through = $1, flown = daterange($2, $3)", (today - 1).Time(), (today + 1).Time(), (today + 2).Time())
	s := o.shard("Asia/Tokyo", nil)
	s.FlownFrom, s.FlownTo = today+1, today+2
	for i, want := range []string{"Asia/Tokyo today+0 flown 1 to 2: 1", "Asia/Tokyo today+1: 1"} {
		date := today + day.Date(i)
		through := date - 1
		s.Through, s.Date = &through, date
		if _, users := o.take(s); users != 1 {
			t.Errorf("%v: %d users", date, users)
		}
		o.wantGroups(want)
	}
}

// A user who has a job of a date, in whatever zone, gets no other one.
func TestUserHasOneJobADate(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 2, "Asia/Tokyo")
	o.queue("Asia/Tokyo")
	o.Exec("UPDATE offer_user SET timezone = 'Europe/Berlin' WHERE id = $1", num(1))
	o.wantGroups("Asia/Tokyo today+0: 1", "Europe/Berlin today-1: 1") // a date after a move is looked at again
	o.Exec("UPDATE offer_user SET active = false")
	o.Exec("UPDATE offer_user SET active = true")
	o.wantGroups("Asia/Tokyo: 1", "Europe/Berlin: 1")
	for _, zone := range []string{"Europe/Berlin", "Asia/Tokyo"} {
		if stamps, users := o.take(o.shard(zone, nil)); stamps != 0 || users != 1 {
			t.Errorf("%s: %d stamps of %d users, want none for a user who has a job", zone, stamps, users)
		}
	}
	o.wantJobs("today+0 1 pending Asia/Tokyo", "today+0 2 pending Asia/Tokyo")
}

func TestRosterStaysFrozen(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	key := roster.Key{Tenant: tenant, Date: today, Algorithm: 1}
	if _, err := o.store.Roster(t.Context(), tenant, today); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("no roster yet: %v", err)
	}
	one := roster.Frozen{Key: key, Digest: digest, Users: 3, Content: []byte("one")}
	two := roster.Frozen{Key: key, Digest: [32]byte{7}, Users: 4, Content: []byte("two")}
	two.Algorithm = 2
	next := two
	next.Date++
	for _, tc := range []struct{ freeze, want roster.Frozen }{{one, one}, {two, one}, {one, one}, {next, next}} {
		if got, err := o.store.Freeze(t.Context(), tc.freeze); err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("froze %s: got %+v, %v", tc.freeze.Content, got, err)
		}
		if got, err := o.store.Roster(t.Context(), tenant, tc.want.Date); err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("read %+v, %v", got, err)
		}
	}
}

// The users of a roster come by id, and a time that makes no sense is a date of
// this era.
func TestEligibleUsers(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 6, "Asia/Tokyo")
	o.Exec("INSERT INTO tenant VALUES ($1, 'Others')", otherTenant)
	o.Exec("INSERT INTO offer_user (id, tenant_id, timezone) VALUES ($1, $2, 'UTC')", num(7), otherTenant)
	o.Exec("UPDATE offer_user SET created_at = now()")
	for i, seen := range []string{"infinity", "-infinity", "2026-02-28 23:59:59-01", "2526-01-01"} {
		o.Exec("UPDATE offer_user SET active_at = $1::text::timestamptz WHERE id = $2", seen, num(i+1))
	}
	o.Exec("UPDATE offer_user SET profile = '{\"b\": 1, \"a\": [2]}', preferences = '[null]' WHERE id = $1", num(5))
	o.Exec("UPDATE offer_user SET active = false WHERE id = $1", num(6))
	row := func(n int, version int64, active day.Date) roster.Row {
		return roster.Row{ID: num(n), Version: version, Profile: json.RawMessage("{}"), Preferences: json.RawMessage("{}"), Active: active}
	}
	want := []roster.Row{row(1, 2, today), row(2, 2, 0), row(3, 2, today-1), row(4, 2, today), row(5, 2, today)}
	want[4].Profile, want[4].Preferences = json.RawMessage(`{"a": [2], "b": 1}`), json.RawMessage(`[null]`)
	if got, err := o.store.Eligible(t.Context(), tenant, roster.Usual()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
	if now, err := o.store.Now(t.Context()); err != nil || !now.Equal(start) {
		t.Errorf("now is %v, %v", now, err)
	}
	if got, err := o.store.Eligible(t.Context(), uuid.New(), roster.Usual()); err != nil || len(got) != 0 {
		t.Errorf("of no tenant %v, %v", got, err)
	}
}
