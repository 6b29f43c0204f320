package plural

import "testing"

func TestOf(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][2]string{0: {"0 lines", "0 matches"}, 1: {"1 line", "1 match"}, 2: {"2 lines", "2 matches"}} {
		if got := [2]string{Of(n, "line"), Of(n, "match", "matches")}; got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
