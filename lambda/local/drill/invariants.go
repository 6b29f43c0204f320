package drill

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// settledWithin bounds the time until the remaining documents end once the
// faults are over: a lease ends, the queue's visibility twice, the sweep's wait
// having doubled, the retries.
var settledWithin = manifest.Match.Timeout + manifest.SettleReserve + manifest.LeaseMargin +
	4*manifest.Match.Visibility() +
	sum(manifest.Match.Retries) + 2*manifest.Sweep.Every

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

// checks make the verdict. I4, I11 and I12 are checked as far as failures and
// matches show them; I18 is not checked.
var checks = []struct {
	name, how string
	check     func(*evidence) []Violation
}{
	{"to come", "no document is failed by the sweep while a message of its latest publish is in the queue, by the " +
		"queue's journal", (*evidence).failedWithAMessageToCome},
	{"given up", "crashed follows three claims in a row that lapsed, lost three publishes by the sweep, by the audit",
		(*evidence).givenUpTooSoon},
	{"restarts", "no failed document met nothing but restarts of the database, by the times of faults and deliveries",
		(*evidence).failedByRestarts},
	{"again", "a failed document succeeds when it is published again", (*evidence).failedAgain},
	{"I1", "published = succeeded + failed, no message is left in the queue, each came to an end",
		(*evidence).accounting},
	{"I2", "a message is deleted only when its document is at its end or was published again later, by audit and journal",
		(*evidence).acks},
	{"I3", "each response of the function was valid, by the event source mapping", (*evidence).responses},
	{"I4", "only a document whose own question was refused for good fails for good; no other in its batch",
		(*evidence).innocents},
	{"I5", "attempts rise by one with each claim and never fall, by the audit", (*evidence).attempts},
	{"I6", "no attempt has two terminal writes, by the audit", (*evidence).terminalWrites},
	{"I7", "the writes of an attempt come from the process that claimed it: state, contents, pairs, matches; by the audit",
		(*evidence).fences},
	{"I8", "no claim before the last one's lease is over, by the audit and the database's clock", (*evidence).leases},
	{"I9", "only moves of the table in section 4, by the audit", (*evidence).moves},
	{"I10", "nothing is in progress at the end", (*evidence).unfinished},
	{"I11, I12", "matches equal those of the quiet run, and the true links", (*evidence).sameMatches},
	{"I13", "clusters equal those of union-find", (*evidence).sameClusters},
	{"I14", "both documents of a match are of one tenant", (*evidence).tenants},
	{"I15", "each failure has one notification, and Slack took it", (*evidence).notified},
	{"I16", "no question is asked by a claim that began after a usable answer was stored, by the model's journal",
		(*evidence).boughtAgain},
	{"I17", "no question before its Retry-After, by the model's clock; calls in flight within workers x batch",
		(*evidence).tooEarly},
	{"I19", "all is at its end " + settledWithin.String() + " after the faults", (*evidence).late},
}

func violation(id uuid.UUID, format string, args ...any) Violation {
	return Violation{Document: id, What: fmt.Sprintf(format, args...)}
}

func (e *evidence) failedWithAMessageToCome() (v []Violation) {
	for _, f := range e.failures {
		if m := e.toCome(f.Document, f.N, f.At); m != nil && f.bySweep() {
			v = append(v, violation(f.Document, "failed as %s, and message %.8s was to come", f.kind, m.id))
		}
	}
	return v
}

func (e *evidence) givenUpTooSoon() (v []Violation) {
	for _, f := range e.failures {
		switch f.kind {
		case "crashed":
			if n := e.lapsed(f.Document, f.N); n < 3 {
				v = append(v, violation(f.Document, "crashed after %d claims that lapsed", n))
			}
		case "lost":
			if n := e.sweptSince(f); n < 3 {
				v = append(v, violation(f.Document, "lost after %d publishes by the sweep", n))
			}
		}
	}
	return v
}

// sweptSince counts how often the sweep published a document since its last
// other publish, or its last claim.
func (e *evidence) sweptSince(f failure) (n int) {
	for _, c := range e.changes[f.Document] {
		switch {
		case c.N >= f.N:
			return n
		case c.PublishedAnew && c.bySweep():
			n++
		case c.PublishedAnew, c.claims():
			n = 0
		}
	}
	return n
}

func (e *evidence) failedByRestarts() (v []Violation) {
	for _, f := range e.failures {
		if hit := e.hitBy(f); len(hit) == 1 && hit[0] == "restart" {
			v = append(v, violation(f.Document, "failed as %s by restarts of the database alone", f.kind))
		}
	}
	return v
}

func (e *evidence) failedAgain() (v []Violation) {
	for _, d := range e.documents {
		if d.Status == "failed" {
			v = append(v, violation(d.ID, "failed again: %s", d.Error))
		}
	}
	return v
}

func (e *evidence) accounting() (v []Violation) {
	if e.left > 0 {
		v = append(v, violation(uuid.Nil, "%d messages are left in the queue", e.left))
	}
	for _, d := range e.documents {
		switch {
		case len(e.messages[d.ID]) == 0:
			v = append(v, violation(d.ID, "no message was ever sent"))
		case d.Status == "":
			v = append(v, violation(d.ID, "it was published, and is not queued"))
		}
	}
	return v
}

// state returns that of a document at a time: the latest change, nil before the
// first.
func (e *evidence) state(id uuid.UUID, at time.Time) *change {
	var latest *change
	for i, c := range e.changes[id] {
		if c.At.Before(at) {
			latest = &e.changes[id][i]
		}
	}
	return latest
}

func (e *evidence) acks() (v []Violation) {
	for id, messages := range e.messages {
		for _, m := range messages {
			for _, s := range m.events {
				if s.Kind != sqs.Deleted {
					continue
				}
				c := e.state(id, s.at)
				switch {
				case c == nil:
					v = append(v, violation(id, "message %.8s was acknowledged before anything happened", m.id))
				case m.sent.Before(e.published(id, c.N+1, true)): // superseded
				case c.Status == "pending" || c.Status == "in-progress":
					v = append(v, violation(id, "message %.8s was acknowledged while the document was %s",
						m.id, c.Status))
				case c.Status == "failed" && c.bySweep() && m.run(s.at).from.After(c.At):
					v = append(v, violation(id, "message %.8s came after all, and was acknowledged without work", m.id))
				}
			}
		}
	}
	return v
}

// run returns the latest one before a time.
func (m *message) run(at time.Time) (latest run) {
	for _, r := range m.runs {
		if r.from.Before(at) {
			latest = r
		}
	}
	return latest
}

func (e *evidence) responses() (v []Violation) {
	for _, text := range e.broken {
		v = append(v, violation(uuid.Nil, "%s", text))
	}
	return v
}

func (e *evidence) innocents() (v []Violation) {
	guilty := map[uuid.UUID]bool{}
	for _, a := range e.asked {
		if a.Fault != "" {
			guilty[e.asker(a.UserText)] = true
		}
	}
	for _, f := range e.failures {
		if f.kind == "permanent" && !guilty[f.Document] {
			v = append(v, violation(f.Document, "failed for good, and its own question was not refused"))
		}
	}
	return v
}

func (e *evidence) attempts() (v []Violation) {
	for _, c := range e.audit.changes {
		switch claimed := c.Status == "in-progress" && (c.Was != "in-progress" || c.Attempt != c.WasAttempt); {
		case c.Attempt < c.WasAttempt:
			v = append(v, violation(c.Document, "the attempt fell from %d to %d", c.WasAttempt, c.Attempt))
		case claimed && c.Attempt != c.WasAttempt+1:
			v = append(v, violation(c.Document, "a claim made attempt %d of %d", c.Attempt, c.WasAttempt))
		}
	}
	return v
}

func (e *evidence) terminalWrites() (v []Violation) {
	writes := map[fence]int{}
	for _, c := range e.audit.changes {
		if c.Was == c.Status || c.Status != "succeeded" && c.Status != "failed" {
			continue
		}
		f := fence{c.Document, c.Attempt}
		if writes[f]++; writes[f] == 2 {
			v = append(v, violation(c.Document, "attempt %d has two terminal writes", c.Attempt))
		}
	}
	return v
}

func (e *evidence) fences() (v []Violation) {
	for _, c := range e.audit.changes {
		owner := e.owners[fence{c.Document, c.WasAttempt}]
		switch {
		case !c.byMatch() || c.claims():
		case c.settles() && owner != c.Process:
			v = append(v, violation(c.Document, "attempt %d of %s was ended by %s", c.WasAttempt, owner, c.Process))
		case c.Contents && (c.Was != "in-progress" || owner != c.Process):
			v = append(v, violation(c.Document, "%s wrote contents, and attempt %d is of %s and %s",
				c.Process, c.WasAttempt,
				owner, c.Was))
		}
	}
	for _, s := range e.stray {
		v = append(v, violation(uuid.Nil, "%s changed %s in a transaction that settled nothing",
			s.Process, s.Relations))
	}
	return v
}

func (e *evidence) leases() (v []Violation) {
	for _, c := range e.audit.changes {
		if c.claims() && c.Was == "in-progress" && c.WasLease != nil && c.WasLease.After(c.Clock) {
			v = append(v, violation(c.Document, "claimed %s before the lease of attempt %d was over",
				c.WasLease.Sub(c.Clock),
				c.WasAttempt))
		}
	}
	return v
}

// legal are the moves other than publishing.
var legal = map[[2]string]bool{
	{"", "in-progress"}: true, {"pending", "in-progress"}: true, {"in-progress", "in-progress"}: true,
	{"in-progress", "succeeded"}: true, {"in-progress", "failed"}: true, {"in-progress", "pending"}: true,
	{"in-progress", ""}: true,
	{"pending", ""}:     true, {"failed", "in-progress"}: true,
}

func (e *evidence) moves() (v []Violation) {
	for _, c := range e.audit.changes {
		move := [2]string{c.Was, c.Status}
		lost := c.bySweep() && move == [2]string{"pending", "failed"}
		switch {
		case c.Was == c.Status && !c.claims(), c.Status == "pending" && c.PublishedAnew, lost:
		case !legal[move]:
			v = append(v, violation(c.Document, "it went from %q to %q", c.Was, c.Status))
		case c.Was == "failed" && !e.sentAfter(c):
			v = append(v, violation(c.Document, "claimed after it failed, and no message came since"))
		}
	}
	return v
}

// sentAfter reports whether a claim of a failed document is for a message of
// which a delivery came after the failure.
func (e *evidence) sentAfter(c change) bool {
	failed := e.state(c.Document, c.At)
	return failed == nil || slices.ContainsFunc(e.messages[c.Document], func(m *message) bool {
		return m.sent.After(failed.At) || failed.bySweep() && m.run(c.At).to.After(failed.At)
	})
}

func (e *evidence) unfinished() (v []Violation) {
	for _, d := range e.documents {
		if d.Status == "in-progress" || d.Status == "pending" {
			v = append(v, violation(d.ID, "it is %s", d.Status))
		}
	}
	return v
}

func (e *evidence) sameMatches() (v []Violation) {
	got := e.links()
	for _, p := range sortedPairs(e.want) {
		if got[p] != e.want[p] {
			v = append(v, violation(p.A, "its match with %s is %q, and was %q in the quiet run",
				p.B, got[p], e.want[p]))
		}
	}
	for _, p := range sortedPairs(got) {
		if _, ok := e.want[p]; !ok {
			v = append(v, violation(p.A, "it is matched with %s, and was not in the quiet run", p.B))
		}
	}
	for _, p := range sortedPairs(e.true) {
		if e.want[p] == "" {
			v = append(v, violation(p.A, "it belongs to %s, and was not matched in the quiet run", p.B))
		}
	}
	return v
}

func (e *evidence) sameClusters() (v []Violation) {
	want, size := e.clusters(), map[uuid.UUID]int{}
	for _, root := range want {
		size[root]++
	}
	for _, d := range e.documents {
		root := want[d.ID]
		if alone := size[root] == 1; alone != (d.Cluster == nil) || !alone && *d.Cluster != root {
			v = append(v, violation(d.ID, "its cluster is %v, want %s of %d", d.Cluster, root, size[root]))
		}
	}
	return v
}

func (e *evidence) tenants() (v []Violation) {
	for _, m := range e.matches {
		if m.TenantA != m.TenantB {
			v = append(v, violation(m.A, "it is matched with %s of another tenant", m.B))
		}
	}
	return v
}

func (e *evidence) notified() (v []Violation) {
	rows, sent := map[fence]int{}, 0
	for _, n := range e.notifications {
		rows[fence{n.Document, n.Attempt}]++
		switch {
		case n.Delivery == "pending":
			v = append(v, violation(n.Document, "attempt %d was never sent", n.Attempt))
		case n.Delivery == "sent" && !strings.Contains(e.texts, n.Document.String()):
			v = append(v, violation(n.Document, "attempt %d counts as sent, and Slack accepted no such message",
				n.Attempt))
		default:
			sent++
		}
	}
	if e.taken < sent {
		v = append(v, violation(uuid.Nil, "Slack accepted messages of %d failures, and %d count as sent",
			e.taken, sent))
	}
	for _, f := range e.failures {
		key := fence{f.Document, f.Attempt}
		if rows[key] != 1 {
			v = append(v, violation(f.Document, "attempt %d failed with %d notifications", f.Attempt, rows[key]))
		}
		delete(rows, key)
	}
	for key := range rows {
		v = append(v, violation(key.document, "a notification of attempt %d, which did not fail", key.attempt))
	}
	return v
}

// boughtAgain: a process that claimed before the answer was stored may have
// looked for it before, and was perhaps frozen since.
func (e *evidence) boughtAgain() (v []Violation) {
	stored := map[string]answer{} // the first by question
	for _, a := range e.answers {
		if _, after, ok := strings.Cut(a.Text, "question "); ok && len(after) >= 16 {
			if _, twice := stored[after[:16]]; !twice {
				stored[after[:16]] = a
			}
		}
	}
	for _, call := range e.asked {
		a, ok := stored[questionOf(call.UserText)]
		if !ok || !call.at.After(a.At) {
			continue
		}
		process := "match-" + Process(call.Path)
		if process == a.Process || e.claimedSince(a, process, call.at) {
			v = append(v, violation(e.asker(call.UserText), "%s asked question %s, and the answer was stored %s before",
				process, questionOf(call.UserText), call.at.Sub(a.At)))
		}
	}
	return v
}

func (e *evidence) claimedSince(a answer, process string, at time.Time) bool {
	return slices.ContainsFunc(e.changes[a.Document], func(c change) bool {
		return c.claims() && c.Process == process && c.At.After(a.At) && c.At.Before(at)
	})
}

func (e *evidence) tooEarly() (v []Violation) {
	for _, early := range e.early {
		v = append(v, violation(uuid.Nil, "question %.8s was asked %s before its Retry-After", early.Question,
			early.NotBefore.Sub(early.At)))
	}
	if e.busiest > workers*manifest.Match.BatchSize {
		v = append(v, violation(uuid.Nil, "%d questions were in flight", e.busiest))
	}
	return v
}

func (e *evidence) late() (v []Violation) {
	if e.took > settledWithin {
		v = append(v, violation(uuid.Nil, "the last document took %s", e.took.Round(time.Second)))
	}
	return v
}
