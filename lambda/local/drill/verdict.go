package drill

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Report is the result of a drill.
type Report struct {
	Seed         uint64         `json:"seed"`
	Documents    int            `json:"documents"`
	Seconds      float64        `json:"seconds"`   // real time
	Simulated    float64        `json:"simulated"` // hours on the stack's clock
	Faults       map[string]int `json:"faults"`
	Sweeps       int64          `json:"sweeps"`
	SweepsFailed int64          `json:"sweeps_failed"` // because of faults
	Repaired     int            `json:"repaired"`      // documents published again by the sweep
	States       map[string]int `json:"states"`        // before failed documents were published again
	Failed       map[string]int `json:"failed"`        // failures by kind, also after publishing again
	Matches      int            `json:"matches"`
	Checks       []Check        `json:"checks"`
}

// Check is a part of the verdict.
type Check struct {
	Name       string      `json:"name"`
	How        string      `json:"how"`
	Violations []Violation `json:"violations"`
}

// Violation is a broken check, by a document if Document is set.
type Violation struct {
	Document uuid.UUID `json:"document"`
	What     string    `json:"what"`
	History  []string  `json:"history"`
}

// Violations returns the number of violations of all checks.
func (r *Report) Violations() (n int) {
	for _, c := range r.Checks {
		n += len(c.Violations)
	}
	return n
}

// failure is a change to failed.
type failure struct {
	change
	kind string
}

// evidence is the input of the checks.
type evidence struct {
	*audit
	messages map[uuid.UUID][]*message
	left     int      // messages in the queue
	invalid  []string // invalid responses of the function
	asked    []asked
	early    []scripted.Violation // violations of Retry-After
	busiest  int                  // maximum number of questions in flight
	taken    int                  // failures in the messages accepted by Slack; see texts
	texts    string
	pieces   []piece
	numbers  map[string]uuid.UUID   // documents by printed number
	want     map[corpus.Pair]string // matches of the quiet run
	true     map[corpus.Pair]bool
	started  time.Time
	took     time.Duration // until the last document had ended

	// Set by index:
	changes  map[uuid.UUID][]change // by document, in order
	owners   map[fence]string       // the claiming process
	failures []failure

	found []Violation // by the current check
}

// piece is the duration of a fault.
type piece struct {
	fault    string
	from, to time.Time
}

type fence struct {
	document uuid.UUID
	attempt  int
}

func (e *evidence) index() {
	e.changes, e.owners = map[uuid.UUID][]change{}, map[fence]string{}
	kinds := map[fence]string{}
	for _, n := range e.notifications {
		kinds[fence{n.Document, n.Attempt}] = n.Kind
	}
	for _, c := range e.audit.changes {
		e.changes[c.Document] = append(e.changes[c.Document], c)
		if c.claims() {
			e.owners[fence{c.Document, c.Attempt}] = c.Process
		}
		if c.Status == "failed" && c.Was != "failed" {
			e.failures = append(e.failures, failure{c, cmp.Or(kinds[fence{c.Document, c.Attempt}], "unknown")})
		}
	}
}

func (c change) claims() bool  { return c.Status == "in-progress" && c.Attempt > c.WasAttempt }
func (c change) bySweep() bool { return strings.HasPrefix(c.Process, "sweep-") }
func (c change) byMatch() bool { return strings.HasPrefix(c.Process, "match-") }

// ends reports whether the change ended an attempt, whichever process made it.
func (c change) ends() bool {
	return c.Was == "in-progress" && (c.Status != "in-progress" || c.claims())
}

// settles reports whether the change ended a claim in the usual way, whichever process made
// it: the state changed, and nothing was published.
func (c change) settles() bool {
	return c.Was == "in-progress" && c.Status != "in-progress" && !c.PublishedAnew
}

func (e *evidence) repaired() (n int) {
	for _, c := range e.audit.changes {
		if c.bySweep() && c.PublishedAnew {
			n++
		}
	}
	return n
}

// published returns the real time of a document's last publish before a change. A document's
// first change is one.
func (e *evidence) published(id uuid.UUID, before int64, andBySweep bool) (at time.Time) {
	for _, c := range e.changes[id] {
		if c.N < before && c.PublishedAnew && (andBySweep || !c.bySweep()) {
			at = c.At
		}
	}
	return at
}

// toCome returns a message due to cause more work on a document after at: from its latest
// publish, queued, and not on its last delivery.
func (e *evidence) toCome(id uuid.UUID, n int64, at time.Time) *message {
	published := e.published(id, n, true)
	for _, m := range e.messages[id] {
		receives, live := m.live(at)
		if live && m.sent.After(published) && receives < manifest.Match.MaxReceiveCount() {
			return m
		}
	}
	return nil
}

// lapsed counts the unfinished claims in a row before a change, since the document was last
// settled, or published by something other than the sweep.
func (e *evidence) lapsed(id uuid.UUID, n int64) (lapses int) {
	for _, c := range e.changes[id] {
		if c.N >= n {
			break
		}
		switch {
		case c.settles(), c.PublishedAnew && !c.bySweep():
			lapses = 0
		case c.claims():
			lapses++
		}
	}
	return lapses
}

// hitBy lists the faults during a document's invocations, since it was last published by
// something other than the sweep.
func (e *evidence) hitBy(f failure) (names []string) {
	since := e.published(f.Document, f.N, false)
	for _, m := range e.messages[f.Document] {
		for _, r := range m.runs {
			if r.to.Before(since) || r.from.After(f.At) {
				continue
			}
			for _, p := range e.pieces {
				if p.from.Before(r.to) && r.from.Before(p.to) && !slices.Contains(names, p.fault) {
					names = append(names, p.fault)
				}
			}
		}
	}
	return names
}

// asker returns the asking document, found by the number in the question.
func (e *evidence) asker(user string) uuid.UUID {
	_, after, _ := strings.Cut(user, "\nnumber: ")
	number, _, _ := strings.Cut(after, "\n")
	return e.numbers[number]
}

// event is a line of a document's history.
type event struct {
	at   time.Time
	text string
}

// history lists a document's events, oldest first.
func (e *evidence) history(id uuid.UUID) []string {
	var events []event
	for _, c := range e.changes[id] {
		text := fmt.Sprintf("%s -> %s, attempt %d, by %s", cmp.Or(c.Was, "NULL"), cmp.Or(c.Status, "NULL"), c.Attempt,
			c.Process)
		if c.PublishedAnew {
			text += ", published"
		}
		if c.Error != nil && c.Status != "in-progress" {
			text += ": " + *c.Error
		}
		events = append(events, event{c.At, text})
	}
	for _, m := range e.messages[id] {
		for _, s := range m.events {
			events = append(events, event{s.at, s.String() + ", clock " + s.At.UTC().Format("15:04:05")})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	lines := make([]string, len(events))
	for i, ev := range events {
		lines[i] = fmt.Sprintf("%8.3f s  %s", ev.at.Sub(e.started).Seconds(), ev.text)
	}
	return lines
}

// clusters returns each document's smallest neighbor, or itself, from a union-find over the
// matches without contracts.
func (e *evidence) clusters() map[uuid.UUID]uuid.UUID {
	parent := map[uuid.UUID]uuid.UUID{}
	for _, d := range e.documents {
		parent[d.ID] = d.ID
	}
	find := func(id uuid.UUID) uuid.UUID {
		for parent[id] != id {
			parent[id] = parent[parent[id]]
			id = parent[id]
		}
		return id
	}
	contract := map[uuid.UUID]bool{}
	for _, d := range e.documents {
		contract[d.ID] = d.Type == "contract"
	}
	for _, m := range e.matches {
		if contract[m.A] || contract[m.B] {
			continue
		}
		a, b := find(m.A), find(m.B)
		if bytes.Compare(a[:], b[:]) > 0 {
			a, b = b, a
		}
		parent[b] = a // the smallest is the root
	}
	for id := range parent {
		parent[id] = find(id)
	}
	return parent
}
