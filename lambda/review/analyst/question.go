package analyst

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

const (
	maxPassage = 24_000 // bytes of a passage; chunk.Split's are shorter
	maxHeading = 200    // characters
	maxWording = 1_000  // characters of a text in a position

	maxCategories = 3_000 // tokens of an answer
	maxFindings   = 4_000 // the same
)

// The fences around the passage. Its text cannot contain them, because Shown cuts runs of < or
// > to two characters.
const (
	opening = "<<<contract\n"
	closing = "\ncontract>>>"
	task    = "\nTask: "
)

// schemaName is the same for all tasks: it stands before the passage in a provider's cache.
const schemaName = "review_passage"

// The categories are explained in the system text, before the passage, so that they are cached.
var (
	_, categoriesVersion, categoriesPrompt = divide(file("categories.txt"))
	categoriesTask, categoriesExplained, _ = strings.Cut(categoriesPrompt, "\n")

	system = rules + "\n\n" + categoriesExplained
)

// CategoriesQuestion asks for a passage's categories of clauses. Ask it first, so that the
// provider has cached the passage for the analysts. Read the answer with ReadMarks.
func CategoriesQuestion(p Passage) llm.Question {
	return question(p, record.Categories, categoriesVersion, categoriesTask, maxCategories)
}

// Question asks the analyst about a passage, stating the playbook's positions on its topics.
// Use Read to read the answer.
func (a Analyst) Question(p Passage, pb playbook.Playbook) llm.Question {
	return question(p, a.Stage(), a.Version, a.prompt+"\n"+a.company()+Positions(pb, a.Topics), maxFindings)
}

func question(p Passage, s record.Stage, version, prompt string, most int) llm.Question {
	return llm.Question{Name: schemaName, Version: version, System: system,
		User: p.Known + delimited(p) + task + string(s) + "\n" + prompt, Schema: schema.Raw(), MaxTokens: most, Corrects: true}
}

// Asked returns the stage and passage of a question, for use by scripted models.
func Asked(name, user string) (stage record.Stage, text string, ok bool) {
	_, text, ok = strings.Cut(user, opening)
	text, rest, found := strings.Cut(text, closing)
	rest, told := strings.CutPrefix(rest, "\n"+task)
	if s, _, _ := strings.Cut(rest, "\n"); ok && found && told && name == schemaName {
		return record.Stage(s), text, true
	}
	return "", "", false
}

// company names the other analysts called for the passage, for the one who reads the rest.
func (a Analyst) company() string {
	if a.others == nil {
		return ""
	}
	called := cmp.Or(strings.Join(a.others, ", "), "none: every clause is yours")
	return "Specialists called for this passage: " + called + ".\n"
}

// Positions returns the playbook's side and positions on some topics, as text for questions.
func Positions(pb playbook.Playbook, topics []record.Category) string {
	var b strings.Builder
	side := pb.Side()
	if side == "neutral" {
		side = "neutral reader: judge for both sides"
	}
	fmt.Fprintf(&b, "Our side in this contract: %s.\n", side)
	for _, topic := range topics {
		position, ok := pb.Position(topic)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "Our position on %s: a clause is %s.", topic, position.Clause)
		for _, part := range []struct{ label, text string }{{"Acceptable", position.Acceptable},
			{"Unwanted", position.Unwanted}, {"Our wording", position.Fallback}, {"Reason", position.Reason},
			{"Severity", string(position.Severity)}} {
			if text := line(part.text, maxWording); text != "" {
				fmt.Fprintf(&b, " %s: %s", part.label, text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func delimited(p Passage) string {
	var b strings.Builder
	if heading := line(p.Heading, maxHeading); heading != "" {
		fmt.Fprintf(&b, "The passage stands below these headings:\n<<<headings\n%s\nheadings>>>\n\n", heading)
	}
	b.WriteString("The passage:\n" + opening + Shown(p.Text, maxPassage) + closing + "\n")
	return b.String()
}

// line returns a foreign text on one line, without fences.
func line(s string, most int) string { return llm.Unfenced(term.Clean(s, most)) }

// Shown returns a contract's text as questions show it between fences: without control
// characters, invisible characters, bidi marks and fences, with one space between words and one
// empty line between paragraphs. Quotes of it are still found in the text, because package quote
// ignores these too.
func Shown(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	var b strings.Builder
	empty := true // the previous line
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		if line != "" || !empty {
			b.WriteString(line + "\n")
		}
		empty = line == ""
	}
	return cut(llm.Unfenced(strings.TrimSpace(b.String())), most)
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
