package analyst

import (
	"cmp"
	"fmt"
	"slices"
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

	maxAlone  = 4_000 // tokens of an answer to one task
	maxShared = 8_000 // to several
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
var system = rules + "\n\n" + categoriesExplained

// Question asks one or several tasks about a passage, stating the playbook's positions on their
// topics. Use Read to read the answer.
func Question(tasks []Analyst, p Passage, pb playbook.Playbook) llm.Question {
	var b strings.Builder
	b.WriteString(cmp.Or(p.Known, Side(pb.Side())+"\n\n") + delimited(p))
	var versions []string
	var topics []record.Category
	for _, t := range tasks {
		b.WriteString(task + string(t.Stage()) + "\n" + t.prompt + "\n" + t.company())
		versions = append(versions, t.Version)
		for _, topic := range t.Topics {
			if !slices.Contains(topics, topic) {
				topics = append(topics, topic)
			}
		}
	}
	b.WriteString("\n" + Positions(pb, topics))
	most := maxAlone
	if len(tasks) > 1 {
		most = maxShared
	}
	return llm.Question{Name: schemaName, Version: slices.Max(versions), System: system, User: b.String(), Schema: schema.Raw(),
		MaxTokens: most, Corrects: true}
}

// Asked returns the stages and the passage of a question, for use by scripted models.
func Asked(name, user string) (stages []record.Stage, text string, ok bool) {
	_, text, ok = strings.Cut(user, opening)
	text, rest, found := strings.Cut(text, closing)
	tasks := strings.Split(rest, task)
	for _, t := range tasks[1:] {
		s, _, _ := strings.Cut(t, "\n")
		stages = append(stages, record.Stage(s))
	}
	if !ok || !found || len(stages) == 0 || name != schemaName {
		return nil, "", false
	}
	return stages, text, true
}

// company names the other analysts called for the passage, for the one who reads the rest.
func (a Analyst) company() string {
	if a.others == nil {
		return ""
	}
	called := cmp.Or(strings.Join(a.others, ", "), "none: every clause is yours")
	return "Specialists called for this passage: " + called + ".\n"
}

// Side returns our side, as text for questions.
func Side(side string) string {
	if side == "neutral" {
		side = "neutral reader: judge for both sides"
	}
	return "Our side in this contract: " + side + "."
}

// Positions returns the playbook's positions on some topics, as text for questions.
func Positions(pb playbook.Playbook, topics []record.Category) string {
	var b strings.Builder
	for _, topic := range topics {
		position, ok := pb.Position(topic)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "Our position on %s: %s.", topic, position.Clause)
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
