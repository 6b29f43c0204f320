package byrules

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// placed are cells with their boxes in hundredths of a page: left, right, top, bottom.
func placed(page int, at map[string][4]float64) (cells []cell) {
	p := transcript.Page{Number: page}
	for text, b := range at {
		p.Lines = append(p.Lines, transcript.Line{Text: text, Box: transcript.Box{Left: b[0] / 100, Right: b[1] / 100, Top: b[2] / 100, Bottom: b[3] / 100}})
	}
	slices.SortFunc(p.Lines, func(a, b transcript.Line) int { return strings.Compare(a.Text, b.Text) }) // the order on the page
	return cellsOf([]transcript.Page{p})
}

// The neighbours of a cell by their places: "b" is the cell, and the others are around it.
func TestNeighboursByPlace(t *testing.T) {
	t.Parallel()
	b := [4]float64{40, 50, 40, 42}
	for name, test := range map[string]struct {
		around map[string][4]float64
		want   map[string]string // by function
	}{
		"alone":                     {nil, map[string]string{}},
		"in the row":                {map[string][4]float64{"a": {10, 20, 40, 42}, "c": {60, 70, 40, 42}}, map[string]string{"left": "a", "right": "c"}},
		"two in the row":            {map[string][4]float64{"a": {10, 20, 40, 42}, "aa": {25, 35, 40, 42}, "c": {60, 70, 40, 42}, "d": {80, 90, 40, 42}}, map[string]string{"left": "aa", "right": "c d"}},
		"two in the row, turned":    {map[string][4]float64{"a": {25, 35, 40, 42}, "aa": {10, 20, 40, 42}}, map[string]string{"left": "a"}},
		"half a row higher":         {map[string][4]float64{"a": {10, 20, 39.1, 41.1}, "c": {60, 70, 39.1, 41.1}}, map[string]string{"left": "a", "right": "c"}},
		"a row higher":              {map[string][4]float64{"a": {10, 20, 38.5, 40.5}}, map[string]string{"staggered": "a"}},
		"a row higher, two":         {map[string][4]float64{"a": {10, 20, 38.5, 40.5}, "aa": {22, 30, 38.5, 40.5}}, map[string]string{"staggered": "aa"}},
		"a row higher, turned":      {map[string][4]float64{"a": {22, 30, 38.5, 40.5}, "aa": {10, 20, 38.5, 40.5}}, map[string]string{"staggered": "a"}},
		"a line higher":             {map[string][4]float64{"a": {10, 20, 36, 38}}, map[string]string{}},
		"a row lower":               {map[string][4]float64{"a": {10, 20, 41.5, 43.5}}, map[string]string{}},
		"below":                     {map[string][4]float64{"c": {40, 50, 44, 46}}, map[string]string{"under": "c", "next": "c"}},
		"below, next to it":         {map[string][4]float64{"c": {51, 60, 44, 46}}, map[string]string{}},
		"below, in the middle":      {map[string][4]float64{"c": {43, 47, 44, 46}}, map[string]string{"under": "c", "next": "c"}},
		"below, to the right":       {map[string][4]float64{"c": {44, 50, 44, 46}}, map[string]string{"under": "c", "next": "c"}},
		"below, at another edge":    {map[string][4]float64{"c": {43, 54, 44, 46}}, map[string]string{"under": "c"}},
		"three lines below":         {map[string][4]float64{"c": {40, 50, 48.9, 50.9}}, map[string]string{"under": "c"}},
		"an empty line below":       {map[string][4]float64{"c": {40, 50, 45.1, 47.1}}, map[string]string{"under": "c", "next": "c"}},
		"two empty lines below":     {map[string][4]float64{"c": {40, 50, 45.3, 47.3}}, map[string]string{"under": "c"}},
		"four lines below":          {map[string][4]float64{"c": {40, 50, 49.1, 51.1}}, map[string]string{}},
		"the nearest below":         {map[string][4]float64{"c": {60, 70, 44, 46}, "d": {40, 50, 46, 48}, "e": {40, 50, 48, 50}}, map[string]string{"under": "d", "next": ""}},
		"above":                     {map[string][4]float64{"a": {45, 60, 36, 38}}, map[string]string{"above": "a"}},
		"above, next to it":         {map[string][4]float64{"a": {20, 40, 36, 38}}, map[string]string{}},
		"above, two lines":          {map[string][4]float64{"a": {40, 50, 32.1, 34.1}}, map[string]string{"above": "a"}},
		"above, three lines":        {map[string][4]float64{"a": {40, 50, 31.9, 33.9}}, map[string]string{}},
		"above, far and large":      {map[string][4]float64{"a": {40, 50, 27, 31}}, map[string]string{"above": "a"}},
		"above, and in the row":     {map[string][4]float64{"a": {40, 50, 36, 38}, "aa": {30, 45, 40, 42}}, map[string]string{"above": "a", "left": "aa"}},
		"below in the order, above": {map[string][4]float64{"c": {40, 50, 36, 38}}, map[string]string{}},
	} {
		at := map[string][4]float64{"b": b}
		for text, box := range test.around {
			at[text] = box
		}
		cells := placed(1, at)
		i := slices.IndexFunc(cells, func(c cell) bool { return c.Text == "b" })
		one := func(c cell, _ bool) string { return c.Text }
		got := map[string]string{"left": one(leftOf(cells, i)), "above": one(nearOnly(above(cells, i))), "staggered": one(staggered(cells, i)), "under": one(nearOnly(under(cells, i)))}
		if j, ok := next(cells, i); ok {
			got["next"] = cells[j].Text
		}
		var all []string
		for _, c := range right(cells, i) {
			all = append(all, c.Text)
		}
		got["right"] = strings.Join(all, " ")
		for _, function := range []string{"left", "right", "above", "under", "next", "staggered"} {
			if want := test.want[function]; got[function] != want && !(function == "staggered" && want == "") {
				t.Errorf("%s: %s is %q, want %q", name, function, got[function], want)
			}
		}
	}
}

// nearOnly leaves out a cell that is too far.
func nearOnly(c cell, near bool) (cell, bool) {
	if !near {
		return cell{}, false
	}
	return c, true
}
