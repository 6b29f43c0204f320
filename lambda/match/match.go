// Package match finds the documents that belong together: an order and its
// invoice, a delivery and its receipt, a credit note and what it corrects.
//
// A document is matched in five steps. Normalise reduces what was printed to
// what can be compared. The store finds candidates by keys that both have.
// compare weighs each pair on its own, whoever else there is. Decide weighs a
// pair together with its competition: the other pairs of its two documents.
// The store writes it all in one fenced transaction, after looking whether the
// candidates are still those that were compared; if not, they are compared
// again.
//
// # Why the order of arrival makes no difference
//
// What two documents say about each other depends on nothing but the two, is
// the same from both sides, and is stored as a Pair by whichever is matched
// later. Whether the pair is a match depends on nothing but the pairs of its
// two documents. So after every write, the matches are a function of the pairs,
// and the pairs are a function of the documents matched so far.
//
// A document that arrives can change what its candidates' pairs should be: a
// tie where there was one answer. An example: order 7 is for 20 lamps, invoice
// 1 charges 20 lamps, neither cites the other. Nothing else fits, they are a
// match. Then invoice 2 charges 20 lamps as well. Its pair with the order says
// as much as the first one, an order of 20 lamps has room for one of them, and
// so neither is a match any more. Invoice 2 does not have to publish invoice 1
// for that: the transaction that stores its pairs decides again about every
// pair of the documents that it is now paired with, or was before.
package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// Raw is a document as the store has it.
type Raw struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Type     document.Type
	Data     string // structured data as JSON; empty when it is beyond document.MaxBytes
	Received time.Time
	Vector   string // embedding of its text, hexadecimal; empty if it has none
}

// Block is what a document is judged with: its candidates, in id order, among
// them its partners, with which it was paired before, as far as there is room
// for them, and which those are.
type Block struct {
	Candidates []Raw
	Partners   []uuid.UUID
	// Score, if it is set, has Write score the candidates that it finds,
	// whatever they were before. Other writers of the tenant wait meanwhile.
	Score func(candidates []Raw) []Pair
	// Rest scores the partners for which there was no room.
	Rest func(candidates []Raw) []Pair
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

// Result is what the rules, a model and people make of pairs.
type Result struct {
	Matches     []Edge
	Suggestions []Edge
	Asked       []Pair      // whose Asked is to be kept
	Stale       []uuid.UUID // documents that have to ask a model again
}

// Rules decide about the pairs of a competition. Their error ends a Write.
type Rules func(ctx context.Context, c Competition) (Result, error)

// Written is what came of a Write.
type Written struct {
	Fresh     *Block        // not nil: nothing was written, the block is now this
	Published []job.Stamped // what was published; the messages are to be sent
}

// Store keeps documents, pairs and matches. All it does for an attempt is
// fenced: it returns job.ErrFenceLost when the attempt is no longer the
// document's.
type Store interface {
	// Load reads the document of the attempt.
	Load(ctx context.Context, f job.Fence) (Raw, error)
	// Candidates saves what was normalised and reads the block: documents of
	// the tenant and of these types that have a key which is looked up.
	Candidates(ctx context.Context, f job.Fence, n Normalized, types []document.Type) (Block, error)
	// Near lists documents of the tenant and of these types that have one of
	// these keys and an embedding, the nearest in time, a bounded number.
	Near(ctx context.Context, id uuid.UUID, keys []string, types []document.Type) ([]Near, error)
	// Write replaces the document's pairs, and the matches and suggestions of
	// everybody whose competition that changes by what judge makes of it, and
	// sets the document succeeded, all or nothing. Documents that have to ask
	// again are published with it, if they had succeeded. When the candidates
	// are no longer those that were judged, and judged has no Compare, it writes
	// nothing and returns the block as it is now; an error of judge it returns
	// as it is.
	Write(ctx context.Context, f job.Fence, n Normalized, types []document.Type, seen Block, pairs []Pair, rules Rules) (Written, error)
}

// Matcher matches documents.
type Matcher struct {
	Store Store
	Log   *slog.Logger
	// Model decides what rules leave open; nil leaves it to people.
	Model *llm.Asker
	// Embeddings finds documents whose texts are similar; nil does without.
	Embeddings *llm.Embeddings
	// Sender sends the messages of those who have to ask a model again; nil
	// leaves them to the sweep.
	Sender job.Sender
}

// maxRounds is how often a document is judged again because its candidates
// changed meanwhile, or a model was asked. From patience on it is compared
// while the others wait: where many documents of one company arrive at once,
// there would be a new one each time.
const (
	maxRounds = 10
	patience  = 2
)

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
	doc.embedding = embedding{} // that of an earlier attempt, which may have had another embedder
	if !doc.hasCounterparty() {
		m.Log.Warn("no counterparty: it stays alone", "document", raw.ID, "tenant", raw.TenantID, "attempt", f.Attempt)
	}
	n, types := doc.normalized(), Matchable(raw.Type)
	if err := m.embed(ctx, &doc, &n); err != nil {
		return err
	}
	block, err := m.block(ctx, f, doc, &n, types)
	if err != nil {
		return err
	}
	x := &exchange{id: raw.ID, answers: map[string]map[uuid.UUID]Asked{}}
	rules := x.decide
	if m.Model == nil {
		rules = ByRules
	}
	for round := range maxRounds {
		if block.Rest = doc.pairs; round >= patience {
			block.Score = doc.pairs
		}
		w, err := m.Store.Write(ctx, f, n, types, block, doc.pairs(block.Candidates), rules)
		switch {
		case errors.Is(err, errUnanswered) && !x.knows(block.Candidates):
			if block, err = m.block(ctx, f, doc, &n, types, x.wanted()...); err != nil {
				return err
			}
		case errors.Is(err, errUnanswered):
			if err := m.ask(ctx, x, raw, block.Candidates); err != nil {
				return err
			}
		case err != nil:
			return failure.At("write matches", err)
		case w.Fresh != nil:
			block = *w.Fresh
		default:
			m.send(ctx, f, w.Published)
			return nil
		}
	}
	return &failure.Error{Kind: failure.Transient, Sentence: fmt.Sprintf("candidates changed %d times while it was scored", maxRounds)}
}

// send sends the messages of what was published. They are committed: what
// cannot be sent now, the sweep publishes again.
func (m *Matcher) send(ctx context.Context, f job.Fence, published []job.Stamped) {
	if len(published) == 0 {
		return
	}
	if m.Sender == nil {
		m.Log.Warn("documents that have to ask a model again are left to the sweep: there is no queue", "document", f.ID, "unsent", len(published))
		return
	}
	if unsent, err := m.Sender.Send(ctx, published); err != nil || len(unsent) > 0 {
		m.Log.Warn("documents that have to ask a model again are left to the sweep", "document", f.ID, "attempt", f.Attempt,
			"unsent", len(unsent), "error", failure.Of(cmp.Or(err, errUnsent)).Text)
	}
}

var errUnsent error = &failure.Error{Kind: failure.Transient, Sentence: "messages were not sent"}

// read parses and normalises a document.
func read(raw Raw) (doc, error) {
	if raw.Data == "" {
		return doc{}, fmt.Errorf("larger than %d bytes", document.MaxBytes)
	}
	data, err := document.Parse([]byte(raw.Data))
	if err != nil {
		return doc{}, err
	}
	d := normalise(raw.ID, raw.TenantID, raw.Type, data)
	d.embedding = embeddingOf(raw.Vector)
	return d, nil
}

// pairs compares a document with its candidates and keeps what may count.
// Those that cannot be read fail on their own and are no candidates.
func (d doc) pairs(candidates []Raw) (pairs []Pair) {
	for _, raw := range candidates {
		c, err := read(raw)
		if err != nil || !mayMatch(d.Type, c.Type) {
			continue
		}
		if p := score(d, c); p.counts() {
			pairs = append(pairs, p)
		}
	}
	return pairs
}
