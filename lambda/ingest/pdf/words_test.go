package pdf

import (
	"testing"

	"matchbook/lambda/ingest/transcript"
)

func TestDropCap(t *testing.T) {
	t.Parallel()
	all := []letter{{'T', transcript.Box{Left: 10, Top: 10, Right: 40, Bottom: 50}}}
	for i, r := range "his" {
		all = append(all, letter{r, transcript.Box{Left: 40 + 6*float64(i), Top: 10, Right: 46 + 6*float64(i), Bottom: 22}})
	}
	want := transcript.Box{Left: 10, Top: 10, Right: 58, Bottom: 22}
	if words := split(all); len(words) != 1 || words[0].Text != "This" || words[0].Box != want {
		t.Errorf("got %+v, want This at %+v", words, want)
	}
}
