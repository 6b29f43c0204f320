package scripted

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/record"
)

// NoisyReview gives the answers of another mind and makes a share of them, 0 to 1,
// wrong: an entry is left out or has another category, or up to three entries with
// invented quotes are added. other is the text of other contracts, which some
// inventions quote. The errors follow from the seed and the question's text.
func NoisyReview(mind Mind, seed uint64, share float64, other string) Mind {
	return func(q Question) string {
		text := mind(q)
		random := drawFor(seed, q)
		if text == "" || random.Float64() >= share {
			return text
		}
		stage, passage, ok := analyst.Asked(q.Name, q.User)
		var a answer
		if !ok || json.Unmarshal([]byte(text), &a) != nil {
			return text
		}
		n := noise{random, q, passage, other}
		if stage == record.Categories {
			a.Clauses = n.clauses(a.Clauses)
		} else {
			a.Findings = n.findings(a.Findings, topicsOf(stage))
		}
		return a.text()
	}
}

// drawFor returns random numbers that follow from the question.
func drawFor(seed uint64, q Question) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(q.Name + "\x00" + q.User)) // it never fails
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

type noise struct {
	*rand.Rand
	question       Question
	passage, other string
}

func (n noise) clauses(list []clause) []clause {
	all := record.All()
	wrong := func() record.Category { return all[n.IntN(len(all))] }
	switch i, way := n.IntN(len(list)+1), n.IntN(4); {
	case i < len(list) && way == 0:
		return slices.Delete(list, i, i+1)
	case i < len(list) && way == 1:
		list[i].Category = wrong()
		return list
	}
	for range 1 + n.IntN(3) {
		quote := n.passage
		if len(list) > 0 {
			quote = list[0].Quote
		}
		list = append(list, clause{n.invent(quote), wrong(), 1 + n.IntN(100)})
	}
	return list
}

func (n noise) findings(list []finding, topics []record.Category) []finding {
	if i := n.IntN(len(list) + 1); i < len(list) && n.IntN(4) == 0 {
		return slices.Delete(list, i, i+1)
	}
	for range 1 + n.IntN(3) {
		quote := n.passage
		if len(list) > 0 {
			quote = list[0].Quote
		}
		list = append(list, findingOf(clause{n.invent(quote), topics[n.IntN(len(topics))], 0}))
	}
	return list
}

// invent returns a quote that does not stand in the passage, but looks as if it
// did: a quote that does, with a change, or words from elsewhere.
func (n noise) invent(right string) string {
	words := strings.Fields(right)
	if len(words) > 40 {
		at := n.IntN(len(words) - 40)
		words = words[at : at+40]
	}
	words = slices.Clone(words)
	i := n.IntN(len(words) + 1)
	switch way := n.IntN(10); {
	case way == 0:
		return n.excerpt(n.other)
	case way == 1:
		return n.excerpt(string(n.question.Schema))
	case way == 2 || len(words) < 6:
		return "The contract provides, in other words, that " + strings.Join(words, " ")
	case way == 3: // another word
		words[min(i, len(words)-1)] = []string{"reasonable", "unlimited", "Licensor", "ninety (90)", "not"}[n.IntN(5)]
		return strings.Join(words, " ")
	case way == 4: // one word more
		return strings.Join(slices.Insert(words, min(max(i, 1), len(words)-1), "never"), " ")
	case way == 5: // words are left out
		return strings.Join(words[:3], " ") + " ... " + strings.Join(words[len(words)-2:], " ")
	case way == 6: // another order
		slices.Reverse(words)
		return strings.Join(words, " ")
	case way == 7: // letters of another case
		return strings.ToUpper(words[0]) + strings.Repeat(" ", 2) + strings.ToTitle(strings.Join(words[1:], " ")) + " Indeed"
	case way == 8: // a part of a word
		return strings.Join(words, " ") + "wise"
	}
	return n.excerpt(n.question.System)
}

// excerpt returns some words of a text.
func (n noise) excerpt(text string) string {
	words := strings.Fields(text)
	if len(words) < 30 {
		return "Both parties agree that this sentence stands nowhere in their contract."
	}
	at := n.IntN(len(words) - 20)
	return strings.Join(words[at:at+8+n.IntN(12)], " ")
}
