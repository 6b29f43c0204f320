package term

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		done int
		took time.Duration
		want string
	}{
		{0, time.Second, "0 of 1000"},
		{100, 0, "100 of 1000"},
		{300, 3 * time.Second, "300 of 1000, 100 per second, 7 s left"},
		{10, 4 * time.Second, "10 of 1000, 2.5 per second, 7 min left"},
		{1, 10 * time.Second, "1 of 1000, 6 per minute, 2 h 47 min left"},
		{1000, 10 * time.Second, "1000 of 1000, 100 per second, 0 s left"},
	} {
		if got := (Pace{Total: 1000}).at(tc.done, tc.took); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}
