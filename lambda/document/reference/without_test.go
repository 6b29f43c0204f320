package reference

import (
	"strings"
	"testing"
)

func TestCitationsAreCutOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Spannfutter 80 mm": "Spannfutter 80 mm",
		"Spannfutter - Ihre Bestellung 4500010046 Pos. 10": "Spannfutter - Ihre Pos. 10",
		"order no. 4711": "",
		"order no. 4711, blue pen, invoice RE-12": ", blue pen,",
		"orders 4711, 4712 and 4713: pens":        ": pens",
	} {
		if got := Without(text); got != want {
			t.Errorf("Without(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestManyCitationsAreCutOutInLinearTime(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("order no. 4711, ", 1<<20/16)
	if got := len(Without(text)); got > len(text) || got < len(text)/2 {
		t.Errorf("%d of %d bytes are left: 50 citations are cut out", got, len(text))
	}
}
