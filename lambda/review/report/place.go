package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/review/chunk"
)

// placesOf names places of the text by the headings above them and by their line.
func placesOf(text string, at []int) []string {
	names, lines := chunk.Above(text, at), linesOf(text, at)
	for i, line := range lines {
		if names[i] = term.Clean(names[i], mostName); names[i] != "" {
			names[i] += ", "
		}
		names[i] += fmt.Sprintf("line %d", line)
	}
	return names
}

// linesOf returns the number of the line of each place.
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
