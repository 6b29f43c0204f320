package scripted

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// Label is a passage of a contract that has a category, in the opinion of people.
type Label struct {
	Category record.Category
	Text     string // white space aside
	Start    int    // in the contract, in bytes
}

// ReviewByRules answers by rules: the clauses that package category finds, and one
// finding for each analyst, about the first of them that is its topic.
func ReviewByRules() Mind {
	return reviewMind(func(passage string) (clauses []clause) {
		for _, m := range category.ByRules(passage, 0, "") {
			clauses = append(clauses, clause{m.Quote, m.Category, m.Score})
		}
		return clauses
	}, 1)
}

// ReviewByLabels answers by the labels of a contract: those that stand in the passage as
// a whole. It leaves out the ones that are too short to prove anything as a quote,
// such as a name in letters.
func ReviewByLabels(contract string, labels []Label) Mind {
	dense := squeeze(contract)
	starts := make([]int, len(labels)) // in dense
	for i, l := range labels {
		starts[i] = len(squeeze(contract[:l.Start]))
	}
	return reviewMind(func(passage string) (clauses []clause) {
		passage = squeeze(passage)
		from := strings.Index(dense, passage)
		if from < 0 {
			return nil
		}
		for i, l := range labels {
			inside := starts[i] >= from && starts[i]+len(squeeze(l.Text)) <= from+len(passage)
			if inside && Quotable(l.Text) {
				clauses = append(clauses, clause{l.Text, l.Category, 100})
			}
		}
		return clauses
	}, maxFindings)
}

// Quotable reports whether a text is long enough for a quote.
func Quotable(text string) bool {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return letters >= quote.Shortest && len(text) <= quote.Longest
}

// maxFindings is less than what package analyst accepts in an answer.
const maxFindings = 15

// reviewMind answers all stages by the clauses of a passage; most is the number of
// findings in an answer.
func reviewMind(read func(passage string) []clause, most int) Mind {
	return func(q Question) string {
		if q.Name == whole.SchemaName {
			return `{"contradictions":[]}` // the rules have theirs, and nothing here reads
		}
		stage, passage, ok := analyst.Asked(q.Name, q.User)
		if !ok {
			return ""
		}
		a := answer{Clauses: read(passage)}
		if stage == record.Categories {
			return a.text()
		}
		topics := topicsOf(stage)
		clauses := slices.DeleteFunc(a.Clauses, func(c clause) bool { return !slices.Contains(topics, c.Category) })
		if line := mentions(passage, topics); len(clauses) == 0 && most == 1 && line != "" {
			clauses = []clause{{line, topics[0], 0}}
		}
		a = answer{Findings: []finding{}}
		for _, c := range clauses[:min(len(clauses), most)] {
			a.Findings = append(a.Findings, findingOf(c))
		}
		return a.text()
	}
}

func topicsOf(stage record.Stage) []record.Category {
	for _, a := range analyst.All() {
		if a.Stage() == stage {
			return a.Topics
		}
	}
	return nil
}

// answer is the answer to either kind of question.
type answer struct {
	Clauses  []clause  `json:"clauses,omitempty"`
	Findings []finding `json:"findings,omitempty"`
}

type clause struct {
	Quote    string          `json:"quote"`
	Category record.Category `json:"category"`
	Score    int             `json:"score"`
}

type finding struct {
	Quote       string          `json:"quote"`
	Category    record.Category `json:"category"`
	Title       string          `json:"title"`
	Explanation string          `json:"explanation"`
	Severity    record.Severity `json:"severity"`
	Fallback    string          `json:"fallback"`
}

func findingOf(c clause) finding {
	what := strings.ReplaceAll(string(c.Category), "-", " ")
	return finding{c.Quote, c.Category, "Scripted: a clause on " + what,
		fmt.Sprintf("Scripted: no model has read this clause on %s.", what), severities[c.Category], ""}
}

// severities are those of scripted findings, so that a report shows each; they
// are info for the other topics.
var severities = map[record.Category]record.Severity{
	record.UncappedLiability: record.Critical, record.LiabilityCap: record.High, record.Indemnity: record.High,
	record.Renewal: record.Medium, record.Termination: record.Medium, record.Exclusivity: record.Medium,
	record.ChangeOfControl: record.Medium, record.GoverningLaw: record.Low, record.Assignment: record.Low,
	record.Parties: record.Info, record.IPOwnership: record.Medium, record.License: record.Low,
	record.DataProtection: record.Medium, record.Payment: record.Low, record.Confidentiality: record.Low,
	record.Disputes: record.Low, record.Other: record.Info,
}

// text writes the answer in the form of its question's schema.
func (a answer) text() string {
	var v any = map[string]any{"clauses": append([]clause{}, a.Clauses...)} // none is [], not null
	if a.Findings != nil {
		v = map[string]any{"findings": a.Findings}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return string(raw)
}

// mentioned are words that show a topic that is no category of clauses.
var mentioned = map[record.Category][]string{
	record.Payment:         {"payment", "payable", "invoice", " fee", "zahlung", "rechnung", "vergütung", "paiement", "facture"},
	record.Confidentiality: {"confidential", "vertraulich", "geheim", "confidenti"},
	record.DataProtection:  {"personal data", "personenbezogen", "datenschutz", "données"},
	record.Disputes:        {"arbitration", "court", "jurisdiction", "gericht", "arbitrage", "tribunal"},
	record.Other:           {"sole discretion", "waive", "penalty", "vertragsstrafe", "pénalité"},
}

// maxQuote is the size of a quote, in bytes.
const maxQuote = 300

// mentions returns the first sentence of a passage that has a word of the topics.
func mentions(passage string, topics []record.Category) string {
	for sentence := range strings.SplitSeq(passage, ".") {
		_, line, heading := strings.Cut(sentence, "\n\n")
		if !heading {
			line = sentence
		}
		for _, topic := range topics {
			for _, word := range mentioned[topic] {
				if strings.Contains(line, word) && Quotable(line) {
					return short(strings.TrimSpace(line))
				}
			}
		}
	}
	return ""
}

// short cuts a quote behind a word.
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

// squeeze removes white space.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
