package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/postgrestest"
)

// One tenant has 28 confirmed and 29 rejected answers, one of them changed, and a taught threshold
// of both kinds; another has nothing.
func TestTrainTenant(t *testing.T) {
	t.Parallel()
	const one, other = "10000000-0000-4000-8000-0000000000a1", "10000000-0000-4000-8000-0000000000a2"
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	answered := func(group, verdict string, n, points int) string {
		return fmt.Sprintf(`INSERT INTO decision (tenant_id, document_a_id, document_b_id, verdict, decided_by, origin, points)
			SELECT '%s'::uuid, '10000000-0000-4000-8000-000000000000'::uuid, ('20000000-0000-4000-8%s-' || lpad(i::text, 12, '0'))::uuid, '%s', 'Bo', 'command', %d
			FROM generate_series(1, %d) AS i;`, one, group, verdict, points, n)
	}
	postgrestest.Exec(t, conn, `INSERT INTO tenant (id, name) VALUES ('`+one+`', 'one'), ('`+other+`', 'other');
		INSERT INTO document (id, tenant_id, matching_due_at)
		SELECT ('20000000-0000-4000-8' || g || '-' || lpad(i::text, 12, '0'))::uuid, '`+one+`'::uuid, NULL::timestamptz
		FROM generate_series(1, 30) AS i, unnest('{000,001,002}'::text[]) AS g
		UNION ALL SELECT '10000000-0000-4000-8000-000000000000'::uuid, '`+one+`'::uuid, NULL;`+
		answered("000", "confirmed", 28, score.HighAt+20)+answered("001", "rejected", 27, score.SuggestAt+3)+
		answered("002", "rejected", 3, score.HighAt+5)+answered("002", "withdrawn", 1, score.HighAt+5)+`
		INSERT INTO taught_threshold (tenant_id, high_at, question_at) VALUES ('`+one+fmt.Sprintf(`', %d, %d);`, score.HighAt+6, score.SuggestAt+4)+`
		INSERT INTO taught_fact (tenant_id, document_a_id, document_b_id, supplier, fact) VALUES ('`+one+`', '10000000-0000-4000-8000-000000000000',
			'20000000-0000-4000-8000-000000000001', 'rotach', 'label:{"word":"abrufkennung","on":"invoice","to":"delivery-note","source":["\"R-1\"","\"0037\""]}');
		UPDATE decision SET decided_at = '2026-03-06'`)
	want := fmt.Sprintf(`facts taught: 1
  %s  label  "abrufkennung" names the delivery note, for rotach, by the confirmed match of "R-1" and "0037" on 2026-03-06, by Bo
answers: 28 confirmed, 29 rejected; thresholds need 50 of both kinds
high confidence from %d: 28 of 30 right, P 0.933; taught, from %d: 28 of 28 right, P 1.000
questions from %d: 0 of 27 right, P 0.000; taught, from %d: no answers
`, "m%s", score.HighAt, score.HighAt+6, score.SuggestAt, score.SuggestAt+4)
	code, out, errOut := mbdev(t, url, "train", "--tenant", one, "--json")
	var r taughtReport
	must.OK(t, json.Unmarshal([]byte(out), &r))
	if len(r.Facts) != 1 {
		t.Fatalf("exit status %d, %s%s", code, out, errOut)
	}
	want = fmt.Sprintf(want, r.Facts[0].ID[1:])
	if got := r.Text(); code != cli.ExitOK || got != want {
		t.Errorf("exit status %d, got\n%s%s\nwant\n%s", code, got, errOut, want)
	}
	if code, out, errOut = mbdev(t, url, "train", "--tenant", one); code != cli.ExitOK || out != want {
		t.Errorf("as text: exit status %d, %s%s", code, out, errOut)
	}
	none := fmt.Sprintf("facts taught: 0\nanswers: 0 confirmed, 0 rejected; thresholds need 50 of both kinds\n"+
		"high confidence from %d: no answers\nquestions from %d: no answers\n", score.HighAt, score.SuggestAt)
	if code, out, errOut = mbdev(t, url, "train", "--tenant", other); code != cli.ExitOK || out != none {
		t.Errorf("the other tenant: exit status %d, %s%s", code, out, errOut)
	}
	wantRefused(t, "", "train", clitest.Refusals{
		{Args: []string{"--tenant", one}, Want: "missing DATABASE_URL"},
		{Args: []string{"--tenant", "x"}, Want: "--tenant: "},
		{Args: []string{"--tenant", one, "--write"}, Want: "mutually exclusive"},
	})
}
