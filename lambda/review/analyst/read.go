package analyst

import (
	"cmp"
	"errors"
	"slices"
	"unicode/utf8"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
)

// Limits of an answer. Exceeding one is an error.
const (
	maxAnswer  = 128 << 10 // bytes
	maxFound   = 20        // findings
	maxMarks   = 60        // marks, five for each category
	maxTitle   = 200       // characters
	maxText    = 2_000     // of an explanation or a wording
	bestScore  = 100
	leastScore = 1
)

// ReadMarks returns the marks of an answer to CategoriesQuestion, sorted by place, without
// duplicates. p must be the passage asked about, because marks with a quote missing from it
// are dropped and counted. Errors never quote the answer, so you can log them.
func ReadMarks(answer string, p Passage) (marks []record.Mark, dropped int, err error) {
	read, err := categoriesSchema.Read(answer, maxAnswer)
	if err != nil {
		return nil, 0, err
	}
	clauses := read["clauses"].([]any)
	if len(clauses) > maxMarks {
		return nil, 0, errors.New("too many clauses")
	}
	for _, c := range clauses {
		clause := c.(map[string]any)
		m := record.Mark{Category: record.Category(clause["category"].(string)), Score: int(clause["score"].(float64))}
		if m.Score < leastScore || m.Score > bestScore {
			return nil, 0, errors.New("score must be from 1 to 100")
		}
		var found bool
		if m.Quote, m.Start, m.End, found = p.find(clause["quote"].(string)); !found {
			dropped++
			continue
		}
		marks = append(marks, m)
	}
	slices.SortStableFunc(marks, func(a, b record.Mark) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Category, b.Category),
			cmp.Compare(b.Score, a.Score))
	})
	return slices.CompactFunc(marks, func(a, b record.Mark) bool {
		return a.Category == b.Category && a.Start == b.Start && a.End == b.End
	}), dropped, nil
}

// Read returns the findings of an answer to the analyst's question, in order, with their
// places in the contract. p must be the passage asked about: findings with a quote missing
// from it are dropped and counted. Errors never quote the answer.
func (a Analyst) Read(answer string, p Passage) (found []record.Finding, dropped int, err error) {
	read, err := a.schema.Read(answer, maxAnswer)
	if err != nil {
		return nil, 0, err
	}
	findings := read["findings"].([]any)
	if len(findings) > maxFound {
		return nil, 0, errors.New("too many findings")
	}
	for _, f := range findings {
		finding := f.(map[string]any)
		r := record.Finding{Analyst: a.Name, Category: record.Category(finding["category"].(string)),
			Severity: record.Severity(finding["severity"].(string))}
		if err := texts(finding, &r); err != nil {
			return nil, 0, err
		}
		var quoted bool
		if r.Quote, r.Start, r.End, quoted = p.find(finding["quote"].(string)); !quoted {
			dropped++
			continue
		}
		found = join(found, r)
	}
	return found, dropped, nil
}

// join adds a finding. Because topic and place identify a finding, two about one quote become
// one: the more severe, with both explanations.
func join(found []record.Finding, f record.Finding) []record.Finding {
	for i, known := range found {
		if known.Category != f.Category || known.Start != f.Start || known.End != f.End {
			continue
		}
		if heavier(f.Severity, known.Severity) {
			known, f = f, known
		}
		if f.Explanation != known.Explanation {
			known.Explanation += " " + f.Explanation
		}
		known.Fallback = cmp.Or(known.Fallback, f.Fallback)
		found[i] = known
		return found
	}
	return append(found, f)
}

func heavier(a, b record.Severity) bool {
	all := record.Severities()
	return slices.Index(all, a) < slices.Index(all, b)
}

// texts reads the texts written by the model, cleaned so that they're safe to show.
func texts(from map[string]any, to *record.Finding) error {
	for _, field := range []struct {
		name     string
		to       *string
		most     int
		required bool
	}{{"title", &to.Title, maxTitle, true}, {"explanation", &to.Explanation, maxText, true},
		{"fallback", &to.Fallback, maxText, false}} {
		text := from[field.name].(string)
		if utf8.RuneCountInString(text) > field.most {
			return errors.New(field.name + " too long")
		}
		*field.to = term.Clean(text, field.most)
		if field.required && *field.to == "" {
			return errors.New("missing finding " + field.name)
		}
	}
	return nil
}

func (p Passage) find(quoted string) (verbatim string, start, end int, ok bool) {
	start, end, ok = quote.Find(p.Text, quoted)
	if !ok {
		return "", 0, 0, false
	}
	return p.Text[start:end], p.Start + start, p.Start + end, true
}
