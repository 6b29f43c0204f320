package term

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// The test moves the time: nothing waits.
func TestMeterAcrossSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := NewMeter(&out)
		pass := func(d time.Duration) { <-time.After(d); synctest.Wait() }
		m.Step("first")
		pass(700 * time.Millisecond)
		m.Step("%s", "second")
		pass(1800 * time.Millisecond)
		m.Say("a line")
		m.Watch(func() string { return "a status" })
		pass(time.Second)
		m.Watch(nil)
		pass(3 * time.Second)
		m.Close()
		if got, want := out.String(), "second, 0 s\nsecond, 1 s\na line\na status\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestMeterRewritesLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := NewMeter(&out)
		m.Terminal = true
		m.Watch(func() string { return "a status" })
		<-time.After(1500 * time.Millisecond)
		synctest.Wait()
		m.Say("a line")
		m.Close()
		if got, want := out.String(), "\r\x1b[Ka status\r\x1b[Ka line\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
