package scripted

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"strings"
)

// Question is a client's question.
type Question struct {
	Model  string
	System string          // the system and developer messages, blank lines between them
	User   string          // the other messages, blank lines between them; or the texts to embed, one a line
	Schema json.RawMessage // of the answer; nil when embeddings are asked for
	Name   string          // of the schema
	N      int             // the number of times that this exact question was asked before
}

// key identifies the question, without its N and the name of its schema.
func (q Question) key() string {
	var whole []byte
	for _, part := range []string{q.Model, q.System, q.User, string(q.Schema)} {
		whole = binary.AppendUvarint(whole, uint64(len(part)))
		whole = append(whole, part...)
	}
	return hash(string(whole))
}

// draw returns a source of random numbers that follows from these alone.
func draw(seed uint64, parts ...string) *rand.Rand {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(sum[:])))
}

// Mind decides the answer to a question: its JSON text, or "" if it has none.
// It may be called concurrently, and is called only when its answer is used.
type Mind func(Question) string

// Parse finds in the User text of a match question the id of the asking
// document and the ids of the listed candidates, in their order; ok is false
// when the text is not a match question. The code that writes the prompt
// provides it.
type Parse func(user string) (document string, candidates []string, ok bool)

// Oracle is a Mind that has the true links, and gives the correct answer to match
// questions: with high confidence exactly the candidates that are linked with the
// asking document. The order in a link makes no difference. It is not a model: it
// reads nothing but ids.
func Oracle(links [][2]string, parse Parse) Mind {
	linked := make(map[[2]string]bool, 2*len(links))
	for _, l := range links {
		linked[l], linked[[2]string{l[1], l[0]}] = true, true
	}
	return func(q Question) string {
		document, candidates, ok := parse(q.User)
		if !ok {
			return ""
		}
		m := newMatches(q.Schema, len(candidates))
		for i, candidate := range candidates {
			if linked[[2]string{document, candidate}] {
				m.add(listed{i + 1, "high", "Scripted: the key of this run has the two as linked."})
			}
		}
		return m.text()
	}
}

// Always is a Mind that knows and reads nothing: it answers each match question
// with high confidence for every candidate, or for none. A model is of use if it
// does better than both.
func Always(yes bool, parse Parse) Mind {
	return func(q Question) string {
		_, candidates, ok := parse(q.User)
		if !ok {
			return ""
		}
		var m matches
		for i := range candidates {
			if yes {
				m.add(listed{i + 1, "high", "Scripted: every candidate is answered like this."})
			}
		}
		return m.text()
	}
}

// Noisy is a Mind that gives the answers of another, but makes a share of them,
// 0 to 1, wrong: a match is dropped, or a wrong candidate is added, or the
// confidence of a match is lowered. The choice of questions and errors follows
// from the seed and the question's texts alone, so a question that is asked
// again gets the same wrong answer. Answers to other questions than match
// questions, and answers without any candidate, are left alone.
func Noisy(mind Mind, seed uint64, share float64, parse Parse) Mind {
	return func(q Question) string {
		answer := mind(q)
		random := draw(seed, "noise", q.System, q.User)
		if random.Float64() >= share {
			return answer
		}
		_, candidates, ok := parse(q.User)
		m, wellFormed := readMatches(answer)
		if !ok || !wellFormed || len(candidates) == 0 {
			return answer
		}
		return m.spoiled(len(candidates), random).text()
	}
}
