package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/postgres/postgrestest"
)

// A document that stays alone names what was not looked at, in match and in explain.
func TestExplainUnread(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, "INSERT INTO tenant VALUES ($1, 'Lamps')", lampTenant)
	const invoicesSQL = `INSERT INTO document (id, tenant_id, type, structured_data, match_keys)
		SELECT ('40000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, $1, 'invoice', '{}',
			ARRAY['30000000|who|DE999012345', '30000000|day|2026-04-01'] FROM generate_series(1, 160) AS i`
	postgrestest.Exec(t, conn, invoicesSQL, lampTenant)
	order, _, _ := strings.Cut(strings.TrimSpace(lamps), "\n")
	folder := clitest.Folder(t, map[string]string{"order.jsonl": order})
	const want = "Documents not compared, because others are nearer in time: 110 of the same company from about the same time."
	for _, command := range []string{"match " + folder, "explain " + lampOrder} {
		code, text, errOut := matchbook(t, url, strings.Fields(command)...)
		if code != cli.ExitOK || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%s: exit status %d, %s; no %q in\n%s", command, code, errOut, want, text)
		}
	}
}

// The reasons for a document that stays alone are those of explain, word by word.
func TestSameReasonsAlone(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "explains each document of the sample")
	url, alone := matchedSample(t), 0
	for _, d := range sampleReport.Documents {
		e := decode[explain.Explanation](t, printed(t, url, "explain", "--json", d.ID.String()))
		if got := strings.Join(e.NoMatch, " "); got != d.AloneBecause {
			t.Errorf("%s %s: match gives\n%s\nexplain gives\n%s", d.Type, d.Number, d.AloneBecause, got)
		}
		if d.AloneBecause != "" {
			alone++
		}
	}
	if alone != 14 {
		t.Errorf("%d documents are alone, want 14", alone)
	}
}
