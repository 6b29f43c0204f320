package main

import (
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/postgres/postgrestest"
)

func TestPruneByKind(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens, asked_at)
		SELECT tenant_id, 'm', sha256(id::text::bytea), id, '', 0, 0, now() - interval '1 day' * age
		FROM document, (SELECT 15) AS a (age) WHERE structured_data ->> 'number' = 'WK-9051'`)
	wantText(t, printed(t, url, "prune", "--kind", "answers,events", "--older-than", "14d", "--dry-run"),
		"would prune 1 row of answers\nwould prune 0 rows of events\n")
	wantText(t, printed(t, url, "prune", "--kind", "answers", "--older-than", "16d"), "pruned 0 rows of answers\n")
	wantText(t, ends(t, url, cli.ExitOK, "prune", "--kind", "answers", "--older-than", "14d"), "pruned 1 row of answers\n")
	wantRefused(t, url, "prune", clitest.Refusals{
		{[]string{"--older-than", "90d"}, "missing --kind"},
		{[]string{"--kind", "answers"}, "missing --older-than"},
		{[]string{"--kind", "decisions", "--older-than", "90d"}, "unknown --kind \"decisions\": use one of answers, "},
		{[]string{"--kind", "answers", "--older-than", "13d"}, "invalid --older-than \"13d\": expected days, 14d or more"},
		{[]string{"--kind", "answers", "--older-than", "99"}, "invalid --older-than"},
		{[]string{"--kind", "answers", "--older-than", "-20d"}, "invalid --older-than"},
	})
}
