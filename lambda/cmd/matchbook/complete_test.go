package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/postgres/postgrestest"
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
	// Of 20 tenants the latest 200 documents each.
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `INSERT INTO tenant SELECT uuid_in(md5(n::text)::cstring), 'a ' || n FROM generate_series(1, 20) AS n`)
	postgrestest.Exec(t, conn, `INSERT INTO document (id, tenant_id, type, structured_data, received_at, file_name, matching_due_at)
		SELECT gen_random_uuid(), t.id, 'contract', jsonb_build_object('number', 'T-' || t.name || '-' || n), '2026-03-01'::timestamptz - n * interval '1 minute', 'a.pdf', NULL
		FROM tenant AS t, generate_series(1, 201) AS n WHERE t.name IN ('a 1', 'a 2')`)
	postgrestest.Exec(t, conn, `INSERT INTO document (id, tenant_id, type, structured_data, received_at, file_name, matching_due_at)
		SELECT gen_random_uuid(), t.id, 'contract', jsonb_build_object('number', 'O-' || t.name), now(), 'a.pdf', NULL FROM tenant AS t WHERE t.name LIKE 'a %'`)
	for typed, want := range map[string]int{"T-": 2 * 199, "L-": 0, "O-": 20} {
		if _, out, _ := matchbook(t, url, "__complete", "explain", typed); strings.Count(out, "\tcontract a.pdf\n") != want {
			t.Errorf("%s: %d words, want %d", typed, strings.Count(out, "\n"), want)
		}
	}
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
