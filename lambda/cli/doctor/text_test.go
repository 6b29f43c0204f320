package doctor

import (
	"strings"
	"testing"
	"time"

	"matchbook/lambda/manifest"
)

func TestReportText(t *testing.T) {
	t.Parallel()
	d := deploy(manifest.Match)
	d.mappings["match"][0].reports = known(false)
	d.queues["match"].visibility, d.queues["match"].receives = known(1000*time.Second), known(5)
	out := d.report().Text()
	want := `Checked it.

ERRORS (2)
  batch-failures        match-mapping: ReportBatchItemFailures is not on
                        why  Without it Lambda counts a batch as done as soon as the function
                             answers: the messages of failed documents are deleted, and there is no
                             retry.
                        do   Set FunctionResponseTypes of the event source mapping to
                             [ReportBatchItemFailures].

  schedule-entries      match: the retry schedule has 2 entries, but maxReceiveCount 5 allows 4
                        why  SQS moves a message away at the receive after maxReceiveCount, whatever
                             the schedule contains: with fewer receives some retries never happen,
                             with more the last ones come at the wrong time.
                        do   Set maxReceiveCount of match to 3, or give RETRY_SCHEDULE 4 entries.

WARNINGS (1)
  visibility            match: it hides a message for 16m40s, less than 6 times the function's
                        timeout of 3m
                        why  A message visible again while its function still runs goes to a second
                             one and uses up a delivery; AWS recommends 6 times the timeout.
                        do   Set the visibility timeout of match to 18m, 6 times the function's
                             timeout.

SKIPPED (49)
  no variable has the ARN of a secret: secrets
  not examined: plain-secrets, startable,`
	if !strings.HasPrefix(out, want) || strings.Count(out, "  why") != 3 {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
