package main

import (
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/local/offerrun"
)

// testShadow compares the samples, made by version 4, with themselves and with version 3, by which
// small tenants meet on one date in seven. A share is of the same users at any time.
func testShadow(t *testing.T, url string) {
	t.Helper()
	run := func(args ...string) (sum offerrun.ShadowedTenant) {
		t.Helper()
		out := printed(t, url, append([]string{"offers", "shadow", "--date", sampleDate, "--json"}, args...)...)
		for _, r := range decode[offerrun.Shadow](t, out).Tenants {
			sum.Sets, sum.Equal, sum.Same, sum.Unreadable = sum.Sets+r.Sets, sum.Equal+r.Equal, sum.Same+r.Same, sum.Unreadable+r.Unreadable
			sum.Offers.Stored, sum.Offers.Shadow = sum.Offers.Stored+r.Offers.Stored, sum.Offers.Shadow+r.Offers.Shadow
		}
		return sum
	}
	want := offerrun.ShadowedTenant{Sets: 22, Equal: 22, Same: 60, Offers: offerrun.SideBySide{Stored: 60, Shadow: 60}}
	if got := run("--share", "1"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	old := run("--share", "1", "--version", "3")
	if old.Sets != 22 || old.Offers.Shadow >= 60 || old.Same != old.Offers.Shadow || old.Equal >= 22 {
		t.Errorf("by version 3: got %+v, want some of the 60 offers", old)
	}
	if half := run("--share", "0.5"); half.Sets == 0 || half.Sets == 22 || half != run("--share", "0.5") {
		t.Errorf("half of the users: got %+v", half)
	}
	wantRefused(t, url, "offers shadow", clitest.Refusals{
		{[]string{"--version", "9"}, "--version: expected a version from 1 to 4"},
		{[]string{"--share", "0"}, "--share: expected a number above 0, up to 1"},
		{[]string{"--date", "today"}, `invalid date "today"`},
	})
}
