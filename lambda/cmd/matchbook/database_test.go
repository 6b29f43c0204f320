package main

import (
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest/variable"
)

func TestPostgresForced(t *testing.T) {
	t.Parallel()
	for forced, want := range map[string]string{
		"url":   "MATCHBOOK_POSTGRES=url, but missing DATABASE_URL",
		"mysql": `invalid MATCHBOOK_POSTGRES="mysql": must be url (DATABASE_URL), system (an installed server), npm`,
	} {
		clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) {
			return clitest.RunIn(t.Context(), run, map[string]string{variable.Postgres: forced}, args...)
		}, clitest.Refusals{{[]string{"match", samples}, want}})
	}
}
