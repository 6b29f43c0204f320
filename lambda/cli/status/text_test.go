package status_test

import (
	"strings"
	"testing"

	"matchbook/lambda/cli/status"
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
