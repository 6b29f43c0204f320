package rules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// MaxCandidates bounds the candidates of one question, best first.
const MaxCandidates = 20

// open returns the document's question: its undecided pairs, best first. Pairs without room in
// the question are in beyond.
func open(id uuid.UUID, all []Decision) (list, beyond []Decision) {
	for _, d := range all {
		if d.Undecided && d.Pair.Later() == id {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b Decision) int {
		if score.Sum(a.Evidence) != score.Sum(b.Evidence) {
			return score.Sum(b.Evidence) - score.Sum(a.Evidence)
		}
		x, y := a.Pair.Other(id), b.Pair.Other(id)
		return slices.Compare(x[:], y[:])
	})
	n := min(len(list), MaxCandidates)
	return list[:n], list[n:]
}

func pairsHash(list []Decision) string {
	h := sha256.New()
	for _, d := range list {
		fmt.Fprintln(h, d.Pair.A, d.Pair.B, d.About)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Consult decides about the pairs of a competition that some documents change, with the answers of a
// model so far: each document's question has the answers of the ones before it. Unless the model
// failed, it returns the documents' questions that lack an answer, by document; nothing is decided
// then. Without exchanges, it is Apply.
func Consult(ctx context.Context, c Competition, exchanges []*Exchange) (
	result Result, questions map[uuid.UUID][]Decision, err error) {
	if len(exchanges) == 0 {
		result, err = Apply(ctx, c)
		return result, nil, err
	}
	var asked []Pair
	var stale []uuid.UUID
	questions = map[uuid.UUID][]Decision{}
	for _, x := range exchanges {
		one, question, err := x.apply(ctx, c)
		switch {
		case err != nil:
			return Result{}, nil, err
		case question != nil:
			questions[x.Document] = question
			continue
		}
		result, asked, c = one, append(asked, one.Asked...), c.With(one.Asked)
		stale = slices.DeleteFunc(append(stale, one.Stale...), func(id uuid.UUID) bool { return id == x.Document })
	}
	if len(questions) > 0 {
		return Result{}, questions, nil
	}
	result.Asked, result.Stale = asked, stale
	return result, nil, nil
}

// Exchange holds a document's questions to a model, and the answers so far.
type Exchange struct {
	Document uuid.UUID
	Pending  []Decision // the question without an answer
	Owing    bool       // the model failed: unanswered questions stay open

	answers map[string]map[uuid.UUID]Asked // by question and candidate
}

// NewExchange returns an exchange about a document, without answers.
func NewExchange(document uuid.UUID) *Exchange {
	return &Exchange{Document: document, answers: map[string]map[uuid.UUID]Asked{}}
}

// Answer keeps the answers to the pending question, by candidate.
func (x *Exchange) Answer(answers map[uuid.UUID]Asked) { x.answers[pairsHash(x.Pending)] = answers }

// apply is Apply with the answers so far. It marks the pairs still owed an answer.
func (x *Exchange) apply(ctx context.Context, c Competition) (result Result, unasked []Decision, err error) {
	all, err := Decide(ctx, c)
	if err != nil {
		return Result{}, nil, err
	}
	mine, beyond := open(x.Document, all)
	if result.Asked = leftOut(beyond); len(result.Asked) > 0 {
		if all, err = Decide(ctx, c.With(result.Asked)); err != nil {
			return Result{}, nil, err
		}
	}
	answers, ok := x.answers[pairsHash(mine)]
	if !ok && !x.Owing && slices.ContainsFunc(mine, func(d Decision) bool { return !d.Answered() }) {
		return Result{}, mine, nil
	}
	var place Place
	if len(beyond) > 0 {
		place = Full
	}
	in := make(map[uuid.UUID]bool, len(mine))
	for _, d := range mine {
		in[d.Pair.Other(x.Document)] = true
	}
	for _, d := range all {
		if other := d.Pair.Other(x.Document); d.Undecided && d.Pair.Later() == x.Document && in[other] && take(&d, answers[other], place) {
			result.Asked = append(result.Asked, d.Pair)
		}
		if d.Stale() { // if owed an answer, it was published before
			result.Stale = append(result.Stale, d.Pair.Later())
		}
		if d.Leave() || d.Owe() {
			result.Asked = append(result.Asked, d.Pair)
		}
		result.Add(d)
	}
	return result, nil, nil
}

// take lets a new answer decide a pair of the question, or keeps the one it has, and reports
// whether the pair must be stored. Without either, the pair waits for an answer.
func take(d *Decision, a Asked, place Place) (changed bool) {
	now := d.Pair.Asked
	switch {
	case d.Answered():
		now.Question = place
	case a.Answer != "":
		now = a
		now.About, now.Question = d.About, place
		d.Follow(now)
	case now.About != "": // it had no room before
		now = Asked{Owed: now.Owed}
	}
	changed, d.Pair.Asked = now != d.Pair.Asked, now
	return changed
}

// Knows reports whether the candidates include every document of the pending question.
func (x *Exchange) Knows(candidates []score.Raw) bool {
	return !slices.ContainsFunc(x.Pending, func(d Decision) bool {
		return !slices.ContainsFunc(candidates, func(c score.Raw) bool { return c.ID == d.Pair.Other(x.Document) })
	})
}

// Wanted lists the documents of the pending question; the block may lack a partner.
func (x *Exchange) Wanted() (ids []uuid.UUID) {
	for _, d := range x.Pending {
		ids = append(ids, d.Pair.Other(x.Document))
	}
	return ids
}

// leftOut marks the pairs without room in their document's question: an earlier answer no
// longer counts, and they need none.
func leftOut(beyond []Decision) (pairs []Pair) {
	for _, d := range beyond {
		if now := (Asked{About: d.About}); d.Pair.Asked != now {
			d.Pair.Asked = now
			pairs = append(pairs, d.Pair)
		}
	}
	return pairs
}
