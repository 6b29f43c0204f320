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
	System string          // system and developer messages, joined by blank lines
	User   string          // other messages, joined by blank lines; or the texts to embed, one per line
	Schema json.RawMessage // of the answer; nil for embeddings
	Name   string          // of the schema
	N      int             // number of earlier calls for exactly this question
	Path   string          // of the call, to distinguish clients; not part of the question
}

// key identifies the question, without its N, Path and schema name.
func (q Question) key() string {
	var whole []byte
	for _, part := range []string{q.Model, q.System, q.User, string(q.Schema)} {
		whole = binary.AppendUvarint(whole, uint64(len(part)))
		whole = append(whole, part...)
	}
	return hash(string(whole))
}

// draw returns a source of random numbers determined by its arguments alone.
func draw(seed uint64, parts ...string) *rand.Rand {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(sum[:])))
}

// Mind returns the JSON answer to a question, or "" to refuse it. It must be safe for
// concurrent use. It is called only if its answer is used.
type Mind func(Question) string
