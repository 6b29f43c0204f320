package term

import "testing"

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 matches", 1: "1 match", 2: "2 matches"} {
		if got := Plural(n, "match", "matches"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
