package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

func TestScriptedMind(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Mind: script(
		scriptLine{Contains: "lamp", Answers: []string{`1`, `2`}},
		scriptLine{Contains: "no answer"},
		scriptLine{Contains: "chair", Answers: []string{`3`}},
	)})
	for _, tc := range [][2]string{{"a lamp", "1"}, {"a lamp", "2"}, {"two lamps", "1"}, {"a lamp", "2"}, {"lamp and chair", "1"}, {"a chair", "3"}} {
		if got := r.ask(tc[0]).content(t); got != tc[1] {
			t.Errorf("%s: %s, want %s", tc[0], got, tc[1])
		}
	}
	got := r.ask("a table")
	if _, _, _, code, _ := got.refused(); got.status != http.StatusBadRequest || code != "not_scripted" {
		t.Errorf("a question without an answer: %d %s", got.status, got.body)
	}
}

func TestMindSeesTheQuestion(t *testing.T) {
	t.Parallel()
	var got []Question
	r := newRig(t, Options{Mind: func(q Question) string {
		got = append(got, q)
		return "{}"
	}})
	body := chatBody("a", func(f fields) {
		f["messages"] = append(f["messages"].([]any), fields{"role": "assistant", "content": "b"}, fields{"role": "developer", "content": "c"})
		f["temperature"] = 0
	})
	warmer := strings.Replace(body, `"temperature":0`, `"temperature":1,"seed":5`, 1)
	for _, text := range []string{body, warmer} {
		r.send(t.Context(), http.MethodPost, "/v1/chat/completions", text, nil)
	}
	want := Question{"gpt-4o-mini", systemText + "\n\nc", "a\n\nb", []byte(matchSchema), "matches", 0, "/v1/chat/completions"}
	again := want
	again.N = 1
	if !reflect.DeepEqual(got, []Question{want, again}) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestQuestionKeys(t *testing.T) {
	t.Parallel()
	all := map[string]Question{}
	for _, q := range []Question{
		{Model: "a"}, {System: "a"}, {User: "a"}, {Schema: []byte("a")}, {System: "a", User: "b"}, {User: "ab"}, {System: "ab"}, {},
	} {
		if other, double := all[q.key()]; double {
			t.Errorf("%+v and %+v are the same", q, other)
		}
		all[q.key()] = q
	}
}

func TestAlways(t *testing.T) {
	t.Parallel()
	for yes, want := range map[bool][]int{true: {1, 2, 3}, false: nil} {
		r := newRig(t, Options{Mind: always(yes)})
		text := r.ask(prompt("order", "receipt", "invoice", "note")).content(t)
		m, ok := readMatches(text)
		if !ok || !reflect.DeepEqual(numbers(m), want) || strings.Count(text, `"high"`) != len(want) {
			t.Errorf("%t: got %s, want %v", yes, text, want)
		}
		if got := r.ask("something else"); got.status != http.StatusBadRequest {
			t.Errorf("what is no match question: %d %s", got.status, got.body)
		}
	}
}

func TestOracle(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Mind: oracle(toyKey([2]string{"order", "invoice"}, [2]string{"note", "order"}))})
	for _, tc := range []struct {
		prompt string
		want   []int
	}{
		{prompt("order", "receipt", "invoice", "note"), []int{2, 3}},
		{prompt("invoice", "order"), []int{1}},
		{prompt("invoice", "note"), nil},
		{prompt("invoice"), nil},
	} {
		text := r.ask(tc.prompt).content(t)
		m, ok := readMatches(text)
		if !ok || !reflect.DeepEqual(numbers(m), tc.want) {
			t.Errorf("%q: %s, want %v", tc.prompt, text, tc.want)
		}
		for _, one := range m.Matches {
			if one.Confidence != "high" || !strings.Contains(one.Reasoning, "Scripted") {
				t.Errorf("%+v", one)
			}
		}
	}
	if got := r.ask("something else"); got.status != http.StatusBadRequest {
		t.Errorf("what is no match question: %d %s", got.status, got.body)
	}
}

func numbers(m matchAnswer) (list []int) {
	for _, one := range m.Matches {
		list = append(list, one.Candidate)
	}
	return list
}

func TestNoiseIsSeeded(t *testing.T) {
	t.Parallel()
	const seed, questions = 20260302, 2000
	t.Logf("seed %d", seed)
	right, linked := linkedQuestions(questions)
	ways := map[string]int{}
	for _, share := range []float64{0, 0.1, 0.5, 1} {
		wrongs, twin, other := noisy(right, seed, share), noisy(right, seed, share), noisy(right, seed+1, share)
		wrong, differ := 0, 0
		for i := range questions {
			q := linked(questions - 1 - i)
			got := wrongs(q)
			ways[way(t, right(q), got)]++
			if got != right(q) {
				wrong++
			}
			q.N = 3
			if got != twin(q) {
				t.Fatalf("%+v is answered otherwise by a twin", q)
			}
			if got != other(q) {
				differ++
			}
		}
		if got := float64(wrong) / questions; got < share-0.03 || got > share+0.03 {
			t.Errorf("a share of %.3f is wrong, want %.3f", got, share)
		}
		if (differ == 0) != (share == 0) {
			t.Errorf("share %.1f: another seed makes %d differences", share, differ)
		}
	}
	for _, name := range []string{"dropped", "added", "lowered"} {
		if ways[name] < 200 {
			t.Errorf("%d are %s of %v", ways[name], name, ways)
		}
	}
}

// linkedQuestions is an oracle, and questions with a true and a false candidate.
func linkedQuestions(n int) (Mind, func(int) Question) {
	var links [][2]string
	for i := range n {
		links = append(links, [2]string{fmt.Sprint("d", i), fmt.Sprint("c", i)})
	}
	return oracle(toyKey(links...)), func(i int) Question {
		return Question{User: prompt(fmt.Sprint("d", i), fmt.Sprint("c", i), fmt.Sprint("c", i+1))}
	}
}

// way returns the way in which an answer is wrong.
func way(t *testing.T, right, got string) string {
	t.Helper()
	r, _ := readMatches(right)
	g, ok := readMatches(got)
	switch {
	case !ok:
		t.Fatalf("%s is no answer", got)
	case right == got:
		return "right"
	case len(g.Matches) < len(r.Matches):
		return "dropped"
	case len(g.Matches) > len(r.Matches):
		return "added"
	case g.Matches[0].Confidence != "high":
		return "lowered"
	}
	t.Fatalf("%s for %s", got, right)
	return ""
}

func TestNoiseOnFewCandidates(t *testing.T) {
	t.Parallel()
	answer := func(text string) Mind { return script(scriptLine{Answers: []string{text}}) }
	for name, tc := range map[string]struct{ prompt, answer, want string }{
		"no candidates":     {prompt("a"), `{"matches":[]}`, `{"matches":[]}`},
		"no match question": {"hello", `{"matches":[]}`, `{"matches":[]}`},
		"another answer":    {prompt("a", "b"), `{"risk":"none"}`, `{"risk":"none"}`},
		"no answer":         {prompt("a", "b"), "", ""},
	} {
		if got := noisy(answer(tc.answer), 1, 1)(Question{User: tc.prompt}); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	for seed := range uint64(50) {
		for _, right := range []string{`{"matches":[]}`, `{"matches":[{"candidate":1,"confidence":"low","reasoning":""}]}`} {
			if got := noisy(answer(right), seed, 1)(Question{User: prompt("a", "b")}); got == right {
				t.Errorf("seed %d leaves %s right", seed, right)
			}
		}
	}
}

// There is a verdict about each candidate, also where the answer is spoiled or broken
// on purpose.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	q := Question{User: prompt("a", "b", "c", "d")}
	knowing := oracle(toyKey([2]string{"a", "c"}))
	words := func(text string) (list string) {
		var all verdicts
		must.OK(t, json.Unmarshal([]byte(text), &all))
		for _, v := range all.Candidates {
			list += fmt.Sprint(v.Candidate, " ", v.Verdict, ", ")
		}
		return list
	}
	right := knowing(q)
	if got, want := words(right), "1 none, 2 high, 3 none, "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for seed := range uint64(20) {
		if got := words(noisy(knowing, seed, 1)(q)); got == words(right) || strings.Count(got, ", ") != 3 {
			t.Errorf("seed %d: got %s", seed, got)
		}
	}
	m, _ := readMatches(right)
	for got, want := range map[string]string{
		m.unlisted(3).text(): "1 none, 2 high, 3 none, 4 high, ", m.doubled().text(): "1 none, 2 high, 2 low, 3 none, "} {
		if words(got) != want {
			t.Errorf("got %s, want %s", words(got), want)
		}
	}
}
