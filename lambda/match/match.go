// Package match finds the documents that belong together: an order and its
// invoice, a delivery and its receipt, a credit note and what it corrects.
//
// A document is matched in five steps. Normalise reduces what was printed to
// what can be compared. The store finds candidates by keys that both have.
// score weighs a pair. decide takes what is clear, drops what is clearly
// nothing and leaves the rest undecided, as a suggestion for people. The
// store writes it all in one fenced transaction, after looking whether the
// candidates are still those that were judged; if not, they are judged again.
//
// The score of a pair depends on nothing but the pair, and is the same from
// both sides. Whichever of two documents is matched later sees the other. So,
// when the queue is empty, the matches are a function of the set of
// documents, whatever their order of arrival.
package match

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Raw is a document as the store has it.
type Raw struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Type     document.Type
	Data     string // structured data as JSON; empty when it is beyond document.MaxBytes
	Received time.Time
}

// Block is what a document was judged with: its candidates, in id order, and
// the partners that it was matched or compared with before.
type Block struct {
	Candidates []Raw
	Partners   []uuid.UUID // of its present matches and suggestions
}

// Edge is a match or a suggestion: two documents, A < B, and why.
type Edge struct {
	A, B       uuid.UUID
	Score      float64 // 0 to 1
	Confidence string  // high or medium
	DecidedBy  string  // rules, model or person
	Reasoning  string
	Evidence   []Evidence
}

// Decision is what becomes of a document.
type Decision struct {
	Matches     []Edge
	Suggestions []Edge
}

// Store keeps documents and matches. All it does for an attempt is fenced:
// it returns job.ErrFenceLost when the attempt is no longer the document's.
type Store interface {
	// Load reads the document of the attempt.
	Load(ctx context.Context, f job.Fence) (Raw, error)
	// Candidates saves what was normalised and reads the block of documents
	// of the tenant and of these types that share a key.
	Candidates(ctx context.Context, f job.Fence, n Normalized, types []document.Type) (Block, error)
	// Write replaces the document's matches by the decision and sets it
	// succeeded, all or nothing. When the candidates are no longer those that
	// were judged it writes nothing and returns the block as it is now.
	Write(ctx context.Context, f job.Fence, n Normalized, types []document.Type, judged Block, d Decision) (*Block, error)
}

// Matcher matches documents.
type Matcher struct {
	Store Store
	Log   *slog.Logger
}

// maxRounds is how often a document is judged again because its candidates
// changed meanwhile.
const maxRounds = 10

// Match matches the document of one attempt; it is a job.Work.
func (m *Matcher) Match(ctx context.Context, f job.Fence) error {
	raw, err := m.Store.Load(ctx, f)
	if err != nil {
		return failure.At("load", err)
	}
	doc, err := read(raw)
	if err != nil {
		return failure.Permanently("structured data: %s", err)
	}
	if !doc.hasCounterparty() {
		m.Log.Warn("no counterparty: it stays alone", "document", raw.ID, "tenant", raw.TenantID, "attempt", f.Attempt)
	}
	n, types := doc.normalized(), Matchable(raw.Type)
	block, err := m.Store.Candidates(ctx, f, n, types)
	if err != nil {
		return failure.At("read candidates", err)
	}
	for range maxRounds {
		fresh, err := m.Store.Write(ctx, f, n, types, block, decide(doc, block.Candidates))
		if err != nil {
			return failure.At("write matches", err)
		}
		if fresh == nil {
			return nil
		}
		block = *fresh
	}
	return &failure.Error{Kind: failure.Transient, Sentence: fmt.Sprintf("candidates changed %d times while it was judged", maxRounds)}
}

// read parses and normalises a document.
func read(raw Raw) (doc, error) {
	if raw.Data == "" {
		return doc{}, fmt.Errorf("larger than %d bytes", document.MaxBytes)
	}
	data, err := document.Parse([]byte(raw.Data))
	if err != nil {
		return doc{}, err
	}
	return normalise(raw.ID, raw.TenantID, raw.Type, data), nil
}

// decide judges a document against its candidates. Those that cannot be read
// fail on their own and are no candidates.
func decide(d doc, candidates []Raw) (decision Decision) {
	for _, raw := range candidates {
		c, err := read(raw)
		if err != nil || !mayMatch(d.Type, c.Type) {
			continue
		}
		switch e := score(d, c); {
		case e.Score >= matchAt:
			decision.Matches = append(decision.Matches, e)
		case e.Score >= suggestAt:
			e.Reasoning = "Undecided. " + e.Reasoning
			decision.Suggestions = append(decision.Suggestions, e)
		case e.refused():
			e.Reasoning = "Not matched. " + e.Reasoning
			decision.Suggestions = append(decision.Suggestions, e)
		}
	}
	return decision
}
