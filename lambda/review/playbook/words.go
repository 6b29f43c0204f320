package playbook

import (
	"strings"

	"matchbook/lambda/review/record"
)

// words are a topic's identifier as words.
func words(c record.Category) string { return strings.ReplaceAll(string(c), "-", " ") }

// labelled is a text behind a label, empty without a text.
func labelled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + ": " + text
}

// sentences joins those texts that are not empty.
func sentences(texts ...string) string {
	var all []string
	for _, t := range texts {
		if t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, " ")
}
