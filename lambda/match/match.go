package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// Block is a document's candidates and partners, all documents it is scored with.
type Block struct {
	Candidates []score.Raw // in id order; includes partners while there is room
	Partners   []uuid.UUID // in id order
	Known      string      // the identities of the document's supplier, as in score.Raw
	Tenant     uuid.UUID   // the document's; see Write for its turn
	Crowded    bool        // it may stand between two documents, because many share a key with it
	// Score scores the partners without room in the block, and the candidates that changed
	// since. Write calls it while other writers of the tenant wait.
	Score func(candidates []score.Raw) []score.Pair
}

// Rules decides about the pairs of a competition, with a model's answers. Its error ends the
// Write. nil means rules.Apply.
type Rules func(ctx context.Context, c rules.Competition) (rules.Result, error)

// Written is the outcome of a Write.
type Written struct {
	Fresh     *Block        // not nil: nothing was written; use this block next
	Published []job.Stamped // published documents; you must send their messages
}

// Store keeps documents, pairs and matches. Calls for an attempt are fenced: they return
// job.ErrFenceLost once another attempt or a publish has taken over.
type Store interface {
	// Load reads the document of the attempt.
	Load(ctx context.Context, f job.Attempt) (score.Raw, error)
	// Candidates saves the normalised document and reads its block: the tenant's documents of
	// these types with a key of n.Lookup, and n.Similar. It also returns the identities of
	// n.Naming.
	Candidates(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type) (Block, error)
	// Near lists the tenant's documents of these types with an embedding and a company of
	// n.Window, the nearest to its days, up to a bound.
	Near(ctx context.Context, id uuid.UUID, n score.Normalized, types []document.Type) ([]Near, error)
	// Write replaces the document's pairs, lets decide judge all pairs of the documents with a
	// changed competition, replaces their matches and suggestions by the result, and sets the
	// document succeeded, all or nothing. It publishes the result's stale documents if they
	// had succeeded. It remembers n.Naming, and publishes documents that were matched with
	// other identities than they have now.
	//
	// If the block has other identities than n, or has changed and seen.Score is nil, Write
	// writes nothing and returns the current block. An error of decide is returned as it is,
	// and nothing is written. Write may combine several documents of a tenant.
	Write(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type,
		seen Block, pairs []score.Pair, decide Rules) (Written, error)
	// WriteReleased is Write for a failed attempt: instead of succeeded, it writes the
	// release, whatever has changed.
	WriteReleased(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type,
		seen Block, decide Rules, r job.Release) (Written, error)
}

// Matcher matches documents. Store and Log must be set. It's safe for concurrent use.
type Matcher struct {
	Store Store
	Log   *slog.Logger
	// Model answers the questions left open by the rules; nil leaves them to people.
	Model *llm.Asker
	// Embeddings finds documents with similar texts; nil does without.
	Embeddings *llm.Embeddings
	// Sender sends the messages of documents to match again; nil leaves them to the sweep.
	Sender job.Sender
}

// maxRounds bounds the calls of Write in one attempt. Each call may find that the document has
// other keys, or that a model must be asked.
const maxRounds = 10

// Match matches the document of one attempt; use it with job.Each. It returns nil once the
// document is succeeded. The status is set inside Store.Write, together with the matches: see
// succeedMatchedSQL in postgres/cluster.go. Match returns a *job.Partial if a model or embedder
// failed, so that the runtime writes the rules' results along with the release.
func (m *Matcher) Match(ctx context.Context, f job.Attempt) error {
	a, err := m.begin(ctx, f)
	if err != nil {
		return err
	}
	withoutVector := a.embed(ctx)
	if err := a.read(ctx); err != nil {
		return err
	}
	if withoutVector != nil {
		return a.partial(withoutVector)
	}
	for range maxRounds {
		a.block.Score = a.doc.Pairs
		w, err := m.Store.Write(ctx, f, a.n, a.types, a.block, a.doc.Pairs(a.block.Candidates), a.decide)
		switch {
		case errors.Is(err, errUnanswered) && !a.x.knows(a.block.Candidates):
			if err = a.read(ctx, a.x.wanted()...); err != nil {
				return err
			}
		case errors.Is(err, errUnanswered):
			if err := m.ask(ctx, a.x, a.raw, a.block.Candidates); err != nil {
				return a.partial(err)
			}
		case err != nil:
			return failure.At("write matches", err)
		case w.Fresh != nil:
			if err = a.read(ctx, a.x.wanted()...); err != nil {
				return err
			}
		default:
			m.send(ctx, f, w.Published)
			return nil
		}
	}
	return a.partial(&failure.Error{Kind: failure.Transient,
		Sentence: fmt.Sprintf("candidates changed %d times during scoring", maxRounds)})
}

type attempt struct {
	*Matcher
	fence  job.Attempt
	raw    score.Raw
	doc    score.Document
	n      score.Normalized
	types  []document.Type
	block  Block
	x      *exchange
	decide Rules
}

func (m *Matcher) begin(ctx context.Context, f job.Attempt) (*attempt, error) {
	raw, err := m.Store.Load(ctx, f)
	if err != nil {
		return nil, failure.At("load", err)
	}
	raw.Vector = "" // an earlier attempt may have had another embedder
	doc, err := score.Read(raw)
	if err != nil {
		return nil, failure.Permanently("structured data: %s", err)
	}
	if !doc.HasCounterparty() {
		m.Log.Warn("no counterparty; document won't match", "id", raw.ID, "tenant", raw.TenantID, "attempt", f.Number)
	}
	a := &attempt{Matcher: m, fence: f, raw: raw, doc: doc, n: doc.Normalized(), types: score.Matchable(raw.Type),
		x: &exchange{id: raw.ID, answers: map[string]map[uuid.UUID]rules.Asked{}}}
	if m.Model != nil {
		a.decide = a.x.apply
	}
	return a, nil
}

// partial is the error of an attempt after its model or embedder failed. Its Release writes
// the rules' results and marks the pairs still owed an answer.
func (a *attempt) partial(err error) error {
	a.x.owing = true
	known := Block{Score: a.doc.Pairs, Tenant: a.raw.TenantID}
	return &job.Partial{Err: err, Release: func(ctx context.Context, r job.Release) (bool, error) {
		w, err := a.Store.WriteReleased(ctx, a.fence, a.n, a.types, known, a.decide, r)
		if errors.Is(err, job.ErrFenceLost) {
			return false, nil
		}
		if err == nil {
			a.send(ctx, a.fence, w.Published)
		}
		return err == nil, failure.At("write matches", err)
	}}
}

// send sends the messages of published documents. The publishing is committed, so the sweep
// repeats any message that cannot be sent now.
func (m *Matcher) send(ctx context.Context, f job.Attempt, published []job.Stamped) {
	if len(published) == 0 {
		return
	}
	if m.Sender == nil {
		m.Log.Warn("no queue; sweep will enqueue documents to match again",
			"id", f.ID, "unsent", len(published))
		return
	}
	if unsent, err := m.Sender.Send(ctx, published); err != nil || len(unsent) > 0 {
		m.Log.Warn("enqueue failed; sweep will retry documents to match again", "id", f.ID, "attempt", f.Number,
			"unsent", len(unsent), "error", failure.Of(cmp.Or(err, errUnsent)).Text)
	}
}

var errUnsent error = &failure.Error{Kind: failure.Transient, Sentence: "messages were not sent"}
