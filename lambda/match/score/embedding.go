package score

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Cosines of texts: from alike on they are evidence, from similar on two documents are scored
// although they share no key. The rule must be symmetric, so that the later document finds the
// other.
const (
	alike   = 0.90
	similar = 0.80
)

// embedding is a vector and its embedder. Don't compare vectors of different embedders.
type embedding struct {
	by     string // tag of the embedder
	vector []byte // 4 bytes a number; may be nil
}

// tagLength is the length in bytes of the embedder's tag before a stored vector.
const tagLength = 4

// embeddingOf reads an embedding in the form of Raw.Vector; the result is zero if invalid.
func embeddingOf(stored string) embedding {
	b, err := hex.DecodeString(stored)
	if err != nil || len(b) <= tagLength || (len(b)-tagLength)%4 != 0 {
		return embedding{}
	}
	return embedding{string(b[:tagLength]), b[tagLength:]}
}

// near is the cosine of two embeddings of one embedder, otherwise 0: the scalar product of vectors of
// length 1, of 4-byte little-endian numbers.
func (e embedding) near(o embedding) (cosine float64) {
	if e.by != o.by || len(e.vector) != len(o.vector) {
		return 0
	}
	number := func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	for i := 0; i < len(e.vector); i += 4 {
		cosine += number(e.vector[i:]) * number(o.vector[i:])
	}
	return cosine
}

// Embed sets the embedding of the document's text and returns it in stored form, after the
// embedder's tag. vector must have length 1 (see near).
func (d *Document) Embed(embedder string, vector []byte) []byte {
	sum := sha256.Sum256([]byte(embedder))
	stored := append(sum[:tagLength:tagLength], vector...)
	d.embedding = embeddingOf(hex.EncodeToString(stored))
	return stored
}

// Embedded reports whether the document has an embedding.
func (d Document) Embedded() bool { return d.embedding.vector != nil }

// Similar reports whether the text of an embedding, in the form of Raw.Vector, is similar
// enough to score its document even without a common key.
func (d Document) Similar(vector string) bool {
	return d.embedding.near(embeddingOf(vector)) >= similar
}

func compareTexts(a, b *Document) []Evidence {
	if a.embedding.near(b.embedding) < alike {
		return nil
	}
	return evAlike.Because("Their texts are alike.")
}
