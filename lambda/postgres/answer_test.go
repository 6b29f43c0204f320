package postgres_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

var _ interface {
	llm.Vault
	llm.VectorVault
} = (*postgres.DB)(nil)

// asked is what a question is filed under.
func asked(question string) llm.Key {
	return llm.Key{Tenant: tenant, Model: "fake temperature=0", Prompt: sha256.Sum256([]byte(question)), Version: "match/1"}
}

func (f *fixture) keep(k llm.Key, text, unusable string) (id int64) {
	f.T.Helper()
	return must.Get(f.KeepAnswer(f.T.Context(), k, num(1), llm.Answer{Text: text, Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 10}}, unusable))(f.T)
}

// wantAnswer finds an answer; an empty text is none.
func (f *fixture) wantAnswer(k llm.Key, text string) (id int64) {
	f.T.Helper()
	id, got, found, err := f.FindAnswer(f.T.Context(), k)
	if err != nil || got != text || found != (text != "") {
		f.T.Errorf("found %q, %v, %v; want %q", got, found, err, text)
	}
	return id
}

func (f *fixture) wantAnswers(want ...string) {
	f.T.Helper()
	postgrestest.EqualLists(f.T, "answers", f.ModelAnswers(), want)
}

const sameMoment = "another attempt asked the same question at the same time"

func TestAnswerKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Exec("INSERT INTO tenant VALUES ($1, 'Others')", otherTenant)
	k := asked("which?")
	f.wantAnswer(k, "")
	id := f.keep(k, "this", "")
	postgrestest.Equal(t, "the answer that is found", f.wantAnswer(k, "this"), id)
	for name, other := range map[string]llm.Key{
		"tenant":         {Tenant: otherTenant, Model: k.Model, Prompt: k.Prompt},
		"unknown tenant": {Tenant: num(99), Model: k.Model, Prompt: k.Prompt},
		"model":          {Tenant: tenant, Model: k.Model + " seed=1", Prompt: k.Prompt},
		"question":       asked("which one?"),
	} {
		if _, _, found, err := f.FindAnswer(t.Context(), other); found || err != nil {
			t.Errorf("another %s: found %v, %v", name, found, err)
		}
	}
	k.Version = "match/2"
	f.wantAnswer(k, "this")
	f.wantAnswers("this, 2")
	other := k
	other.Tenant = otherTenant
	f.keep(other, "theirs", "")
	f.wantAnswer(other, "theirs")
	f.wantAnswer(k, "this")
	f.wantAnswers("this, 3", "theirs, 1")

	cost := postgrestest.Value[string](t, f.Conn, "SELECT concat_ws(' ', document_id, prompt_tokens, completion_tokens, asked_at = now(), prompt_version) FROM model_answer WHERE id = $1", id)
	postgrestest.Equal(t, "cost", cost, num(1).String()+" 100 10 t match/1")
}

func TestDiscardedAnswerIsGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	k := asked("which?")
	for n := range 3 {
		id := f.keep(k, fmt.Sprint("bad", n), "")
		must.OK(t, f.DiscardAnswer(t.Context(), id, "it is no JSON"))
		f.wantAnswer(k, "")
	}
	f.keep(k, "good", "")
	f.wantAnswer(k, "good")
	f.wantAnswers("bad0, 0, it is no JSON", "bad1, 0, it is no JSON", "bad2, 0, it is no JSON", "good, 1")
}

// The sentence may be of any length, and of whatever a checker says.
func TestAnyReasonIsStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.keep(asked("a"), "x", "")
	must.OK(t, f.DiscardAnswer(t.Context(), id, "bad \x00 \xff "+strings.Repeat("ä", 2000)))
	f.keep(asked("b"), "y", "cut \x00 off")
	list := f.ModelAnswers()
	if n := utf8.RuneCountInString(list[0]); n != 1000+len("x, 0, ") || !strings.HasPrefix(list[0], "x, 0, bad \ufffd \ufffd ä") || list[1] != "y, 0, cut \ufffd off" {
		t.Errorf("got %d characters, %.40q and %q", n, list[0], list[1])
	}
}

func TestUnusableAnswerCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	k := asked("which?")
	f.keep(k, "", "the model's answer was cut off")
	f.wantAnswer(k, "")
	f.keep(k, "good", "")
	f.keep(k, "", "busy")
	f.wantAnswer(k, "good")
	f.wantAnswers(", 0, the model's answer was cut off", "good, 1", ", 0, busy")
}

func TestAnyAnswerIsStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for text, want := range map[string]string{
		"a\x00b":                         "a\ufffdb",
		"\x00":                           "\ufffd",
		"a\xffb":                         "a\ufffdb",
		"\xed\xa0\x80":                   "\ufffd", // half of a pair
		"ä 中 🏮 \u202e \ufffd":            "ä 中 🏮 \u202e \ufffd",
		`{"a":"\u0000"}`:                 `{"a":"\u0000"}`, // six characters of text, as they came
		strings.Repeat("long ", 100_000): strings.Repeat("long ", 100_000),
	} {
		f.keep(asked(text), text, "")
		if _, got, found, err := f.FindAnswer(t.Context(), asked(text)); got != want || !found || err != nil {
			t.Errorf("%.20q came back as %.20q, %v, %v", text, got, found, err)
		}
	}
}

// A provider that counts nonsense does not cost us the answer.
func TestAnyCostIsStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must.Get(f.KeepAnswer(t.Context(), asked("a"), num(1), llm.Answer{Text: "x", Usage: llm.Usage{PromptTokens: math.MaxInt, CompletionTokens: -1}}, ""))(t)
	var prompt, completion int
	must.OK(t, f.Conn.QueryRow(t.Context(), "SELECT prompt_tokens, completion_tokens FROM model_answer").Scan(&prompt, &completion))
	if prompt != math.MaxInt32 || completion != 0 {
		t.Errorf("got %d and %d", prompt, completion)
	}
}

func TestFirstAnswerWins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	k := asked("which?")
	f.keep(k, "first", "")
	f.keep(k, "second", "")
	f.wantAnswer(k, "first")
	f.wantAnswers("first, 1", "second, 0, "+sameMoment)
}

// The second one's insert waits for the first one's commit.
func TestCommittedAnswerWins(t *testing.T) {
	t.Parallel()
	for end, want := range map[string][]string{
		"COMMIT":   {"first, 0", "second, 0, " + sameMoment},
		"ROLLBACK": {"second, 0"},
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			k := asked("which?")
			f.Exec("BEGIN")
			f.Exec("INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens) VALUES ($1, $2, $3, $4, 'first', 1, 1)",
				k.Tenant, k.Model, k.Prompt[:], num(2))
			second := f.Meanwhile(func() error {
				_, err := f.KeepAnswer(context.Background(), k, num(1), llm.Answer{Text: "second"}, "")
				return err
			})
			f.Exec(end)
			must.OK(t, second())
			f.wantAnswers(want...)
		})
	}
}

func TestConcurrentAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	k := asked("which?")
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			if _, err := f.KeepAnswer(t.Context(), k, num(n), llm.Answer{Text: fmt.Sprint(n)}, ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	usable := 0
	list := f.ModelAnswers()
	for _, a := range list {
		if !strings.HasSuffix(a, sameMoment) {
			usable++
			f.wantAnswer(k, strings.TrimSuffix(a, ", 0"))
		}
	}
	if usable != 1 || len(list) != 20 {
		t.Errorf("%d of %d answers are usable, want 1 of 20", usable, len(list))
	}
}

// hashes returns the hashes of texts.
func hashes(texts ...string) (list [][]byte) {
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		list = append(list, sum[:])
	}
	return list
}

func (f *fixture) vectors(tenant uuid.UUID, embedder string, texts ...string) map[string]llm.Vector {
	f.T.Helper()
	return must.Get(f.FindVectors(f.T.Context(), tenant, embedder, hashes(texts...)))(f.T)
}

func (f *fixture) keepVectors(tenant uuid.UUID, embedder string, tokens int, vectors map[string]llm.Vector) {
	f.T.Helper()
	byHash := make(map[string]llm.Vector, len(vectors))
	for text, v := range vectors {
		byHash[string(hashes(text)[0])] = v
	}
	must.OK(f.T, f.KeepVectors(f.T.Context(), tenant, embedder, byHash, llm.Usage{PromptTokens: tokens}))
}

func TestVectorsRoundTrip(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := rand.New(rand.NewPCG(1, 2))
	vectors := map[string]llm.Vector{
		"limits": {0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), 0.1},
		"empty":  {},
	}
	for n := range 50 {
		v := make(llm.Vector, 256)
		for i := range v {
			for v[i] = math.Float32frombits(r.Uint32()); v[i] != v[i]; { // no NaN
				v[i] = math.Float32frombits(r.Uint32())
			}
		}
		vectors[fmt.Sprint(n)] = v
	}
	f.keepVectors(tenant, "fake", 104, vectors)
	found := f.vectors(tenant, "fake", slices.Collect(maps.Keys(vectors))...)
	postgrestest.Equal(t, "vectors that are found", len(found), len(vectors))
	for text, want := range vectors {
		got := found[string(hashes(text)[0])]
		if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	var each, all float64
	if err := f.Conn.QueryRow(t.Context(), "SELECT min(tokens), sum(tokens) FROM model_embedding").Scan(&each, &all); err != nil || each != 2 || math.Abs(all-104) > 1e-9 {
		t.Errorf("a share is %v of %v, %v; want 2 of 104", each, all, err)
	}
}

func TestVectorKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Exec("INSERT INTO tenant VALUES ($1, 'Others')", otherTenant)
	f.keepVectors(tenant, "fake", 1, map[string]llm.Vector{"a": {1}, "b": {2}})
	f.keepVectors(otherTenant, "fake", 1, map[string]llm.Vector{"a": {3}})
	for _, tc := range []struct {
		tenant   uuid.UUID
		embedder string
		texts    []string
		want     []float32 // of what is found, in order
	}{
		{tenant, "fake", []string{"a", "b", "c"}, []float32{1, 2}},
		{otherTenant, "fake", []string{"a", "b"}, []float32{3}},
		{tenant, "fake dimensions=2", []string{"a"}, nil},
		{num(99), "fake", []string{"a"}, nil},
		{tenant, "fake", nil, nil},
	} {
		var got []float32
		for _, v := range f.vectors(tc.tenant, tc.embedder, tc.texts...) {
			got = append(got, v[0])
		}
		slices.Sort(got)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s %s %v: got %v, want %v", tc.tenant, tc.embedder, tc.texts, got, tc.want)
		}
	}
	f.keepVectors(tenant, "fake", 7, map[string]llm.Vector{"a": {9}}) // another attempt was first
	if got := f.vectors(tenant, "fake", "a")[string(hashes("a")[0])]; got[0] != 1 {
		t.Errorf("got %v", got)
	}
	f.keepVectors(tenant, "fake", 0, nil)
	if replays := postgrestest.Value[string](t, f.Conn, "SELECT string_agg(replays::text, ' ' ORDER BY tenant_id, replays) FROM model_embedding WHERE created_at = now()"); replays != "1 2 1" {
		t.Errorf("replays %s", replays)
	}
}

// Those who keep or count the same texts in any order wait for each other, and
// none gives up.
func TestConcurrentVectors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	byHash, all := map[string]llm.Vector{}, make([]string, 200)
	for i := range all {
		all[i] = fmt.Sprint(i)
		byHash[string(hashes(all[i])[0])] = llm.Vector{float32(i)}
	}
	var wg sync.WaitGroup
	for n := range 20 {
		texts := slices.Clone(all)
		rand.New(rand.NewPCG(uint64(n), 3)).Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		wg.Go(func() {
			if err := f.KeepVectors(t.Context(), tenant, "fake", byHash, llm.Usage{PromptTokens: 200}); err != nil {
				t.Error(err)
			}
			if found, err := f.FindVectors(t.Context(), tenant, "fake", hashes(texts...)); err != nil || len(found) != 200 {
				t.Errorf("found %d, %v", len(found), err)
			}
		})
	}
	wg.Wait()
	var rows, replays int
	if err := f.Conn.QueryRow(t.Context(), "SELECT count(*), sum(replays) FROM model_embedding").Scan(&rows, &replays); err != nil || rows != 200 || replays != 20*200 {
		t.Errorf("%d rows, %d replays, %v", rows, replays, err)
	}
	f.Exec("SELECT pg_stat_force_next_flush()")
	postgrestest.Equal(t, "deadlocks", f.Count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), 0)
}
