package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
)

// The shell completes what the database has, where a command takes it.
func TestCompletion(t *testing.T) {
	t.Parallel()
	url := matchedLamps(t)
	for _, tc := range []struct{ typed, has, lacks string }{
		{"explain L-", "L-7001\tpurchase order", "R-81"},
		{"explain R", "R-82\tinvoice", "L-7001"},
		{"explain ", hostile, lampOrder}, // a document has its id if the shell can't have its number
		{"explain 30000000", lampOrder, "L-7001"},
		{"confirm R-81 L", "L-7001", ""},
		{"explain R-81 R-82 L", "", "L-7001"},
		{"correct L", "L-7001", ""},
		{"correct L-7001 L", "", "L-7001"}, // a field
		{"settle L", "", "L-7001"},         // a kind
		{"settle approve L", "L-7001", ""},
		{"publish 1 2 3 L", "L-7001", ""},
		{"pages 1 L", "", "L-7001"},
		{"export --tenant 4", "", lampTenant},
		{"export --tenant 3", lampTenant, ""},
		{"taught list --tenant 3", lampTenant, ""},
	} {
		args := append([]string{"__complete"}, strings.Split(tc.typed, " ")...)
		_, out, _ := matchbook(t, url, args...)
		if !strings.Contains(out, tc.has) || tc.lacks != "" && strings.Contains(out, tc.lacks) {
			t.Errorf("%s: %q, want %q, not %q", tc.typed, out, tc.has, tc.lacks)
		}
	}
	transcript(t, "complete", url, "__complete explain L-", "__complete explain R", "__complete taught list --tenant 3", "__complete publish 3")
	if _, out, errOut := matchbook(t, "", "__complete", "explain", ""); strings.Contains(out+errOut, "L-7001") || strings.Contains(errOut, "missing database") {
		t.Errorf("without a database: %q, %q", out, errOut)
	}
}

// --database means the one at DATABASE_URL in every command.
func TestDatabaseFlagOfReaders(t *testing.T) {
	t.Parallel()
	url := matchedLamps(t)
	for _, command := range []string{"explain L-7001", "open", "status", "export match", "cost"} {
		args := append(strings.Fields(command), "--database")
		if out := printed(t, url, args...); out == "" {
			t.Errorf("%s: no output", command)
		}
		wantRefused(t, "", command, clitest.Refusals{{[]string{"--database"}, "set DATABASE_URL"}})
		wantRefused(t, url, command, clitest.Refusals{{[]string{"--database", "--keep=/nowhere"}, "--keep must not be used with --database"}})
	}
}
