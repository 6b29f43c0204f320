package notify_test

import (
	"slices"
	"testing"
	"time"

	"matchbook/lambda/notify"
	"matchbook/lambda/notify/notifytest"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

var ten = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

func at(after time.Duration) time.Time { return ten.Add(after) }

// failed is the nth failure, of a kind, at a time after ten.
func failed(n int, kind string, after time.Duration) notify.Failure {
	f := notifytest.Failure(n, kind)
	f.At = at(after)
	return f
}

func TestOnceAMinutePerKind(t *testing.T) {
	t.Parallel()
	type message struct {
		kind  string
		count int
	}
	const second, minute = time.Second, time.Minute
	a, b, c := failed(1, "a", 0), failed(2, "a", second), failed(3, "b", second)
	for name, tc := range map[string]struct {
		now     time.Duration
		last    map[string]time.Time
		pending []notify.Failure
		want    []message
		until   time.Time
	}{
		"nothing":                        {},
		"nothing since a message":        {last: map[string]time.Time{"a": ten}, now: second},
		"the first of a kind":            {pending: []notify.Failure{a}, want: []message{{"a", 1}}},
		"the first two, failed together": {pending: []notify.Failure{b, a}, want: []message{{"a", 2}}},
		"within the minute": {last: map[string]time.Time{"a": ten}, now: second,
			pending: []notify.Failure{b}, until: at(minute)},
		"when the minute is almost over": {last: map[string]time.Time{"a": ten}, now: minute - 1,
			pending: []notify.Failure{b}, until: at(minute)},
		"when the minute is over": {last: map[string]time.Time{"a": ten}, now: minute,
			pending: []notify.Failure{a, b}, want: []message{{"a", 2}}},
		"one was left of the minute": {last: map[string]time.Time{"a": ten}, now: 2 * minute,
			pending: []notify.Failure{b}, want: []message{{"a", 1}}},
		"an hour later": {last: map[string]time.Time{"a": ten}, now: time.Hour,
			pending: []notify.Failure{failed(4, "a", time.Hour)}, want: []message{{"a", 1}}},
		"two kinds": {pending: []notify.Failure{c, a, b}, want: []message{{"a", 2}, {"b", 1}}},
		"one kind waits, another does not": {last: map[string]time.Time{"a": ten}, now: second,
			pending: []notify.Failure{b, c}, want: []message{{"b", 1}}, until: at(minute)},
		"both wait": {last: map[string]time.Time{"a": ten, "b": at(-30 * second)}, now: second,
			pending: []notify.Failure{b, c}, until: at(30 * second)},
		"another clock is ahead": {last: map[string]time.Time{"a": at(minute)}, pending: []notify.Failure{a},
			until: at(minute)},
		"the clock was put back": {last: map[string]time.Time{"a": at(minute + 1)}, pending: []notify.Failure{a},
			want: []message{{"a", 1}}},
		"failed after now": {pending: []notify.Failure{failed(5, "a", time.Hour)}, want: []message{{"a", 1}}},
	} {
		send, until := notify.Plan(at(tc.now), tc.last, tc.pending, "")
		var got []message
		for _, m := range send {
			got = append(got, message{m.Kind, m.Count})
		}
		if !slices.Equal(got, tc.want) || !until.Equal(tc.until) {
			t.Errorf("%s: got %v and until %v, want %v and until %v", name, got, until, tc.want, tc.until)
		}
	}
}

// channel is a channel in simulated time: a failure is looked at when it
// happens, the sweep looks every minute.
type channel struct {
	last    map[string]time.Time
	pending []notify.Failure
	sent    []notify.Message
}

func (c *channel) look(now time.Time) {
	send, _ := notify.Plan(now, c.last, c.pending, "")
	for _, m := range send {
		c.sent, c.last[m.Kind] = append(c.sent, m), now
		c.pending = slices.DeleteFunc(c.pending, func(f notify.Failure) bool { return slices.Contains(m.IDs, f.ID) })
	}
}

func TestStormIsTwoMessages(t *testing.T) {
	t.Parallel()
	kinds := []string{"transient", "permanent", "lost"}
	c := channel{last: map[string]time.Time{}}
	for i := range 3000 {
		f := failed(i, kinds[i%3], time.Duration(i)*59*time.Second/3000)
		c.pending = append(c.pending, f)
		c.look(f.At)
	}
	for minute := range 10 {
		c.look(at(time.Duration(minute+1)*time.Minute + time.Second))
	}
	counts := map[string][]int{}
	for _, m := range c.sent {
		counts[m.Kind] = append(counts[m.Kind], m.Count)
	}
	for _, kind := range kinds {
		if !slices.Equal(counts[kind], []int{1, 999}) {
			t.Errorf("%s: got messages of %v failures, want 1 and 999", kind, counts[kind])
		}
	}
}

func TestSentOnceAndSoon(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := channel{last: map[string]time.Time{}}
		now, times, sent := ten, map[uuid.UUID]int{}, map[string]time.Time{}
		look := func() {
			before := len(c.sent)
			c.look(now)
			for _, m := range c.sent[before:] {
				if last, ok := sent[m.Kind]; ok && now.Sub(last) < notify.Window {
					t.Fatalf("%s was sent after %v again", m.Kind, now.Sub(last))
				}
				sent[m.Kind] = now
				for _, id := range m.IDs {
					times[id]++
				}
			}
			for _, f := range c.pending {
				if now.Sub(f.At) >= notify.Window {
					t.Fatalf("%v waits since %v", f.ID, now.Sub(f.At))
				}
			}
		}
		failures := rapid.IntRange(1, 40).Draw(t, "failures")
		for i := range failures {
			pause := time.Duration(rapid.IntRange(0, 100).Draw(t, "pause")) * time.Second
			for end := now.Add(pause); now.Before(end); { // waiting failures are sent when they are due
				_, until := notify.Plan(now, c.last, c.pending, "")
				if !until.IsZero() && !until.After(now) {
					t.Fatalf("at %v due at %v, and not sent", now, until)
				}
				if now = end; !until.IsZero() && until.Before(end) {
					now = until
				}
				look()
			}
			f := failed(i, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind"), 0)
			f.At = now
			c.pending = append(c.pending, f)
			look()
		}
		now = now.Add(notify.Window)
		look()
		if len(times) != failures || len(c.pending) != 0 {
			t.Fatalf("sent %d of %d, %d are left", len(times), failures, len(c.pending))
		}
		for id, n := range times {
			if n != 1 {
				t.Fatalf("%v was sent %d times", id, n)
			}
		}
	})
}
