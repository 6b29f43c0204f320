package main

import (
	"fmt"

	"matchbook/lambda/doctor"
	"matchbook/lambda/term"
)

// doctorText is the report for people: a paragraph for each error and warning,
// a line or two for the rest.
func doctorText(r doctor.Report) string {
	p := &term.Page{}
	p.Hang("", "Looked at "+term.Clean(r.Target, term.MaxText)+".")
	last := doctor.Finding{Severity: -1}
	for i, f := range r.Findings {
		switch {
		case f.Severity != last.Severity:
			p.Line("\n%s", doctorHead(r, f.Severity))
		case f.Severity >= doctor.Warning && !advisedAlike(last, f):
			p.Line("")
		}
		printFinding(p, f, i+1 == len(r.Findings) || !advisedAlike(f, r.Findings[i+1]))
		last = f
	}
	p.Line("\nErrors %d, warnings %d, skipped %d, ok %d", r.Errors, r.Warnings, r.Skipped, r.OK)
	return p.String()
}

// advisedAlike reports whether the same is to be said to both: it is said once.
func advisedAlike(a, b doctor.Finding) bool {
	return a.ID == b.ID && a.Severity == b.Severity && a.Why == b.Why && a.Do == b.Do
}

func doctorHead(r doctor.Report, s doctor.Severity) string {
	switch s {
	case doctor.Error:
		return fmt.Sprintf("ERRORS (%d)", r.Errors)
	case doctor.Warning:
		return fmt.Sprintf("WARNINGS (%d)", r.Warnings)
	case doctor.Skipped:
		return fmt.Sprintf("SKIPPED (%d)", r.Skipped)
	}
	return fmt.Sprintf("OK (%d)", r.OK)
}

// doctorColumn is as wide as the longest id.
const doctorColumn = 22

func printFinding(p *term.Page, f doctor.Finding, advise bool) {
	what := term.Clean(f.What, term.MaxText)
	if f.Subject != "" {
		what = term.Clean(f.Subject, term.MaxValue) + ": " + what
	}
	p.Hang("  "+term.Pad(f.ID, doctorColumn), what)
	if advise && f.Severity >= doctor.Warning {
		p.Hang("  "+term.Pad("", doctorColumn)+"why  ", f.Why)
		p.Hang("  "+term.Pad("", doctorColumn)+"do   ", f.Do)
	}
}
