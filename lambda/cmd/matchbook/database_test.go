package main

import (
	"bytes"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/manifest/variable"
)

func TestPostgresCanBeForced(t *testing.T) {
	t.Parallel()
	for forced, want := range map[string]string{
		"url":   "MATCHBOOK_POSTGRES=url, but DATABASE_URL is not set",
		"mysql": `MATCHBOOK_POSTGRES="mysql" must be url (DATABASE_URL), system (an installed server), npm`,
	} {
		env := func(name string) string { return map[string]string{variable.Postgres: forced}[name] }
		var out, errOut bytes.Buffer
		code := run(t.Context(), []string{"match", samples}, env, &out, &errOut)
		if code != cli.ExitError || !strings.Contains(errOut.String(), want) {
			t.Errorf("%s: got exit status %d and %s, want %d and %s", forced, code, &errOut, cli.ExitError, want)
		}
	}
}
