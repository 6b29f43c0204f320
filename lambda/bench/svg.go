package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// point is a value at a number of documents.
type point struct{ documents, value float64 }

// panel is a chart with a line for each class.
type panel struct {
	title string
	lines map[string][]point
}

const (
	width, height = 360, 260 // of a panel, in pixels
	left, bottom  = 44, 30
)

var colours = []string{"#1b6ca8", "#d1495b", "#2e8b57", "#b8860b", "#6a4c93", "#555555"}

// growth draws the 99th percentile of the processor time of benchmarks that are
// named Tenant/DOCUMENTS/PANEL/CLASS, both axes logarithmic.
func growth(r results) string {
	panels := map[string]*panel{}
	for name, units := range r {
		parts := strings.Split(name, "/")
		if len(parts) != 4 || parts[0] != "Tenant" || len(units["p99-cpu-ms"]) == 0 {
			continue
		}
		documents, err := strconv.ParseFloat(parts[1], 64)
		if err != nil {
			continue
		}
		p := panels[parts[2]]
		if p == nil {
			p = &panel{parts[2], map[string][]point{}}
			panels[parts[2]] = p
		}
		middle, _, _ := median(units["p99-cpu-ms"])
		p.lines[parts[3]] = append(p.lines[parts[3]], point{documents, middle})
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n",
		width*len(panels), height+80)
	out.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, name := range slices.Sorted(maps.Keys(panels)) {
		fmt.Fprintf(&out, `<g transform="translate(%d 0)">`+"\n", i*width)
		panels[name].draw(&out)
		out.WriteString("</g>\n")
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// x and y place a number of documents from 10,000 to a million, and 1 to 1,000 ms.
func x(documents float64) float64 { return left + (math.Log10(documents)-4)/2*(width-left-20) }
func y(ms float64) float64 {
	return height - bottom - math.Log10(max(ms, 1))/3*(height-bottom-30)
}

func (p *panel) draw(out *strings.Builder) {
	fmt.Fprintf(out, `<text x="%d" y="16" font-weight="bold">%s: p99 of processor time, ms</text>`+"\n", left, p.title)
	for _, ms := range []float64{1, 10, 100, 1000} {
		fmt.Fprintf(out, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n",
			left, y(ms), width-20, left-6, y(ms)+4, ms)
	}
	for i, label := range []string{"10 k", "100 k", "1 M"} {
		fmt.Fprintf(out, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x(math.Pow10(4+i)), height-bottom+18, label)
	}
	for i, class := range slices.Sorted(maps.Keys(p.lines)) {
		points := p.lines[class]
		slices.SortFunc(points, func(a, b point) int { return int(a.documents - b.documents) })
		var path []string
		for _, at := range points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(at.documents), y(at.value)))
		}
		colour := colours[i%len(colours)]
		fmt.Fprintf(out, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, " "), colour)
		fmt.Fprintf(out, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", left, height+10+14*i, colour, class)
	}
}
