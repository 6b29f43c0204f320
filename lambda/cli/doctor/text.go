package doctor

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
)

// Text returns the report for people: a paragraph per error and warning, a line or two for
// the rest.
func (r Report) Text() string {
	p := &term.Page{}
	p.Hang("", "Checked "+term.Clean(r.Target, term.MaxText)+".")
	last := Finding{Severity: -1}
	for i, f := range r.Findings {
		switch {
		case f.Severity == Skipped && last.Severity == Skipped:
			continue
		case f.Severity == Skipped:
			r.skipped(p)
			last = f
			continue
		case f.Severity != last.Severity:
			p.Line("\n%s", r.head(f.Severity))
		case f.Severity >= Warning && !advisedAlike(last, f):
			p.Line("")
		}
		printFinding(p, f, i+1 == len(r.Findings) || !advisedAlike(f, r.Findings[i+1]))
		last = f
	}
	p.Line("\nErrors %d, warnings %d, skipped %d, ok %d", r.Errors, r.Warnings, r.Skipped, r.OK)
	return p.String()
}

// skipped prints the skipped checks, one paragraph per reason, because dozens of
// them would hide the findings above.
func (r Report) skipped(p *term.Page) {
	var reasons []string
	checks := map[string][]string{}
	for _, f := range r.Findings {
		if f.Severity != Skipped {
			continue
		}
		if checks[f.What] == nil {
			reasons = append(reasons, f.What)
		}
		if !slices.Contains(checks[f.What], f.ID) {
			checks[f.What] = append(checks[f.What], f.ID)
		}
	}
	p.Line("\n%s", r.head(Skipped))
	for _, reason := range reasons {
		p.Hang("  ", term.Clean(reason, term.MaxText)+": "+strings.Join(checks[reason], ", "))
	}
}

// advisedAlike reports whether two findings share their advice, so that it's printed once.
func advisedAlike(a, b Finding) bool {
	return a.ID == b.ID && a.Severity == b.Severity && a.Why == b.Why && a.Do == b.Do
}

func (r Report) head(s Severity) string {
	switch s {
	case Error:
		return fmt.Sprintf("ERRORS (%d)", r.Errors)
	case Warning:
		return fmt.Sprintf("WARNINGS (%d)", r.Warnings)
	case Skipped:
		return fmt.Sprintf("SKIPPED (%d)", r.Skipped)
	}
	return fmt.Sprintf("OK (%d)", r.OK)
}

const idColumn = 22

func printFinding(p *term.Page, f Finding, advise bool) {
	what := term.Clean(f.What, term.MaxText)
	if f.Subject != "" {
		what = term.Clean(f.Subject, term.MaxValue) + ": " + what
	}
	p.Hang("  "+term.Pad(f.ID, idColumn), what)
	if advise && f.Severity >= Warning {
		p.Hang("  "+term.Pad("", idColumn)+"why  ", f.Why)
		p.Hang("  "+term.Pad("", idColumn)+"do   ", f.Do)
	}
}
