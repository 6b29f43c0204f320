package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// Time is that of the test: nothing waits.
func TestMeterShowsEverySecondAcrossSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := newMeter(&out)
		pass := func(d time.Duration) { <-time.After(d); synctest.Wait() }
		m.step("first")
		pass(700 * time.Millisecond)
		m.step("%s", "second")
		pass(1800 * time.Millisecond)
		m.say("a line")
		m.watch(func() string { return "a status" })
		pass(time.Second)
		m.watch(nil)
		pass(3 * time.Second)
		m.Close()
		if got, want := out.String(), "second, 0 s\nsecond, 1 s\na line\na status\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestMeterRewritesItsLineOnATerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := newMeter(&out)
		m.terminal = true
		m.watch(func() string { return "a status" })
		<-time.After(1500 * time.Millisecond)
		synctest.Wait()
		m.say("a line")
		m.Close()
		if got, want := out.String(), "\r\x1b[Ka status\r\x1b[Ka line\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
