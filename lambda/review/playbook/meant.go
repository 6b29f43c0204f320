package playbook

import "matchbook/lambda/internal/nearest"

// meant returns the proposal of an error about an unknown word: the one that
// differs in two letters at most. It is empty where there is none.
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
