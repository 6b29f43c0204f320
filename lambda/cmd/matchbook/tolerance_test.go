package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/postgres/postgrestest"
)

func TestTolerance(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	postgrestest.Exec(t, postgrestest.Conn(t, url), "INSERT INTO tenant VALUES ($1, 'Lamps')", bookTenant)
	for _, step := range []struct {
		args []string
		code int
		want []string // parts of the output
	}{
		{[]string{"show"}, cli.ExitOK, []string{"all other suppliers\n", "price-percent      2\n", "needs-receipt      true\n"}},
		{[]string{"set", "--quantity-percent", "5", "--services", "km, Wartung"}, cli.ExitOK,
			[]string{"quantity-percent   5\n", "services           km, Wartung\n", "0 invoices to judge again"}},
		{[]string{"set", "--supplier", "DE 136 695 976", "--charge-absolute", "20", "--needs-receipt", "false"}, cli.ExitOK,
			[]string{"supplier DE136695976\n", "charge-absolute    20\n", "quantity-percent   5\n", "needs-receipt      false\n"}},
		{[]string{"show"}, cli.ExitOK, []string{"all other suppliers\n", "supplier DE136695976\n"}},
		{[]string{"show", "--supplier", "Alster Handel KG"}, cli.ExitOK, []string{"charge-absolute    0\n", "quantity-percent   5\n"}},
		{[]string{"show", "--json"}, cli.ExitOK, []string{`"charge_absolute": "20"`}},
		{[]string{"set"}, cli.ExitError, []string{"missing change: pass a flag such as --quantity-percent 5"}},
		{[]string{"set", "--price-percent", "2,5"}, cli.ExitError, []string{"--price-percent: invalid amount"}},
		{[]string{"set", "--price-percent", "-1"}, cli.ExitError, []string{"--price-percent: invalid number -1"}},
		{[]string{"set", "--price-absolute", "1000000000001"}, cli.ExitError, []string{"--price-absolute: invalid number 1000000000001"}},
		{[]string{"set", "--price-percent", "1000.1"}, cli.ExitError, []string{"--price-percent: invalid number 1000.1"}},
		{[]string{"set", "--price-absolute", "0.12346", "--reason", "agreed", "--by", "anna"}, cli.ExitOK, []string{"price-absolute     0.1235\n"}},
		{[]string{"set", "--needs-receipt", "no"}, cli.ExitError, []string{"--needs-receipt: invalid value"}},
		{[]string{"set", "--supplier", "DE136695977", "--price-percent", "1"}, cli.ExitError, []string{"--supplier: invalid check digits"}},
		{[]string{"show", "--supplier", "..."}, cli.ExitError, []string{"--supplier: missing name"}},
	} {
		code, out, errOut := matchbook(t, url, append([]string{"tolerance", "--tenant", bookTenant}, step.args...)...)
		for _, want := range step.want {
			if code != step.code || !strings.Contains(out+errOut, want) {
				t.Errorf("%v: exit status %d, %s%s; want %q", step.args, code, out, errOut, want)
			}
		}
	}
	of := "tolerance --tenant " + bookTenant
	transcript(t, "tolerance", url, of+" show", of+" show --json", of+" set --services= --total-percent 3", of+" set --json --supplier DE136695976 --quantity-percent 5")
}
