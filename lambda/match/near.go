package match

import (
	"context"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/score"

	"github.com/google/uuid"
)

// maxEmbedded bounds the text that is embedded, in characters.
const maxEmbedded = 4_000

// Near is a document whose text may be similar.
type Near struct {
	ID     uuid.UUID
	Vector string // as in Raw
}

// embed computes the document's embedding; without an embedder it has none.
func (m *Matcher) embed(ctx context.Context, d *score.Document, n *score.Normalized) error {
	text := line(n.Text, maxEmbedded)
	if m.Embeddings == nil || text == "" {
		return nil
	}
	vectors, err := m.Embeddings.Vectors(ctx, d.TenantID, []string{text})
	if err != nil {
		return err
	}
	n.Vector = d.Embed(m.Embeddings.Embedder.Name(), vectors[0].Bytes())
	return nil
}

// block reads the document's block: documents with a common key, the wanted
// ones, and documents of the same company with similar texts.
func (m *Matcher) block(ctx context.Context, f job.Fence, d score.Document, n *score.Normalized, types []document.Type,
	wanted ...uuid.UUID) (Block, error) {
	n.Similar = wanted
	block, err := m.Store.Candidates(ctx, f, *n, types)
	if err != nil || !d.Embedded() {
		return block, failure.At("read candidates", err)
	}
	near, err := m.Store.Near(ctx, d.ID, d.Companies(), types)
	if err != nil {
		return block, failure.At("read similar documents", err)
	}
	missing := false
	for _, c := range near {
		if d.Similar(c.Vector) && !slices.Contains(wanted, c.ID) {
			n.Similar = append(n.Similar, c.ID)
			missing = missing || !slices.ContainsFunc(block.Candidates, func(r score.Raw) bool { return r.ID == c.ID })
		}
	}
	if !missing {
		n.Similar = wanted
		return block, nil
	}
	block, err = m.Store.Candidates(ctx, f, *n, types)
	return block, failure.At("read candidates", err)
}
