package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/postgres/postgrestest"
)

func TestOwnCompanies(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	for _, step := range []struct {
		args []string
		code int
		want string // of the output, or part of the error
	}{
		{[]string{"list"}, cli.ExitOK, ""},
		{[]string{"add", "--name", "Hanse Kontor GmbH", "--vat-id", "DE 136 695 976"}, cli.ExitOK,
			"files that are read from now on know Hanse Kontor GmbH as the tenant's own\n"},
		{[]string{"add", "--name", " Alster Handel KG "}, cli.ExitOK, "files that are read from now on know Alster Handel KG as the tenant's own\n"},
		{[]string{"add", "--name", "Elbe AG", "--vat-id", "DE136695977"}, cli.ExitError, "--vat-id: invalid check digits or country"},
		{[]string{"add", "--name", " "}, cli.ExitError, "--name: missing name"},
		{[]string{"list"}, cli.ExitOK, "Alster Handel KG\nHanse Kontor GmbH  DE136695976\n"},
		{[]string{"remove", "--name", "Elbe AG"}, cli.ExitError, "--name: unknown company"},
		{[]string{"remove", "--name", "Alster Handel KG"}, cli.ExitOK, ""},
		{[]string{"list"}, cli.ExitOK, "Hanse Kontor GmbH  DE136695976\n"},
	} {
		code, out, errOut := matchbook(t, url, append([]string{"company", "--tenant", bookTenant}, step.args...)...)
		if code != step.code || code == cli.ExitOK && out != step.want || !strings.Contains(out+errOut, step.want) {
			t.Errorf("%v: exit status %d, %s%s; want %s", step.args, code, out, errOut, step.want)
		}
	}
	if code, out, errOut := matchbook(t, url, "company", "list", "--tenant", otherTenant); code != cli.ExitOK || out != "" {
		t.Errorf("another tenant: exit status %d, %s%s", code, out, errOut)
	}
}
