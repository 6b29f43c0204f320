package main

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/postgrestest"
)

func TestTaught(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ('`+oneTenant+`', 'one')),
		d AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ('`+correctedID+`', '`+oneTenant+`', NULL))
		INSERT INTO taught (tenant_id, document_id, field, keys, source, place, taught_by, taught_at, forgotten_at, forgotten_why) VALUES
		('`+oneTenant+`', '`+correctedID+`', 'number', '{iban:DE34200505501234567890,vat:DE814562308}', 'invoice R-1',
			'{"where": "right of", "label": "vorgang"}', 'Ada', '2026-03-04', '2026-03-05', 'nothing stands there'),
		('`+oneTenant+`', '`+correctedID+`', 'supplier.name', '{head:00}', 'invoice R-1', '{"value": "Lampenwerk"}', 'Ada', '2026-03-04', NULL, NULL)`)
	postgrestest.Exec(t, conn, `WITH d AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ('10000000-0000-4000-8000-000000000502', '`+oneTenant+`', NULL)
			RETURNING tenant_id, '`+correctedID+`'::uuid AS a, id AS b),
		v AS (INSERT INTO decision (tenant_id, document_a_id, document_b_id, verdict, decided_by, origin, decided_at)
			SELECT tenant_id, a, b, 'confirmed', 'Bo', 'command', '2026-03-06' FROM d)
		INSERT INTO taught_fact (tenant_id, document_a_id, document_b_id, supplier, fact) SELECT tenant_id, a, b, supplier, fact FROM d, (VALUES
			('kieswerk rotach', 'article:{"Numbers":["900411","L20"],"Source":["\"P-1\"","\"R-1\""]}'),
			('rotach', 'article:{"Numbers":["900411","L20"],"Source":["\"P-1\"","\"R-1\""]}'),
			('rotach', 'label:{"word":"abrufkennung","on":"invoice","to":"delivery-note","source":["\"R-1\"","\"0037\""]}')) AS l (supplier, fact)`)
	postgrestest.Exec(t, conn, `INSERT INTO taught_threshold (tenant_id, high_at, question_at, confirmed, rejected, changed_by, changed_at)
		VALUES ('`+oneTenant+`', 117, 41, 52, 27, 'Cyd', '2026-03-07')`)
	threshold := fmt.Sprintf("threshold  high confidence from 117 points on instead of %d, by 52 confirmed and 27 rejected matches, the last on 2026-03-07 by Cyd\n"+
		"threshold  questions below 41 points are folded away, instead of none, by 52 confirmed and 27 rejected matches, the last on 2026-03-07 by Cyd\n", score.HighAt)
	const article = `m41ba39f61  article  "900411" is "L20", for kieswerk rotach, rotach, taught by the confirmed match of "P-1" and "R-1" on 2026-03-06, by Bo` + "\n"
	const label = `md860342ec  label  "abrufkennung" names the delivery note, for rotach, taught by the confirmed match of "R-1" and "0037" on 2026-03-06, by Bo` + "\n"
	const name = "2  supplier.name  the name Lampenwerk, for a letterhead, taught by the correction of invoice R-1 on 2026-03-04, by Ada\n"
	for _, step := range []struct {
		args []string
		code int
		want string // of the output, or part of the error
	}{
		{[]string{"list", "--tenant", otherTenant}, cli.ExitOK, ""},
		{[]string{"list", "--tenant", oneTenant}, cli.ExitOK, `1  number  right of "vorgang", for VAT id DE814562308, ` +
			"taught by the correction of invoice R-1 on 2026-03-04, by Ada\n    forgotten on 2026-03-05: nothing stands there\n" + name + article + label + threshold},
		{[]string{"forget", "--tenant", otherTenant, "1"}, cli.ExitError, "unknown rule"},
		{[]string{"forget", "--tenant", oneTenant, "one"}, cli.ExitError, `invalid rule "one": expected its number in matchbook taught list`},
		{[]string{"forget", "--tenant", oneTenant, "1"}, cli.ExitOK, ""},
		{[]string{"list", "--tenant", oneTenant}, cli.ExitOK, name + article + label + threshold},
		{[]string{"forget", "--tenant", otherTenant, "m41ba39f61"}, cli.ExitError, "unknown rule"},
		{[]string{"forget", "--tenant", oneTenant, "m41ba39f61"}, cli.ExitOK, ""},
		{[]string{"list", "--tenant", oneTenant}, cli.ExitOK, name + label + threshold},
		{[]string{"forget", "--tenant", otherTenant, "threshold"}, cli.ExitError, "unknown rule"},
		{[]string{"forget", "--tenant", oneTenant, "threshold"}, cli.ExitOK, ""},
		{[]string{"list", "--tenant", oneTenant}, cli.ExitOK, name + label},
	} {
		code, out, errOut := matchbook(t, url, append([]string{"taught"}, step.args...)...)
		if code != step.code || code == cli.ExitOK && out != step.want || !strings.Contains(out+errOut, step.want) {
			t.Errorf("%v: exit status %d, %s%s; want %s", step.args, code, out, errOut, step.want)
		}
	}
}

// The way of a user: a file, its correction, the next file.
//
//nolint:paralleltest // the SDK reads the process's own environment
func TestCorrectionTeaches(t *testing.T) {
	testenv.OnlyThorough(t, "ingests twice")
	r := newFailedRig(t, always)
	file := func(number, day, more string) string {
		return clitest.Folder(t, map[string]string{"invoice.txt": "Bergmann Optik GmbH\nRechnung\nVorgang: " + number + "\nDatum: " + day +
			"\n" + more + "Nettobetrag 100,00 EUR\nUSt 19 % 19,00 EUR\nGesamtbetrag 119,00 EUR\nUSt-IdNr. DE814562308\n"})
	}
	url := r.env[variable.DatabaseURL]
	first, _ := ingestJSON(t, url, cli.ExitOK, file("R/771", "03.03.2026", ""))
	d := first.Files[0].Documents[0]
	if !d.Review || d.Number != "" {
		t.Fatalf("the first: got %+v", d)
	}
	code, out, errOut := r.command(t.Context(), "correct", d.ID.String(), "number=R/771", "--by", "Ada")
	if want := "learned for the supplier's next documents: number behind \"vorgang\"\n"; code != cli.ExitOK || !strings.Contains(out, want) {
		t.Errorf("exit status %d, %s%s; want %s", code, out, errOut, want)
	}
	out = ends(t, url, cli.ExitOK, "ingest", file("R/802", "20.03.2026", "Lieferung frei Haus\n"))
	if !strings.Contains(out, "invoice R/802") || !strings.Contains(out, "taught by the correction of invoice R/771 on ") ||
		strings.Contains(out, "FOR A PERSON") {
		t.Errorf("the second: got %s", out)
	}
	explainsInOrder(t, url, "R/802", "review a", "taught number by the correction of invoice R/771 on ")
}
