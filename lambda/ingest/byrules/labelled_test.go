package byrules

import "testing"

// A label with its value behind a colon in the next cell is no title.
func TestLabelledValueIsNoTitle(t *testing.T) {
	t.Parallel()
	const text = "WESER SPEDITION AG\n\nWE-Beleg        : 4711902     Buchungsdatum : 05.05.2026\nLieferschein    : LS 26-04417\nLieferant       : Jade Kran KG"
	if e := Extract(layout(text))[0]; len(e.Doubts) == 0 || e.Doubts[0].Field != "type" {
		t.Errorf("got %s with the doubts %v, want a doubt about the type", e.Type, e.Doubts)
	}
}
