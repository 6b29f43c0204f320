package offerrun

import (
	"fmt"
	"math"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
)

// drawn are the figures that the text shows, with the length of a bar from 0 to 1.
var drawn = []struct {
	name  string
	value func(Figures) float64
	unit  float64 // of the value in the text
	form  string
}{
	{"users with offers", func(f Figures) float64 { return f.Offered }, 100, "%.1f %%"},
	{"dates without offers", func(f Figures) float64 { return f.Empty }, 100, "%.1f %%"},
	{"offers made before", func(f Figures) float64 { return f.Repeats }, 100, "%.1f %%"},
	{"offers to both sides", func(f Figures) float64 { return f.Mutual }, 100, "%.1f %%"},
	{"Gini coefficient", func(f Figures) float64 { return f.Gini }, 1, "%.2f"},
}

// barColumns is the length of a bar for everything.
const barColumns = 25

func bar(share float64) string {
	n := int(math.Round(min(max(share, 0), 1) * barColumns))
	return "|" + strings.Repeat("#", n) + strings.Repeat(" ", barColumns-n) + "|"
}

// Text returns the figures for people.
func (s *Simulation) Text() string {
	var p term.Page
	p.Line("SIMULATION of %s from %s", plural.Of(s.Days, "date", "dates"), s.From)
	for _, t := range s.Tenants {
		p.Line("TENANT %s, %s", t.Tenant, plural.Of(t.Users, "active user", "active users"))
		for _, f := range t.Versions {
			p.Line("  version %d: %s, %d unreadable", f.Version, plural.Of(f.Offers, "offer", "offers"), f.Unreadable)
		}
		for _, d := range drawn {
			t.lines(&p, d.name, func(f Figures) (string, float64, string) {
				v := d.value(f)
				return fmt.Sprintf(d.form, v*d.unit), v, fmt.Sprintf("%+.*f", decimals(d.unit), (v-d.value(t.Versions[0]))*d.unit)
			})
		}
		t.lines(&p, "most often on a date", func(f Figures) (string, float64, string) {
			return fmt.Sprint(f.Exposure), share(f.Exposure, s.Exposure), fmt.Sprintf("%+d", f.Exposure-t.Versions[0].Exposure)
		})
		if len(t.Versions) == 2 {
			p.Line("  %.1f %% of the offers of version %d are made by version %d on the same date",
				t.Same*100, t.Versions[0].Version, t.Versions[1].Version)
		}
	}
	malformed(&p, s.Problems)
	return p.String()
}

func decimals(unit float64) int {
	if unit == 1 {
		return 2
	}
	return 1
}

// lines adds a figure of each version, the second one with its difference to the first.
func (t SimulatedTenant) lines(p *term.Page, name string, of func(Figures) (text string, share float64, difference string)) {
	for i, f := range t.Versions {
		text, share, difference := of(f)
		version := ""
		if len(t.Versions) > 1 {
			version = fmt.Sprintf("v%d ", f.Version)
		}
		line := fmt.Sprintf("  %-22s %s%8s %s", name, version, text, bar(share))
		if i > 0 {
			line += " " + difference
		}
		p.Line("%s", line)
		name = ""
	}
}
