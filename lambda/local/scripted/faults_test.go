package scripted

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestOrderedFaults(t *testing.T) {
	t.Parallel()
	s := Ordered(
		Order{Contains: "a", Faults: []Fault{conflict, NoFault, Refusal}},
		Order{Contains: "b", Faults: []Fault{BadRequest}},
		Order{Faults: []Fault{badGateway}},
	)
	for user, want := range map[string][]Fault{
		"a":  {conflict, NoFault, Refusal, NoFault},
		"ab": {conflict, NoFault, Refusal, NoFault}, // the first that fits
		"b":  {BadRequest, NoFault},
		"c":  {badGateway, NoFault},
	} {
		for n, kind := range want {
			if got := s.Fault(Question{User: user, N: n}); got != kind {
				t.Errorf("%s, call %d: %q, want %q", user, n, got, kind)
			}
		}
	}
}

func TestRandomIsDeterministic(t *testing.T) {
	t.Parallel()
	const seed, questions, share = 20260302, 3000, 0.2
	t.Logf("seed %d", seed)
	one, twin, other := Random(seed, share), Random(seed, share), Random(seed+1, share)
	met, differ := map[Fault]int{}, 0
	for i := range questions {
		q := Question{User: fmt.Sprint("question ", i)}
		reverse := Question{User: fmt.Sprint("question ", questions-1-i)}
		got := one.Fault(q)
		met[got]++
		if got != twin.Fault(q) || twin.Fault(reverse) != one.Fault(reverse) {
			t.Fatalf("%+v: a twin decides otherwise", q)
		}
		if got != other.Fault(q) {
			differ++
		}
	}
	if got := float64(questions-met[NoFault]) / questions; got < share-0.03 || got > share+0.03 {
		t.Errorf("a share of %.3f goes wrong, want %.3f", got, share)
	}
	for _, kind := range Kinds() {
		if met[kind] == 0 {
			t.Errorf("%q never happens", kind)
		}
	}
	if differ == 0 {
		t.Error("another seed makes no difference")
	}
}

// TestRandomDeck: a question with as many faults as
// there are kinds has met each once, in its own order.
func TestRandomDeck(t *testing.T) {
	t.Parallel()
	kinds := []Fault{conflict, Refusal, badGateway, Unavailable}
	first := map[Fault]bool{}
	for i := range 40 {
		s := Random(7, 0.4, kinds...)
		var met []Fault
		for n := 0; len(met) < 2*len(kinds); n++ {
			if f := s.Fault(Question{User: fmt.Sprint(i), N: n}); f != NoFault {
				met = append(met, f)
			}
		}
		first[met[0]] = true
		round := met[:len(kinds)]
		if !slices.Equal(round, met[len(kinds):]) || len(slices.Compact(slices.Sorted(slices.Values(round)))) != len(kinds) {
			t.Errorf("question %d meets %q", i, met)
		}
	}
	if len(first) != len(kinds) {
		t.Errorf("all questions begin with %v", first)
	}
}

func TestRandomBounds(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		q := Question{User: fmt.Sprint(i)}
		if got := Random(1, 0).Fault(q); got != NoFault {
			t.Errorf("share 0: %q", got)
		}
		if got := Random(1, 1, conflict).Fault(q); got != conflict {
			t.Errorf("share 1: %q", got)
		}
	}
}

func TestUnknownFaultPanics(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(){
		"Ordered": func() { Ordered(Order{Faults: []Fault{"418"}}) },
		"Random":  func() { Random(1, 1, "418") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes it", name)
				}
			}()
			order()
		}()
	}
}

// TestRunsRepeat, in any order of arrival.
func TestRunsRepeat(t *testing.T) {
	t.Parallel()
	kinds := slices.DeleteFunc(Kinds(), func(f Fault) bool {
		return f == HangBeforeHeaders || f == HangInBody || f == HugeBody
	})
	right, linked := linkedQuestions(60)
	run := func(workers int) []string {
		r := newRig(t, Options{Mind: noisy(right, 5, 0.3), Faults: Random(5, 0.5, kinds...)})
		users := make(chan string)
		var wait sync.WaitGroup
		for range workers {
			wait.Go(func() {
				for user := range users {
					for range 3 {
						r.ask(user)
					}
				}
			})
		}
		for i := range 60 {
			users <- linked((i * workers) % 60).User // another order
		}
		close(users)
		wait.Wait()
		var noted []string
		for _, c := range r.Calls() {
			noted = append(noted, fmt.Sprint(c.Question, c.N, c.Fault, c.Status, c.Usage, c.Answer))
		}
		slices.Sort(noted)
		return noted
	}
	if one, many := run(1), run(7); !slices.Equal(one, many) {
		t.Errorf("one by one: %d calls\nseven at once: %d calls, not the same", len(one), len(many))
	}
}

func TestOrderEndsFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Faults: Random(1, 1, conflict)})
	if got := r.ask("x"); got.status != 409 {
		t.Errorf("%d %s", got.status, got.body)
	}
	r.Order(nil)
	r.ask("x").content(t)
	r.Order(Ordered(Order{Contains: "never", Faults: []Fault{Refusal}}))
	r.ask("x").content(t)
	if got := r.Faults(); len(got) != 2 || got[conflict] != 1 || got[Refusal] != 0 {
		t.Errorf("%v", got)
	}
}
