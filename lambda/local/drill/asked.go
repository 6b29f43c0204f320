package drill

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// boughtAgain ignores processes with a claim from before the answer was stored: they may have
// looked for the answer before, and been frozen since.
func (e *evidence) boughtAgain() {
	stored := map[string]answer{} // first answer by question
	for _, a := range e.answers {
		if _, twice := stored[string(a.Prompt)]; !twice {
			stored[string(a.Prompt)] = a
		}
	}
	for _, call := range e.asked {
		a, ok := stored[string(call.Prompt[:])]
		if !ok || !call.at.After(a.At) {
			continue
		}
		process := Process(call.Path)
		if process == a.Process || e.claimedSince(e.subjectOf(call), process, a.At, call.at) {
			e.broken(e.papers.about(call.UserText), "%s asked question %.8s, although the answer had been stored %s earlier",
				process, call.Question, call.at.Sub(a.At))
		}
	}
}

// subjectOf returns what a question is about.
func (e *evidence) subjectOf(call asked) subject {
	function, _, _ := strings.Cut(Process(call.Path), "-")
	return subject{function, e.papers.about(call.UserText)}
}

// claims returns the claims that a process had on a subject's rows at a time, by row.
func (e *evidence) claims(s subject, process string, at time.Time) (held map[uuid.UUID]change) {
	held = map[uuid.UUID]change{}
	for _, c := range e.subjects[s] {
		if c.claims() && c.Process == process && c.At.Before(at) {
			held[c.ID] = c // the latest
		}
	}
	maps.DeleteFunc(held, func(_ uuid.UUID, c change) bool { return e.end(c, at) != nil })
	return held
}

// claimedSince reports whether a process had claims of a subject at the time of a call, all of them
// from after the answer was stored.
func (e *evidence) claimedSince(s subject, process string, stored, call time.Time) bool {
	claims := e.claims(s, process, call)
	for _, c := range claims {
		if !c.At.After(stored) {
			return false
		}
	}
	return len(claims) > 0
}

// end returns the change that ended a claim before a time, or nil.
func (e *evidence) end(claim change, before time.Time) *change {
	for i, c := range e.changes[claim.ID] {
		if c.N > claim.N && c.ends() && c.At.Before(before) {
			return &e.changes[claim.ID][i]
		}
	}
	return nil
}

// tooEarly is about rows that repeat their own question. Nobody tells the wait to another row with
// the same question, or to the next attempt if this one was taken away; and a row isn't told to
// wait on its last delivery, because SQS would drop the message.
func (e *evidence) tooEarly() {
	for _, early := range e.early {
		calls := slices.DeleteFunc(slices.Clone(e.asked), func(a asked) bool { return a.Question != early.Question })
		i := slices.IndexFunc(calls, func(a asked) bool { return a.At.Equal(early.At) })
		if i < 1 {
			e.broken(uuid.Nil, "question %.8s was asked early, but never before", early.Question)
			continue
		}
		before := e.heldAt(calls[i-1])
		for row, claim := range e.heldAt(calls[i]) {
			if was, repeats := before[row]; repeats && (was.N == claim.N || !e.takenAway(was, claim) && !e.lastDelivery(claim)) {
				e.broken(row, "question %.8s was asked %s before its Retry-After", early.Question, early.NotBefore.Sub(early.At))
			}
		}
	}
	most := 0
	for _, w := range e.workloads {
		most += w.workers * cmp.Or(w.CallsInFlight, w.BatchSize)
	}
	if e.busiest > most {
		e.broken(uuid.Nil, "too many questions in flight: %d", e.busiest)
	}
}

// heldAt returns the claims of the process that asked a question, on the rows it is about.
func (e *evidence) heldAt(call asked) map[uuid.UUID]change {
	return e.claims(e.subjectOf(call), Process(call.Path), call.at)
}

// takenAway reports whether another process ended a claim before a later one.
func (e *evidence) takenAway(claim, later change) bool {
	end := e.end(claim, later.At)
	return end != nil && end.Process != claim.Process
}

// lastDelivery reports whether a row was claimed with a message that SQS won't deliver again.
func (e *evidence) lastDelivery(claim change) bool {
	return slices.ContainsFunc(e.messages[claim.ID], func(m *message) bool {
		receives, live := m.live(claim.At)
		return live && receives >= e.workload(m.function).MaxReceiveCount()
	})
}
