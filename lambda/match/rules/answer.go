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
	Question  string // a hash of the pairs in its question, and their evidence
	Answer    Answer
	Reasoning string
	Owed      bool // left open by the rules, and unanswered for this evidence
}

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

// Follow lets a model's answer decide a pair. Use it only for undecided pairs.
func (d *Decision) Follow(a Asked) {
	if a.Answer == "" {
		return // the question had no room for it
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

// Stale reports whether the document asking about the pair has a different question now: a
// candidate less, or evidence other than the answer's. A pair that is owed an answer isn't
// stale, because it will be asked about anyway.
func (d *Decision) Stale() bool {
	if !d.Undecided {
		return d.Pair.Asked.About != ""
	}
	return d.Pair.Asked.About != d.About && !d.Pair.Asked.Owed
}

// Owe marks or unmarks an undecided pair as owed a model's answer, and reports a change.
func (d *Decision) Owe() (changed bool) {
	owed := d.Undecided && d.Pair.Asked.About != d.About
	if owed {
		d.Reasoning = undecided + stillOwed + d.byRules()
	}
	changed, d.Pair.Asked.Owed = owed != d.Pair.Asked.Owed, owed
	return changed
}

// byRules is the reasoning of an undecided pair, without its wait for a model.
func (d *Decision) byRules() string {
	return strings.TrimPrefix(strings.TrimPrefix(d.Reasoning, undecided), stillOwed)
}

// stillOwed is part of the reasoning of an undecided pair that is owed an answer.
const stillOwed = "A model has still to be asked. "

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
