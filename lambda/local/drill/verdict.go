package drill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Report is the result of a drill.
type Report struct {
	Seed         uint64         `json:"seed"`
	Seconds      float64        `json:"seconds"`   // real time
	Simulated    float64        `json:"simulated"` // hours on the stack's clock
	Faults       map[string]int `json:"faults"`
	Workloads    []Standing     `json:"workloads"`
	Sweeps       int64          `json:"sweeps"`
	SweepsFailed int64          `json:"sweeps_failed"` // because of faults
	Checks       []Check        `json:"checks"`
}

// Standing counts the rows of a workload, and their events.
type Standing struct {
	Function string         `json:"function"`
	Rows     int            `json:"rows"`
	States   map[string]int `json:"states"`   // before failed rows were published again
	Failed   map[string]int `json:"failed"`   // failures by kind, also after publishing again
	Repaired int            `json:"repaired"` // times that the sweep published a row again
	Parked   int            `json:"parked"`   // rows that waited for a service
	Dead     int            `json:"dead_letters"`
	Results  int            `json:"results"`
	noun     string
	found    string // the results in a word
}

// Check is a part of the verdict.
type Check struct {
	Name       string      `json:"name"`
	How        string      `json:"how"`
	Violations []Violation `json:"violations"`
}

// Violation is a broken check, by a row if Row is set.
type Violation struct {
	Row     uuid.UUID `json:"row"`
	What    string    `json:"what"`
	History []string  `json:"history"`
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
	workloads []*workload
	papers    *papers
	messages  map[uuid.UUID][]*message // by row
	left      int                      // messages in the queues
	invalid   []string                 // invalid responses of the functions
	asked     []asked
	early     []scripted.Violation // violations of Retry-After
	busiest   int                  // maximum number of questions in flight
	taken     int                  // failures in the messages accepted by Slack; see texts
	texts     string
	pieces    []piece
	want      map[result]string   // of the quiet run
	store     map[string][32]byte // digests of the blob store
	pages     []page
	sets      []set
	started   time.Time
	took      time.Duration // until the last row had ended

	// Set by index:
	changes  map[uuid.UUID][]change // by row, in order
	subjects map[subject][]change
	owners   map[fence]string // the claiming process
	failures []failure

	found []Violation // by the current check
}

// subject is the object of a function's questions.
type subject struct {
	function string
	about    uuid.UUID
}

// piece is the duration of a fault.
type piece struct {
	fault    string
	from, to time.Time
}

type fence struct {
	row     uuid.UUID
	attempt int
}

func (e *evidence) index() {
	e.changes, e.owners, e.subjects = map[uuid.UUID][]change{}, map[fence]string{}, map[subject][]change{}
	kinds := map[fence]string{}
	for _, n := range e.notifications {
		kinds[fence{n.Row, n.Attempt}] = n.Kind
	}
	for _, c := range e.audit.changes {
		e.changes[c.ID] = append(e.changes[c.ID], c)
		e.subjects[subject{c.Function, c.About}] = append(e.subjects[subject{c.Function, c.About}], c)
		if c.claims() {
			e.owners[fence{c.ID, c.Attempt}] = c.Process
		}
		if c.Status == "failed" && c.Was != "failed" {
			e.failures = append(e.failures, failure{c, cmp.Or(kinds[fence{c.ID, c.Attempt}], "unknown")})
		}
	}
}

func (c change) claims() bool  { return c.Status == "in-progress" && c.Attempt > c.WasAttempt }
func (c change) bySweep() bool { return strings.HasPrefix(c.Process, "sweep-") }

// byWorker reports whether the change was made by the function that works on the row.
func (c change) byWorker() bool { return strings.HasPrefix(c.Process, c.Function+"-") }

// ends reports whether the change ended an attempt, whichever process made it.
func (c change) ends() bool {
	return c.Was == "in-progress" && (c.Status != "in-progress" || c.claims())
}

// settles reports whether the change ended a claim in the usual way, whichever process made
// it: the state changed, and nothing was published.
func (c change) settles() bool {
	return c.Was == "in-progress" && c.Status != "in-progress" && !c.PublishedAnew
}

// workload returns the workload of a function.
func (e *evidence) workload(function string) *workload {
	i := slices.IndexFunc(e.workloads, func(w *workload) bool { return w.Name == function })
	return e.workloads[i]
}

// about returns what a row's questions are about.
func (e *evidence) about(id uuid.UUID) uuid.UUID {
	if list := e.changes[id]; len(list) > 0 {
		return list[0].About
	}
	return id
}

// standing counts a workload's rows.
func (e *evidence) standing(w *workload, states map[string]int) Standing {
	s := Standing{Function: w.Name, States: states, Failed: map[string]int{}, noun: postgres.Tables[w.Name].Subject, found: w.found,
		Results: e.counts[w.Name]}
	parked := map[uuid.UUID]bool{}
	for _, r := range e.rows {
		if r.Function == w.Name {
			s.Rows++
		}
	}
	for _, c := range e.audit.changes {
		if c.Function != w.Name {
			continue
		}
		if c.bySweep() && c.PublishedAnew {
			s.Repaired++
		}
		if c.Parked {
			parked[c.ID] = true
		}
	}
	for _, f := range e.failures {
		if f.Function == w.Name {
			s.Failed[f.kind]++
		}
	}
	for _, list := range e.messages {
		for _, m := range list {
			if m.function == w.Name && m.events[len(m.events)-1].Kind == sqs.MovedToDLQ {
				s.Dead++
			}
		}
	}
	s.Parked = len(parked)
	return s
}

// published returns the real time of a row's last publish before a change. A row's
// first change is one.
func (e *evidence) published(id uuid.UUID, before int64, andBySweep bool) (at time.Time) {
	for _, c := range e.changes[id] {
		if c.N < before && c.PublishedAnew && (andBySweep || !c.bySweep()) {
			at = c.At
		}
	}
	return at
}

// toCome returns a message due to cause more work on a row after at: from its latest
// publish, queued, and not on its last delivery.
func (e *evidence) toCome(id uuid.UUID, n int64, at time.Time) *message {
	published := e.published(id, n, true)
	for _, m := range e.messages[id] {
		receives, live := m.live(at)
		if live && m.sent.After(published) && receives < e.workload(m.function).MaxReceiveCount() {
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

// hitBy lists the faults during a row's invocations, since it was last published by
// something other than the sweep.
func (e *evidence) hitBy(f failure) (names []string) {
	since := e.published(f.ID, f.N, false)
	for _, m := range e.messages[f.ID] {
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

// event is a line of a row's history.
type event struct {
	at   time.Time
	text string
}

// history lists a row's events, oldest first.
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
