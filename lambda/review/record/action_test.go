package record

import (
	"strings"
	"testing"
)

func TestActionCheck(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]Action{
		"":                           {Kind: Accept, By: "Anna"},
		"missing reason":             {Kind: Reject, Text: " \n", By: "Anna"},
		"missing comment":            {Kind: Comment, By: "Anna"},
		"missing name of the person": {Kind: Reopen, By: " "},
		`unknown action "accepted": expected accept, reject, reopen, comment or assign`: {Kind: "accepted", By: "Anna"},
		"text too long: at most 2000 characters":                                        {Kind: Reject, Text: strings.Repeat("ä", 2_001), By: "Anna"},
		"text too long: at most 200 characters":                                         {Kind: Assign, Text: strings.Repeat("ä", 201), By: "Anna"},
		"name of the person too long: at most 200 characters":                           {Kind: Accept, By: strings.Repeat("ä", 201)},
	} {
		if err := a.Check(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%+v: got %v, want %s", a, err, want)
		}
	}
	for _, a := range []Action{{Kind: Reject, Text: strings.Repeat("ä", 2_000), By: strings.Repeat("ä", 200)}, {Kind: Assign, By: "Anna"}} {
		if err := a.Check(); err != nil {
			t.Errorf("%s: %v", a.Kind, err)
		}
	}
}

func TestParseRef(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Ref{"F3": {Number: 3}, "f12": {Number: 12}, "7": {Seq: 7}, "F": {}, "": {}, "0": {}, "F0": {}, "-1": {},
		"+1": {}, "F+1": {}, "G1": {}, "FF1": {}, "99999999999": {}} {
		if got, err := ParseRef(text); got != want || (err == nil) != (want != Ref{}) {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
}

// An action that changes nothing is not stored again.
func TestActionHolds(t *testing.T) {
	t.Parallel()
	var history []Action
	for i, step := range []struct {
		Action
		held bool
	}{
		{Action{Kind: Reopen, By: "a"}, true},
		{Action{Kind: Assign, By: "a"}, true},
		{Action{Kind: Reject, Text: "old", By: "a"}, false},
		{Action{Kind: Reject, Text: "old", By: "b"}, true},
		{Action{Kind: Reject, Text: "new", By: "b"}, false},
		{Action{Kind: Comment, Text: "x", By: "a"}, false},
		{Action{Kind: Comment, Text: "x", By: "a"}, true},
		{Action{Kind: Comment, Text: "x", By: "b"}, false},
		{Action{Kind: Accept, By: "b"}, false},
		{Action{Kind: Accept, By: "a"}, true},
		{Action{Kind: Assign, Text: "b", By: "a"}, false},
		{Action{Kind: Reopen, By: "a"}, false},
	} {
		if got := DispositionOf(history).Holds(step.Action); got != step.held {
			t.Errorf("step %d: got %v", i, got)
		}
		if !step.held {
			history = append(history, step.Action)
		}
	}
}
