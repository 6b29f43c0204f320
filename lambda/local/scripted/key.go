package scripted

import (
	"fmt"
	"iter"
	"strings"
	"sync"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
)

// asked splits a question into the text of the asking document and the texts of its
// candidates. A document's text can't contain the fence lines.
func asked(user string) (document string, candidates []string, ok bool) {
	document, rest, ok := fenced(user, "document")
	for ok {
		text, after, more := fenced(rest, "candidate")
		if !more {
			break
		}
		candidates, rest = append(candidates, text), after
	}
	return document, candidates, ok
}

func fenced(text, fence string) (inside, rest string, ok bool) {
	_, text, opened := strings.Cut(text, "<<<"+fence+"\n")
	inside, rest, closed := strings.Cut(text, fence+">>>")
	if last := strings.LastIndex(inside, "\nknown: "); last >= 0 { // not part of the document
		inside = inside[:last+1]
	}
	return inside, rest, opened && closed
}

// answerKey has the true links. It finds a question's documents by their texts, because the
// prompt contains no ids.
type answerKey struct {
	linked map[corpus.Pair]bool

	mu     sync.Mutex
	byText map[string][]score.Raw // documents with exactly this text
}

// newAnswerKey returns a key with the true links but without documents.
func newAnswerKey(links []corpus.Pair) *answerKey {
	k := &answerKey{linked: make(map[corpus.Pair]bool, len(links)), byText: make(map[string][]score.Raw)}
	for _, l := range links {
		k.linked[l] = true
	}
	return k
}

// learn adds documents. It skips unreadable ones, since they are never in a question.
func (k *answerKey) learn(raws []score.Raw) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, raw := range raws {
		if text, err := match.PromptOf(raw); err == nil {
			raw.Data = ""
			k.byText[text] = append(k.byText[text], raw)
		}
	}
}

// belong reports for each candidate whether it is linked to the document. If several documents
// have the same text, it prefers a tenant with all the others, then the most true links.
func (k *answerKey) belong(document string, texts []string) []bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	best, most := make([]bool, len(texts)), -1
	for _, d := range k.byText[document] {
		linked, known, right := k.sameTenant(d, texts)
		if score := known*(len(texts)+1) + right; score > most {
			best, most = linked, score
		}
	}
	return best
}

// sameTenant looks up each text among the documents of d's tenant, and reports whether it is
// linked to d. It also counts the texts found and the linked ones.
func (k *answerKey) sameTenant(d score.Raw, texts []string) (linked []bool, known, right int) {
	linked = make([]bool, len(texts))
	for i, text := range texts {
		found := false
		for _, c := range k.byText[text] {
			if c.TenantID == d.TenantID && c.ID != d.ID {
				found = true
				linked[i] = linked[i] || k.linked[corpus.PairOf(c.ID, d.ID)]
			}
		}
		if found {
			known++
		}
		if linked[i] {
			right++
		}
	}
	return linked, known, right
}

// mostInCommon chooses the candidate with the most values in common with the document; if the
// document cites one of the candidate's type, only cited candidates count. It is the mind of
// --model scripted.
func mostInCommon(q Question) string {
	document, candidates, ok := asked(q.User)
	if !ok {
		return ""
	}
	best, common := closest(document, candidates)
	all := verdicts{[]verdict{}}
	for i := range candidates {
		v := verdict{i + 1, "Scripted: it does not have the most values in common with the document.", "none"}
		if i+1 == best {
			v.Evidence = fmt.Sprintf("Scripted: no other candidate has %d values in common with the document.", common)
			v.Verdict = "high"
		}
		all.Candidates = append(all.Candidates, v)
	}
	return marshal(all)
}

// closest returns the number, from 1, of the candidate with the most values in common, and
// their count; 0 on a tie or if nothing is in common.
func closest(document string, candidates []string) (number, most int) {
	own := values(document)
	ties := 0
	for i, text := range candidates {
		if citesAnother(document, text) {
			continue
		}
		common := 0
		for value := range values(text) {
			if own[value] {
				common++
			}
		}
		switch {
		case common > most:
			number, most, ties = i+1, common, 0
		case common == most:
			ties++
		}
	}
	if ties > 0 {
		return 0, most
	}
	return number, most
}

// citesAnother reports whether the document cites documents of the candidate's type, but not
// the candidate.
func citesAnother(document, candidate string) bool {
	var typ, number string
	for field, list := range fieldsOf(candidate) {
		switch field {
		case "type":
			typ = strings.ReplaceAll(list[0], " ", "-")
		case "number":
			number = list[0]
		}
	}
	another := false
	for field, list := range fieldsOf(document) {
		if field == "cites" && list[0] == typ {
			if list[len(list)-1] == number {
				return false
			}
			another = true
		}
	}
	return another
}

// values returns the values of a document, regardless of field.
func values(text string) map[string]bool {
	all := make(map[string]bool)
	for field, list := range fieldsOf(text) {
		if field == "type" || field == "currency" {
			continue
		}
		for _, value := range list {
			all[value] = true
		}
	}
	return all
}

// fieldsOf yields the lines of a document: field name and values.
func fieldsOf(text string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for line := range strings.Lines(text) {
			field, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if !yield(field, strings.Split(list, " | ")) {
				return
			}
		}
	}
}
