package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

var (
	tenant   = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	document = uuid.MustParse("00000000-0000-4000-8000-0000000000d1")
)

// reply is the model's answer to one call.
type reply struct {
	text string
	used llm.Usage
	cut  bool
	err  error
}

// office is a model, a vault and a reader, and the log of their calls.
type office struct {
	log     []string
	replies []reply            // in turn
	stored  map[int64]string   // usable answers
	fails   map[string][]error // by operation, in turn
	keys    []llm.Key
	users   []string // User texts asked
	kept    []llm.Answer
	onReply func()
	onKeep  func(context.Context) error
}

func (o *office) note(format string, args ...any) {
	o.log = append(o.log, fmt.Sprintf(format, args...))
}

// fail takes the next error that is planned for the operation.
func (o *office) fail(what string) (err error) {
	if list := o.fails[what]; len(list) > 0 {
		err, o.fails[what] = list[0], list[1:]
	}
	return err
}

func (o *office) Name() string { return "fake temperature=0" }

func (o *office) Answer(_ context.Context, q llm.Question) (llm.Answer, error) {
	o.note("ask")
	o.users = append(o.users, q.User)
	if o.onReply != nil {
		o.onReply()
	}
	r := o.replies[0]
	o.replies = o.replies[1:]
	return llm.Answer{Text: r.text, Usage: r.used, CutOff: r.cut}, r.err
}

func (o *office) FindAnswer(_ context.Context, k llm.Key) (int64, string, bool, error) {
	o.note("find")
	o.keys = append(o.keys, k)
	if err := o.fail("find"); err != nil {
		return 0, "", false, err
	}
	for id, text := range o.stored { // there is one at most
		return id, text, true, nil
	}
	return 0, "", false, nil
}

func (o *office) KeepAnswer(ctx context.Context, k llm.Key, by uuid.UUID, a llm.Answer, unusable string) (int64,
	error) {
	o.note("keep %q %q", a.Text, unusable)
	if by != document || k != o.keys[len(o.keys)-1] {
		o.note("under another key")
	}
	o.kept = append(o.kept, a)
	if o.onKeep != nil {
		if err := o.onKeep(ctx); err != nil {
			return 0, err
		}
	}
	if err := o.fail("keep"); err != nil {
		return 0, err
	}
	id := int64(len(o.kept))
	if unusable == "" {
		if o.stored == nil {
			o.stored = map[int64]string{}
		}
		o.stored[id] = a.Text
	}
	return id, nil
}

func (o *office) DiscardAnswer(ctx context.Context, id int64, why string) error {
	o.note("discard %d %q", id, why)
	if o.onKeep != nil {
		if err := o.onKeep(ctx); err != nil {
			return err
		}
	}
	if err := o.fail("discard"); err != nil {
		return err
	}
	delete(o.stored, id)
	return nil
}

// read refuses every text that does not begin with good.
func (o *office) read(text string) error {
	o.note("read %q", text)
	if !strings.HasPrefix(text, "good") {
		return errors.New("not good")
	}
	return nil
}

func (o *office) ask(ctx context.Context, tries int, q llm.Question) error {
	a := llm.Asker{Model: o, Vault: o, Retry: llm.Retry{Tries: tries,
		Sleep: func(context.Context, time.Duration) error { o.note("wait"); return nil }}}
	return a.Ask(ctx, tenant, document, q, o.read)
}

func TestAskPaysOnce(t *testing.T) {
	t.Parallel()
	refused := &failure.Error{Kind: failure.Permanent, Sentence: "the database refused the data"}
	away := transient(0)
	used := llm.Usage{PromptTokens: 100, CompletionTokens: 10}
	for name, tc := range map[string]struct {
		stored  string
		replies []reply
		fails   map[string][]error
		tries   int
		log     string
		want    string
		kind    failure.Kind
		after   time.Duration
	}{
		"found and readable": {stored: "good", log: `find, read "good"`},
		"found but unreadable": {stored: "bad", replies: []reply{{text: "good"}},
			log: `find, read "bad", discard 77 "not good", ask, keep "good" "", read "good"`},
		"found but unreadable, and not to be discarded": {stored: "bad",
			tries: 1, fails: map[string][]error{"discard": {away}},
			log:  `find, read "bad", discard 77 "not good"`,
			want: "discard the model's answer: busy (tried once)"},
		"not found": {replies: []reply{{text: "good"}}, log: `find, ask, keep "good" "", read "good"`},
		"refused once": {replies: []reply{{text: "bad"}, {text: "good"}},
			log: `find, ask, keep "bad" "", read "bad", discard 1 "not good", wait, find, ask, keep "good" "", read "good"`},
		"refused as often as it is tried": {tries: 2, replies: []reply{{text: "bad1"}, {text: "bad2"}},
			log:  `find, ask, keep "bad1" "", read "bad1", discard 1 "not good", wait, find, ask, keep "bad2" "", read "bad2", discard 2 "not good"`,
			want: "unusable answer from the model: not good (tried 2 times)"},
		"refused, and not to be discarded": {replies: []reply{{text: "bad"}, {text: "good"}},
			fails: map[string][]error{"discard": {away}},
			log:   `find, ask, keep "bad" "", read "bad", discard 1 "not good", wait, find, read "bad", discard 1 "not good", ask, keep "good" "", read "good"`},
		"the model fails transiently": {replies: []reply{{err: transient(0)}, {text: "good"}},
			log: `find, ask, wait, find, ask, keep "good" "", read "good"`},
		"the model asks for patience": {tries: 1, replies: []reply{{err: transient(time.Minute)}},
			log: `find, ask`, want: "ask the model: busy (tried once)", after: time.Minute},
		"the model fails permanently": {replies: []reply{{err: failure.Permanently("too long")}},
			log: `find, ask`, want: "ask the model: too long (tried once)", kind: failure.Permanent},
		"what was paid beside an error": {replies: []reply{{text: "half",
			used: used, err: failure.Permanently("cut off")}},
			log: `find, ask, keep "half" "cut off"`, want: "ask the model: cut off (tried once)",
			kind: failure.Permanent},
		"paid beside an error without a word": {replies: []reply{{used: used,
			err: &failure.Error{Kind: failure.Permanent}}},
			log: `find, ask, keep "" "the model failed"`, want: "ask the model:  (tried once)",
			kind: failure.Permanent},
		"paid beside an error, and not to be kept": {replies: []reply{{used: used,
			err: failure.Permanently("cut off")}}, fails: map[string][]error{"keep": {refused}},
			log: `find, ask, keep "" "cut off"`, want: "ask the model: cut off (tried once)", kind: failure.Permanent},
		"paid beside an error, then well": {replies: []reply{{used: used, err: transient(0)}, {text: "good"}},
			log: `find, ask, keep "" "busy", wait, find, ask, keep "good" "", read "good"`},
		"not to be kept": {replies: []reply{{text: "good"}}, fails: map[string][]error{"keep": {refused}},
			log: `find, ask, keep "good" ""`, want: "keep the model's answer: the database refused the data (tried once)", kind: failure.Permanent},
		"kept at the second try, paid once": {replies: []reply{{text: "good"}},
			fails: map[string][]error{"keep": {away}},
			log:   `find, ask, keep "good" "", wait, find, keep "good" "", read "good"`},
		"kept at the second try, refused, asked anew": {replies: []reply{{text: "bad"}, {text: "good"}},
			fails: map[string][]error{"keep": {away}},
			log:   `find, ask, keep "bad" "", wait, find, keep "bad" "", read "bad", discard 2 "not good", wait, find, ask, keep "good" "", read "good"`},
		"never kept": {replies: []reply{{text: "good"}}, fails: map[string][]error{"keep": {away, away, away}},
			log:  `find, ask, keep "good" "", wait, find, keep "good" "", wait, find, keep "good" ""`,
			want: "keep the model's answer: busy (tried 3 times)"},
		"the vault is away": {tries: 1, fails: map[string][]error{"find": {away}},
			log: "find", want: "look for an answer: busy (tried once)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &office{replies: tc.replies, fails: tc.fails}
			if tc.stored != "" {
				o.stored = map[int64]string{77: tc.stored}
			}
			err := o.ask(t.Context(), tc.tries, llm.Question{Name: "q", User: "u"})
			if got := strings.Join(o.log, ", "); got != tc.log {
				t.Errorf("got  %s\nwant %s", got, tc.log)
			}
			check(t, err, tc.want, tc.kind, tc.after)
			if len(o.replies) > 0 {
				t.Errorf("%d replies were not asked for", len(o.replies))
			}
		})
	}
}

func TestAnswerCostIsKept(t *testing.T) {
	t.Parallel()
	o := &office{replies: []reply{{text: "good", used: llm.Usage{PromptTokens: 7, CompletionTokens: 3}}}}
	must.OK(t, o.ask(t.Context(), 0, llm.Question{}))
	if want := (llm.Answer{Text: "good", Usage: llm.Usage{PromptTokens: 7, CompletionTokens: 3}}); o.kept[0] != want {
		t.Errorf("got %+v, want %+v", o.kept[0], want)
	}
	if k := o.keys[0]; k.Tenant != tenant || k.Model != "fake temperature=0" {
		t.Errorf("got it under %+v", k)
	}
}

// Whoever divides the question doesn't buy the answer again; anybody else must not find it.
func TestCutOffIsKept(t *testing.T) {
	t.Parallel()
	for divisible, want := range map[bool]string{
		true:  `find, ask, keep "{\"cut_off\":true}" "", find`,
		false: `find, ask, keep "" "cut off", find, ask, keep "" "cut off"`,
	} {
		cut := reply{used: llm.Usage{PromptTokens: 1}, cut: true, err: failure.Permanently("cut off")}
		o := &office{replies: []reply{cut, cut}}
		a := llm.Asker{Model: o, Vault: o}
		for range 2 {
			err := a.Ask(t.Context(), tenant, document, llm.Question{Divisible: divisible}, func(text string) error {
				if text != llm.CutOff {
					t.Errorf("got %q", text)
				}
				return nil
			})
			if (err == nil) != divisible {
				t.Errorf("divisible %t: got %v", divisible, err)
			}
		}
		if got := strings.Join(o.log, ", "); got != want {
			t.Errorf("divisible %t: got %s, want %s", divisible, got, want)
		}
	}
}

// A refusal without a word must not make the answer usable.
func TestDiscardReason(t *testing.T) {
	t.Parallel()
	o := &office{stored: map[int64]string{5: "x"}, replies: []reply{{text: "good"}}}
	a := llm.Asker{Model: o, Vault: o}
	calls := 0
	err := a.Ask(t.Context(), tenant, document, llm.Question{}, func(string) error {
		if calls++; calls == 1 {
			return errors.New("")
		}
		return nil
	})
	if err != nil || o.log[1] != `discard 5 "rejected"` {
		t.Errorf("got %v, %v", o.log, err)
	}
}

// The answer is paid for, however the attempt ends.
func TestDeadlineDuringAnswer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reply reply
		log   string
		want  string
	}{
		"a good answer": {reply{text: "good"}, `find, ask, keep "good" "", read "good"`, ""},
		"a bad answer": {reply{text: "bad"}, `find, ask, keep "bad" "", read "bad", discard 1 "not good"`,
			"unusable answer from the model: not good (tried once)"},
		"only the bill": {reply{used: llm.Usage{PromptTokens: 1}, err: transient(0)}, `find, ask, keep "" "busy"`,
			"ask the model: busy (tried once)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := &office{replies: []reply{tc.reply}, onReply: cancel, onKeep: func(ctx context.Context) error {
				if _, ok := ctx.Deadline(); !ok {
					t.Error("nothing ends the keeping")
				}
				return ctx.Err()
			}}
			err := o.ask(ctx, 0, llm.Question{})
			if got := strings.Join(o.log, ", "); got != tc.log {
				t.Errorf("got  %s\nwant %s", got, tc.log)
			}
			check(t, err, tc.want, failure.Transient, 0)
		})
	}
}

func TestAskAfterDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := &office{}
	check(t, o.ask(ctx, 0, llm.Question{}), "stopped before it was done (tried not once)", failure.Transient, 0)
	if len(o.log) != 0 {
		t.Errorf("got %v", o.log)
	}
}

func TestKeepHasTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		o := &office{replies: []reply{{text: "good"}}, onKeep: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		check(t, o.ask(t.Context(), 1, llm.Question{}), "keep the model's answer: out of time (tried once)",
			failure.Transient, 0)
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// questionHash is the part of the key that a question gives.
func questionHash(t *testing.T, q llm.Question) [32]byte {
	t.Helper()
	o := &office{stored: map[int64]string{1: "good"}}
	must.OK(t, o.ask(t.Context(), 0, q))
	return o.keys[0].Prompt
}

func TestQuestionKey(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","enum":[1,9007199254740992]}`)
	of := func(name, system, user, schema string) llm.Question {
		return llm.Question{Name: name, System: system, User: user, Schema: json.RawMessage(schema)}
	}
	first := of("n", "s", "u", string(schema))
	for name, q := range map[string]llm.Question{
		"white space":           of("n", "s", "u", "{ \"type\":\n\"object\",\t\"enum\": [1, 9007199254740992] }"),
		"the order of keys":     of("n", "s", "u", `{"enum":[1,9007199254740992],"type":"object"}`),
		"an escaped character":  of("n", "s", "u", `{"\u0074ype":"object","enum":[1,9007199254740992]}`),
		"room for the answer":   {Name: "n", System: "s", User: "u", Schema: schema, MaxTokens: 9}, // an answer that was cut off is never used
		"the very same, copied": of("n", "s", "u", string(schema)),
	} {
		if questionHash(t, q) != questionHash(t, first) {
			t.Errorf("%s: it is another question", name)
		}
	}

	seen := map[[32]byte]string{}
	for name, q := range map[string]llm.Question{
		"first":                   first,
		"name":                    of("m", "s", "u", string(schema)),
		"system":                  of("n", "t", "u", string(schema)),
		"user":                    of("n", "s", "v", string(schema)),
		"schema":                  of("n", "s", "u", `{"type":"array","enum":[1,9007199254740992]}`),
		"order of a list":         of("n", "s", "u", `{"type":"object","enum":[9007199254740992,1]}`),
		"a number's last digit":   of("n", "s", "u", `{"type":"object","enum":[1,9007199254740993]}`),
		"nothing":                 {},
		"system into user":        of("n", "", "su", string(schema)),
		"user into system":        of("n", "su", "", string(schema)),
		"name into system":        of("", "ns", "u", string(schema)),
		"schema into user":        of("n", "s", "u"+string(schema), ""),
		"white space in the user": of("n", "s", "u ", string(schema)),
		"no JSON":                 of("n", "s", "u", `{"type":`),
		"no JSON, white space":    of("n", "s", "u", `{"type": `),
		"JSON and more":           of("n", "s", "u", string(schema)+"{}"),
	} {
		hash := questionHash(t, q)
		if other, ok := seen[hash]; ok {
			t.Errorf("%s and %s are the same question", name, other)
		}
		seen[hash] = name
	}
}

// shelf is an embedder and its vault. The vector of a text is its length and
// its first byte.
type shelf struct {
	known   map[string]llm.Vector
	bought  []string
	looked  int
	paid    llm.Usage
	fails   map[string]error
	onEmbed func()
}

func vectorOf(text string) llm.Vector { return llm.Vector{float32(len(text)), float32(text[0])} }

func (s *shelf) Name() string { return "fake dimensions=2" }

func (s *shelf) Embed(_ context.Context, texts []string) (list []llm.Vector, u llm.Usage, err error) {
	s.bought = append(s.bought, texts...)
	if s.onEmbed != nil {
		s.onEmbed()
	}
	if err := s.fails["embed"]; err != nil {
		return nil, u, err
	}
	for _, text := range texts {
		list, u.PromptTokens = append(list, vectorOf(text)), u.PromptTokens+len(text)
	}
	return list, u, nil
}

func (s *shelf) FindVectors(_ context.Context, _ uuid.UUID, embedder string,
	hashes [][]byte) (found map[string]llm.Vector, err error) {
	s.looked += len(hashes)
	for _, hash := range hashes {
		if v, ok := s.known[embedder+string(hash)]; ok {
			if found == nil { // and it stays nil if there is none
				found = map[string]llm.Vector{}
			}
			found[string(hash)] = v
		}
	}
	return found, s.fails["find"]
}

func (s *shelf) KeepVectors(ctx context.Context, of uuid.UUID, embedder string, vectors map[string]llm.Vector,
	u llm.Usage) error {
	if ctx.Err() != nil || of != tenant {
		return fmt.Errorf("of tenant %s: %w", of, ctx.Err())
	}
	if s.known == nil {
		s.known = map[string]llm.Vector{}
	}
	for hash, v := range vectors {
		s.known[embedder+hash] = v
	}
	s.paid.PromptTokens += u.PromptTokens
	return s.fails["keep"]
}

func TestVectorsBoughtOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, texts, bought []string
		looked                int
	}{
		"none known":            {nil, []string{"b", "aa"}, []string{"b", "aa"}, 2},
		"all known":             {[]string{"aa", "b"}, []string{"b", "aa"}, nil, 2},
		"some known":            {[]string{"aa"}, []string{"b", "aa", "ccc"}, []string{"b", "ccc"}, 3},
		"twice in a call":       {nil, []string{"b", "aa", "b", "b"}, []string{"b", "aa"}, 2},
		"known and twice":       {[]string{"b"}, []string{"b", "b"}, nil, 1},
		"some are empty":        {nil, []string{"", "b", ""}, []string{"b"}, 1},
		"all are empty":         {nil, []string{"", ""}, nil, 0},
		"nothing":               {nil, nil, nil, 0},
		"white space is a text": {nil, []string{" ", "  "}, []string{" ", "  "}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shelf{}
			e := llm.Embeddings{Embedder: s, Vault: s}
			must.Get(e.Vectors(t.Context(), tenant, tc.before))(t)
			s.bought, s.looked, s.paid = nil, 0, llm.Usage{}
			got, err := e.Vectors(t.Context(), tenant, tc.texts)
			if err != nil || len(got) != len(tc.texts) {
				t.Fatalf("got %d vectors, %v", len(got), err)
			}
			for i, text := range tc.texts {
				var want llm.Vector
				if text != "" {
					want = vectorOf(text)
				}
				if !slices.Equal(got[i], want) || (got[i] == nil) != (text == "") {
					t.Errorf("vector %d is %v, want %v", i, got[i], want)
				}
			}
			if paid := len(strings.Join(tc.bought, "")); !slices.Equal(s.bought, tc.bought) || s.looked != tc.looked ||
				s.paid.PromptTokens != paid {
				t.Errorf("bought %q for %d, looked for %d; want %q for %d, %d",
					s.bought, s.paid.PromptTokens, s.looked, tc.bought, paid, tc.looked)
			}
		})
	}
}

func TestVectorsFailure(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{"find": "look for embeddings: no", "embed": "embed: no",
		"keep": "keep embeddings: no"} {
		s := &shelf{fails: map[string]error{what: &failure.Error{Kind: failure.Permanent, Sentence: "no",
			RetryAfter: time.Second}}}
		e := llm.Embeddings{Embedder: s, Vault: s}
		got, err := e.Vectors(t.Context(), tenant, []string{"a"})
		if got != nil {
			t.Errorf("%s: got %v", what, got)
		}
		check(t, err, want, failure.Permanent, time.Second)
	}
}

func TestPaidVectorsAreKept(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &shelf{onEmbed: cancel}
	e := llm.Embeddings{Embedder: s, Vault: s}
	if _, err := e.Vectors(ctx, tenant, []string{"a"}); err != nil || len(s.known) != 1 {
		t.Errorf("%d kept, %v", len(s.known), err)
	}
}

// A further try tells the model what was wrong, at the end, and keeps the key of the question.
func TestNextTryToldWhy(t *testing.T) {
	t.Parallel()
	for corrects, want := range map[bool]string{
		true:  "text|text\n\nYour last answer to this could not be used: <<bad form. Answer again, in the requested form.",
		false: "text|text",
	} {
		o := &office{replies: []reply{{text: "no"}, {text: "yes"}}}
		a := &llm.Asker{Model: o, Vault: o, Retry: llm.Retry{Sleep: func(context.Context, time.Duration) error { return nil }}}
		err := a.Ask(t.Context(), tenant, document, llm.Question{Name: "q", User: "text", Corrects: corrects}, func(text string) error {
			if text == "no" {
				return errors.New("<<<bad form")
			}
			return nil
		})
		if got := strings.Join(o.users, "|"); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if llm.First(o.users[1]) != "text" || o.keys[0] != o.keys[1] {
			t.Errorf("the second try has another question: %q, %v", o.users[1], o.keys)
		}
	}
}
