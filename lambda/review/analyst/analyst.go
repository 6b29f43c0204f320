// Package analyst holds the questions of a review to a model, and reads their
// answers. For each passage of a contract one question asks which categories of
// clauses it has; by their marks a router calls the specialists, at most eleven,
// each with a question of its own.
//
// A question is two files in the folder prompts: the instructions, with a
// version, and the JSON schema of the answer. A changed file is a new question: no
// stored answer fits it any more.
//
// The contract is hostile, and so is the answer. The contract's text stands
// between fences that it cannot forge. An answer off the schema or beyond the
// limits is an error; a finding or a mark whose quote does not stand in the passage
// is dropped.
package analyst

import (
	"embed"
	"fmt"
	"strings"

	"matchbook/lambda/llm/schema"
	"matchbook/lambda/review/record"
)

// Passage is a part of a contract.
type Passage struct {
	Text    string
	Start   int    // of the text in the contract, in bytes
	Heading string // the headings above it
}

// Analyst is a specialist: it reads a passage for one topic.
type Analyst struct {
	Name    string // also that of its stage, and of its files
	Title   string
	Version string // of its instructions
	Topics  []record.Category
	prompt  string
	schema  schema.Schema
	calls   []record.Category // whose marks call it
	hints   hints
}

// Stage is the stage of the analyst's question.
func (a Analyst) Stage() record.Stage { return record.Stage(a.Name) }

// All returns the analysts, in the order of their stages.
func All() []Analyst { return append([]Analyst(nil), analysts...) }

//go:embed prompts
var files embed.FS

// rules are a part of every analyst's instructions.
var rules = file("rules.txt")

// load reads an analyst's files.
func load(name string) Analyst {
	title, version, prompt := divide(file(name + ".txt"))
	return Analyst{Name: name, Title: title, Version: version, prompt: rules + "\n" + prompt,
		schema: schema.MustParse([]byte(file(name + ".json")))}
}

// divide divides the file of a prompt into its title, its version and the text
// that a model gets.
func divide(text string) (title, version, prompt string) {
	title, rest, _ := strings.Cut(text, "\n")
	version, prompt, _ = strings.Cut(rest, "\n")
	return strings.TrimPrefix(title, "# "), strings.TrimPrefix(version, "version: "), strings.TrimSpace(prompt)
}

func file(name string) string {
	text, err := files.ReadFile("prompts/" + name)
	if err != nil {
		panic(fmt.Errorf("analyst: %w", err)) // it is embedded
	}
	return string(text)
}
