package card

import (
	_ "embed" // prompt and schema
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/llm"
	llmschema "matchbook/lambda/llm/schema"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
)

// SchemaName is the name of the question's schema.
const SchemaName = "contract_card"

// Limits of a question and its answer.
const (
	mostWhole   = 60_000 // bytes of a contract that is shown whole, about 35 pages
	mostHead    = 30_000 // bytes of the head of a longer one
	mostTokens  = 4_000
	mostAnswer  = 1 << 17
	mostParties = 8
	mostSums    = 12
	mostAbsent  = 8
	longestSpan = 1_200 // of any unit
)

var (
	//go:embed prompt.txt
	system string
	//go:embed schema.json
	schemaFile []byte
	answers    = llmschema.MustParse(schemaFile)
)

// Question asks for the card of a contract. byRules is its card by rules.
func Question(text string, byRules record.Card, side string) llm.Question {
	var b strings.Builder
	b.WriteString(analyst.Side(side) + "\n\n")
	if seen := seenOf(text); len(seen) < len(text) {
		b.WriteString("The contract is too long for one reading: here are its outline and its head.\n\n<<<outline\n" +
			cut(shown(byRules.Outline, mostOutline), mostOutline) + "\noutline>>>\n\n")
	}
	b.WriteString("The contract:\n<<<contract\n" + analyst.Shown(seenOf(text), mostWhole) + "\ncontract>>>\n")
	return llm.Question{Name: SchemaName, Version: "1", System: strings.TrimSpace(system), User: b.String(),
		Schema: answers.Raw(), MaxTokens: mostTokens, Corrects: true}
}

// seenOf returns the part of a contract that its question shows.
func seenOf(text string) string {
	if len(text) <= mostWhole {
		return text
	}
	return cut(text, mostHead)
}

// Read returns the card of an answer to the question, completed by the rules' facts, and the
// numbers of facts kept, and dropped because the contract doesn't have their quotes. Errors
// never quote the answer.
func Read(answer, text string, byRules record.Card) (c record.Card, kept, dropped int, err error) {
	form, err := answers.Read(answer, mostAnswer)
	if err != nil {
		return byRules, 0, 0, err
	}
	r := reader{text: seenOf(text)}
	c = byRules
	c.ByModel = true
	if kind := r.line(form, "type"); kind != "" {
		c.Type = kind
	}
	if parties := r.parties(form["parties"].([]any)); len(parties) > 0 {
		c.Parties = parties
	}
	r.day(form["effective_date"], &c.Effective)
	r.day(form["end_date"], &c.End)
	r.span(form["term"], &c.Term)
	r.span(form["renewal"], &c.Renewal)
	r.span(form["notice"], &c.Notice)
	if sums := r.facts(form["sums"].([]any), "what", mostSums); len(sums) > 0 {
		c.Sums = sums
	}
	if f, ok := r.fact(form["precedence"], ""); ok {
		c.Precedence = f
	}
	c.Definitions = append(c.Definitions, r.facts(form["definitions"].([]any), "term", mostDefinitions-len(c.Definitions))...)
	for _, a := range form["absent"].([]any) {
		absent := record.Fact{Name: r.line(a, "protection"), Quote: r.line(a, "why")}
		if absent.Name != "" && len(c.Absent) < mostAbsent {
			c.Absent = append(c.Absent, absent)
		}
	}
	return Computed(c), r.kept, r.dropped, nil
}

// reader reads the facts of an answer.
type reader struct {
	text          string
	kept, dropped int
}

// line returns a text of an object, clean and short.
func (r *reader) line(object any, field string) string {
	return term.Clean(object.(map[string]any)[field].(string), mostLine)
}

func (r *reader) parties(list []any) (parties []record.Party) {
	for _, o := range list {
		p := record.Party{Name: r.line(o, "name"), Term: r.line(o, "defined_as"), Role: r.line(o, "role"),
			Ours: o.(map[string]any)["ours"].(bool)}
		if !r.stands(p.Name) {
			r.dropped++
			continue
		}
		r.kept++
		if p.Term != "" && !strings.Contains(words(r.text), words(p.Term)) {
			p.Term = ""
		}
		if len(parties) < mostParties {
			parties = append(parties, p)
		}
	}
	return parties
}

func (r *reader) stands(name string) bool {
	_, _, ok := quote.Find(r.text, name)
	return ok || words(name) != "" && strings.Contains(words(r.text), words(name))
}

// fact reads a quote with its place. Without a quote there is no fact.
func (r *reader) fact(object any, name string) (f record.Fact, ok bool) {
	quoted := object.(map[string]any)["quote"].(string)
	if strings.TrimSpace(quoted) == "" {
		return f, false
	}
	start, end, found := quote.Find(r.text, quoted)
	if !found {
		r.dropped++
		return f, false
	}
	r.kept++
	return record.Fact{Name: name, Quote: term.Clean(r.text[start:end], mostTerm), Start: start, End: end}, true
}

func (r *reader) facts(list []any, name string, most int) (facts []record.Fact) {
	for _, o := range list {
		f, ok := r.fact(o, r.line(o, name))
		if ok && f.Name != "" && len(facts) < most {
			facts = append(facts, f)
		}
	}
	return facts
}

// day reads a day with the words that state it.
func (r *reader) day(object any, into *string) {
	date := r.line(object, "date")
	if _, ok := r.fact(object, ""); !ok || date == "" {
		return
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		r.dropped++
		return
	}
	*into = date
}

// span reads a period with the clause that sets it.
func (r *reader) span(object any, into *record.Span) {
	o := object.(map[string]any)
	n := int(o["number"].(float64))
	if f, ok := r.fact(object, ""); ok && n > 0 && n <= longestSpan {
		*into = record.Span{N: n, Unit: o["unit"].(string), Fact: f}
	}
}
