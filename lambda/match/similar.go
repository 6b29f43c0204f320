package match

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// How near the texts of two documents are that are alike, and that are near
// enough to be compared although they share no key. The rule is the same from
// both sides, so whichever is matched later finds the other.
const (
	alike   = 0.90
	similar = 0.80
)

// maxEmbedded is how much of a document's text is embedded, in characters.
const maxEmbedded = 4_000

// Near is a document whose text may be similar.
type Near struct {
	ID     uuid.UUID
	Vector string // as Raw has it
}

// embed gives the document its vector; without an embedder it has none.
func (m *Matcher) embed(ctx context.Context, d *doc, n *Normalized) error {
	text := line(n.Text, maxEmbedded)
	if m.Embeddings == nil || text == "" {
		return nil
	}
	vectors, err := m.Embeddings.Vectors(ctx, d.TenantID, []string{text})
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(m.Embeddings.Embedder.Name()))
	n.Vector = append(sum[:tagLength:tagLength], vectors[0].Bytes()...)
	d.embedding = embeddingOf(hex.EncodeToString(n.Vector))
	return nil
}

// embedding is a vector and who made it: those of different embedders have
// nothing to do with each other.
type embedding struct {
	by     string
	vector llm.Vector // nil if there is none
}

// tagLength is how many bytes before a stored vector say who made it.
const tagLength = 4

// embeddingOf reads an embedding as Raw has it.
func embeddingOf(stored string) embedding {
	b, err := hex.DecodeString(stored)
	if err != nil || len(b) < tagLength {
		return embedding{}
	}
	return embedding{string(b[:tagLength]), llm.VectorOf(b[tagLength:])}
}

// near is the cosine of two embeddings of one embedder, else 0.
func (e embedding) near(o embedding) float64 {
	if e.by != o.by {
		return 0
	}
	return llm.Cosine(e.vector, o.vector)
}

// block reads what the document is judged with: those that share a key, those
// that are wanted, and those of the same company whose texts are similar.
func (m *Matcher) block(ctx context.Context, f job.Fence, d doc, n *Normalized, types []document.Type, wanted ...uuid.UUID) (Block, error) {
	n.Similar = wanted
	block, err := m.Store.Candidates(ctx, f, *n, types)
	if err != nil || d.embedding.vector == nil {
		return block, failure.At("read candidates", err)
	}
	near, err := m.Store.Near(ctx, d.ID, d.companies(), types)
	if err != nil {
		return block, failure.At("read similar documents", err)
	}
	missing := false
	for _, c := range near {
		if d.embedding.near(embeddingOf(c.Vector)) >= similar && !slices.Contains(wanted, c.ID) {
			n.Similar = append(n.Similar, c.ID)
			missing = missing || !slices.ContainsFunc(block.Candidates, func(r Raw) bool { return r.ID == c.ID })
		}
	}
	if !missing {
		n.Similar = wanted
		return block, nil
	}
	block, err = m.Store.Candidates(ctx, f, *n, types)
	return block, failure.At("read candidates", err)
}

// compareTexts says whether two documents talk of the same, as an embedding
// sees it.
func compareTexts(a, b doc) []Evidence {
	if a.embedding.near(b.embedding) < alike {
		return nil
	}
	return say("alike", "Their texts are alike.")
}
