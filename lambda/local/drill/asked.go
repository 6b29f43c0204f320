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

// claims returns the latest claim of a process before a time on each row of a subject.
func (e *evidence) claims(s subject, process string, before time.Time) (latest map[uuid.UUID]change) {
	latest = map[uuid.UUID]change{}
	for _, c := range e.subjects[s] {
		if c.claims() && c.Process == process && c.At.Before(before) {
			latest[c.ID] = c
		}
	}
	return latest
}

// claimedSince reports whether a process had claims of a subject at the time of a call, all of them
// from after the answer was stored.
func (e *evidence) claimedSince(s subject, process string, stored, call time.Time) bool {
	claims := e.claims(s, process, call)
	maps.DeleteFunc(claims, func(_ uuid.UUID, c change) bool { return e.end(c, call) != nil })
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

// takenFrom reports whether another process ended, before a time, an attempt that can have made a
// call.
func (e *evidence) takenFrom(call asked, before time.Time) bool {
	for _, claim := range e.claims(e.subjectOf(call), Process(call.Path), call.at) {
		if end := e.end(claim, before); end != nil && end.Process != claim.Process {
			return true
		}
	}
	return false
}

// tooEarly leaves out the questions of a process after it lost its attempt, and those after such
// a process, since nobody could know their wait.
func (e *evidence) tooEarly() {
	for _, early := range e.early {
		calls := slices.DeleteFunc(slices.Clone(e.asked), func(a asked) bool { return a.Question != early.Question })
		i := slices.IndexFunc(calls, func(a asked) bool { return a.At.Equal(early.At) })
		about := uuid.Nil
		if i > 0 {
			about = e.papers.about(calls[i].UserText)
			if e.takenFrom(calls[i], calls[i].at) || e.takenFrom(calls[i-1], calls[i].at) {
				continue
			}
		}
		e.broken(about, "question %.8s was asked %s before its Retry-After", early.Question, early.NotBefore.Sub(early.At))
	}
	most := 0
	for _, w := range e.workloads {
		most += w.workers * cmp.Or(w.CallsInFlight, w.BatchSize)
	}
	if e.busiest > most {
		e.broken(uuid.Nil, "too many questions in flight: %d", e.busiest)
	}
}
