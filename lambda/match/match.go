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

// Block is a document's surroundings: its candidates and its partners, all documents
// that it is scored with.
type Block struct {
	Candidates []score.Raw // in id order; partners are among them as far as there is room
	Partners   []uuid.UUID // in id order
	Known      string      // the identities of the document's supplier, as in score.Raw
	Tenant     uuid.UUID   // of the document: its other writers wait for a Write
	Crowded    bool        // so many documents share a key with it that it may stand between two of them
	// Score scores the candidates that have changed when Write finds them, and the
	// partners for which there was no room. Other writers of the tenant wait meanwhile.
	Score func(candidates []score.Raw) []score.Pair
}

// Rules decide about the pairs of a competition, with the answers of a model. Their
// error ends a Write. nil Rules are rules.Apply.
type Rules func(ctx context.Context, c rules.Competition) (rules.Result, error)

// Written is the outcome of a Write.
type Written struct {
	Fresh     *Block        // not nil: nothing was written, this is the block now
	Published []job.Stamped // documents that were published; their messages are still to be sent
}

// Store keeps documents, pairs and matches. Its calls for an attempt are
// fenced: they return job.ErrFenceLost once another attempt or a publish has
// taken over.
type Store interface {
	// Load reads the document of the attempt.
	Load(ctx context.Context, f job.Attempt) (score.Raw, error)
	// Candidates saves the normalised document and reads the block: documents
	// of the tenant and of these types with a key of n.Lookup, and n.Similar; and the
	// identities of n.Naming.
	Candidates(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type) (Block, error)
	// Near lists documents of the tenant and of these types with an embedding and a
	// company of n.Window, the nearest to its days, a bounded number.
	Near(ctx context.Context, id uuid.UUID, n score.Normalized, types []document.Type) ([]Near, error)
	// Write replaces the document's pairs, has the rules decide about all pairs
	// of the documents whose competition that changes, replaces their matches
	// and suggestions by the result, and sets the document succeeded, all or
	// nothing. The stale documents of the result are published with it, if they
	// had succeeded. If the block has other identities than n, or has changed and seen
	// has no Score, Write writes nothing and returns the block as it is now. After an
	// error of the rules it writes nothing and returns the error as it is. Write remembers
	// n.Naming, and publishes the documents that were matched with other identities
	// than they have now. Documents of a tenant may be written together.
	Write(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type,
		seen Block, pairs []score.Pair, decide Rules) (Written, error)
	// WriteReleased is Write for an attempt that failed: in place of succeeded, it
	// writes the release, whatever has changed.
	WriteReleased(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type,
		seen Block, decide Rules, r job.Release) (Written, error)
}

// Matcher matches documents.
type Matcher struct {
	Store Store
	Log   *slog.Logger
	// Model answers the questions that the rules leave open; nil leaves them to
	// people.
	Model *llm.Asker
	// Embeddings finds documents whose texts are similar; nil does without.
	Embeddings *llm.Embeddings
	// Sender sends the messages of documents that are to be matched again; nil
	// leaves them to the sweep.
	Sender job.Sender
}

// maxRounds bounds the calls of Write in one attempt: each may find that the
// document has other keys, or that a model has to be asked.
const maxRounds = 10

// Match matches the document of one attempt; it is a job.Work.
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
		Sentence: fmt.Sprintf("candidates changed %d times while it was scored", maxRounds)})
}

// attempt is one attempt to match a document.
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

// begin loads the document and brings it into comparable form.
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
		m.Log.Warn("no counterparty: it stays alone", "id", raw.ID, "tenant", raw.TenantID, "attempt", f.Number)
	}
	a := &attempt{Matcher: m, fence: f, raw: raw, doc: doc, n: doc.Normalized(), types: score.Matchable(raw.Type),
		x: &exchange{id: raw.ID, answers: map[string]map[uuid.UUID]rules.Asked{}}}
	if m.Model != nil {
		a.decide = a.x.apply
	}
	return a, nil
}

// partial is the error of an attempt whose model or embedder failed: what the
// rules know is written with the release, and the pairs are marked about which a
// model has still to answer.
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

// send sends the messages of published documents. The publishing is committed:
// the sweep repeats a message that cannot be sent now.
func (m *Matcher) send(ctx context.Context, f job.Attempt, published []job.Stamped) {
	if len(published) == 0 {
		return
	}
	if m.Sender == nil {
		m.Log.Warn("documents to be matched again are left to the sweep: there is no queue",
			"id", f.ID, "unsent", len(published))
		return
	}
	if unsent, err := m.Sender.Send(ctx, published); err != nil || len(unsent) > 0 {
		m.Log.Warn("documents to be matched again are left to the sweep", "id", f.ID, "attempt", f.Number,
			"unsent", len(unsent), "error", failure.Of(cmp.Or(err, errUnsent)).Text)
	}
}

var errUnsent error = &failure.Error{Kind: failure.Transient, Sentence: "messages were not sent"}
