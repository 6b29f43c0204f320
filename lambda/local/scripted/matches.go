package scripted

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
)

// reading reports for each candidate whether it belongs to the document.
type reading func(document string, candidates []string) []bool

// oracle answers match questions correctly: exactly the belonging candidates, with high
// confidence. It isn't a model, since it reads nothing.
func oracle(read reading) Mind {
	return func(q Question) string {
		document, candidates, ok := asked(q.User)
		if !ok {
			return ""
		}
		m := matchAnswer{of: len(candidates)}
		for i, belongs := range read(document, candidates) {
			if belongs {
				m.add(listed{i + 1, "high", "Scripted: the key of this run has the two as linked."})
			}
		}
		return m.text()
	}
}

// always answers every match question without reading it: every candidate with high
// confidence, or none. A useful model must do better than both.
func always(yes bool) Mind {
	return func(q Question) string {
		_, candidates, ok := asked(q.User)
		if !ok {
			return ""
		}
		var m matchAnswer
		for i := range candidates {
			if yes {
				m.add(listed{i + 1, "high", "Scripted: every candidate is answered like this."})
			}
		}
		return m.text()
	}
}

// noisy makes a share of another mind's answers, 0 to 1, wrong: it drops a match, adds a wrong
// candidate, or lowers a match's confidence. The seed and the question's texts alone determine
// question and error, so a repeated question gets the same wrong answer. Answers without
// candidates, or to other questions, stay unchanged.
func noisy(mind Mind, seed uint64, share float64) Mind {
	return func(q Question) string {
		answer := mind(q)
		random := draw(seed, "noise", q.System, q.User)
		if random.Float64() >= share {
			return answer
		}
		_, candidates, ok := asked(q.User)
		m, wellFormed := readMatches(answer)
		if !ok || !wellFormed || len(candidates) == 0 {
			return answer
		}
		return m.spoiled(len(candidates), random).text()
	}
}

// matchAnswer is the answer to a match question, in one of two forms: a verdict for each
// candidate, or a list of the belonging candidates.
type matchAnswer struct {
	Matches []listed `json:"matches"`
	of      int      // number of verdicts; 0 for the second form
}

// listed is a candidate in the second form.
type listed struct {
	Candidate  int    `json:"candidate"` // from 1
	Confidence string `json:"confidence"`
	Reasoning  string `json:"reasoning"`
}

// verdict is a candidate in the first form.
type verdict struct {
	Candidate int    `json:"candidate"`
	Evidence  string `json:"evidence"`
	Verdict   string `json:"verdict"`
}

// verdicts is an answer in the first form.
type verdicts struct {
	Candidates []verdict `json:"candidates"`
}

func (m *matchAnswer) add(one listed) { m.Matches = append(m.Matches, one) }

func (m matchAnswer) text() string {
	if m.of > 0 {
		return marshal(m.verdicts())
	}
	if m.Matches == nil {
		m.Matches = []listed{} // [], not null
	}
	return marshal(m)
}

// verdicts adds a verdict for each candidate not in the answer.
func (m matchAnswer) verdicts() (all verdicts) {
	for _, one := range m.Matches {
		all.Candidates = append(all.Candidates, verdict{one.Candidate, one.Reasoning, one.Confidence})
	}
	for _, number := range m.others(m.of) {
		all.Candidates = append(all.Candidates, verdict{number, "Scripted: nothing belongs together here.", "none"})
	}
	slices.SortStableFunc(all.Candidates, func(a, b verdict) int { return a.Candidate - b.Candidate })
	return all
}

func readMatches(text string) (m matchAnswer, ok bool) {
	var all verdicts
	if json.Unmarshal([]byte(text), &all) == nil && all.Candidates != nil {
		m.of = len(all.Candidates)
		for _, v := range all.Candidates {
			if v.Verdict != "none" {
				m.add(listed{v.Candidate, v.Verdict, v.Evidence})
			}
		}
		return m, true
	}
	err := json.Unmarshal([]byte(text), &m)
	return m, err == nil && m.Matches != nil
}

// spoiled returns a wrong answer, in one of the possible ways. There must be at least one
// candidate.
func (m matchAnswer) spoiled(candidates int, random *rand.Rand) matchAnswer {
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
		wrong := listed{others[random.IntN(len(others))], confidence, "Scripted noise: this one is wrong on purpose."}
		ways = append(ways, func() { m.add(wrong) })
	}
	ways[random.IntN(len(ways))]()
	return m
}

// lower lowers the confidence. low becomes medium, which is wrong as well.
func (m *listed) lower(random *rand.Rand) {
	switch m.Confidence {
	case "high":
		m.Confidence = []string{"medium", "low"}[random.IntN(2)]
	case "medium":
		m.Confidence = "low"
	default:
		m.Confidence = "medium"
	}
}

// others returns the numbers of the candidates not in the answer.
func (m matchAnswer) others(candidates int) (numbers []int) {
	for number := 1; number <= candidates; number++ {
		if !slices.ContainsFunc(m.Matches, func(in listed) bool { return in.Candidate == number }) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// unlisted adds a candidate unknown to the client: the one after the last.
func (m matchAnswer) unlisted(last int) matchAnswer {
	m.add(listed{last + 1, "high", "Scripted fault: this candidate was not listed."})
	return m
}

// doubled names a candidate twice, with two confidences.
func (m matchAnswer) doubled() matchAnswer {
	first := listed{1, "high", "Scripted fault: this candidate is named twice."}
	if len(m.Matches) > 0 {
		first = m.Matches[0]
	} else {
		m.add(first)
	}
	again := listed{first.Candidate, "low", "Scripted fault: this candidate is named twice."}
	if first.Confidence == "low" {
		again.Confidence = "high"
	}
	m.add(again)
	return m
}
