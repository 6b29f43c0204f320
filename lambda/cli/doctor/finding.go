package doctor

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity orders findings, the worst highest.
type Severity int

// Severities of findings.
const (
	OK      Severity = iota // examined and fine
	Skipped                 // not examined; the reason is in What
	Warning                 // works, but maybe not for long
	Error                   // documents fail, get stuck or are lost
)

var severities = []string{OK: "ok", Skipped: "skipped", Warning: "warning", Error: "error"}

// String returns the name of the severity.
func (s Severity) String() string { return severities[s] }

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severities, string(text))
	if i < 0 {
		return fmt.Errorf("invalid severity %.20q", text)
	}
	*s = Severity(i)
	return nil
}

// Finding is the result of a check.
type Finding struct {
	ID       string   `json:"id"` // of the check
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject,omitempty"` // name of the resource, function or variable
	What     string   `json:"what"`              // problem, observation, or reason for skipping
	Why      string   `json:"why,omitempty"`     // why it matters; only of warnings and errors
	Do       string   `json:"do,omitempty"`      // remedy; only of warnings and errors
}

// Report lists the findings: the worst first, then in the order of the checks. See Do of each
// for the remedy.
type Report struct {
	Target   string    `json:"target"` // the stack or environment
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Skipped  int       `json:"skipped"`
	OK       int       `json:"ok"`
	Findings []Finding `json:"findings"`
}

type check struct {
	id     string
	raises []Severity // its severities other than OK and Skipped
	why    string     // why it matters
	look   func(facts) []result
}

type result struct {
	severity          Severity
	subject, what, do string
}

func fine(subject, what string, args ...any) result {
	return result{OK, subject, fmt.Sprintf(what, args...), ""}
}

func skipped(subject, why string) result { return result{Skipped, subject, why, ""} }

func doubtful(subject, do, what string, args ...any) result {
	return result{Warning, subject, fmt.Sprintf(what, args...), do}
}

func wrong(subject, do, what string, args ...any) result {
	return result{Error, subject, fmt.Sprintf(what, args...), do}
}

const nothing = "not applicable here"

// examine runs every check on the facts. A check without a result is reported as skipped, so
// that it doesn't look passed.
func examine(checks []check, f facts) Report {
	r := Report{Target: f.target}
	for _, c := range checks {
		results := c.look(f)
		if len(results) == 0 {
			results = []result{skipped("", nothing)}
		}
		for _, x := range results {
			r.add(c, x)
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return r
}

func (r *Report) add(c check, x result) {
	f := Finding{ID: c.id, Severity: x.severity, Subject: x.subject, What: x.what}
	if x.severity >= Warning {
		f.Why, f.Do = c.why, x.do
	}
	*[]*int{OK: &r.OK, Skipped: &r.Skipped, Warning: &r.Warnings, Error: &r.Errors}[x.severity]++
	r.Findings = append(r.Findings, f)
}
