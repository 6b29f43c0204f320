package simulate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"time"

	"matchbook/lambda/offer/day"
)

//go:embed page.css
var css string

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// view is the page.
type view struct {
	*Result
	Style   template.CSS
	Policy  string // nothing is loaded, no script runs
	Months  []monthView
	Offsets []offsetView
	Bars    []barView
}

type monthView struct {
	X    int
	Name string
}

// offsetView is the zones of one offset, and the sum of them.
type offsetView struct {
	rowView
	seconds int
	Zones   []rowView
}

type rowView struct {
	Name string
	Days int
	Runs []runView
}

// runView is days in a row with the same colour.
type runView struct {
	Class, Title string
	X, Width     int
}

type barView struct {
	X, Width, Y, Height, Times int
	Title                      string
}

// Page is a page of HTML, complete in itself: the heat map of zones and days, and
// how often candidates were shown.
func (r *Result) Page() ([]byte, error) {
	sum := sha256.Sum256([]byte(css))
	v := view{Result: r, Style: template.CSS(css), //nolint:gosec // it is ours
		Policy:  "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Months:  r.Heat.months(),
		Offsets: r.Heat.offsets(),
		Bars:    r.Exposure.bars()}
	var page bytes.Buffer
	err := pageTemplate.Execute(&page, v)
	return page.Bytes(), err
}

func (h *Heat) months() (list []monthView) {
	for i := range h.Days {
		t := (h.From + day.Date(i)).Time()
		if t.Day() == 1 {
			list = append(list, monthView{i * 1000 / h.Days, t.Format("Jan")})
		}
	}
	return list
}

// offsets returns the zones by their offset on the first day.
func (h *Heat) offsets() []offsetView {
	sums, groups := map[int][]Cell{}, map[int]*offsetView{}
	for _, name := range slices.Sorted(maps.Keys(h.Zones)) {
		_, seconds := h.From.Time().In(h.zone(name)).Zone()
		if groups[seconds] == nil {
			groups[seconds], sums[seconds] = &offsetView{seconds: seconds}, make([]Cell, h.Days)
		}
		groups[seconds].Zones = append(groups[seconds].Zones, h.row(name, h.Zones[name]))
		for i, c := range h.Zones[name] {
			sums[seconds][i].add(c)
		}
	}
	var list []offsetView
	for seconds, g := range groups {
		name := time.Time{}.In(time.FixedZone("", seconds)).Format("UTC-07:00")
		g.rowView = h.row(name, sums[seconds])
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b offsetView) int { return cmp.Compare(b.seconds, a.seconds) })
	return list
}

func (h *Heat) zone(name string) *time.Location {
	zone, err := day.Zone(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// row joins days with the same colour.
func (h *Heat) row(name string, cells []Cell) rowView {
	row := rowView{Name: name, Days: h.Days}
	for from := 0; from < len(cells); {
		sum, class, to := cells[from], cells[from].class(), from+1
		for ; to < len(cells) && cells[to].class() == class; to++ {
			sum.add(cells[to])
		}
		if class != "" {
			first, last := h.From+day.Date(from), h.From+day.Date(to-1)
			title := fmt.Sprintf("%s to %s: %d offered, %d of them late, %d skipped, %d failed",
				first, last, sum.Offered, sum.Late, sum.Skipped, sum.Failed)
			row.Runs = append(row.Runs, runView{class, title, from, to - from})
		}
		from = to
	}
	return row
}

func (c *Cell) add(o Cell) {
	c.Offered += o.Offered
	c.Late += o.Late
	c.Skipped += o.Skipped
	c.Failed += o.Failed
}

// class is the colour of a cell; empty without jobs.
func (c Cell) class() string {
	switch {
	case c.Skipped > 0:
		return "s"
	case c.Late > 0 && 10*c.Late >= c.Offered:
		return "l"
	case c.Offered+c.Failed > 0:
		return "o"
	}
	return ""
}

func (e *Exposure) bars() (list []barView) {
	const high, wide = 140, 1000
	most := 1
	for _, n := range e.Times {
		most = max(most, n)
	}
	width := wide / (max(e.Most, e.Limit) + 1)
	for times := 1; times <= e.Most; times++ {
		n := e.Times[times]
		height := n * high / most
		list = append(list, barView{X: (times - 1) * width, Width: width - 4, Y: high - height, Height: height, Times: times,
			Title: fmt.Sprintf("%d times on a date: %d", times, n)})
	}
	return list
}
