package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// ReviewByRules answers by rules: the clauses found by package category, and one finding per
// analyst, about its first clause on the topic.
func ReviewByRules() Mind {
	return func(q Question) string {
		if q.Name == card.SchemaName {
			return cardByRules(q.User)
		}
		if q.Name == whole.SchemaName {
			return noneTogether // the rules find contradictions themselves
		}
		stages, passage, ok := analyst.Asked(q.Name, q.User)
		if !ok {
			return ""
		}
		return passageByRules(stages, passage)
	}
}

// passageByRules does the tasks about a passage.
func passageByRules(tasks []record.Stage, passage string) string {
	clauses, marks, findings := clausesOf(passage), []clause{}, []finding{}
	for _, task := range tasks {
		if task == record.Categories {
			marks = clauses
			continue
		}
		topics := topicsOf(task)
		i := slices.IndexFunc(clauses, func(c clause) bool { return slices.Contains(topics, c.Category) })
		if i >= 0 {
			findings = append(findings, findingOf(task, clauses[i].Quote, clauses[i].Category))
		} else if line := mentions(passage, topics); line != "" {
			findings = append(findings, findingOf(task, line, topics[0]))
		}
	}
	return jsonOf(map[string]any{"tasks": tasks, "clauses": marks, "findings": findings})
}

// noneTogether is the answer about the contract as a whole.
const noneTogether = `{"together":[],"same":[],"weights":[],"absent":[]}`

// cardByRules returns the card that rules fill, with quotes of the contract.
func cardByRules(user string) string {
	_, text, _ := strings.Cut(user, "<<<contract\n")
	text, _, _ = strings.Cut(text, "\ncontract>>>")
	c := whole.Facts(text, func(string) bool { return false })
	type object = map[string]any
	quoted := func(f record.Fact) string { return text[f.Start:f.End] }
	span := func(s record.Span) object {
		return object{"number": s.N, "unit": cmp.Or(s.Unit, "day"), "quote": quoted(s.Fact)}
	}
	parties, sums := []object{}, []object{}
	for _, p := range c.Parties {
		parties = append(parties, object{"name": p.Name, "defined_as": p.Term, "role": "", "ours": p.Ours})
	}
	for _, s := range c.Sums {
		sums = append(sums, object{"what": s.Name, "quote": quoted(s)})
	}
	return jsonOf(object{"type": c.Type, "parties": parties, "effective_date": object{"date": "", "quote": ""},
		"end_date": object{"date": "", "quote": ""}, "term": span(c.Term), "renewal": span(c.Renewal), "notice": span(c.Notice),
		"sums": sums, "precedence": object{"quote": quoted(c.Precedence)}, "definitions": []object{}, "absent": []object{}})
}

func clausesOf(passage string) []clause {
	clauses := []clause{} // [], not null
	for _, m := range category.ByRules(passage, 0, "") {
		clauses = append(clauses, clause{m.Quote, m.Category, m.Score})
	}
	return clauses
}

func topicsOf(stage record.Stage) []record.Category {
	for _, a := range analyst.All() {
		if a.Stage() == stage {
			return a.Topics
		}
	}
	return nil
}

type clause struct {
	Quote    string          `json:"quote"`
	Category record.Category `json:"category"`
	Score    int             `json:"score"`
}

type finding struct {
	Task        record.Stage    `json:"task"`
	Quote       string          `json:"quote"`
	Category    record.Category `json:"category"`
	Title       string          `json:"title"`
	Explanation string          `json:"explanation"`
	Severity    record.Severity `json:"severity"`
	Fallback    string          `json:"fallback"`
}

func findingOf(task record.Stage, quote string, c record.Category) finding {
	what := strings.ReplaceAll(string(c), "-", " ")
	return finding{task, quote, c, "Scripted: a clause on " + what,
		fmt.Sprintf("Scripted: no model has read this clause on %s.", what), severities[c], ""}
}

// severities are the severities of scripted findings, so that a report shows each of them;
// other topics use info.
var severities = map[record.Category]record.Severity{
	record.UncappedLiability: record.Critical, record.LiabilityCap: record.High, record.Indemnity: record.High,
	record.Renewal: record.Medium, record.Termination: record.Medium, record.Exclusivity: record.Medium,
	record.ChangeOfControl: record.Medium, record.GoverningLaw: record.Low, record.Assignment: record.Low,
	record.Parties: record.Info, record.IPOwnership: record.Medium, record.License: record.Low,
	record.DataProtection: record.Medium, record.Payment: record.Low, record.Confidentiality: record.Low,
	record.Disputes: record.Low, record.Other: record.Info,
}

func jsonOf(answer map[string]any) string {
	raw, err := json.Marshal(answer)
	if err != nil {
		panic(err) // can't happen: strings and numbers only
	}
	return string(raw)
}

// mentioned has words indicating a topic without a category of clauses.
var mentioned = map[record.Category][]string{
	record.Payment:         {"payment", "payable", "invoice", " fee", "zahlung", "rechnung", "vergütung", "paiement", "facture"},
	record.Confidentiality: {"confidential", "vertraulich", "geheim", "confidenti"},
	record.DataProtection:  {"personal data", "personenbezogen", "datenschutz", "données"},
	record.Disputes:        {"arbitration", "court", "jurisdiction", "gericht", "arbitrage", "tribunal"},
	record.Other:           {"sole discretion", "waive", "penalty", "vertragsstrafe", "pénalité"},
}

// maxQuote is the maximum size of a quote, in bytes.
const maxQuote = 300

// mentions returns the passage's first sentence with a word of the topics, if it's long enough
// for a quote.
func mentions(passage string, topics []record.Category) string {
	for sentence := range strings.SplitSeq(passage, ".") {
		_, line, heading := strings.Cut(sentence, "\n\n")
		if !heading {
			line = sentence
		}
		line = short(strings.TrimSpace(line))
		_, _, stands := quote.Find(passage, line)
		for _, topic := range topics {
			if stands && slices.ContainsFunc(mentioned[topic], func(word string) bool { return strings.Contains(line, word) }) {
				return line
			}
		}
	}
	return ""
}

// short cuts a quote after a word.
func short(line string) string {
	if len(line) <= maxQuote {
		return line
	}
	cut := maxQuote
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	if space := strings.LastIndexByte(line[:cut], ' '); space > 0 {
		cut = space
	}
	return line[:cut]
}
