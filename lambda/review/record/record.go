// Package record defines the records of a review: the job, the chunks of its contract, the
// stages of each chunk, and the findings. The work, the store, the stream and the report all
// use it; it depends on none of them.
//
// Offsets are bytes in the contract's UTF-8 text; the end is exclusive.
package record

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Status is the state of a review.
type Status string

// The states of a review. The last four are final (see Over), but a person can retry an ended
// review to finish what it missed.
const (
	Queued            Status = "queued"     // no chunk claimed yet
	Running           Status = "running"    // some chunk has been claimed
	Cancelling        Status = "cancelling" // cancelled, with chunks still stopping
	Completed         Status = "completed"
	CompletedWithGaps Status = "completed-with-gaps" // some questions have no answer; each gap has a reason
	Cancelled         Status = "cancelled"
	Failed            Status = "failed" // no question was answered
)

// Over reports whether the review has ended.
func (s Status) Over() bool {
	return s == Completed || s == CompletedWithGaps || s == Cancelled || s == Failed
}

// USD is an amount in millionths of a US dollar. Use Dollars to show it.
type USD int64

// Dollars returns the amount in dollars.
func (u USD) Dollars() float64 { return float64(u) / 1e6 }

// Job is the review of one contract.
type Job struct {
	ID         uuid.UUID  `json:"id"`
	TenantID   uuid.UUID  `json:"tenant_id"`
	DocumentID uuid.UUID  `json:"document_id"`
	Name       string     `json:"name"` // of the contract, for people
	Status     Status     `json:"status"`
	Chunks     int        `json:"chunks"`      // of text; excludes the contract as a whole
	ChunksOpen int        `json:"chunks_open"` // of Chunks, still to finish
	Findings   int        `json:"findings"`    // also the latest Seq
	Gaps       int        `json:"gaps"`        // chunks with a question without an answer
	Calls      int        `json:"calls"`       // paid calls of the model
	Budget     USD        `json:"-"`           // 0: none
	Estimate   USD        `json:"-"`           // of the review's cost, at the start
	Cost       USD        `json:"-"`           // so far
	Model      string     `json:"model"`       // its name; empty: rules
	Playbook   string     `json:"playbook"`    // its version
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at"`
	EndedAt    *time.Time `json:"ended_at"`
	Error      string     `json:"error"`
	Waits      string     `json:"waits,omitempty"` // for a service that holds parts up: waiting for NAME, away since ...
}

// Kind distinguishes text from the contract as a whole.
type Kind string

// The kinds of chunks.
const (
	Text  Kind = "text"  // a part of the contract
	Whole Kind = "whole" // the contract as a whole, after all its parts
)

// Chunk is the unit of work: a part of the contract, or the contract as a whole. Each message
// carries a chunk's id. A chunk.Part is the same part before it's stored, an analyst.Passage
// its text in a question.
type Chunk struct {
	ID       uuid.UUID  `json:"-"`
	JobID    uuid.UUID  `json:"-"`
	Position int        `json:"chunk"` // from 0; the whole contract comes last
	Kind     Kind       `json:"kind"`
	Start    int        `json:"start_offset"`
	End      int        `json:"end_offset"`
	Heading  string     `json:"heading"` // headings above it, outermost first, joined by " > "
	Status   job.Status `json:"status"`
	Stage    string     `json:"stage"` // where an unread one stopped, such as cancelled-at-stage-3
	Error    string     `json:"reason"`
	Attempt  int        `json:"-"`
	Searched bool       `json:"-"` // its categories were found, whatever else failed
}

// Stage is one step of the work on a chunk: one question to a model. See review's stage.go.
type Stage string

// The stages apart from the analysts', which are named after them.
const (
	CardStage  Stage = "card"       // the contract's card, asked with its first chunk
	Categories Stage = "categories" // categories of the chunk's clauses
	Rules      Stage = "rules"      // the rules' findings about the contract as a whole, before a model's
	Contract   Stage = "contract"   // the contract as a whole
)

// Outcome distinguishes done, failed and cancelled stages.
type Outcome string

// The outcomes of stages.
const (
	Done        Outcome = "done"
	StageFailed Outcome = "failed"
	CancelledAt Outcome = "cancelled-at-stage-" // followed by the stage's number
)

// ErrBudget is returned for a call too expensive for the rest of the budget.
var ErrBudget = errors.New("review budget exceeded")

// ErrStopping is returned for a retry while a cancelled review's chunks are still running. You
// should retry in a few seconds.
var ErrStopping = errors.New("review still stopping; retry in a few seconds")

// Call is a stage about to begin, with its largest cost.
type Call struct {
	Stage    Stage
	Estimate USD
}

// Result is a finished stage.
type Result struct {
	Stage     Stage       `json:"stage"`
	Outcome   Outcome     `json:"outcome"`
	Reason    string      `json:"reason"` // of a failure, or why no question was needed; safe to store
	Calls     int         `json:"calls"`  // paid calls of the model
	Cost      USD         `json:"micros"` // of Calls
	Marks     []Mark      `json:"marks"`  // set by Categories
	Card      *Card       `json:"card"`   // set by CardStage, by rules alone if it failed
	Findings  []Finding   `json:"findings"`
	Dropped   int         `json:"dropped"` // quotes of the answer that the text doesn't have
	Same      map[int]int `json:"-"`       // set by Contract: a finding's Seq to the earlier Seq it repeats
	Withdrawn []int       `json:"-"`       // set by Contract: Seqs of earlier findings now obsolete
	Weighed   []Weighed   `json:"-"`       // set by Contract
}

// Weighed is the severity of an earlier finding once the whole contract is read.
type Weighed struct {
	Seq         int
	Severity    Severity
	Explanation string // replaces the finding's
}

// Category is one of the twelve categories of clauses.
type Category string

// The categories, in report order. See eval/revieweval/joined.go for CUAD's labels of each.
const (
	Parties           Category = "parties-and-dates"
	Renewal           Category = "renewal"
	Termination       Category = "termination"
	ChangeOfControl   Category = "change-of-control"
	Assignment        Category = "assignment"
	LiabilityCap      Category = "liability-cap"
	UncappedLiability Category = "uncapped-liability"
	Indemnity         Category = "indemnity-or-insurance"
	IPOwnership       Category = "ip-ownership"
	License           Category = "license-grant"
	Exclusivity       Category = "exclusivity-or-non-compete"
	GoverningLaw      Category = "governing-law"
)

// All returns the categories, in report order.
func All() []Category {
	return []Category{Parties, Renewal, Termination, ChangeOfControl, Assignment, LiabilityCap, UncappedLiability,
		Indemnity, IPOwnership, License, Exclusivity, GoverningLaw}
}

// Mark is a place in a chunk where a category of clauses was found.
type Mark struct {
	Category   Category `json:"category"`
	Score      int      `json:"score"` // certainty, 1 to 100
	Quote      string   `json:"quote"` // verbatim from the contract
	Start, End int      // of the quote
}

// Severity is the weight of a finding.
type Severity string

// The severities, heaviest first.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
	Info     Severity = "info"
)

// ToCheck is shown instead of the severity of a question to a person: it has no weight.
const ToCheck Severity = "question"

// Severities returns the severities, heaviest first.
func Severities() []Severity { return []Severity{Critical, High, Medium, Low, Info} }

// Choices returns what people choose findings by: the severities, and ToCheck.
func Choices() []Severity { return append(Severities(), ToCheck) }

// Finding is a risk to show to a person. Its quote is verbatim from the contract; a missing
// clause leaves quote and place empty. A withdrawn finding stopped holding when more of the
// contract was read. It stays in the log, so you must skip it in reports.
type Finding struct {
	Seq         int       `json:"seq"` // from 1, without gaps, in the order of commits
	ChunkID     uuid.UUID `json:"chunk_id"`
	Analyst     string    `json:"analyst"` // or Contract or playbook.Analyst
	Category    Category  `json:"category"`
	Severity    Severity  `json:"severity"`
	Title       string    `json:"title"`
	Explanation string    `json:"explanation"`
	Quote       string    `json:"quote"`
	Start       int       `json:"start_offset"`
	End         int       `json:"end_offset"`
	Fallback    string    `json:"fallback"`               // acceptable wording; may be empty
	Repeats     int       `json:"duplicate_of,omitempty"` // Seq of the finding it repeats; 0: none
	Withdrawn   bool      `json:"withdrawn,omitempty"`
	Second      string    `json:"second_quote,omitempty"` // of the other clause, if it's about two
	SecondStart int       `json:"second_start_offset,omitempty"`
	SecondEnd   int       `json:"second_end_offset,omitempty"`
	// Number is the finding's number for people, F1 and so on by severity and place. It's given when
	// the review ends and never changes; 0: none yet.
	Number int `json:"number,omitempty"`
	// Clause identifies clause, topic and playbook across reviews, when the finding is recorded.
	Clause string `json:"-"`
}

// Name returns the finding's name for people: F3, or its Seq before it has a number.
func (f Finding) Name() string {
	if f.Number == 0 {
		return strconv.Itoa(f.Seq)
	}
	return "F" + strconv.Itoa(f.Number)
}

// Compare orders findings for people: the heaviest first, then by place.
func (f Finding) Compare(g Finding) int {
	order := Choices()
	return cmp.Or(slices.Index(order, f.Severity)-slices.Index(order, g.Severity), f.Start-g.Start, f.Seq-g.Seq)
}

// Task is everything the work on a chunk needs.
type Task struct {
	Job      Job
	Chunk    Chunk
	Text     string           // of the chunk
	Playbook []byte           // JSON, frozen at the start of the job
	Ended    map[Stage]Result // done stages with their marks, but not their findings
	Card     *Card            // of the contract; nil: not asked yet, or without a model
	Contract string           // its text, for the first chunk until the card is done

	// Set only for the contract as a whole:
	Chunks   []Chunk // of text, by position
	Marks    []Mark  // of all chunks, by place
	Findings []Finding
}

// Standing holds the reasons to stop or delay a review between two calls. See work.look and
// work.enter in package review.
type Standing struct {
	Status Status
	Paused time.Duration // time until the model's provider accepts calls again
	Left   USD           // of the budget, minus reservations; meaningless without a budget, like Unspent
	// Unspent is Left plus the reservations: as much as may be left when the calls in flight end.
	Unspent USD
}

// New is a review to be created. Use Starter in package review to prepare one.
type New struct {
	ID, TenantID, DocumentID uuid.UUID
	Name                     string
	Text                     string  // of the contract
	Chunks                   []Chunk // Create uses Position, Start, End and Heading
	Budget, Estimate         USD
	Model                    string
	CardFirst                bool   // the other chunks wait for the stage CardStage of the first
	Playbook                 []byte // JSON
	PlaybookVersion          string
}

// Topics of findings beyond the categories of clauses. They are never marked, because CUAD
// doesn't label them.
const (
	DataProtection  Category = "data-protection"
	Payment         Category = "payment"
	Confidentiality Category = "confidentiality"
	Disputes        Category = "dispute-resolution"
	Other           Category = "other"
)

// Topics returns all topics of findings, in report order. Use All for the categories alone.
func Topics() []Category {
	return append(All(), DataProtection, Payment, Confidentiality, Disputes, Other)
}
