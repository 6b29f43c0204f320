package scripted

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
)

// matches is the answer to a match question.
type matches struct {
	Matches []match `json:"matches"`
}

type match struct {
	Candidate  int    `json:"candidate"` // from 1
	Confidence string `json:"confidence"`
	Reasoning  string `json:"reasoning"`
}

func (m *matches) add(one match) { m.Matches = append(m.Matches, one) }

func (m matches) text() string {
	if m.Matches == nil {
		m.Matches = []match{} // none is [], not null
	}
	return marshal(m)
}

func readMatches(text string) (m matches, ok bool) {
	err := json.Unmarshal([]byte(text), &m)
	return m, err == nil && m.Matches != nil
}

// spoiled returns a wrong answer, in one of the possible ways. There must be at
// least one candidate.
func (m matches) spoiled(candidates int, random *rand.Rand) matches {
	var ways []func()
	m.Matches = slices.Clone(m.Matches)
	if len(m.Matches) > 0 {
		i := random.IntN(len(m.Matches))
		ways = append(ways,
			func() { m.Matches = slices.Delete(m.Matches, i, i+1) },
			func() { m.Matches[i].lower(random) })
	}
	if others := m.others(candidates); len(others) > 0 {
		confidence := []string{"high", "medium"}[random.IntN(2)]
		wrong := match{others[random.IntN(len(others))], confidence, "Scripted noise: this one is wrong on purpose."}
		ways = append(ways, func() { m.add(wrong) })
	}
	ways[random.IntN(len(ways))]()
	return m
}

// lower lowers the confidence; low becomes medium, which is wrong as well.
func (m *match) lower(random *rand.Rand) {
	switch m.Confidence {
	case "high":
		m.Confidence = []string{"medium", "low"}[random.IntN(2)]
	case "medium":
		m.Confidence = "low"
	default:
		m.Confidence = "medium"
	}
}

// others returns the numbers of the candidates that are not in the answer.
func (m matches) others(candidates int) (numbers []int) {
	for number := 1; number <= candidates; number++ {
		if !slices.ContainsFunc(m.Matches, func(in match) bool { return in.Candidate == number }) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// unlisted adds a candidate that no client has listed: one more than the schema
// allows, or 0 when the schema has no list.
func (m matches) unlisted(schema json.RawMessage) matches {
	m.add(match{largestEnum(schema) + 1, "high", "Scripted fault: this candidate was not listed."})
	return m
}

// doubled names a candidate twice, with two confidences.
func (m matches) doubled() matches {
	first := match{1, "high", "Scripted fault: this candidate is named twice."}
	if len(m.Matches) > 0 {
		first = m.Matches[0]
	} else {
		m.add(first)
	}
	again := match{first.Candidate, "low", "Scripted fault: this candidate is named twice."}
	if first.Confidence == "low" {
		again.Confidence = "high"
	}
	m.add(again)
	return m
}

// largestEnum returns the largest integer in the schema's enums; -1 without one.
func largestEnum(schema json.RawMessage) int {
	var node any
	if json.Unmarshal(schema, &node) != nil {
		return -1
	}
	return largestIn(node)
}

func largestIn(node any) int {
	largest := -1
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			if list, ok := child.([]any); ok && name == "enum" {
				for _, value := range list {
					if number, ok := value.(float64); ok {
						largest = max(largest, int(number))
					}
				}
				continue
			}
			largest = max(largest, largestIn(child))
		}
	case []any:
		for _, child := range node {
			largest = max(largest, largestIn(child))
		}
	}
	return largest
}
