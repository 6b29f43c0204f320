package doctor

import (
	"strings"
	"testing"
)

func TestTextHasWhatWhyAndWhatToDoWorstFirst(t *testing.T) {
	t.Parallel()
	template := string(readFile(t, healthyTemplate))
	for _, edit := range [][2]string{
		{`"ReportBatchItemFailures"`, `"Other"`},
		{`"VisibilityTimeout": 1080`, `"VisibilityTimeout": 1000`},
		{`"maxReceiveCount": 3`, `"maxReceiveCount": 5`},
	} {
		if !strings.Contains(template, edit[0]) {
			t.Fatalf("the template has no %s", edit[0])
		}
		template = strings.ReplaceAll(template, edit[0], edit[1])
	}
	report, err := Examine(t.Context(), Options{Template: []byte(template)})
	if err != nil {
		t.Fatal(err)
	}
	out := report.Text()
	want := `Looked at the template.

ERRORS (2)
  batch-failures        MatchMapping: ReportBatchItemFailures is not on
                        why  Without it Lambda counts a batch as done as soon as the function
                             answers: the messages of failed documents are deleted, and there is no
                             retry.
                        do   Set FunctionResponseTypes of the event source mapping to
                             [ReportBatchItemFailures].

  schedule-entries      MatchFunction: the retry schedule has 2 entries, and maxReceiveCount 5
                        leaves room for 4
                        why  SQS moves a message away at the receive after maxReceiveCount, whatever
                             the schedule contains: with fewer receives retries are never made, with
                             more the last ones come at the wrong time.
                        do   Set maxReceiveCount of MatchQueue to 3, or give RETRY_SCHEDULE 4
                             entries.

WARNINGS (1)
  visibility            MatchQueue: it hides a message for 16m40s, less than 6 times the timeout of
                        its function, 3m
                        why  A message that comes back while its function still runs goes to a
                             second one, which uses up one of its deliveries; AWS recommends 6 times
                             the timeout.
                        do   Set the visibility timeout of MatchQueue to 18m, 6 times the function's
                             timeout.

SKIPPED (24)
`
	if !strings.HasPrefix(out, want) || strings.Count(out, "  why") != 3 {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
