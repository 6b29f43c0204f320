package drill

import (
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"

	"github.com/google/uuid"
)

// The verdict is worth as much as it can find: each check gets a document that
// broke its rule, and one that did not.

var (
	began  = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	first  = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	second = uuid.MustParse("00000000-0000-4000-8000-000000000002")
	prompt = [32]byte{1} // of the question
	home   = uuid.MustParse("00000000-0000-4000-8000-00000000000a")
)

func at(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }

// life is a document's state, second by second.
type life struct {
	id      uuid.UUID
	changes []change
}

// to adds a change by a process.
func (l *life) to(status, process string, alter ...func(*change)) *life {
	c := change{N: int64(len(l.changes) + 1), At: at(2 * len(l.changes)), ID: l.id, About: l.id, Function: "match", Process: process,
		Status: status}
	if n := len(l.changes); n > 0 {
		c.Was, c.Attempt = l.changes[n-1].Status, l.changes[n-1].Attempt
	}
	c.Clock, c.WasAttempt = c.At, c.Attempt
	if status == "in-progress" {
		c.Attempt++
	}
	for _, f := range alter {
		f(&c)
	}
	l.changes = append(l.changes, c)
	return l
}

func anew(c *change) { c.PublishedAnew = true }

// newLife is a document that was published in second 0 and claimed in second 2.
func newLife() *life {
	return (&life{id: first}).to("pending", "matchbook", anew).to("in-progress", "match-1")
}

// sentAt is a message of the first document, with its events second by second.
func sentAt(second int, kinds ...sqs.EventKind) *message {
	m := &message{id: "message-1", function: "match", row: first, sent: at(second).Add(time.Millisecond)}
	receives := 0
	for i, kind := range append([]sqs.EventKind{sqs.Sent}, kinds...) {
		if kind == sqs.Received {
			receives++
		}
		m.events = append(m.events, seen{at(second + i).Add(time.Millisecond),
			sqs.Event{MessageID: m.id, Kind: kind, ReceiveCount: receives}})
	}
	return m
}

// evident is evidence of one document's life and messages; by default of one
// message that was received and, in the end, deleted, or a dead letter of a failure.
func evident(l *life, messages ...*message) *evidence {
	last := l.changes[len(l.changes)-1]
	if len(messages) == 0 {
		done, end := sentAt(0, sqs.Received), sqs.Deleted
		if last.Status == "failed" {
			end = sqs.MovedToDLQ
		}
		done.events = append(done.events, seen{last.At.Add(time.Second), sqs.Event{Kind: end, ReceiveCount: 1}})
		messages = []*message{done}
	}
	e := &evidence{audit: &audit{changes: l.changes,
		rows:     []row{{Function: "match", ID: first, Tenant: home, Status: last.Status, Attempts: last.Attempt}},
		clusters: []clustered{{ID: first, Type: "invoice"}}},
		workloads: workloads(), papers: &papers{numbers: map[string]uuid.UUID{"RE1": first}},
		messages: map[uuid.UUID][]*message{first: messages}, started: began}
	for _, c := range l.changes {
		if c.Status == "failed" && c.Was != "failed" {
			e.notifications = append(e.notifications, notification{first, c.Attempt, "transient", "sent"})
			e.texts, e.taken = e.texts+first.String(), e.taken+1
		}
	}
	return e
}

// of sets the kind of the failures.
func (e *evidence) of(kind string) *evidence {
	for i := range e.notifications {
		e.notifications[i].Kind = kind
	}
	return e
}

func (e *evidence) with(alter func(*evidence)) *evidence {
	alter(e)
	return e
}

func question(process string, second int, fault scripted.Fault) asked {
	return asked{at(second), scripted.Call{Path: "/match-" + process + "/v1/chat/completions",
		UserText: "<<<document\nnumber: RE1\n", Prompt: prompt, Fault: fault}}
}

// secondClaim is a document whose first claim, by match-1, was ended by a process.
func secondClaim(by string) *life {
	return newLife().to("pending", by, anew).to("in-progress", "match-2").to("succeeded", "match-2")
}

// askedEarly is a question by match-1 just before second 3, and its repetition before its time.
func (e *evidence) askedEarly(process string, second int) *evidence {
	e.asked = []asked{question("1", 3, ""), question(process, second, "")}
	e.asked[0].at = at(3).Add(-time.Millisecond)
	for i := range e.asked {
		e.asked[i].Question, e.asked[i].At = "q", e.asked[i].at
	}
	e.early = []scripted.Violation{{Question: "q", At: at(second), NotBefore: at(second + 60)}}
	return e
}

func storedAt(second int, process string) answer {
	return answer{at(second), process, prompt[:]}
}

func TestVerdictFindsBreaches(t *testing.T) {
	t.Parallel()
	crashed := func(claims int) *life {
		l := newLife()
		for range claims - 1 {
			l.to("pending", "sweep-9", anew).to("in-progress", "match-1")
		}
		return l.to("failed", "sweep-9")
	}
	edges := func(a, b uuid.UUID, cluster *uuid.UUID) func(*evidence) {
		return func(e *evidence) {
			e.rows = append(e.rows, row{Function: "match", ID: second, Tenant: home, Status: "succeeded"})
			e.clusters = []clustered{{first, "invoice", cluster}, {second, "invoice", cluster}}
			e.matches = []edge{{a, b, home, home}}
			e.results = []result{{a, "match with " + b.String(), "high by rules"}}
			e.messages[second] = []*message{{row: second}}
			e.audit.changes = append(e.audit.changes, change{N: 9, ID: second, Function: "match", Was: "succeeded", Status: "succeeded"})
		}
	}
	succeeded := func() *life { return newLife().to("succeeded", "match-1") }
	failed := func() *life { return newLife().to("failed", "match-1") }
	for name, tc := range map[string]struct {
		evidence *evidence
		want     string // the check that finds it, and nothing else; empty for none
	}{
		"succeeded": {evidence: evident(succeeded())},
		"succeeded after a retry": {evidence: evident(newLife().to("pending", "match-1").to("in-progress",
			"match-2").to("succeeded", "match-2"))},
		"failed on the last delivery": {evidence: evident(failed())},
		"crashed three times":         {evidence: evident(crashed(3)).of("crashed")},
		"crashed once": {evident(crashed(1), sentAt(0, sqs.Received, sqs.MovedToDLQ)).of("crashed"),
			"given up"},
		"crashed, and a message parked": {
			evident(crashed(3), sentAt(9, sqs.Received), sentAt(0, sqs.Received, sqs.MovedToDLQ)).of("crashed"),
			"to come"},
		"lost, and never published again": {evident((&life{id: first}).to("pending", "matchbook", anew).to("pending", "sweep-9", anew).to("failed", "sweep-9", func(c *change) { c.Attempt++ }), sentAt(0, sqs.Received, sqs.MovedToDLQ)).of("lost"), "given up"},
		"failed by an outage": {evident(failed()).with(func(e *evidence) {
			e.messages[first][0].runs = []run{{at(1), at(4), false}}
			e.pieces = []piece{{"outage", at(2), at(3)}}
		}), "alone"},
		"failed by a restart": {evident(failed()).with(func(e *evidence) {
			e.messages[first][0].runs = []run{{at(1), at(4), false}}
			e.pieces = []piece{{"restart", at(2), at(3)}}
		}), "alone"},
		"failed by a restart and the model": {evidence: evident(failed()).with(func(e *evidence) {
			e.messages[first][0].runs = []run{{at(1), at(4), false}}
			e.pieces = []piece{{"restart", at(2), at(3)}, {"model", at(3), at(5)}}
		})},
		"failed at the end": {evident(failed()).with(func(e *evidence) { e.rows[0].Status = "failed" }),
			"again"},
		"failed, and its message repeated": {evident(failed(), sentAt(0, sqs.Received, sqs.Received, sqs.Received, sqs.Received, sqs.Received, sqs.Deleted)), ""},
		"failed, and its message deleted": {evident(failed()).with(func(e *evidence) {
			events := e.messages[first][0].events
			events[len(events)-1].Kind = sqs.Deleted
		}), "I1"},
		"a message left": {evident(succeeded()).with(func(e *evidence) { e.left = 1 }), "I1"},
		"acknowledged too early": {evident(newLife().to("succeeded", "match-1"),
			sentAt(0, sqs.Received, sqs.Received, sqs.Deleted)), "I2"},
		"acknowledged next to another": {evident(newLife().to("succeeded", "match-1"),
			sentAt(0, sqs.Received, sqs.Received, sqs.Deleted), sentAt(1, sqs.Received)), ""},
		"acknowledged after all": {evident(crashed(3), sentAt(0, sqs.Received)).of("crashed").with(func(e *evidence) {
			m := e.messages[first][0]
			m.sent = at(9)
			m.events = append(m.events, seen{at(20), sqs.Event{Kind: sqs.Deleted, ReceiveCount: 3}})
			m.events[1].ReceiveCount = 3
			m.runs = []run{{at(18), at(19), true}}
		}), "I2"},
		"an invalid response":        {evident(succeeded()).with(func(e *evidence) { e.invalid = []string{"unknown id"} }), "I3"},
		"failed for good by itself":  {evident(failed()).of("permanent").with(func(e *evidence) { e.asked = []asked{question("1", 2, scripted.Refusal)} }), ""},
		"failed for good by another": {evident(failed()).of("permanent"), "I4"},
		"the attempt falls": {evident(newLife().to("pending", "matchbook",
			anew, func(c *change) { c.Attempt = 0 }).to("in-progress", "match-2").to("succeeded", "match-2")), "I5"},
		"two terminal writes": {evident(succeeded().to("pending", "matchbook", anew).to("succeeded",
			"sweep-9", anew)), "I6, I9"},
		"a zombie's write": {evident(newLife().to("in-progress", "match-2").to("succeeded",
			"match-1")), "I7"},
		"a zombie's contents": {evident(newLife().to("in-progress", "match-2").to("in-progress",
			"match-1", func(c *change) { c.Contents = true; c.Attempt-- }).to("succeeded", "match-2")), "I7"},
		"matches without a verdict": {evident(succeeded()).with(func(e *evidence) {
			e.effects = []written{{Tx: 1, Process: "match-1", Relation: "document_match"}}
		}), "I7"},
		"claimed within a lease": {evident(newLife().to("in-progress", "match-2",
			func(c *change) { lease := at(60); c.WasLease = &lease }).to("succeeded", "match-2")), "I8"},
		"succeeded, then in progress": {evident(succeeded().to("in-progress", "match-1").to("succeeded",
			"match-1")), "I9"},
		"in progress at the end": {evident(newLife(), sentAt(0, sqs.Received, sqs.MovedToDLQ)), "I10"},
		"matched": {evident(succeeded()).with(edges(first, second,
			&first)).with(func(e *evidence) { e.want = e.outcome() }), ""},
		"matched, and not when it was quiet": {evident(succeeded()).with(edges(first, second, &first)), "I11, I12"},
		"true, and never matched":            {evident(succeeded()).with(func(e *evidence) { e.papers.true = map[corpus.Pair]bool{{A: first, B: second}: true} }), "I11, I12"},
		"cluster of another": {evident(succeeded()).with(edges(first, second,
			&second)).with(func(e *evidence) { e.want = e.outcome() }), "I13"},
		"matched across tenants": {evident(succeeded()).with(edges(first, second, &first)).with(func(e *evidence) {
			e.want = e.outcome()
			e.matches[0].TenantB = second
		}), "I14"},
		"never sent": {evident(failed()).with(func(e *evidence) { e.notifications[0].Delivery = "pending" }),
			"I15"},
		"Slack got nothing": {evident(failed()).with(func(e *evidence) { e.texts = "" }), "I15"},
		"digest of fewer": {evident(failed()).with(func(e *evidence) {
			e.notifications[0].Delivery,
				e.taken = "digested", 0
		}), "I15"},
		"no notification": {evident(failed()).with(func(e *evidence) { e.notifications = nil }), "I15"},
		"asked at the same time": {evident(succeeded()).with(func(e *evidence) {
			e.answers, e.asked = []answer{storedAt(3, "match-2")}, []asked{question("1", 4, "")}
		}), ""},
		"asked again": {evident(succeeded()).with(func(e *evidence) {
			e.answers, e.asked = []answer{storedAt(3, "match-1")}, []asked{question("1", 4, "")}
		}), "I16"},
		"asked by a later claim": {evident(succeeded()).with(func(e *evidence) {
			e.answers, e.asked = []answer{storedAt(1, "match-2")}, []asked{question("1", 3, "")}
		}), "I16"},
		"asked before it may":             {evident(succeeded()).askedEarly("1", 3), "I17"},
		"asked early by a later claim":    {evident(secondClaim("match-1")).askedEarly("2", 7), "I17"},
		"asked early, the wait unwritten": {evident(secondClaim("matchbook")).askedEarly("2", 7), ""},
		"asked early by the first claim":  {evident(secondClaim("matchbook")).askedEarly("1", 7), ""},
		"asked early for another row":     {evident(succeeded()).askedEarly("2", 3), ""},
		"asked early on the second delivery": {evident(secondClaim("match-1"),
			sentAt(0, sqs.Received, sqs.Received)).askedEarly("2", 7), "I17"},
		"asked early on the last delivery": {evident(secondClaim("match-1"),
			sentAt(0, sqs.Received, sqs.Received, sqs.Received)).askedEarly("2", 7), ""},
		"asked early in an attempt on the last delivery": {evident(succeeded(),
			sentAt(0, sqs.Received, sqs.Received, sqs.Received)).askedEarly("1", 3), "I17"},
		"done in the next week": {evident(succeeded()).with(func(e *evidence) { e.took = 7 * 24 * time.Hour }), "I19"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A document that failed in its first life succeeded in its second.
			if d := &tc.evidence.rows[0]; d.Status == "failed" && tc.want != "again" {
				d.Status = "succeeded"
			}
			tc.evidence.wantFound(t, tc.want)
		})
	}
}

// wantFound compares the names of the broken checks.
func (e *evidence) wantFound(t *testing.T, want string) {
	t.Helper()
	e.index()
	var found []string
	for _, c := range e.verdict() {
		if len(c.Violations) > 0 {
			found = append(found, c.Name)
			t.Logf("%s: %s\n%s", c.Name, c.Violations[0].What, strings.Join(c.Violations[0].History, "\n"))
		}
	}
	if got := strings.Join(found, ", "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
