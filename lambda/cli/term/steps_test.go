package term

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		pass := func(d time.Duration) { <-time.After(d); synctest.Wait() }
		step, done := Steps(&out)
		step("reading the template")
		pass(1500 * time.Millisecond)
		step("querying the database")
		pass(3 * time.Second)
		done()
		pass(3 * time.Second)
		if got, want := out.String(), "querying the database ...\nquerying the database ...\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
