package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ActionKind is the kind of an Action.
type ActionKind string

// The kinds of actions. The first three decide.
const (
	Accept  ActionKind = "accept"  // the risk is real
	Reject  ActionKind = "reject"  // it isn't, for a reason
	Reopen  ActionKind = "reopen"  // undecided again
	Comment ActionKind = "comment" // for other people
	Assign  ActionKind = "assign"  // a person is to decide; an empty text is nobody
)

var actionKinds = []ActionKind{Accept, Reject, Reopen, Comment, Assign}

// Decides reports whether the action sets the finding's State.
func (k ActionKind) Decides() bool { return k == Accept || k == Reject || k == Reopen }

// Action is something that a person did about a finding. Actions are never changed or removed.
type Action struct {
	ID     int64      `json:"-"`
	Seq    int        `json:"-"` // of the finding
	Kind   ActionKind `json:"action"`
	Text   string     `json:"text"` // reason, comment or assignee
	By     string     `json:"by"`
	Origin string     `json:"origin"` // command, console or page
	At     time.Time  `json:"at"`
	// Carried reports whether it was done in an earlier review, about the same clause under the
	// same playbook.
	Carried bool `json:"carried,omitempty"`
}

// OriginPage is the origin of an action through the URL of reviews. Package postgres has the others.
const OriginPage = "page"

// Request is an action that a person asks for.
type Request struct {
	Action           // must pass Check; ID, Seq, At and Carried are ignored
	Form   uuid.UUID // of the form or request, as its idempotency key
	// Seen is the finding's version when the person saw it (Disposition). Leave it nil to act
	// regardless of changes.
	Seen *int64
}

// Limits of the texts of an action, in characters.
const (
	mostText   = 2_000
	mostPerson = 200
)

// Check returns the mistake in a person's action.
func (a Action) Check() error {
	missing := map[ActionKind]string{Reject: "missing reason", Comment: "missing comment"}[a.Kind]
	longest := mostText
	if a.Kind == Assign {
		longest = mostPerson
	}
	switch {
	case !slices.Contains(actionKinds, a.Kind):
		return fmt.Errorf("unknown action %.40q: expected accept, reject, reopen, comment or assign", string(a.Kind))
	case missing != "" && strings.TrimSpace(a.Text) == "":
		return errors.New(missing)
	case utf8.RuneCountInString(a.Text) > longest:
		return fmt.Errorf("text too long: at most %d characters", longest)
	case strings.TrimSpace(a.By) == "":
		return errors.New("missing name of the person")
	case utf8.RuneCountInString(a.By) > mostPerson:
		return fmt.Errorf("name of the person too long: at most %d characters", mostPerson)
	}
	return nil
}

// State is the outcome of people's decisions about a finding.
type State string

// The states of findings.
const (
	Open     State = "open"
	Accepted State = "accepted"
	Rejected State = "rejected" // stays so in later reviews of the same clause under the same playbook
)

// States returns the states of findings.
func States() []State { return []State{Open, Accepted, Rejected} }

// Disposition sums up the actions about a finding.
type Disposition struct {
	State     State      `json:"state"`
	DecidedBy string     `json:"decided_by,omitempty"`
	DecidedAt *time.Time `json:"decided_at,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Carried   bool       `json:"carried,omitempty"` // decided in an earlier review
	Assignee  string     `json:"assignee,omitempty"`
	// Version changes with state and assignee. Send it back with an action, to be refused if
	// they have changed.
	Version int64    `json:"version"`
	History []Action `json:"history,omitempty"`
}

// DispositionOf sums up the actions about a finding, oldest first.
func DispositionOf(actions []Action) Disposition {
	d := Disposition{State: Open, History: actions}
	for _, a := range actions {
		switch {
		case a.Kind == Comment:
			continue
		case a.Kind == Assign:
			d.Assignee = a.Text
		default:
			at := a.At
			d.State = map[ActionKind]State{Accept: Accepted, Reject: Rejected, Reopen: Open}[a.Kind]
			d.DecidedBy, d.DecidedAt, d.Reason, d.Carried = a.By, &at, a.Text, a.Carried
		}
		d.Version = a.ID
	}
	return d
}

// Holds reports whether an action would change nothing: a decision already made, a person already
// assigned, or the latest comment once more.
func (d Disposition) Holds(a Action) bool {
	switch {
	case a.Kind == Assign:
		return d.Assignee == a.Text
	case a.Kind == Comment:
		n := len(d.History)
		return n > 0 && d.History[n-1].Kind == Comment && d.History[n-1].By == a.By && d.History[n-1].Text == a.Text
	}
	done := DispositionOf([]Action{a})
	return d.State == done.State && (a.Text == "" || d.Reason == a.Text)
}

// DispositionsOf sums up the actions of a review, by the Seq of their findings.
func DispositionsOf(actions []Action) map[int]Disposition {
	by := map[int][]Action{}
	for _, a := range actions {
		by[a.Seq] = append(by[a.Seq], a)
	}
	all := map[int]Disposition{}
	for seq, list := range by {
		all[seq] = DispositionOf(list)
	}
	return all
}

// Errors of actions.
var (
	// ErrChanged is returned if another person acted since the finding was shown.
	ErrChanged = errors.New("finding has changed since it was shown")
	// ErrObsolete is returned for a finding without anything to decide.
	ErrObsolete = errors.New("finding repeats another one or no longer holds, so there is nothing to decide")
)

// Ref names a finding of a review: by its Number if set, otherwise by its Seq.
type Ref struct{ Number, Seq int }

// ParseRef parses F3 as a Number and 7 as a Seq.
func ParseRef(text string) (r Ref, err error) {
	digits, numbered := strings.CutPrefix(strings.ToUpper(text), "F")
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n < 1 || digits[0] == '+' {
		return r, fmt.Errorf("invalid finding %.20q: expected its number, such as F3", text)
	}
	if numbered {
		return Ref{Number: int(n)}, nil
	}
	return Ref{Seq: int(n)}, nil
}
