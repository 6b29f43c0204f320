package match

import (
	"context"
	"slices"

	"matchbook/lambda/failure"
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
	text := line(a.n.Text, maxEmbedded)
	if a.Embeddings == nil || text == "" {
		return nil
	}
	vectors, err := a.Embeddings.Vectors(ctx, a.raw.TenantID, []string{text})
	if err == nil {
		a.n.Vector = a.doc.Embed(a.Embeddings.Embedder.Name(), vectors[0].Bytes())
		return nil
	}
	why := failure.Of(err)
	if why.Kind != failure.Permanent {
		return err
	}
	a.n.NoVector = why.Text
	a.Log.Warn("embedding refused; similar texts not looked up",
		"id", a.raw.ID, "tenant", a.raw.TenantID, "attempt", a.fence.Number, "reason", why.Text)
	return nil
}

// read reads the document's block: documents with a common key, the wanted ones, and similar
// texts of the same company.
func (a *attempt) read(ctx context.Context, wanted ...uuid.UUID) (err error) {
	a.n.Similar = wanted
	if err = a.candidates(ctx); err != nil || !a.doc.Embedded() {
		return err
	}
	near, err := a.Store.Near(ctx, a.raw.ID, a.n, a.types)
	if err != nil {
		return failure.At("read similar documents", err)
	}
	missing := false
	for _, c := range near {
		if a.doc.Similar(c.Vector) && !slices.Contains(wanted, c.ID) {
			a.n.Similar = append(a.n.Similar, c.ID)
			missing = missing || !slices.ContainsFunc(a.block.Candidates, func(r score.Raw) bool { return r.ID == c.ID })
		}
	}
	if !missing {
		a.n.Similar = wanted
		return nil
	}
	return a.candidates(ctx)
}

// candidates reads the block. If its supplier's name has other identities now, the document
// has other keys, so candidates reads the block again.
func (a *attempt) candidates(ctx context.Context) (err error) {
	a.block, err = a.Store.Candidates(ctx, a.fence, a.n, a.types)
	if err != nil || a.block.Known == a.n.Known {
		return failure.At("read candidates", err)
	}
	a.raw.Known = a.block.Known
	a.doc.Know(a.block.Known)
	n := a.doc.Normalized()
	a.n.Keys, a.n.Lookup, a.n.Window, a.n.References, a.n.Known = n.Keys, n.Lookup, n.Window, n.References, n.Known
	a.block, err = a.Store.Candidates(ctx, a.fence, a.n, a.types)
	return failure.At("read candidates", err)
}
