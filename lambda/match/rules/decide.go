package rules

import (
	"cmp"
	"context"
	"slices"

	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// Competition is the part of all pairs needed to decide about some documents.
type Competition struct {
	Documents []uuid.UUID // decide about their pairs
	Pairs     []Pair      // all pairs of these documents and of the documents paired with them
	// Numbers is nil for score.Learned. If you set others, the pairs' points must be theirs.
	Numbers *score.Numbers
	Bounds  Bounds // of the tenant
}

// Pair is a score, with a person's verdict and a model's answer about it.
type Pair struct {
	score.Pair
	Verdict Verdict
	Asked   Asked // a model's answer
	// Brief pairs compete but aren't decided. Of their evidence, they have only the part that
	// other pairs depend on (see score.Pair.Brief).
	Brief bool
}

// Verdict is a person's confirmation or rejection of a pair; empty without one.
type Verdict string

// The verdicts. They are kept for ever, or until a person decides otherwise.
const (
	Confirmed Verdict = "confirmed"
	Rejected  Verdict = "rejected"
	// Withdrawn is a decision that leaves the pair without a verdict.
	Withdrawn Verdict = "withdrawn"
)

// Decision is the outcome for one pair, with its score and reasons.
type Decision struct {
	Edge
	Pair    Pair
	Outcome Outcome
	// Undecided means that the rules leave the pair to a model, whether or not one was asked.
	Undecided bool
	// Rivals are the rivals of an undecided pair at A and at B.
	Rivals [2]Rivals
	// Known are the documents to which A and B belong beyond doubt, for an undecided pair.
	Known [2][]Known
	// About is a hash of an undecided pair's evidence, without the competition's. Use an answer
	// only for this hash.
	About string
}

// Outcome is the fate of a pair.
type Outcome string

// The outcomes.
const (
	Matched Outcome = "matched"
	// Suggested pairs are listed for people: undecided, out of the question, rejected by a
	// person, or unlikely by a model's answer.
	Suggested Outcome = "suggested"
	Dropped   Outcome = "dropped"
)

// likelyAt is the minimum of points for a match by an unsure model: halfway between a question
// and a match. Below it, rules and model are both weak, and two weak voices make no match.
const likelyAt = (score.SuggestAt + score.MatchAt) / 2

// Decide decides about every pair of the documents. It is a pure function. Its only error is
// the context's: the caller must be able to stop it, since other writers of the tenant wait.
func Decide(ctx context.Context, c Competition) (all []Decision, err error) {
	others, numbers := newField(c.Pairs), cmp.Or(c.Numbers, score.Learned)
	wanted := make(map[uuid.UUID]bool, len(c.Documents))
	for _, id := range c.Documents {
		wanted[id] = true
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		if p.Brief || !wanted[p.A] && !wanted[p.B] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := others.of(p)
		d := Decision{Edge: edgeOf(p, r, numbers, c.Bounds), Pair: *p, Outcome: Dropped}
		switch {
		case p.Verdict == Confirmed, p.Verdict == "" && p.Veto == "" && d.Points >= numbers.MatchAt:
			d.Outcome = Matched
		case p.Verdict == Rejected, p.Veto != "":
			d.Outcome = Suggested
		case d.Points >= numbers.SuggestAt:
			d.Outcome, d.Undecided = Suggested, true
			d.Rivals = r.rivals
			d.Known = [2][]Known{others.known(p.A, p.B), others.known(p.B, p.A)}
			d.About = fingerprint(p.Evidence)
			switch {
			case p.Asked.About == d.About:
				d.Follow(p.Asked)
			case p.Asked.Owed:
				d.Owe()
			}
		}
		all = append(all, d)
	}
	return all, nil
}

// Apply decides by the rules, without a model. Its only error is the context's.
func Apply(ctx context.Context, c Competition) (r Result, err error) {
	all, err := Decide(ctx, c)
	for _, d := range all {
		r.Add(d)
	}
	return r, err
}

// Revise is Apply after a person's verdict. Result.Stale lists the documents with a changed
// question to a model. Revise doesn't know whether there is a model; without one, these
// documents are matched again with the same result.
func Revise(ctx context.Context, c Competition) (r Result, err error) {
	all, err := Decide(ctx, c)
	for i := range all {
		if all[i].Stale() {
			r.Stale = append(r.Stale, all[i].Pair.Later())
		}
		r.Add(all[i])
	}
	return r, err
}

// undecided begins the reasoning of pairs left open by the rules.
const undecided = "Undecided. "

// edgeOf adds the competition to the evidence of a pair and sums it up with score.Sum. The
// score is the probability of so many points.
func edgeOf(p *Pair, r rivalry, numbers *score.Numbers, b Bounds) Edge {
	e := Edge{A: p.A, B: p.B, DecidedBy: "rules", Confidence: "medium",
		Evidence: append([]score.Evidence{}, p.Evidence...)}
	if p.Verdict == "" && p.Veto == "" {
		competition := slices.Concat(compete(p, r), r.between(p), r.means(p))
		numbers.Weigh(competition)
		e.Evidence = append(e.Evidence, competition...)
		e.Points = p.bounded(e.Evidence, r, numbers)
		e.Score = numbers.Probability(e.Points)
		switch {
		case e.Points >= max(numbers.HighAt, b.HighAt):
			e.Confidence = "high"
		case e.Points >= numbers.HighAt:
			e.Score = numbers.Probability(numbers.HighAt - 1)
		}
		e.Evidence = append(e.Evidence, b.of(p, e.Points, numbers)...)
	}
	e.Reasoning = textOf(e.Evidence)
	switch {
	case p.Verdict == Confirmed:
		e.Score, e.Confidence, e.DecidedBy, e.Reasoning = 1, "high", "person", "Confirmed by a person."
	case p.Verdict == Rejected:
		e.DecidedBy, e.Reasoning = "person", "Rejected by a person."
	case p.Veto != "":
		e.Reasoning = "Not matched. " + p.Veto + " " + e.Reasoning
	case e.Points < numbers.MatchAt:
		e.Reasoning = undecided + e.Reasoning
	}
	return e
}

// bounded is the sum of the evidence, within five bounds. If another document has the same
// number, or the dates are in the wrong order, the pair is left open, not matched. A citation
// keeps a pair open whatever else there is, unless it is another document's very number. So does
// a single twin, if the pair would be a match without it. Confidence isn't high unless the
// contents agree, because a cited number may be misprinted, nor if dates, the number or a twin
// speak against the pair.
func (p *Pair) bounded(evidence []score.Evidence, r rivalry, numbers *score.Numbers) int {
	points := score.Sum(evidence)
	if score.Doubtful(evidence) {
		points = min(points, numbers.HighAt-1)
	}
	switch {
	case slices.ContainsFunc(evidence, score.Copy.Is), score.Reversed(evidence):
		points = min(points, numbers.MatchAt-1)
	case p.Cited() && !r.meant, r.twins() && p.Points+score.Only.Points() >= numbers.MatchAt:
		points = max(points, numbers.SuggestAt)
	}
	if !score.Agree(evidence) {
		points = min(points, numbers.HighAt-1)
	}
	return points
}

// Edge is a match or a suggestion: two documents, A < B, and the reason.
type Edge struct {
	A          uuid.UUID        `json:"a"`
	B          uuid.UUID        `json:"b"`
	Points     int              `json:"points"`     // of its evidence, without a model or person
	Score      float64          `json:"score"`      // 0 to 1: the probability of the points, or the model's or person's score
	Confidence string           `json:"confidence"` // high or medium
	DecidedBy  string           `json:"decided_by"` // rules, model or person
	Reasoning  string           `json:"reasoning"`
	Evidence   []score.Evidence `json:"evidence"` // not nil
}

// With returns a copy of the competition with the given pairs updated.
func (c Competition) With(pairs []Pair) Competition {
	now := make(map[[2]uuid.UUID]Pair, len(pairs))
	for _, p := range pairs {
		now[[2]uuid.UUID{p.A, p.B}] = p
	}
	c.Pairs = slices.Clone(c.Pairs)
	for i, p := range c.Pairs {
		if p, ok := now[[2]uuid.UUID{p.A, p.B}]; ok {
			c.Pairs[i] = p
		}
	}
	return c
}
