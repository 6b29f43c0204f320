// Package policy evaluates IAM policies. It knows the elements that policies of functions use;
// a statement with any other condition makes the answer unclear or doubtful instead of guessed.
package policy

import (
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
)

// Verdict is the answer of policies to a request.
type Verdict int

// Verdicts, in the order in which one statement's wins over another's.
const (
	Missing Verdict = iota // no statement allows it
	Unclear                // an unknown condition decides whether it's allowed
	Allowed
	Doubtful // an unknown condition decides whether it's denied
	Denied
)

// Request is a call. Context must contain the condition keys that are known.
type Request struct {
	Action, Resource string
	Principal        string // of the caller, for policies of resources
	Context          map[string]string
}

// Document is a policy.
type Document struct{ Statement list[statement] }

type statement struct {
	Effect                  string
	Action, NotAction       list[string]
	Resource, NotResource   list[string]
	Principal, NotPrincipal principal
	Condition               map[string]map[string]list[string]
}

// Parse reads a policy in JSON.
func Parse(text string) (d Document, err error) {
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return Document{}, errors.New("invalid policy document") // without err, because it quotes the policy
	}
	return d, nil
}

// Decide returns the verdict of several policies together.
func Decide(policies []Document, r Request) (v Verdict) {
	for _, d := range policies {
		for _, s := range d.Statement {
			v = max(v, s.decide(r))
		}
	}
	return v
}

func (s statement) decide(r Request) Verdict {
	if !s.covers(r) {
		return Missing
	}
	met, known := s.met(r.Context)
	allows := s.Effect == "Allow"
	switch {
	case known && !met:
		return Missing
	case known && allows:
		return Allowed
	case known:
		return Denied
	case allows:
		return Unclear
	}
	return Doubtful
}

func (s statement) covers(r Request) bool {
	action := strings.ToLower(r.Action)
	acts := matches(lower(s.Action), action) || s.NotAction != nil && !matches(lower(s.NotAction), action)
	on := matches(s.Resource, r.Resource) || s.NotResource != nil && !matches(s.NotResource, r.Resource) ||
		s.Resource == nil && s.NotResource == nil
	by := s.Principal.is(r.Principal) || s.NotPrincipal != nil && !s.NotPrincipal.is(r.Principal) ||
		s.Principal == nil && s.NotPrincipal == nil
	return acts && on && by
}

func lower(patterns list[string]) (all []string) {
	for _, p := range patterns {
		all = append(all, strings.ToLower(p))
	}
	return all
}

// matches compares with * for any characters and ? for one.
func matches(patterns []string, text string) bool {
	// A separator that no ARN contains, because for path.Match a slash is special.
	flat := strings.NewReplacer("/", "\x00", `\`, `\\`, "[", `\[`)
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(flat.Replace(p), strings.ReplaceAll(text, "/", "\x00"))
		return ok && err == nil
	})
}

// met reports whether all conditions hold, and whether that's known.
func (s statement) met(context map[string]string) (met, known bool) {
	met, known = true, true
	for _, operator := range slices.Sorted(maps.Keys(s.Condition)) {
		compare, ok := operators[operator]
		for key, want := range s.Condition[operator] {
			got, given := context[strings.ToLower(key)]
			switch {
			case !ok || !given:
				known = false
			case !compare(want, got):
				return false, true // whatever the others are
			}
		}
	}
	return met, known
}

var operators = map[string]func(want []string, got string) bool{
	"StringEquals":    slices.Contains[[]string],
	"StringNotEquals": func(want []string, got string) bool { return !slices.Contains(want, got) },
	"StringLike":      matches,
	"StringNotLike":   func(want []string, got string) bool { return !matches(want, got) },
	"ArnEquals":       matches,
	"ArnLike":         matches,
	"Bool":            slices.Contains[[]string],
}

// list is one value or several.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(text []byte) error {
	var all []T
	if json.Unmarshal(text, &all) == nil {
		*l = all
		return nil
	}
	var one T
	err := json.Unmarshal(text, &one)
	*l = list[T]{one}
	return err
}

// principal has the names of each kind, such as AWS or Service. "*" is anybody.
type principal map[string]list[string]

// UnmarshalJSON implements json.Unmarshaler.
func (p *principal) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) == nil {
		*p = principal{"": {name}}
		return nil
	}
	var kinds map[string]list[string]
	err := json.Unmarshal(text, &kinds)
	*p = kinds
	return err
}

func (p principal) is(name string) bool {
	for _, names := range p {
		if matches(names, name) {
			return true
		}
	}
	return false
}
