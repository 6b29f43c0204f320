package report

import (
	"fmt"
	"strings"
)

// Markdown returns the report as Markdown.
func Markdown(r Review) string {
	m := &markdown{}
	m.write(viewOf(r))
	return m.String()
}

type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) write(v view) {
	m.line("# Review: %s\n", plain(v.Name))
	m.line("%s\n", plain(v.State))
	m.line("%s\n", plain(v.Summary))
	for _, line := range v.Brief {
		m.line("- %s", plain(line))
	}
	if len(v.Brief) > 0 {
		m.line("")
	}
	m.line("| | |\n|---|---|\n| Read | %s, %s |\n| Playbook | %s |\n| Time | %s |", v.Read, plain(v.Reader),
		plain(v.Playbook), v.Dates)
	for _, c := range v.Counts {
		m.line("| %s | %d |", c.Severity, c.N)
	}
	m.findings(v)
	m.section("Contradictions", v.Contradictions)
	m.section("Between clauses", v.Between)
	m.section("Missing clauses", v.Missing)
	m.section("To check", v.ToCheck)
	if len(v.Rejected) > 0 {
		m.line("\n## Rejected findings\n")
	}
	for _, i := range v.Rejected {
		said := strings.Join(append([]string{i.Decided}, i.Comments...), " · ")
		m.line("- %s. %s (%s, %s). %s", i.Number, plain(i.Title), strings.ToLower(i.Severity), plain(i.Category), plain(said))
	}
	m.gaps(v)
	m.line("\n## Categories of clauses\n\n| category | found | confidence | quote |\n|---|---|---|---|")
	for _, row := range v.Categories {
		m.line("| %s | %s | %s | %s |", row.Category, plain(row.Place), row.Certainty, plain(row.Words))
	}
	m.line("\n## Cost\n")
	for _, line := range v.Cost {
		m.line("- %s", plain(line))
	}
	m.line("\n## Questions asked\n\n| part | answered | failed or not asked | not needed | price |\n|---|---|---|---|---|")
	for _, c := range v.Coverage {
		m.line("| %s | %s | %s | %s | %s |", plain(c.Part), plain(c.Answered), plain(c.Failed), plain(c.NotNeeded), c.Price)
	}
	m.section("Low and for information", v.Folded)
}

func (m *markdown) findings(v view) {
	m.line("\n## Findings")
	if len(v.Clauses) == 0 {
		m.line("\nNo findings in the clauses.")
	}
	for _, g := range v.Clauses {
		m.line("\n### %s", plain(g.Clause))
		m.items(g.Items)
	}
}

func (m *markdown) section(title string, items []item) {
	if len(items) > 0 {
		m.line("\n## %s", title)
		m.items(items)
	}
}

func (m *markdown) items(items []item) {
	for _, i := range items {
		m.line("\n**%s. %s** (%s, %s; %s)\n", i.Number, plain(i.Title), strings.ToLower(i.Severity), plain(i.Category),
			plain(i.Analyst))
		if i.Quote != "" {
			m.line("> %s\n>\n> %s\n", plain(i.Quote), plain(i.Place))
		}
		if i.Second != "" {
			m.line("> %s\n>\n> %s\n", plain(i.Second), plain(i.SecondPlace))
		}
		m.line("%s", plain(i.Explanation))
		if i.Fallback != "" {
			m.line("\nFallback wording: %s", plain(i.Fallback))
		}
		if i.Again != "" {
			m.line("\nAlso at: %s.", plain(i.Again))
		}
		for _, line := range append([]string{i.Decided}, i.Comments...) {
			if line != "" {
				m.line("\n%s", plain(line))
			}
		}
	}
}

func (m *markdown) gaps(v view) {
	switch {
	case len(v.Gaps) > 0:
		m.line("\n## Not read\n\n| part | stage | reason |\n|---|---|---|")
		for _, g := range v.Gaps {
			m.line("| %s | %s | %s |", plain(g.Part), plain(g.Stage), plain(g.Reason))
		}
	case v.Over:
		m.line("\n## Not read\n\nEvery part was read.")
	}
}

// special escapes the characters with a meaning inside a line of Markdown.
var special = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;",
	"&", "&amp;", "#", `\#`, "|", `\|`, "~", `\~`, "!", `\!`, "$", `\$`, "://", `:\/\/`)

// plain escapes a line of text, including starts of lists and quotations.
func plain(s string) string {
	s = special.Replace(s)
	trimmed := strings.TrimLeft(s, "0123456789")
	if strings.TrimLeft(s, "-+=>") != s {
		return `\` + s
	}
	if trimmed != s && (strings.HasPrefix(trimmed, ".") || strings.HasPrefix(trimmed, ")")) {
		return s[:len(s)-len(trimmed)] + `\` + trimmed
	}
	return s
}
