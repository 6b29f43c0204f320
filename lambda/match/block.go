package match

import (
	"context"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// maxEmbedded bounds the embedded text, in characters.
const maxEmbedded = 4_000

// Near is a document with a possibly similar text.
type Near struct {
	ID     uuid.UUID
	Vector string // as in Raw
}

// embed computes the document's embedding, if there is an embedder. If the embedder refuses
// the document for good, embed notes the reason and returns nil.
func (a *attempt) embed(ctx context.Context) error {
	text := line(a.Normalized.Text, maxEmbedded)
	if a.Embeddings == nil || text == "" {
		return nil
	}
	vectors, err := a.Embeddings.Vectors(ctx, a.raw.TenantID, []string{text})
	if err == nil {
		a.Normalized.Vector = a.Document.Embed(a.Embeddings.Embedder.Name(), vectors[0].Bytes())
		return nil
	}
	why := failure.Of(err)
	if why.Kind != failure.Permanent {
		return err
	}
	a.Normalized.NoVector = why.Text
	a.Log.Warn("embedding refused; similar texts not looked up",
		"id", a.raw.ID, "tenant", a.raw.TenantID, "attempt", a.Number, "reason", why.Text)
	return nil
}

// read reads the document's block again, and with it the documents of a pending question,
// because the block may lack a partner.
func (a *attempt) read(ctx context.Context) error {
	var wanted []uuid.UUID
	if a.Exchange != nil {
		wanted = a.Exchange.Wanted()
	}
	a.Normalized.Similar = wanted
	if err := a.candidates(ctx); err != nil {
		return err
	}
	return a.complete(ctx, wanted...)
}

// complete adds similar texts of the same company to the block.
func (a *attempt) complete(ctx context.Context, wanted ...uuid.UUID) error {
	if err := a.recognise(ctx); err != nil || !a.Document.Embedded() {
		return err
	}
	near, err := a.Store.Near(ctx, a.raw.ID, a.Normalized, a.Types)
	if err != nil {
		return failure.At("read similar documents", err)
	}
	missing := false
	for _, c := range near {
		if a.Document.Similar(c.Vector) && !slices.Contains(wanted, c.ID) {
			a.Normalized.Similar = append(a.Normalized.Similar, c.ID)
			missing = missing || !slices.ContainsFunc(a.Seen.Candidates, func(r score.Raw) bool { return r.ID == c.ID })
		}
	}
	if !missing {
		a.Normalized.Similar = wanted
		return nil
	}
	if err := a.candidates(ctx); err != nil {
		return err
	}
	return a.recognise(ctx)
}

// recognise reads the block again if the supplier's name has other identities now, because
// the document then has other keys.
func (a *attempt) recognise(ctx context.Context) error {
	if a.Seen.Known == a.Normalized.Known {
		return nil
	}
	a.raw.Known = a.Seen.Known
	a.Document.Know(a.Seen.Known)
	n := a.Document.Normalized()
	now := &a.Normalized
	now.Keys, now.Lookup, now.Window, now.References, now.Known = n.Keys, n.Lookup, n.Window, n.References, n.Known
	return a.candidates(ctx)
}

func (a *attempt) candidates(ctx context.Context) error {
	blocks, err := a.Store.Candidates(ctx, []*Draft{&a.Draft})
	block, held := blocks[a.Fence]
	if err == nil && !held {
		err = job.ErrFenceLost
	}
	a.Seen = block
	return failure.At("read candidates", err)
}
