package chunk

import (
	"slices"
	"strings"
	"testing"
)

func TestHeadingsAboveAPlace(t *testing.T) {
	t.Parallel()
	const text = "Preamble of no section.\n\n# Supply\n\n## 1. Goods\n\n1.1 The goods are lamps.\n\n1.2 They are new.\n\n## Schedule A: Prices\n\nA lamp costs EUR 5.\n"
	words := []string{"EUR 5", "Preamble", "lamps", "## 1.", "They", "1.2", "Schedule"}
	var places []int
	for _, w := range words {
		places = append(places, strings.Index(text, w))
	}
	places = append(places, len(text)+9)
	want := []string{"Supply > Schedule A: Prices", "", "Supply > 1. Goods > 1.1", "Supply > 1. Goods",
		"Supply > 1. Goods > 1.2", "Supply > 1. Goods > 1.2", "Supply > Schedule A: Prices", "Supply > Schedule A: Prices"}
	if got := Above(text, places); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
