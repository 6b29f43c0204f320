package explain

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Outcomes of a pair, as printed.
const (
	isMatched   = "matched"
	isUndecided = "undecided"
	isOut       = "out-of-the-question"
	isRejected  = "rejected"
	isDropped   = "dropped"
)

// pairReport is the outcome of a pair with its reasons. All texts are clean.
type pairReport struct {
	Document      *named           `json:"document,omitempty"` // the other one
	Outcome       string           `json:"outcome"`
	Score         float64          `json:"score"`
	Confidence    string           `json:"confidence,omitempty"` // of a match
	DecidedBy     string           `json:"decided_by"`
	MissingPoints int              `json:"missing_points,omitempty"` // points an undecided pair needs to match
	OutOfQuestion string           `json:"out_of_question,omitempty"`
	Reasoning     string           `json:"reasoning,omitempty"` // of a model
	Evidence      []score.Evidence `json:"evidence"`
	Owed          bool             `json:"owed,omitempty"` // a model must still answer
	Note          string           `json:"note,omitempty"`
	edge          ends
	lowered       string // the confidence before a warning lowered it, or empty
}

type ends struct{ a, b uuid.UUID }

func (e ends) other(id uuid.UUID) uuid.UUID {
	if e.a == id {
		return e.b
	}
	return e.a
}

// pairs returns every considered pair of a document, best first.
func (d *Reader) pairs(id uuid.UUID) (list []pairReport, err error) {
	competition, err1 := d.matches.Competition(d.ctx, id)
	matches, err2 := d.reports.Matches(d.ctx, []uuid.UUID{id})
	suggestions, err3 := d.reports.Suggestions(d.ctx, []uuid.UUID{id})
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	decided, err := rules.Decide(d.ctx, competition)
	if err != nil {
		return nil, err
	}
	list, err = reconcile(decided, matches, suggestions)
	if err != nil {
		return nil, err
	}
	others := make([]uuid.UUID, len(list))
	for i, p := range list {
		others[i] = p.edge.other(id)
	}
	names, err := d.names(others)
	if err != nil || len(names) != len(list) {
		return nil, cmp.Or(err, Errorf("read the pairs of %s: documents were deleted meanwhile; try again", id))
	}
	for i := range list {
		list[i].Document = &names[i]
	}
	slices.SortStableFunc(list, func(p, q pairReport) int {
		return cmp.Or(cmp.Compare(rankOf(p), rankOf(q)), cmp.Compare(q.Score, p.Score))
	})
	return list, nil
}

func rankOf(p pairReport) int {
	return slices.Index([]string{isMatched, isUndecided, isOut, isRejected, isDropped}, p.Outcome)
}

// reconcile compares the stored pairs with the rules' current decisions. Stored pairs win; a
// note marks each difference.
func reconcile(decided []rules.Decision, matches, suggestions []report.Match) (list []pairReport, err error) {
	stored := make(map[ends]pairReport)
	var order []ends
	for _, m := range slices.Concat(suggestions, matches) { // a pair in both lists is a match
		p, err := fromStored(m)
		if err != nil {
			return nil, err
		}
		stored[p.edge] = p
		order = append(order, p.edge)
	}
	for _, j := range decided {
		now := fromDecision(j)
		was, ok := stored[now.edge]
		delete(stored, now.edge)
		if ok && was.lowered != "" && was.lowered == now.Confidence {
			now.Confidence = was.Confidence
		}
		switch {
		case ok && now.equal(was) || !ok && j.Outcome == rules.Dropped:
			list = append(list, now)
		case ok:
			if was.Outcome != isMatched && was.DecidedBy == "rules" {
				was.OutOfQuestion = now.OutOfQuestion
			}
			was.Note = fmt.Sprintf("Stored by another version. This version's rules decide: %s.", now.inShort())
			list = append(list, was)
		default:
			now.Note = fmt.Sprintf("Not stored. This version's rules decide: %s. "+
				"Publish one of the two to match it again.", now.inShort())
			now.Outcome, now.Confidence, now.MissingPoints = isDropped, "", 0
			list = append(list, now)
		}
	}
	for _, e := range order {
		if was, ok := stored[e]; ok {
			was.Note = "Stored by another version. This version's rules don't compare the two."
			list = append(list, was)
			delete(stored, e)
		}
	}
	return list, nil
}

func fromDecision(j rules.Decision) pairReport {
	p := pairReport{Score: j.Score, DecidedBy: j.DecidedBy, OutOfQuestion: term.Clean(j.Pair.Veto, term.MaxText),
		Evidence: cleanEvidence(j.Evidence), edge: ends{j.A, j.B}}
	switch {
	case j.Outcome == rules.Matched:
		p.Outcome, p.Confidence = isMatched, j.Confidence
	case j.Outcome == rules.Dropped:
		p.Outcome = isDropped
	case j.Pair.Verdict == rules.Rejected:
		p.Outcome = isRejected
	case j.Pair.Veto != "":
		p.Outcome = isOut
	default:
		p.Outcome, p.MissingPoints = isUndecided, missing(j.Evidence)
		p.Owed = j.Pair.Asked.Owed
	}
	return p
}

func missing(evidence []score.Evidence) int { return max(score.MatchAt-score.Sum(evidence), 1) }

func fromStored(m report.Match) (pairReport, error) {
	p := pairReport{Outcome: isMatched, Score: m.Score, Confidence: m.Confidence, DecidedBy: m.DecidedBy,
		edge: ends{m.A, m.B}, lowered: m.Lowered}
	if m.Confidence == "" {
		switch {
		case m.DecidedBy == "person":
			p.Outcome = isRejected
		case m.Undecided():
			p.Outcome = isUndecided
		default:
			p.Outcome, p.OutOfQuestion = isOut, term.Clean(m.Reasoning, term.MaxText)
		}
	}
	if m.DecidedBy == "model" {
		p.Reasoning = term.Clean(m.Reasoning, term.MaxText)
	}
	var evidence []score.Evidence
	if err := json.Unmarshal(m.Evidence, &evidence); err != nil {
		return p, Errorf("invalid evidence of %s and %s", m.A, m.B)
	}
	if p.Outcome == isUndecided {
		p.MissingPoints = missing(evidence)
	}
	p.Evidence = cleanEvidence(evidence)
	return p, nil
}

func (p pairReport) equal(was pairReport) bool {
	return p.Outcome == was.Outcome && math.Abs(p.Score-was.Score) < 0.005 && p.Confidence == was.Confidence &&
		p.DecidedBy == was.DecidedBy && slices.Equal(p.Evidence, was.Evidence)
}

func (p pairReport) inShort() string {
	switch p.Outcome {
	case isMatched:
		return fmt.Sprintf("matched, %.2f, %s confidence", p.Score, p.Confidence)
	case isUndecided:
		return fmt.Sprintf("undecided, %.2f", p.Score)
	case isOut:
		return "out of the question: " + strings.TrimSuffix(p.OutOfQuestion, ".")
	}
	return fmt.Sprintf("%s, %.2f", p.Outcome, p.Score)
}

// cleanEvidence returns evidence for people: pro before contra, competition last.
func cleanEvidence(list []score.Evidence) []score.Evidence {
	shown := make([]score.Evidence, len(list))
	for i, ev := range list {
		shown[i] = score.Evidence{Name: term.Clean(ev.Name, term.MaxValue), Points: ev.Points,
			Text: term.Clean(ev.Text, term.MaxText)}
	}
	group := func(ev score.Evidence) int {
		switch {
		case ev.FromCompetition():
			return 2
		case ev.Points < 0:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(shown, func(x, y score.Evidence) int { return group(x) - group(y) })
	return shown
}
