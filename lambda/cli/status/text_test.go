package status_test

import (
	"strings"
	"testing"

	"matchbook/lambda/cli/status"
	"matchbook/lambda/postgres/report"
)

// Another program's locks are named with the way to end them, and need an operator.
func TestLocksNamed(t *testing.T) {
	t.Parallel()
	o := status.Overview{Holders: []status.Holder{{Process: 17, What: "nightly as ada has kept locks on document for 5 min, so locked rows wait"}}}
	text := o.Text()
	for _, want := range []string{"locks   nightly as ada has kept locks on document for 5 min, so locked rows wait\n",
		"NEXT\n  locks: end the transaction of process 17, or SELECT pg_terminate_backend(17)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if o.Succeeded() {
		t.Error("nothing needs an operator")
	}
}

// Stuck rows while nothing is in work have a cause that no row tells: nothing runs.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	const advice = "; nothing is in work, so first check that the functions, or matchbook serve, run"
	for name, tc := range map[string]struct {
		rows report.Workload
		want string
	}{
		"nothing runs":   {report.Workload{Overdue: 40}, "40 stuck rows: matchbook status --stuck" + advice},
		"a dead worker":  {report.Workload{InProgress: 2, Lapsed: 2}, "2 stuck rows: matchbook status --stuck" + advice},
		"others go on":   {report.Workload{InProgress: 3, Lapsed: 2}, "2 stuck rows: matchbook status --stuck"},
		"nothing is bad": {report.Workload{}, ""},
	} {
		o := status.Overview{Workloads: []status.Workload{{Workload: tc.rows}}}
		if got := strings.Join(o.Next(), "\n"); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
