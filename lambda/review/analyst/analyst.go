// Package analyst asks a model the questions of a review and reads the answers. For each
// passage of a contract, one question asks for its categories of clauses. The router uses
// their marks to choose up to eleven specialists, each with another question.
//
// All questions about a passage begin with the same text: the rules, what is known of the whole
// contract, the passage. The task, a file with a version in the folder prompts, comes last, so
// that a provider can cache the rest; the answer's schema and its name are shared for the same
// reason. A changed file makes a new question, because stored answers no longer match it.
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

// Analyst is a specialist: it reads a passage for one topic.
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
