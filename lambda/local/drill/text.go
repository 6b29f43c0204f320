package drill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"

	"github.com/google/uuid"
)

// shownHistories is the number of violations per check printed with their document's history.
const shownHistories = 3

// Text returns the report for people.
func (r *Report) Text() string {
	p := &term.Page{}
	p.Line("FAULTS     %s", wrapped(counted(r.Faults)))
	for _, s := range r.Workloads {
		p.Line("%-9s  %s", strings.ToUpper(s.Function), wrapped(s.text()))
	}
	p.Line("SWEEPS     %d, %d of them failed", r.Sweeps, r.SweepsFailed)
	p.Line("TOOK       %.1f s, %.1f hours simulated", r.Seconds, r.Simulated)
	p.Line("VERDICT")
	for _, c := range r.Checks {
		c.print(p)
	}
	if n := r.Violations(); n > 0 {
		p.Line("RED        %s (seed %d)", plural.Of(n, "violation", "violations"), r.Seed)
	} else {
		p.Line("GREEN      0 violations (seed %d)", r.Seed)
	}
	return p.String()
}

// text lists the rows by state, and what happened to them.
func (s Standing) text() string {
	parts := []string{plural.Of(s.Rows, s.noun, s.noun+"s") + ": " + cmp.Or(counted(s.States), "none")}
	for _, n := range []struct {
		n    int
		what string
	}{{s.Results, s.found}, {s.Parked, "parked meanwhile"}, {s.Repaired, "published again by the sweep"}, {s.Dead, "dead letters"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.what))
		}
	}
	if len(s.Failed) > 0 {
		parts = append(parts, "failures: "+counted(s.Failed))
	}
	return strings.Join(parts, ", ")
}

func (c Check) print(p *term.Page) {
	p.Line("  %-8s  %3d  %s", c.Name, len(c.Violations), c.How)
	for i, v := range c.Violations {
		if i == shownHistories {
			p.Line("                 and %d more", len(c.Violations)-i)
			break
		}
		name := v.Row.String() + ": "
		if v.Row == uuid.Nil {
			name = ""
		}
		p.Line("                 %s%s", name, v.What)
		for _, h := range v.History {
			p.Line("                   %s", h)
		}
	}
}

// counted lists counts with their names.
func counted(counts map[string]int) string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
	}
	return strings.Join(parts, ", ")
}

// wrapped wraps a list into aligned lines.
func wrapped(list string) string {
	var t strings.Builder
	width := 0
	for i, part := range strings.Split(list, ", ") {
		switch {
		case i == 0:
		case width+len(part) > 100:
			t.WriteString(",\n           ")
			width = 0
		default:
			t.WriteString(", ")
		}
		t.WriteString(part)
		width += len(part) + 2
	}
	return t.String()
}
