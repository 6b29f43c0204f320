package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// bag embeds a text as the words in it, so that those with the same words are
// near.
type bag struct {
	texts int
	err   error
}

func (b *bag) Name() string { return "bag" }

func (b *bag) Embed(_ context.Context, texts []string) (vectors []llm.Vector, u llm.Usage, err error) {
	if b.err != nil {
		return nil, u, b.err
	}
	b.texts += len(texts)
	for _, text := range texts {
		v, sum := make(llm.Vector, 64), 0.0
		for _, w := range words(text) {
			n := 0
			for _, r := range w {
				n = (n*31 + int(r)) % 64
			}
			v[n]++
		}
		for _, x := range v {
			sum += float64(x * x)
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		vectors = append(vectors, v)
	}
	return vectors, u, nil
}

// words lists the words of a text, each once.
func words(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(list)
	return slices.Compact(list)
}

// vectors is a vault in memory.
type vectors map[string]llm.Vector

func (v vectors) FindVectors(_ context.Context, _ uuid.UUID, _ string, hashes [][]byte) (map[string]llm.Vector, error) {
	found := map[string]llm.Vector{}
	for _, h := range hashes {
		if x, ok := v[string(h)]; ok {
			found[string(h)] = x
		}
	}
	return found, nil
}

func (v vectors) KeepVectors(_ context.Context, _ uuid.UUID, _ string, bought map[string]llm.Vector, _ llm.Usage) error {
	for h, x := range bought {
		v[h] = x
	}
	return nil
}

// An invoice that comes months late shares no key with its order but the
// company: their texts find each other in either order.
func TestSimilarTexts(t *testing.T) {
	t.Parallel()
	docs := []score.Raw{
		{ID: idOf("1"), TenantID: tenantA, Type: po, Data: object(vat, `"number":"45001","date":"2025-11-20"`, lines("solid-teak-garden-bench-with-arms-and-cushion-180 3 10"))},
		{ID: idOf("2"), TenantID: tenantA, Type: inv, Data: object(vat, `"date":"2026-03-05"`, lines("solid-teak-garden-bench-with-arms-and-cushion-180 2 10"))},
		{ID: idOf("3"), TenantID: tenantA, Type: inv, Data: object(vat, `"date":"2026-03-05"`, lines("office-chair 7"))},
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		for name, with := range map[string]bool{"with embeddings": true, "without": false} {
			m, embedder := newMemory(docs), &bag{}
			matcher := &Matcher{Store: m, Log: slog.New(slog.DiscardHandler)}
			if with {
				matcher.Embeddings = &llm.Embeddings{Embedder: embedder, Vault: vectors{}}
			}
			for _, i := range append(slices.Clone(order), order...) {
				must.OK(t, job.Work(matcher.Match).One(t.Context(), job.Attempt{ID: docs[i].ID, Number: 1}))
			}
			var alike []string
			for _, p := range m.all() {
				if slices.ContainsFunc(p.Evidence, func(ev score.Evidence) bool { return ev.Name == "alike" }) {
					for i, d := range docs {
						if d.ID == p.A || d.ID == p.B {
							alike = append(alike, fmt.Sprint(i+1))
						}
					}
				}
			}
			want := ""
			if with {
				want = "1 2"
			}
			if got := strings.Join(alike, " "); got != want {
				t.Errorf("%v, %s: %q are alike, want %q", order, name, got, want)
			}
			if with && embedder.texts != 3 {
				t.Errorf("%v: %d texts were embedded for 3 documents matched twice", order, embedder.texts)
			}
		}
	}
}

// A document that the embedder refuses goes on without an embedding, which is
// logged once; one that the embedder may take later is tried again, and has its
// matches meanwhile.
func TestEmbedderFailureKeepsRules(t *testing.T) {
	t.Parallel()
	for kind, failed := range map[failure.Kind]bool{failure.Permanent: false, failure.Transient: true} {
		m, log := newMemory([]score.Raw{rawOrder, rawInvoice}), bytes.Buffer{}
		no := &failure.Error{Kind: kind, Sentence: "the provider said no"}
		matcher := &Matcher{Store: m, Log: slog.New(slog.NewTextHandler(&log, nil)), Embeddings: &llm.Embeddings{Embedder: &bag{err: no}, Vault: vectors{}}}
		for _, d := range []score.Raw{rawOrder, rawInvoice} {
			err := job.Work(matcher.Match).One(t.Context(), job.Attempt{ID: d.ID, Number: 1})
			var partial *job.Partial
			if errors.As(err, &partial) != failed {
				t.Fatalf("%s: got %v", kind, err)
			}
			if !failed {
				continue
			}
			if f := failure.Of(err); f.Kind != failure.Transient || f.Text != "embed: the provider said no" {
				t.Errorf("%s: got %+v", kind, f)
			}
			if written, err := partial.Release(t.Context(), job.Release{Status: job.StatusPending}); !written || err != nil {
				t.Errorf("%s: released %v, %v", kind, written, err)
			}
		}
		logged := map[bool]int{false: 2, true: 0}[failed]
		if n := strings.Count(log.String(), `reason="embed: the provider said no"`); len(m.matches) != 1 || n != logged {
			t.Errorf("%s: matches %+v, logged %s", kind, m.matches, &log)
		}
	}
}

// The order of arrival makes no difference with embeddings either.
func TestArrivalOrderWithEmbeddings(t *testing.T) {
	t.Parallel()
	alike := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		docs := randomDocs(r)
		var first *memory
		for range 4 {
			m := newMemory(docs)
			matcher := &Matcher{Store: m, Log: slog.New(slog.DiscardHandler), Embeddings: &llm.Embeddings{Embedder: &bag{}, Vault: vectors{}}}
			for _, i := range r.Perm(len(docs)) {
				must.OK(t, job.Work(matcher.Match).One(t.Context(), job.Attempt{ID: docs[i].ID, Number: 1}), "seed", seed)
			}
			if first == nil {
				first = m
				for _, p := range m.pairs {
					if slices.ContainsFunc(p.Evidence, func(ev score.Evidence) bool { return ev.Name == "alike" }) {
						alike++
					}
				}
			} else if !reflect.DeepEqual(m.pairs, first.pairs) || !reflect.DeepEqual(m.matches, first.matches) {
				t.Fatalf("seed %d: got %+v\nwant %+v", seed, m.pairs, first.pairs)
			}
		}
	}
	if alike < 50 {
		t.Errorf("the random documents prove little: %d pairs are alike", alike)
	}
}
