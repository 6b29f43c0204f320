package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/reviews"

	"github.com/google/uuid"
)

// A token is withdrawn where the web function looks, and whoever is logged in logs in again.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `INSERT INTO console_session SELECT sha256(n::bytea), jsonb_build_object('ID', n, 'Name', n), now(), now(), now()
		FROM unnest(ARRAY['anna', 'ben']) AS n`)
	wantText(t, printed(t, url, "review", "token", "--tenant", sampleTenant, "--withdraw"),
		"withdrew all tokens of tenant "+sampleTenant+", also the ones of its reviews\n")
	if since := must.Get(reviews.New(postgrestest.Open(t, url)).TokensSince(t.Context(), uuid.MustParse(sampleTenant)))(t); since.IsZero() {
		t.Error("nothing withdrawn")
	}
	wantText(t, printed(t, url, "console", "--log-out", "anna"), "ended 1 session\n")
	wantText(t, printed(t, url, "console", "--log-out-all"), "ended 1 session\n")
	wantRefused(t, url, "review token", clitest.Refusals{
		{[]string{"--tenant", uuid.NewString(), "--withdraw"}, "unknown tenant"},
	})
}

func TestReviewToken(t *testing.T) {
	t.Parallel()
	const tenant, secret = "10000000-0000-4000-8000-000000000001", "0123456789abcdef0123456789abcdef"
	for _, tc := range []struct {
		secret string
		args   []string
		code   int
		want   string
	}{
		{secret, []string{"--tenant", tenant}, cli.ExitOK, tenant + ".tenant."},
		{secret, []string{"--tenant", "x"}, cli.ExitError, "--tenant: "},
		{secret, []string{"--tenant", tenant, "--life", "0s"}, cli.ExitError, "invalid --life 0s"},
		{secret, []string{"--tenant", tenant, "--life", "2160h"}, cli.ExitOK, tenant + ".tenant."},
		{secret, []string{"--tenant", tenant, "--life", "2160h0m1s"}, cli.ExitError, "at most 2160h0m0s (90 days)"},
		{secret, nil, cli.ExitError, "missing --tenant"},
		{"short", []string{"--tenant", tenant}, cli.ExitError, "at least 32"},
		{"", []string{"--tenant", tenant}, cli.ExitError, variable.ReviewTokenSecret},
	} {
		code, out, errOut := clitest.RunIn(t.Context(), run, map[string]string{variable.ReviewTokenSecret: tc.secret},
			append([]string{"review", "token"}, tc.args...)...)
		if code != tc.code || !strings.Contains(out+errOut, tc.want) || strings.Contains(out+errOut, secret) {
			t.Errorf("%v: exit status %d, %s%s; want %d, %s, and no secret", tc.args, code, out, errOut, tc.code, tc.want)
		}
	}
}
