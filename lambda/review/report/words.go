package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"
)

var titles = map[record.Category]string{
	record.Parties: "Parties and dates", record.Renewal: "Renewal", record.Termination: "Termination",
	record.ChangeOfControl: "Change of control", record.Assignment: "Assignment",
	record.LiabilityCap: "Cap on liability", record.UncappedLiability: "Uncapped liability",
	record.Indemnity: "Indemnity or insurance", record.IPOwnership: "Ownership of intellectual property",
	record.License: "Licence grant", record.Exclusivity: "Exclusivity or non-compete",
	record.GoverningLaw: "Governing law",
}

// Title returns the display name of a category or another topic of findings.
func Title(c record.Category) string {
	if title, ok := titles[c]; ok {
		return title
	}
	return capital(strings.ReplaceAll(term.Clean(string(c), mostName), "-", " "))
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func stateOf(j record.Job, gaps int) string {
	switch j.Status {
	case record.Completed:
		return "Completed: every part was read."
	case record.CompletedWithGaps:
		return fmt.Sprintf("Completed with gaps: %s not answered.", plural.Of(gaps, "question"))
	case record.Cancelled:
		return "Cancelled by a person before it finished. This report is incomplete."
	case record.Failed:
		return strings.TrimSpace("Failed: nothing was read. " + term.Clean(j.Error, mostText))
	}
	waits := ""
	if j.Waits != "" {
		waits = " It is " + term.Clean(j.Waits, mostText) + ", and goes on by itself."
	}
	return fmt.Sprintf("Not finished (%s): %d of %d parts done.%s This report is incomplete.",
		j.Status, j.Chunks-j.ChunksOpen, j.Chunks, waits)
}

// UnreadLanguage warns about a language that rules don't read. It's empty if they read the contract, or
// a model did.
func UnreadLanguage(r Review) string {
	language, all := category.Unread(r.Text)
	switch {
	case language == "" || r.Job.Model != "":
		return ""
	case all:
		return "Rules do not read " + language + ": clauses of this contract were not found, and none is reported as " +
			"missing. Review it with a model."
	}
	return "Rules do not read " + language + ": passages in it were not searched."
}

func datesOf(j record.Job) string {
	dates := "started " + j.CreatedAt.UTC().Format(time.DateTime)
	if j.EndedAt != nil {
		dates += ", ended " + j.EndedAt.UTC().Format(time.DateTime)
	}
	return dates + " UTC"
}

func costOf(j record.Job) (lines []string) {
	if j.Model == "" {
		return []string{"No model was used, so nothing was paid."}
	}
	lines = append(lines, fmt.Sprintf("Paid: %s for %s.", dollars(j.Cost), plural.Of(j.Calls, "model call")),
		fmt.Sprintf("Estimate: %s.", dollars(j.Estimate)))
	if j.Budget > 0 {
		lines = append(lines, fmt.Sprintf("Budget: %s.", dollars(j.Budget)))
	}
	if j.Cost == 0 && j.Calls > 0 {
		lines = append(lines, "The model's price is not configured, so costs count as 0.")
	}
	return lines
}

func dollars(u record.USD) string { return fmt.Sprintf("USD %.4f", u.Dollars()) }

// placesOf describes places in the text by their headings and line.
func placesOf(text string, at []int) []string {
	if text == "" { // pruned
		return make([]string, len(at))
	}
	names, lines := chunk.Above(text, at), linesOf(text, at)
	for i, line := range lines {
		if names[i] = term.Clean(names[i], mostName); names[i] != "" {
			names[i] += ", "
		}
		names[i] += fmt.Sprintf("line %d", line)
	}
	return names
}

func linesOf(text string, at []int) []int {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	lines, line, done := make([]int, len(at)), 1, 0
	for _, i := range order {
		place := max(done, min(at[i], len(text)))
		line, done = line+strings.Count(text[done:place], "\n"), place
		lines[i] = line
	}
	return lines
}
