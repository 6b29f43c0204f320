package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

// A run on a database that is kept matches what has no end yet, or has changed.
func TestMatchContinues(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	first := sampleReport
	postgrestest.Exec(t, postgrestest.Conn(t, url), `UPDATE document SET matching_status = 'pending'
		WHERE id IN (SELECT id FROM document ORDER BY id LIMIT 3)`)
	deliveries := func(r matchrun.Report) int { return len(r.Deliveries) }
	second := matchJSON(t, url, cli.ExitOK, samples)
	if got := second.Accounting; got.Resumed != 60 || got.Published != 63 || got.Succeeded != 63 || deliveries(second) != 3 ||
		!slices.Equal(linksOf(second), linksOf(first)) {
		t.Errorf("got %+v with %d deliveries; want the 3 that were pending", got, deliveries(second))
	}
	if again := matchJSON(t, url, cli.ExitOK, samples, "--again"); again.Accounting.Resumed != 0 || deliveries(again) < 63 {
		t.Errorf("--again: got %+v with %d deliveries", again.Accounting, deliveries(again))
	}
}

// Ctrl-C prints the report so far, and the next run continues.
func TestMatchInterrupted(t *testing.T) {
	t.Parallel()
	url, lines := postgrestest.URL(t), manyDocuments()[:510]
	file, release := write(t, lines...), stuckAfter(t, url, lines[505])
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		untilWaiting(t, url)
		interrupt()
	}()
	code, out, errOut := clitest.RunIn(ctx, run, map[string]string{variable.DatabaseURL: url}, "match", file, "--database")
	release()
	if code != cli.ExitFindings || !strings.Contains(out, "ACCOUNTING published 500 = succeeded 0 + failed 0 + pending 500 + in the DLQ 0") ||
		!strings.Contains(out, "interrupted: use --keep to let the next run continue") {
		t.Errorf("exit status %d\n%.2000s%s", code, out, errOut)
	}
	if r := matchJSON(t, url, cli.ExitOK, file); r.Accounting.Succeeded != 510 || r.Accounting.Interrupted {
		t.Errorf("got %+v", r.Accounting)
	}
}
