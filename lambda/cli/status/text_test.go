package status_test

import (
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/status"
	"matchbook/lambda/postgres/report"
)

// Another program's locks are named with the way to end them, and need an operator.
func TestLocksNamed(t *testing.T) {
	t.Parallel()
	o := status.Overview{Holders: []status.Holder{{Process: 17, What: "nightly as ada has kept locks on document for 5 min, so locked rows wait"}}}
	text := o.Text()
	for _, want := range []string{"locks   nightly as ada has kept locks on document for 5 min, so locked rows wait\n",
		"NEXT\n  locks: end the transaction of process 17:\n      psql \"$DATABASE_URL\" -c \"SELECT pg_terminate_backend(17)\"\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if o.Succeeded() {
		t.Error("nothing needs an operator")
	}
}

// Rows that are due while nothing was worked on have a cause that no row tells: nothing runs.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	due := report.Workload{Inserted: 1, Pending: 4, Overdue: 4, Oldest: time.Hour}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	old := &report.LastAttempt{At: at, Ago: 70 * time.Minute}
	const start = "start matchbook serve, or, if it runs, read in its log"
	for name, tc := range map[string]struct {
		overview status.Overview
		row      report.Workload
		want     string
	}{
		"nothing runs": {status.Overview{Worked: old}, due,
			"nothing runs: no row was begun since 2026-03-02 09:00:00Z (70 min ago), and 5 rows have been due for up to 60 min; " + start},
		"nothing ever ran": {status.Overview{}, due, "nothing runs: no row was ever begun, and 5 rows have been due for up to 60 min; " + start},
		"a dead worker":    {status.Overview{Worked: old}, report.Workload{InProgress: 2, Lapsed: 2, Oldest: time.Hour}, "and 2 rows have been due"},
		"work goes on":     {status.Overview{Worked: old}, report.Workload{InProgress: 3, Lapsed: 2, Oldest: time.Hour}, ""},
		"work went on":     {status.Overview{Worked: &report.LastAttempt{At: at, Ago: time.Minute}}, due, ""},
		"just due":         {status.Overview{Worked: old}, report.Workload{Pending: 1, Oldest: time.Minute}, ""},
		"nothing is due":   {status.Overview{Worked: old}, report.Workload{}, ""},
		"a full disk": {status.Overview{Worked: old, Broken: "the database's disk is full (SQLSTATE 53100)"}, due,
			"the database's disk is full (nothing more can be stored): make room"},
		"locks": {status.Overview{Worked: old, Holders: []status.Holder{{Process: 17}}}, due, ""},
	} {
		tc.overview.Workloads = []status.Workload{{Workload: tc.row}}
		got := strings.Join(tc.overview.Next(), "\n")
		if tc.want == "" && strings.Contains(got, "nothing runs") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// Each error that nobody mends by waiting has its act, and the command for failed rows.
func TestNextNamesRemedy(t *testing.T) {
	t.Parallel()
	for err, failed := range map[string]string{"model provider failed (HTTP 503)": "failed", "the disk is full": "waiting", "unknown": "failed"} {
		o := status.Overview{Errors: []status.Errors{{Failed: failed == "failed", Rows: 1, Error: err}}}
		next := strings.Join(o.Next(), "\n")
		if do := explain.RemedyOf(err).Do; !strings.Contains(next, do) || do == "" != (next == "") {
			t.Errorf("%s: got %q, want %q", err, next, do)
		}
	}
	waits := status.Overview{Errors: []status.Errors{{Rows: 1, Error: "model provider failed (HTTP 503)"}}}
	if !waits.Succeeded() {
		t.Errorf("an outage needs nobody, got %q", waits.Next())
	}
}
