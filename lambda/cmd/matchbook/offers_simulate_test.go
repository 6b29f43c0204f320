package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/local/offerrun"
)

// simulated has a mentee and three mentors, all alike, a guest nobody looks for, a user with a
// misspelt wish and one who isn't active.
func simulated(t *testing.T) string {
	t.Helper()
	var users strings.Builder
	for i, rest := range []string{
		`"profile": {"kind": "mentee"}, "preferences": {"kinds": ["mentor"]}`,
		`"profile": {"kind": "mentor"}, "preferences": {"kinds": ["mentee"]}`,
		`"profile": {"kind": "mentor"}, "preferences": {"kinds": ["mentee"]}`,
		`"profile": {"kind": "mentor"}, "preferences": {"kinds": ["mentee"]}`,
		`"profile": {"kind": "guest"}`,
		`"profile": {"kind": "mentor"}, "preferences": {"maxkm": 5}`,
		`"profile": {"kind": "mentee"}, "active": false`,
	} {
		fmt.Fprintf(&users, `{"id": "10000000-0000-4000-8000-0000000000a%d", "tenant_id": %q, "timezone": "Europe/Berlin", %s}`+"\n",
			i, oneTenant, rest)
	}
	return clitest.Folder(t, map[string]string{"users.jsonl": users.String()})
}

// With sets of one, the mentee is offered to three mentors and has another mentor on each of the
// first three dates: 12 offers, of which the mentors had six before, and six are to both sides.
func TestOffersSimulate(t *testing.T) {
	t.Parallel()
	folder := simulated(t)
	code, out, errOut := matchbook(t, "", "offers", "simulate", folder, "--date", "2026-03-25", "--days", "3", "--set-size", "1")
	const want = `
SIMULATION of 3 dates from 2026-03-25
TENANT ` + oneTenant + `, 6 active users
  version 4: 12 offers, 1 unreadable
  users with offers        66.7 % |#################        |
  dates without offers     33.3 % |########                 |
  offers made before       50.0 % |#############            |
  offers to both sides     50.0 % |#############            |
  Gini coefficient           0.67 |#################        |
  most often on a date          3 |###                      |
`
	if code != cli.ExitFindings {
		t.Errorf("exit status %d, %s", code, errOut)
	}
	wantText(t, out, want)
	wantRefused(t, "", "offers simulate", clitest.Refusals{
		{[]string{folder, "--days", "0"}, "--days: expected a number from 1 to 366"},
		{[]string{folder, "--against", "9"}, "--against: expected a version from 1 to 4"},
		{[]string{folder, "--set-size", "x"}, "--set-size: expected a whole number"},
		{[]string{folder, "--exposure", "0"}, "exposure must be from 1"},
		{[]string{folder, "--date", "today"}, `--date: invalid date "today"`},
		{[]string{filepath.Join(folder, "none")}, "none does not exist"},
	})
}

// A small tenant's pairs meet daily by version 4, and on one date in seven by version 3, which
// makes six offers. Saturday and Sunday have none if they are skipped.
func TestSimulateAgainst(t *testing.T) {
	t.Parallel()
	folder := simulated(t)
	simulate := func(args ...string) offerrun.SimulatedTenant {
		_, out, _ := matchbook(t, "", append([]string{"offers", "simulate", folder, "--json", "--date", "2026-03-27"}, args...)...)
		return decode[offerrun.Simulation](t, out).Tenants[0]
	}
	got := simulate("--days", "7", "--against", "3")
	now, old := got.Versions[0], got.Versions[1]
	if want := (offerrun.Figures{Version: 4, Unreadable: 1, Offers: 42, Offered: 4. / 6, Empty: 2. / 6, Repeats: 36. / 42, Mutual: 1,
		Exposure: 3, Gini: .5}); now != want {
		t.Errorf("version 4: got %+v, want %+v", now, want)
	}
	if old.Offers != 6 || old.Repeats != 0 || old.Mutual != 1 || old.Gini != .5 || got.Same != 6./42 {
		t.Errorf("version 3: got %+v, %v the same", old, got.Same)
	}
	if got := simulate("--days", "3", "--skip-weekends", "true"); got.Versions[0].Offers != 6 {
		t.Errorf("one workday: got %+v", got)
	}
}
