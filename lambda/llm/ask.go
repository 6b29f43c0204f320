package llm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// Key identifies an answer in the vault.
type Key struct {
	Tenant uuid.UUID
	Model  string            // Model.Name
	Prompt [sha256.Size]byte // hash of the question and its schema
	// Version of the question; stored with an answer, but not used to find it.
	Version string
}

// Vault stores answers once they are paid for, before they are read. See postgres/answer.go
// and the table model_answer.
type Vault interface {
	// FindAnswer returns the usable answer for the key, and counts its reuse.
	FindAnswer(ctx context.Context, k Key) (id int64, text string, found bool, err error)
	// KeepAnswer commits an answer requested by the row. If unusable isn't empty, it is the
	// reason why the answer is kept for its cost only and must never be found.
	KeepAnswer(ctx context.Context, k Key, row uuid.UUID, a Answer, unusable string) (id int64, err error)
	// DiscardAnswer marks an answer as unusable, but keeps it for people to see.
	DiscardAnswer(ctx context.Context, id int64, why string) error
}

// Asker asks a Model and never pays twice for an answer. You must set Model and Vault.
type Asker struct {
	Model Model
	Vault Vault
	Retry Retry
}

// keepFor limits the commit of an answer. It applies even after the deadline, because the
// answer is paid for.
const keepFor = 5 * time.Second

// Ask calls read with the answer to a question: either the one in the vault, or a new one,
// committed first. If read returns an error, the answer is discarded, but kept for people to
// see. Then, and after a transient failure of the model, the question is asked again as
// configured by Retry, unless read's error is a permanent *failure.Error. Asking, reading and checking are one try. An answer not committed
// because of an error isn't bought again: the next try commits it.
func (a *Asker) Ask(ctx context.Context, tenant, row uuid.UUID, q Question, read func(text string) error) error {
	k := Key{Tenant: tenant, Model: a.Model.Name(), Prompt: q.Hash(), Version: q.Version}
	var paid *Answer // paid for, but not stored yet
	var wrong error  // with the last answer
	return a.Retry.Do(ctx, func(ctx context.Context) error {
		id, text, found, err := a.Vault.FindAnswer(ctx, k)
		if err != nil {
			return failure.At("look for an answer", err)
		}
		if found {
			why := read(text)
			if why == nil {
				return nil
			}
			if err := a.discard(ctx, id, why); err != nil {
				return err
			}
			wrong = why
		}
		if paid == nil {
			answer, err := a.Model.Answer(ctx, q.after(wrong))
			if answer.CutOff && q.Divisible {
				answer.Text, err = CutOff, nil
			}
			if err != nil {
				if answer.Usage != (Usage{}) {
					_, _ = a.keep(ctx, k, row, answer, cmp.Or(failure.Of(err).Text, "the model failed"))
				}
				return failure.At("ask the model", err)
			}
			paid = &answer
		}
		answer := *paid
		if id, err = a.keep(ctx, k, row, answer, ""); err != nil {
			return failure.At("keep the model's answer", err)
		}
		paid = nil
		why := read(answer.Text)
		if why == nil {
			return nil
		}
		if err := a.discard(ctx, id, why); err != nil {
			return err
		}
		wrong = why
		return unusable(why)
	})
}

// unusable is the error of a discarded answer. A permanent reason stays permanent, because the
// same question would get the same answer.
func unusable(why error) error {
	e := &failure.Error{Kind: failure.Transient, Sentence: fmt.Sprintf("unusable answer from the model: %s", why)}
	if given := (*failure.Error)(nil); errors.As(why, &given) {
		e.Kind = given.Kind
	}
	return e
}

func (a *Asker) keep(ctx context.Context, k Key, row uuid.UUID, answer Answer, unusable string) (int64, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	defer cancel()
	return a.Vault.KeepAnswer(ctx, k, row, answer, unusable)
}

// discard marks an answer as unusable, so that it is never found again.
func (a *Asker) discard(ctx context.Context, id int64, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	defer cancel()
	return failure.At("discard the model's answer",
		a.Vault.DiscardAnswer(ctx, id, cmp.Or(why.Error(), "rejected")))
}

// Hash is equal for equal prompts and schemas; see Key.Prompt. It includes lengths, so that text
// can't move from one part to the next unnoticed.
func (q Question) Hash() (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range []string{q.Name, q.System, q.User, string(compact(q.Schema))} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	h.Sum(sum[:0])
	return sum
}

// compact removes insignificant parts of a schema: white space and the order of keys. Numbers
// keep their notation.
func compact(schema json.RawMessage) []byte {
	if !json.Valid(schema) {
		return schema
	}
	var v any
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return schema
	}
	if b, err := json.Marshal(v); err == nil {
		return b
	}
	return schema
}

// VectorVault stores embeddings.
type VectorVault interface {
	// FindVectors returns the known vectors by their texts' hashes, and counts their reuse.
	FindVectors(ctx context.Context, tenant uuid.UUID, embedder string, hashes [][]byte) (map[string]Vector, error)
	// KeepVectors commits embeddings by their texts' hashes, and their cost.
	KeepVectors(ctx context.Context, tenant uuid.UUID, embedder string, vectors map[string]Vector, u Usage) error
}

// Embeddings embeds texts and never pays twice for one. You must set both fields.
type Embeddings struct {
	Embedder Embedder
	Vault    VectorVault
}

// Vectors returns a vector per text, in order. It returns nil for an empty text.
func (e *Embeddings) Vectors(ctx context.Context, tenant uuid.UUID, texts []string) ([]Vector, error) {
	hashes := make([]string, len(texts))
	var wanted [][]byte // without duplicates, so that each embedding is bought once
	text := make(map[string]string, len(texts))
	for i, t := range texts {
		if t == "" {
			continue
		}
		sum := sha256.Sum256([]byte(t))
		hashes[i] = string(sum[:])
		if _, twice := text[hashes[i]]; !twice {
			text[hashes[i]], wanted = t, append(wanted, sum[:])
		}
	}
	vectors := make([]Vector, len(texts))
	if len(wanted) == 0 {
		return vectors, nil
	}
	known, err := e.Vault.FindVectors(ctx, tenant, e.Embedder.Name(), wanted)
	if err != nil {
		return nil, failure.At("look for embeddings", err)
	}
	var unknown []string
	for _, hash := range wanted {
		if _, ok := known[string(hash)]; !ok {
			unknown = append(unknown, string(hash))
		}
	}
	bought, err := e.buy(ctx, tenant, unknown, text)
	if err != nil {
		return nil, err
	}
	for i, hash := range hashes {
		if v, ok := known[hash]; ok {
			vectors[i] = v
		} else {
			vectors[i] = bought[hash]
		}
	}
	return vectors, nil
}

// buy embeds the texts with these hashes, and commits the result, since it is paid for.
func (e *Embeddings) buy(ctx context.Context, tenant uuid.UUID, hashes []string,
	text map[string]string) (map[string]Vector, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	texts := make([]string, len(hashes))
	for i, hash := range hashes {
		texts[i] = text[hash]
	}
	fresh, usage, err := e.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, failure.At("embed", err)
	}
	bought := make(map[string]Vector, len(fresh))
	for i, v := range fresh {
		bought[hashes[i]] = v
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	defer cancel()
	return bought, failure.At("keep embeddings", e.Vault.KeepVectors(ctx, tenant, e.Embedder.Name(), bought, usage))
}
