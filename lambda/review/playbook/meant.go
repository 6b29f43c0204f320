package playbook

import "matchbook/lambda/internal/nearest"

// meant suggests a known word at most two edits away, or returns an empty string.
func meant(word string, known []string) string {
	const near = 2
	best, proposal := near+1, ""
	for _, k := range known {
		if d := nearest.Distance(word, k); d < best {
			best, proposal = d, k
		}
	}
	if proposal == "" {
		return ""
	}
	return ": did you mean " + proposal + "?"
}
