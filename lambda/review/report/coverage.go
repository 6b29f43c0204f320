package report

import (
	"cmp"
	"fmt"
	"strings"

	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/record"
)

// wholeName is shown for the contract as a whole.
const wholeName = "The contract as a whole: repetitions, missing clauses, contradictions"

// Gaps returns what a review has no answer about: one chunk for each failed question, with its
// stage and reason, and one for each chunk that stopped between questions. It skips chunks at
// work until the review is over.
func Gaps(j record.Job, chunks []record.Chunk, asked []record.Question) (gaps []record.Chunk) {
	for _, c := range chunks {
		stopped := c.Status == job.StatusFailed || c.Status == job.StatusCancelled || j.Status.Over()
		if !stopped || c.Status == job.StatusSucceeded {
			continue
		}
		if c.Kind == record.Whole {
			c.Heading = wholeName
		}
		if c.Status == job.StatusNone {
			c.Stage, c.Error = string(record.Contract), "not asked, because no question about the parts was answered"
		}
		failed := failedOf(c, asked)
		for _, q := range failed {
			g := c
			g.Stage, g.Error = string(q.Stage), cmp.Or(q.Reason, c.Error)
			gaps = append(gaps, g)
		}
		if len(failed) == 0 {
			gaps = append(gaps, c)
		}
	}
	return gaps
}

// failedOf returns the questions without an answer, which are a failed chunk's gaps. A
// cancelled chunk is one gap, since its questions ended for one reason.
func failedOf(c record.Chunk, asked []record.Question) (failed []record.Question) {
	for _, q := range asked {
		if c.Status == job.StatusFailed && q.ChunkID == c.ID && q.Outcome != record.Done {
			failed = append(failed, q)
		}
	}
	return failed
}

// State is the end of a question.
type State string

// The states of questions.
const (
	Answered  State = "answered"
	Unread    State = "failed"
	NotNeeded State = "not needed"
	NotAsked  State = "not asked" // the review or the chunk stopped before
)

// Asked is a line of a certificate: one question about one part.
type Asked struct {
	Part    int     `json:"part"` // from 1; the last is the contract as a whole
	Heading string  `json:"heading,omitempty"`
	Stage   string  `json:"stage"`
	State   State   `json:"state"`
	Reason  string  `json:"reason,omitempty"`
	Dropped int     `json:"dropped"` // quotes that the part doesn't have
	Calls   int     `json:"calls"`
	Cost    float64 `json:"cost_usd"`
}

// Certificate shows what was asked about each part of a contract, and what became of it.
type Certificate struct {
	Asked     int     `json:"asked"` // questions that the review needs an answer to
	Answered  int     `json:"answered"`
	Dropped   int     `json:"dropped"`
	Calls     int     `json:"calls"`
	Cost      float64 `json:"cost_usd"`
	Summary   string  `json:"summary"`
	Questions []Asked `json:"questions,omitempty"`
}

// CertificateOf returns the certificate of a review as it is now.
func CertificateOf(r Review) Certificate {
	c := Certificate{Calls: r.Job.Calls, Cost: r.Job.Cost.Dollars(), Questions: []Asked{}}
	for _, chunk := range r.Chunks {
		lines, open := askedOf(r, chunk)
		c.Questions = append(c.Questions, lines...)
		c.Asked += open
		for _, l := range lines {
			c.Dropped += l.Dropped
			switch l.State {
			case Answered:
				c.Answered++
				c.Asked++
			case Unread:
				c.Asked++
			}
		}
	}
	c.Summary = fmt.Sprintf("%d of %s answered, %s dropped, %s", c.Answered, plural.Of(c.Asked, "question"),
		plural.Of(c.Dropped, "quote"), dollars(r.Job.Cost))
	if r.Job.Model == "" {
		c.Summary = fmt.Sprintf("%d of %s answered by rules, without a model", c.Answered, plural.Of(c.Asked, "question"))
	}
	return c
}

// askedOf returns a chunk's questions in the order of stages, and the number of further ones that
// it must be asked, as far as that is known: one for a chunk that stopped between questions. Only
// the answer about categories tells which analysts are called.
func askedOf(r Review, c record.Chunk) (lines []Asked, open int) {
	known := map[record.Stage]record.Question{}
	for _, q := range r.Questions {
		if q.ChunkID == c.ID {
			known[q.Stage] = q
		}
	}
	stopped := c.Status != job.StatusSucceeded && len(failedOf(c, r.Questions)) == 0
	routed := known[record.Categories].Outcome == record.Done
	for s := range known {
		routed = routed || s != record.CardStage && s != record.Categories
	}
	if c.Kind == record.Whole {
		c.Heading = wholeName
	}
	for _, s := range stagesOf(r, c) {
		l := Asked{Part: c.Position + 1, Heading: c.Heading, Stage: string(s), State: NotNeeded,
			Reason: "no clause or word in this part calls it"}
		if q, ok := known[s]; ok {
			l.answer(q)
		} else if s == record.CardStage && routed {
			continue // a review from before the card
		} else if stopped || !routed {
			l.State, l.Reason = NotAsked, c.Error
		}
		lines = append(lines, l)
	}
	if stopped {
		open = 1
	}
	return lines, open
}

// stagesOf returns the questions that a review may ask about a chunk.
func stagesOf(r Review, c record.Chunk) []record.Stage {
	switch {
	case c.Kind == record.Whole:
		return []record.Stage{record.Contract}
	case r.Job.Model == "":
		return []record.Stage{record.Categories}
	}
	stages := []record.Stage{record.Categories}
	if c.Position == 0 {
		stages = []record.Stage{record.CardStage, record.Categories}
	}
	for _, a := range analyst.All() {
		stages = append(stages, a.Stage())
	}
	return stages
}

func (l *Asked) answer(q record.Question) {
	l.Reason, l.Dropped, l.Calls, l.Cost = q.Reason, q.Dropped, q.Calls, q.Cost.Dollars()
	switch {
	case q.Outcome == record.Done && q.Reason != "":
		l.State = NotNeeded
	case q.Outcome == record.Done:
		l.State = Answered
	case q.Outcome == "":
		l.State = NotAsked
	default:
		l.State = Unread
	}
}

// coverage is a part's row of the appendix: its questions by their states.
type coverage struct{ Part, Answered, Failed, NotNeeded, Price string }

// coverageOf returns the rows of the appendix.
func coverageOf(r Review, all Certificate) (rows []coverage) {
	for _, c := range r.Chunks {
		row, cost := coverage{Part: partName(r.Job, c)}, 0.0
		lists := map[State][]string{}
		for _, l := range all.Questions {
			if l.Part != c.Position+1 {
				continue
			}
			name := l.Stage
			if l.Dropped > 0 {
				name += fmt.Sprintf(" (%s dropped)", plural.Of(l.Dropped, "quote"))
			}
			lists[l.State] = append(lists[l.State], name)
			cost += l.Cost
		}
		row.Answered, row.NotNeeded = strings.Join(lists[Answered], ", "), strings.Join(lists[NotNeeded], ", ")
		row.Failed = strings.Join(append(lists[Unread], lists[NotAsked]...), ", ")
		row.Price = fmt.Sprintf("USD %.4f", cost)
		rows = append(rows, row)
	}
	return rows
}
