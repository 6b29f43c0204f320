package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/postgres/postgrestest"
)

// Piet's profile can't be read. Once it is corrected, his set comes from a roster of its own, and
// all others stay.
func TestOffersRefreeze(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	runOffers(t, url)
	conn := postgrestest.Conn(t, url)
	sets := `SELECT string_agg(id || status || encode(input_digest, 'hex') || coalesce(offers::text, ''), ' ' ORDER BY id)
		FROM matchmaking_job WHERE id <> '` + jobOfPiet + `'`
	before := postgrestest.Value[string](t, conn, sets)
	requeue := []string{"offers", "requeue", jobOfPiet, "--refreeze"}
	refused := "left alone " + jobOfPiet + ", "
	for _, tc := range []struct {
		prepare, more string
		code          int
		want          string
	}{
		{"", "", cli.ExitError, "--refreeze needs --reason"},
		{"", "--reason= ", cli.ExitError, "--refreeze needs --reason"},
		{"", "--date=2026-03-29", cli.ExitError, "expected JOB IDs, or --date"},
		{"", "--reason=x", cli.ExitOK, refused + "failed: the profile and the preferences"},
		{`UPDATE offer_user SET profile = profile || '{"born": 1990}' WHERE profile ->> 'name' = 'Piet'`, "--reason=born was a word", cli.ExitOK,
			"jobs with rosters of their own: published "},
		{"", "--reason=x", cli.ExitOK, refused + "pending: the profile and the preferences"},
	} {
		if tc.prepare != "" {
			postgrestest.Exec(t, conn, tc.prepare)
		}
		args := requeue
		if tc.more != "" {
			args = append(args[:len(args):len(args)], tc.more, "--by=anna")
		}
		code, out, errOut := matchbook(t, url, args...)
		if code != tc.code || !strings.Contains(strings.Join(strings.Fields(out+errOut), " "), tc.want) {
			t.Errorf("%v: exit status %d, want %d with %q\n%s%s", args, code, tc.code, tc.want, out, errOut)
		}
	}
	out := printed(t, url, "offers", "explain", jobOfPiet)
	if strings.Contains(out, "unreadable profile") || !strings.Contains(out, "OFFERED") {
		t.Errorf("got\n%s", out)
	}
	if after := postgrestest.Value[string](t, conn, sets); after != before {
		t.Errorf("other jobs changed to\n%s\nfrom\n%s", after, before)
	}
	const audit = `SELECT string_agg(kind || ' by ' || acted_by || ': ' || reason || ', ' || status, '; ') FROM offer_action`
	if got := postgrestest.Value[string](t, conn, audit); got != "refreeze by anna: born was a word, failed" {
		t.Errorf("got %q", got)
	}
}
