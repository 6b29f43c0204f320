package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"matchbook/lambda/match/score"
)

// Asked is a model's answer about a pair. The zero value means that no model was asked.
type Asked struct {
	About     string // Decision.About of the pair at that time
	Question  Place  // in the document's question
	Answer    Answer
	Reasoning string
	Owed      bool // left open by the rules, and unanswered for this evidence
}

// Place is the place of an answered pair in its document's question. The document must be
// matched again if a pair leaves a full question, and if one returns that has left.
type Place string

// The places; empty for a pair in a question with room for more.
const (
	Full Place = "full" // the question had no room for another pair
	Left Place = "left" // the rules have decided the pair since
)

// Answer is a model's confidence that two documents belong together.
type Answer string

// The answers. None means the model didn't choose the candidate.
const (
	None   Answer = "none"
	Low    Answer = "low"
	Medium Answer = "medium"
	High   Answer = "high"
)

var modelScores = map[Answer]float64{Medium: 0.8, High: 0.9}

// Answered reports whether a model has answered about the pair as it is. The answer stands
// whatever other documents arrive, so that no pair is asked about twice.
func (d *Decision) Answered() bool {
	return d.Pair.Asked.About == d.About && d.Pair.Asked.Answer != ""
}

// Follow lets a model's answer decide a pair. Use it only for undecided pairs.
func (d *Decision) Follow(a Asked) {
	if a.Answer == "" {
		return // the question had no room for it
	}
	said := "The model: "
	switch d.DecidedBy = "model"; {
	case a.Answer == None:
		d.Outcome = Dropped
		return
	case a.Answer == High, a.Answer == Medium && (d.Points >= likelyAt || d.unrivalled()):
		d.Outcome, d.Score, d.Confidence = Matched, modelScores[a.Answer], string(a.Answer)
	case a.Answer == Medium:
		d.Outcome, said = Suggested, "Likely, by the model: "
	case a.Answer == Low:
		d.Outcome, said = Suggested, "Unlikely, by the model: "
	}
	d.Reasoning = said + a.Reasoning + " The rules: " + textOf(d.Evidence)
}

// unrivalled reports whether no other document fits one of the two as well.
func (d *Decision) unrivalled() bool {
	a, b := d.Rivals[0], d.Rivals[1]
	return a.Certain+a.Equal+b.Certain+b.Equal == 0
}

// Stale reports whether the document asking about the pair must be matched again: the pair has
// no answer for its evidence, or its question has room for another pair, or one less. A pair
// that is owed an answer isn't stale, because it will be asked about anyway.
func (d *Decision) Stale() bool {
	if !d.Undecided {
		return d.Pair.Asked.Question == Full
	}
	return d.Pair.Asked.About != d.About && !d.Pair.Asked.Owed || d.Pair.Asked.Question == Left
}

// Leave marks a pair that the rules have decided since it was asked about, keeps its answer,
// and reports a change.
func (d *Decision) Leave() bool {
	if d.Undecided || d.Pair.Asked.About == "" || d.Pair.Asked.Question == Left {
		return false
	}
	d.Pair.Asked.Question, d.Pair.Asked.Owed = Left, false
	return true
}

// Owe marks or unmarks an undecided pair as owed a model's answer, and reports a change.
func (d *Decision) Owe() (changed bool) {
	owed := d.Undecided && d.Pair.Asked.About != d.About
	if owed {
		d.Reasoning = undecided + stillOwed + textOf(d.Evidence)
	}
	changed, d.Pair.Asked.Owed = owed != d.Pair.Asked.Owed, owed
	return changed
}

// textOf is the evidence in words.
func textOf(evidence []score.Evidence) string {
	texts := make([]string, len(evidence))
	for i, ev := range evidence {
		texts[i] = ev.Text
	}
	return strings.Join(texts, " ")
}

// stillOwed is part of the reasoning of an undecided pair that is owed an answer.
const stillOwed = "A model has still to be asked. "

// fingerprint hashes the evidence of the two documents alone, without its points: it changes
// with their contents, not with other documents or with the weights.
func fingerprint(evidence []score.Evidence) string {
	h := sha256.New()
	for _, ev := range evidence {
		fmt.Fprintf(h, "%q %q\n", ev.Name, ev.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
