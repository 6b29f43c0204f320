package scripted

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"strings"
)

// Question is a client's question.
type Question struct {
	Model  string
	System string          // the system and developer messages, blank lines between them
	User   string          // the other messages, blank lines between them; or the texts to embed, one a line
	Schema json.RawMessage // of the answer; nil when embeddings are asked for
	Name   string          // of the schema
	N      int             // the number of times that this exact question was asked before
	Path   string          // of the call, by which callers may tell who asks; no part of the question
}

// key identifies the question, without its N, its Path and the name of its schema.
func (q Question) key() string {
	var whole []byte
	for _, part := range []string{q.Model, q.System, q.User, string(q.Schema)} {
		whole = binary.AppendUvarint(whole, uint64(len(part)))
		whole = append(whole, part...)
	}
	return hash(string(whole))
}

// draw returns a source of random numbers that follows from these alone.
func draw(seed uint64, parts ...string) *rand.Rand {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(sum[:])))
}

// Mind decides the answer to a question: its JSON text, or "" if it has none.
// It may be called concurrently, and is called only when its answer is used.
type Mind func(Question) string
