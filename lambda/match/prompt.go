package match

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/llm"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

const (
	maxTokens      = 4_000 // of an answer: 20 sentences
	maxPromptLines = 20    // lines of a document
	maxPromptText  = 600   // of its notes, in characters
	maxPromptWord  = 120   // of any other text
	// maxPromptNumber bounds the number of a known document, in characters.
	maxPromptNumber = 40
	maxPromptRates  = 4
)

// QuestionOf returns the question to a model about a document and its candidates: candidate
// number n is candidates[order[n-1]]. If pairs is not nil, pairs[i] must belong to
// candidates[i]; it adds what is known, the competition, conversions of units and earlier answers. The schema lists
// only candidates without one.
func QuestionOf(doc score.Raw, candidates []score.Raw, pairs []rules.Decision) (q llm.Question, order []int, err error) {
	var text strings.Builder
	if err := delimited(&text, "document", doc, knownOf(doc.ID, pairs)); err != nil {
		return q, nil, err
	}
	order = shuffled(doc.ID, len(candidates))
	for i, n := range order {
		fmt.Fprintf(&text, "\nCandidate %d:\n", i+1)
		var known []rules.Known
		if pairs != nil {
			text.WriteString(competition(doc, candidates[n], pairs[n]) + conversions(doc, candidates[n]))
			if pairs[n].Answered() {
				fmt.Fprintf(&text, "answered: %s\n", pairs[n].Pair.Asked.Answer)
			}
			known = knownOf(candidates[n].ID, pairs[n:n+1])
		}
		if err := delimited(&text, "candidate", candidates[n], known); err != nil {
			return q, nil, err
		}
	}
	return llm.Question{Name: "match_decision", Version: promptVersion, System: system, User: text.String(),
		Schema: schema(asked(order, pairs)), MaxTokens: maxTokens}, order, nil
}

// asked lists the numbers of the candidates without an earlier answer.
func asked(order []int, pairs []rules.Decision) (numbers []int) {
	for i, n := range order {
		if pairs == nil || !pairs[n].Answered() {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// delimited writes a document between two delimiters. Its lines cannot be mistaken for a
// delimiter, because each begins with a field's name.
func delimited(w *strings.Builder, name string, raw score.Raw, known []rules.Known) error {
	text, err := PromptOf(raw)
	if err != nil {
		return err
	}
	for i, k := range known {
		prefix := "; "
		if i == 0 {
			prefix = "known: belongs to "
		}
		text += prefix + k.Type.Words() + " " + line(k.Number, maxPromptNumber)
	}
	if len(known) > 0 {
		text += "\n"
	}
	fmt.Fprintf(w, "<<<%s\n%s%s>>>\n", name, text, name)
	return nil
}

// PromptOf returns a document as a question contains it, asking or asked about: a line "name:
// value" for each field. It contains no id, so equal documents have the same prompt.
func PromptOf(raw score.Raw) (string, error) {
	d, err := document.Parse([]byte(raw.Data))
	if err != nil {
		return "", fmt.Errorf("structured data: %w", err)
	}
	var p strings.Builder
	field := func(name string, values ...string) {
		var present []string
		for _, v := range values {
			if v = line(v, maxPromptWord); v != "" {
				present = append(present, v)
			}
		}
		if len(present) > 0 {
			fmt.Fprintf(&p, "%s: %s\n", name, strings.Join(present, " | "))
		}
	}
	field("type", raw.Type.Words())
	field("number", d.Number)
	field("date", d.Date.String())
	field("currency", d.Currency)
	field("supplier", d.Supplier.Name, d.Supplier.VATID, d.Supplier.IBAN)
	field("buyer", d.Buyer.Name, d.Buyer.VATID)
	for _, r := range d.References[:min(len(d.References), maxPromptLines)] {
		field("cites", r.Type, r.Number)
	}
	field("period", d.Period.From.String(), d.Period.To.String())
	field("delivered", d.Delivered.String())
	field("net", d.Subtotal.Canonical())
	field("tax", append([]string{d.Tax.Canonical()}, rates(d.Taxes)...)...)
	field("total", d.Total.Canonical())
	field("prepaid", d.Prepaid.Canonical())
	for _, c := range d.Charges[:min(len(d.Charges), maxPromptLines)] {
		field("charge", c.Description, labelled("amount", c.Amount, ""))
	}
	for _, l := range d.Lines[:min(len(d.Lines), maxPromptLines)] {
		field("item", l.SKU, l.Description, labelled("quantity", l.Quantity, l.Unit),
			labelled("price", l.UnitPrice, ""), labelled("amount", l.Amount, ""))
	}
	if n := len(d.Lines) - maxPromptLines; n > 0 {
		field("items", fmt.Sprintf("%d more", n))
	}
	if notes := line(d.Notes, maxPromptText); notes != "" {
		fmt.Fprintf(&p, "notes: %s\n", notes)
	}
	return p.String(), nil
}

// rates lists taxes by their rates, such as "19 % of 100".
func rates(taxes []document.Tax) (list []string) {
	for _, t := range taxes[:min(len(taxes), maxPromptRates)] {
		if !t.Rate.IsZero() && !t.Base.IsZero() {
			list = append(list, t.Rate.Canonical()+" % of "+t.Base.Canonical())
		}
	}
	return list
}

// labelled is an amount with a label, empty without an amount.
func labelled(label string, a document.Amount, unit string) string {
	if a.IsZero() {
		return ""
	}
	return label + " " + a.Canonical() + " " + unit
}

// schema is the JSON schema of an answer, with the candidates' numbers as an enum. A model
// writes the properties in this order, so the evidence comes before the verdict.
func schema(numbers []int) json.RawMessage {
	list, err := json.Marshal(numbers)
	if err != nil {
		panic(err) // unreachable for numbers
	}
	return json.RawMessage(fmt.Sprintf(schemaText, list))
}

const schemaText = `{"type":"object","properties":{"candidates":{"type":"array",` +
	`"description":"every candidate once, in their order","items":{"type":"object","properties":{` +
	`"candidate":{"type":"integer","enum":%s},` +
	`"evidence":{"type":"string","description":"one sentence with the values that agree and those that contradict"},` +
	`"verdict":{"type":"string","enum":["high","medium","low","none"]}},` +
	`"required":["candidate","evidence","verdict"],"additionalProperties":false}}},` +
	`"required":["candidates"],"additionalProperties":false}`

// line puts hostile text on one line: it removes control characters, invisible characters,
// direction marks and our delimiters, and cuts the rest to most characters.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(llm.OneLine(s)), " ")
	if runes := []rune(s); len(runes) > most {
		s = strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return s
}

// shuffled is an order of n candidates that depends only on the document, so that the best one
// isn't always in the same place.
func shuffled(id uuid.UUID, n int) []int {
	sum := sha256.Sum256(id[:])
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))).Perm(n)
}
