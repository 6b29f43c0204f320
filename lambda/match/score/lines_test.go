package score_test

import (
	"fmt"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"
)

func TestAlignLines(t *testing.T) {
	t.Parallel()
	order := []document.Line{{SKU: "M6-20", Description: "Screw M6x20"}, {SKU: "M8-40", Description: "Screw M8x40"},
		{Description: "Walnut table oiled"}}
	invoice := []document.Line{{SKU: "M8-40"}, {Description: "Freight"}, {SKU: "m8 40", Description: "the second box"},
		{Description: "Oiled walnut table"}}
	if got, want := fmt.Sprint(score.AlignLines(order, invoice)), "[{[1] [0 2]} {[2] [3]}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
