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
	Crowded    bool        // it may stand between two documents, because many share a key with it
}

// Draft is a document being matched, as its attempt knows it.
type Draft struct {
	Fence      job.Attempt
	Document   score.Document // scores candidates that changed since they were seen
	Normalized score.Normalized
	Types      []document.Type // of its candidates
	Seen       Block
	Pairs      []score.Pair // with the candidates in Seen
	Release    *job.Release // ends a failed attempt, whatever has changed; nil: the document succeeds
	// Exchange is with a model; nil leaves the questions of the rules to people.
	Exchange *rules.Exchange
}

// Turn is the documents of a tenant to write in one transaction.
type Turn struct {
	Tenant uuid.UUID
	Drafts []*Draft
	// Brief waits for locks only briefly: a turn shared by the document has failed, and if
	// another program has locked its row, each further wait would hold up the tenant.
	Brief bool
}

// Written is the outcome of a Turn. A document is written unless it is in Left.
type Written struct {
	Left      map[uuid.UUID]Left
	Published []job.Stamped // published documents; you must send their messages
}

// Left is the reason why a document wasn't written. One field is set.
type Left struct {
	Fresh *Block           // its candidates now: it has other identities
	Open  []rules.Decision // a model must answer this question first
}

// Store keeps documents, pairs and matches. Its writes are fenced by the attempts.
type Store interface {
	// Load reads the documents of attempts in one statement, except for lost fences.
	Load(ctx context.Context, fences []job.Attempt) (map[job.Attempt]score.Raw, error)
	// Candidates saves the normalised documents and reads their blocks: the tenant's documents
	// of their types with a key of n.Lookup, and n.Similar. It also returns the identities of
	// n.Naming. It leaves out the blocks of lost fences.
	Candidates(ctx context.Context, drafts []*Draft) (map[job.Attempt]Block, error)
	// Near lists the tenant's documents of these types with an embedding and a company of
	// n.Window, the nearest to its days, up to a bound.
	Near(ctx context.Context, id uuid.UUID, n score.Normalized, types []document.Type) ([]Near, error)
	// Write replaces the documents' pairs, lets the rules judge all pairs of the documents with
	// a changed competition (rules.Consult), replaces their matches and suggestions by the
	// result, and sets the documents succeeded or releases them, all or nothing. It publishes
	// the result's stale documents if they had succeeded. It remembers n.Naming, and publishes
	// documents that were matched with other identities than they have now.
	//
	// It leaves out documents with other identities than n, and documents with an open question. It
	// returns job.ErrFenceLost, and has written nothing, if the fence of one of the others is
	// lost.
	Write(ctx context.Context, t Turn) (Written, error)
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

// maxTurns bounds the turns of an attempt. Each one may find that the document has other keys,
// or that a model must be asked.
const maxTurns = 10

// Match matches the documents of a batch; it is a job.Work. A document ends without an error
// once it is succeeded: Store.Write sets the status together with the matches (see
// succeedMatchedSQL in postgres/matches/cluster.go). It ends with a *job.Partial if a model or embedder
// failed, so that the runtime writes the rules' results along with the release.
func (m *Matcher) Match(ctx context.Context, batch []*job.Task) {
	docs := m.load(ctx, batch)
	job.Waves(docs, func(ctx context.Context, a *attempt) error { return a.normalise(ctx) }, func(docs []*attempt) {
		m.search(ctx, docs)
		job.Split(docs, (*attempt).tenant, func(docs []*attempt) { m.takeTurns(ctx, docs) })
	})
}

// takeTurns writes documents of a tenant in one turn, and the ones left in further turns, each
// after its question is answered. A document without a question doesn't wait for answers of
// others, and an answer doesn't wait long for another one (see job.Waves).
func (m *Matcher) takeTurns(ctx context.Context, docs []*attempt) {
	job.Waves(docs, func(ctx context.Context, a *attempt) error { return a.prepare(ctx) }, func(docs []*attempt) {
		m.takeTurns(ctx, m.write(ctx, docs))
	})
}

// attempt is the work on a document.
type attempt struct {
	*Matcher
	*job.Task
	Draft
	raw        score.Raw
	noVector   error // of the embedder; it may answer later
	turns      int
	calls      int  // of the model
	unanswered bool // Left.Open, the question in Exchange.Pending
}

func (a *attempt) tenant() uuid.UUID { return a.raw.TenantID }

func (m *Matcher) load(ctx context.Context, batch []*job.Task) (docs []*attempt) {
	job.Together(ctx, batch, func(ctx context.Context, some []*job.Task) error {
		loaded, err := m.Store.Load(ctx, job.Fences(some))
		if err != nil {
			return failure.At("load", err)
		}
		for _, t := range some {
			if raw, held := loaded[t.Attempt]; held {
				docs = append(docs, &attempt{Matcher: m, Task: t, raw: raw})
			} else {
				t.End(failure.At("load", job.ErrFenceLost))
			}
		}
		return nil
	})
	return docs
}

// normalise reads the document, and computes its embedding.
func (a *attempt) normalise(ctx context.Context) error {
	a.raw.Vector = "" // an earlier attempt may have had another embedder
	doc, err := score.Read(a.raw)
	if err != nil {
		return failure.Permanently("structured data: %s", err)
	}
	if !doc.HasCounterparty() {
		a.Log.Warn("no counterparty; document won't match", "id", a.raw.ID, "tenant", a.raw.TenantID, "attempt", a.Number)
	}
	a.Draft = Draft{Fence: a.Attempt, Document: doc, Normalized: doc.Normalized(), Types: score.Matchable(a.raw.Type)}
	if a.Model != nil {
		a.Exchange = rules.NewExchange(a.raw.ID)
	}
	a.noVector = a.embed(ctx)
	return nil
}

// search reads the blocks of documents in one statement.
func (m *Matcher) search(ctx context.Context, docs []*attempt) {
	job.Together(ctx, docs, func(ctx context.Context, some []*attempt) error {
		blocks, err := m.Store.Candidates(ctx, drafts(some))
		if err != nil {
			return failure.At("read candidates", err)
		}
		for _, a := range some {
			block, held := blocks[a.Fence]
			if a.Seen = block; !held {
				a.End(failure.At("read candidates", job.ErrFenceLost))
			}
		}
		return nil
	})
}

// prepare does what the last turn left to do before the next one.
func (a *attempt) prepare(ctx context.Context) error {
	var err error
	switch a.turns++; {
	case a.turns > maxTurns:
		return a.partial(&failure.Error{Kind: failure.Transient,
			Sentence: fmt.Sprintf("candidates changed %d times during scoring", maxTurns)})
	case a.turns == 1:
		err = a.complete(ctx)
	case a.unanswered && a.Exchange.Knows(a.Seen.Candidates):
		if err := a.ask(ctx); err != nil {
			return a.partial(err)
		}
	default:
		err = a.read(ctx)
	}
	switch {
	case err != nil:
		return err
	case a.noVector != nil:
		return a.partial(a.noVector)
	}
	a.Pairs = a.Document.Pairs(a.Seen.Candidates)
	return nil
}

// write writes documents of a tenant in one transaction, and returns the ones left.
func (m *Matcher) write(ctx context.Context, docs []*attempt) (left []*attempt) {
	job.Together(ctx, docs, func(ctx context.Context, some []*attempt) error {
		w, err := m.Store.Write(ctx, Turn{Tenant: some[0].tenant(), Drafts: drafts(some), Brief: len(some) < len(docs)})
		if err != nil {
			return failure.At("write matches", err)
		}
		m.send(ctx, some[0].Attempt, w.Published)
		for _, a := range some {
			why, isLeft := w.Left[a.ID]
			if !isLeft {
				a.End(nil)
				continue
			}
			if a.unanswered = why.Open != nil; a.unanswered {
				a.Exchange.Pending = why.Open
			}
			left = append(left, a)
		}
		return nil
	})
	return left
}

func drafts(docs []*attempt) []*Draft {
	list := make([]*Draft, len(docs))
	for i, a := range docs {
		list[i] = &a.Draft
	}
	return list
}

// partial is the error of an attempt after its model or embedder failed. Its Release writes
// the rules' results and marks the pairs still owed an answer.
func (a *attempt) partial(err error) error {
	return &job.Partial{Err: err, Release: func(ctx context.Context, r job.Release) (bool, error) {
		d := a.Draft
		d.Seen, d.Pairs, d.Release = Block{}, nil, &r
		if d.Exchange != nil {
			d.Exchange.Owing = true
		}
		w, err := a.Store.Write(ctx, Turn{Tenant: a.tenant(), Drafts: []*Draft{&d}})
		if errors.Is(err, job.ErrFenceLost) {
			return false, nil
		}
		if err == nil {
			a.send(ctx, a.Fence, w.Published)
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
