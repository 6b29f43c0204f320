// Package analyst asks a model the questions of a review and reads the answers. A passage of a
// contract has up to twelve tasks: its categories of clauses, and what specialists look for, who are
// chosen by the router from rules' marks and words. One call asks all of them, because the rules,
// the card and the passage are most of what a call costs. The answer names the tasks that are
// done, so that each ends apart from the others.
//
// All calls begin with the same text: the rules, what is known of the whole contract, the passage.
// The tasks, files with a version in the folder prompts, come last, so that a provider can cache the
// rest; the answer's schema and its name are shared for the same reason. A changed file makes a new
// question, because stored answers no longer match it.
//
// You must treat the contract and the answers as hostile. The contract's text stands between
// fences it cannot forge. An answer off the schema or over the limits is an error; a finding
// or mark with a quote missing from the passage is dropped.
package analyst

import (
	"embed"
	"fmt"
	"strings"

	llmschema "matchbook/lambda/llm/schema"
	"matchbook/lambda/review/record"
)

// Passage is the text of a chunk, as shown to a model. See record.Chunk for the stored chunk,
// and chunk.Split for the origin of both.
type Passage struct {
	Text    string
	Start   int    // offset of Text in the contract, in bytes
	Heading string // headings above it
	Known   string // about the whole contract, as text for questions; see card.Brief
}

// Analyst is a task about a passage: a specialist reads it for one topic, and one marks its
// categories of clauses.
type Analyst struct {
	Name    string // also names its stage and files
	Title   string
	Version string // of its instructions
	Topics  []record.Category
	prompt  string
	calls   []record.Category // called by marks of these
	hints   hints
	others  []string // titles of the others called, for the analyst of the rest
}

// Stage returns the stage of the analyst's question.
func (a Analyst) Stage() record.Stage { return record.Stage(a.Name) }

var categories, categoriesExplained = loadCategories()

func loadCategories() (a Analyst, explained string) {
	a = load(string(record.Categories))
	a.prompt, explained, _ = strings.Cut(a.prompt, "\n")
	return a, explained
}

// Categories returns the task of marking the categories of clauses.
func Categories() Analyst { return categories }

// All returns the analysts, in the order of their stages.
func All() []Analyst { return append([]Analyst(nil), analysts...) }

//go:embed prompts
var files embed.FS

var (
	rules  = strings.TrimSpace(file("rules.txt"))
	schema = llmschema.MustParse([]byte(file("answer.json")))
)

func load(name string) Analyst {
	title, version, prompt := divide(file(name + ".txt"))
	return Analyst{Name: name, Title: title, Version: version, prompt: prompt}
}

// divide splits a prompt file into its title, its version and the text to send to the model.
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
