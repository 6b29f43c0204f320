package playbook

import "matchbook/lambda/internal/nearest"

// meant returns the suggestion for an unknown word: a known one at most two edits away, or an
// empty string.
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
