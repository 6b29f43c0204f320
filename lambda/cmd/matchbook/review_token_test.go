package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest/variable"
)

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
