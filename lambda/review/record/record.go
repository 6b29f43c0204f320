// Package record defines what is kept of a review: the job, the chunks of its
// contract, the calls about each chunk, and the findings. It is shared by the
// work, the store, the stream and the report, and needs none of them.
//
// Offsets are bytes in the UTF-8 text of the contract, the end excluded.
package record

import (
	"errors"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Status is the state of a review.
type Status string

// The states of a review. The last four are its ends; a person can start an ended
// review again, for what it did not finish.
const (
	Queued            Status = "queued"     // no chunk was claimed yet
	Running           Status = "running"    // chunks are at work, or the contract as a whole is
	Cancelling        Status = "cancelling" // cancelled; some chunks have not stopped yet
	Completed         Status = "completed"
	CompletedWithGaps Status = "completed-with-gaps" // some chunks are not read; each gap has its reason
	Cancelled         Status = "cancelled"
	Failed            Status = "failed" // nothing was read
)

// Over reports whether the review has ended.
func (s Status) Over() bool {
	return s == Completed || s == CompletedWithGaps || s == Cancelled || s == Failed
}

// USD is an amount in millionths of a US dollar.
type USD int64

// Dollars returns the amount in dollars.
func (u USD) Dollars() float64 { return float64(u) / 1e6 }

// Job is a review of one contract.
type Job struct {
	ID         uuid.UUID  `json:"id"`
	TenantID   uuid.UUID  `json:"tenant_id"`
	DocumentID uuid.UUID  `json:"document_id"`
	Name       string     `json:"name"` // of the contract, for people
	Status     Status     `json:"status"`
	Chunks     int        `json:"chunks"`      // of the text; the contract as a whole is one more, and not counted
	ChunksOpen int        `json:"chunks_open"` // of them, without an end
	Findings   int        `json:"findings"`    // also the Seq of the latest
	Gaps       int        `json:"gaps"`        // chunks without a result
	Calls      int        `json:"calls"`       // calls of a model that were paid for
	Budget     USD        `json:"-"`           // 0: none
	Estimate   USD        `json:"-"`           // of the whole review, when it began
	Cost       USD        `json:"-"`           // until now
	Model      string     `json:"model"`       // its name; empty: by rules
	Playbook   string     `json:"playbook"`    // its version
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at"`
	EndedAt    *time.Time `json:"ended_at"`
	Error      string     `json:"error"`
}

// Kind is the kind of a chunk.
type Kind string

// The kinds of chunks.
const (
	Text  Kind = "text"  // a part of the contract
	Whole Kind = "whole" // the contract as a whole, when all its parts have an end
)

// Chunk is the unit of a message: a part of the contract, or the contract as a
// whole. Its text is that between its offsets.
type Chunk struct {
	ID       uuid.UUID  `json:"-"`
	JobID    uuid.UUID  `json:"-"`
	Position int        `json:"chunk"` // from 0; the whole contract has the last one
	Kind     Kind       `json:"kind"`
	Start    int        `json:"start_offset"`
	End      int        `json:"end_offset"`
	Heading  string     `json:"heading"` // the headings above it, the outermost first, with " > " between them
	Status   job.Status `json:"status"`
	Stage    string     `json:"stage"` // of one without a result: where it stopped, such as cancelled-at-stage-3
	Error    string     `json:"reason"`
	Attempt  int        `json:"-"`
}

// Stage is a step of the work on a chunk, and one question to a model.
type Stage string

// The stages, besides those of the analysts, which have their names.
const (
	Categories Stage = "categories" // which categories the chunk's clauses have; the first
	Contract   Stage = "contract"   // the contract as a whole
)

// Outcome is the end of a stage; cancelled ones are cancelled-at-stage-N.
type Outcome string

// The outcomes of stages.
const (
	Done        Outcome = "done"
	StageFailed Outcome = "failed"
	CancelledAt Outcome = "cancelled-at-stage-" // and the number of the stage
)

// ErrBudget is returned for a call whose largest cost the budget does not allow.
var ErrBudget = errors.New("the budget of the review is spent")

// ErrStopping is returned for a retry while chunks of a cancelled review are still
// at work.
var ErrStopping = errors.New("the review is still stopping: try again in some seconds")

// Call is a stage that is about to begin, with its largest cost.
type Call struct {
	Stage    Stage
	Estimate USD
}

// Result is a stage that has ended.
type Result struct {
	Stage    Stage
	Outcome  Outcome
	Reason   string // of a failure; safe to store
	Calls    int    // of the model, paid for
	Cost     USD    // of these calls
	Marks    []Mark // of the stage Categories
	Findings []Finding
	Dropped  int         // findings whose quote does not stand in the text
	Same     map[int]int // of the stage Contract: by the Seq of a finding, the Seq of an earlier one that it repeats
	// Withdrawn has, of the stage Contract, the Seqs of earlier findings that no longer hold.
	Withdrawn []int
}

// Category is one of the twelve categories of clauses.
type Category string

// The categories, in the order of reports. They join labels of CUAD v1.
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

// All returns the categories, in the order of reports.
func All() []Category {
	return []Category{Parties, Renewal, Termination, ChangeOfControl, Assignment, LiabilityCap, UncappedLiability,
		Indemnity, IPOwnership, License, Exclusivity, GoverningLaw}
}

// Mark is the presence of a category in a chunk. A category without a mark is
// absent.
type Mark struct {
	Category   Category `json:"category"`
	Score      int      `json:"score"` // of certainty, 1 to 100
	Quote      string   `json:"quote"` // as it stands in the contract
	Start, End int      // of the quote
}

// Severity is the weight of a finding.
type Severity string

// The severities, the heaviest first.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
	Info     Severity = "info"
)

// Severities returns the severities, the heaviest first.
func Severities() []Severity { return []Severity{Critical, High, Medium, Low, Info} }

// Finding is a result for a person. Its quote stands in the contract; a finding
// about a clause that is missing has no quote and no place. One that is withdrawn
// did not hold once the contract was read further; it stays in the log.
type Finding struct {
	Seq         int       `json:"seq"` // from 1, without gaps, in the order of commits
	ChunkID     uuid.UUID `json:"chunk_id"`
	Analyst     string    `json:"analyst"` // or contract
	Category    Category  `json:"category"`
	Severity    Severity  `json:"severity"`
	Title       string    `json:"title"`
	Explanation string    `json:"explanation"`
	Quote       string    `json:"quote"`
	Start       int       `json:"start_offset"`
	End         int       `json:"end_offset"`
	Fallback    string    `json:"fallback"`               // wording that would be acceptable; may be empty
	Repeats     int       `json:"duplicate_of,omitempty"` // Seq of the finding that this one repeats; 0: none
	Withdrawn   bool      `json:"withdrawn,omitempty"`
}

// Task is all that the work on a chunk needs.
type Task struct {
	Job      Job
	Chunk    Chunk
	Text     string           // of the chunk
	Playbook []byte           // JSON, as the job began with it
	Ended    map[Stage]Result // stages that are done, with their marks and without their findings

	// Of the contract as a whole:
	Chunks   []Chunk // of the text, by position
	Marks    []Mark  // of all chunks, by their place
	Findings []Finding
}

// Standing is what may stop a review between two calls.
type Standing struct {
	Status Status
	Paused time.Duration // until the model's provider accepts calls again
	Left   USD           // of the budget, after what is reserved; only where there is one
}

// New is a review that is about to begin.
type New struct {
	ID, TenantID, DocumentID uuid.UUID
	Name                     string
	Text                     string  // of the contract
	Chunks                   []Chunk // Position, Start, End and Heading
	Budget, Estimate         USD
	Model                    string
	Playbook                 []byte // JSON
	PlaybookVersion          string
}

// Topics of findings that are no categories of clauses: they are not marked,
// because the labels of CUAD do not have them.
const (
	DataProtection  Category = "data-protection"
	Payment         Category = "payment"
	Confidentiality Category = "confidentiality"
	Disputes        Category = "dispute-resolution"
	Other           Category = "other"
)

// Topics returns the topics of findings: the categories, and those that are no
// categories of clauses, in the order of reports.
func Topics() []Category {
	return append(All(), DataProtection, Payment, Confidentiality, Disputes, Other)
}
