package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"matchbook/lambda/match/score"
)

// Asked is a model's answer about a pair; the zero value: no model was asked.
type Asked struct {
	About     string // Decision.About of the pair at that time
	Question  string // a hash of the pairs in its question, and their evidence
	Answer    Answer
	Reasoning string
	Owed      bool // the rules leave the pair open, and no model has answered about this evidence
}

// Answer is a model's confidence that two documents belong together.
type Answer string

// The answers. None: the model did not choose the candidate.
const (
	None   Answer = "none"
	Low    Answer = "low"
	Medium Answer = "medium"
	High   Answer = "high"
)

// modelScores are the scores of the answers that make a match.
var modelScores = map[Answer]float64{Medium: 0.8, High: 0.9}

// Follow lets a model's answer decide an undecided pair.
func (d *Decision) Follow(a Asked) {
	if a.Answer == "" {
		return // there was no room for it in the question
	}
	reasoning := d.byRules()
	d.DecidedBy = "model"
	switch {
	case a.Answer == High, a.Answer == Medium && d.Points >= likelyAt:
		d.Outcome, d.Score, d.Confidence = Matched, modelScores[a.Answer], string(a.Answer)
		d.Reasoning = "The model: " + a.Reasoning + " The rules: " + reasoning
	case a.Answer == Medium:
		d.Outcome, d.Reasoning = Suggested, "Likely, by the model: "+a.Reasoning+" The rules: "+reasoning
	case a.Answer == Low:
		d.Outcome, d.Reasoning = Suggested, "Unlikely, by the model: "+a.Reasoning+" The rules: "+reasoning
	case a.Answer == None:
		d.Outcome = Dropped
	}
}

// Stale reports whether the document that asks about the pair has another question than
// before: one candidate less, or other evidence than that of an answer. Pairs that are
// owed an answer are asked about anyway.
func (d *Decision) Stale() bool {
	if !d.Undecided {
		return d.Pair.Asked.About != ""
	}
	return d.Pair.Asked.About != d.About && !d.Pair.Asked.Owed
}

// Owe marks or unmarks an undecided pair that a model has still to answer about.
// It reports whether that changed the mark.
func (d *Decision) Owe() (changed bool) {
	owed := d.Undecided && d.Pair.Asked.About != d.About
	if owed {
		d.Reasoning = undecided + stillOwed + d.byRules()
	}
	changed, d.Pair.Asked.Owed = owed != d.Pair.Asked.Owed, owed
	return changed
}

// byRules is the reasoning of an undecided pair, without what it waits for.
func (d *Decision) byRules() string {
	return strings.TrimPrefix(strings.TrimPrefix(d.Reasoning, undecided), stillOwed)
}

// stillOwed is part of the reasoning of an undecided pair that is owed an answer.
const stillOwed = "A model has still to be asked. "

// fingerprint is the same for the same evidence and rivals.
func fingerprint(evidence []score.Evidence, rivals [2]Rivals) string {
	h := sha256.New()
	for _, ev := range evidence {
		fmt.Fprintf(h, "%q %d %q\n", ev.Name, ev.Points, ev.Text)
	}
	for _, r := range rivals {
		fmt.Fprintf(h, "%d %d %.4g %.4g\n", r.Certain, r.Equal, r.Units, r.Left)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
