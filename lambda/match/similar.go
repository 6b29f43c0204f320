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

// Cosines of texts: from alike on they are evidence, from similar on two
// documents are scored although they share no key. The rule is symmetric, so
// the document that is matched later finds the other.
const (
	alike   = 0.90
	similar = 0.80
)

// maxEmbedded bounds the text that is embedded, in characters.
const maxEmbedded = 4_000

// Near is a document whose text may be similar.
type Near struct {
	ID     uuid.UUID
	Vector string // as in Raw
}

// embed computes the document's embedding; without an embedder it has none.
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

// embedding is a vector and its embedder: vectors of different embedders cannot
// be compared.
type embedding struct {
	by     string     // tag of the embedder
	vector llm.Vector // nil if there is none
}

// tagLength is the length of the embedder's tag before a stored vector, in bytes.
const tagLength = 4

// embeddingOf reads an embedding in the form of Raw.Vector.
func embeddingOf(stored string) embedding {
	b, err := hex.DecodeString(stored)
	if err != nil || len(b) < tagLength {
		return embedding{}
	}
	return embedding{string(b[:tagLength]), llm.VectorOf(b[tagLength:])}
}

// near is the cosine of two embeddings of one embedder, otherwise 0.
func (e embedding) near(o embedding) float64 {
	if e.by != o.by {
		return 0
	}
	return llm.Cosine(e.vector, o.vector)
}

// block reads the document's block: documents with a common key, the wanted
// ones, and documents of the same company with similar texts.
func (m *Matcher) block(ctx context.Context, f job.Fence, d doc, n *Normalized, types []document.Type,
	wanted ...uuid.UUID) (Block, error) {
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

// compareTexts compares the documents' texts by their embeddings.
func compareTexts(a, b doc) []Evidence {
	if a.embedding.near(b.embedding) < alike {
		return nil
	}
	return evAlike.because("Their texts are alike.")
}
