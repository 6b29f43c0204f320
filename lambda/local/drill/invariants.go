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

// settledWithin bounds the time for the remaining documents to end after the faults: the end
// of a lease, the queue's visibility twice, the sweep's doubled wait, the retries.
var settledWithin = manifest.Match.Timeout + manifest.SettleReserve + manifest.LeaseMargin +
	4*manifest.Match.Visibility() +
	sum(manifest.Match.Retries) + 2*manifest.Sweep.Every

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

// checks make up the verdict. I4, I11 and I12 are checked as far as failures and matches show
// them; I18 is not checked.
var checks = []struct {
	name, how string
	check     func(*evidence)
}{
	{"to come", "the sweep fails no document while a message of its latest publish is queued (queue " +
		"journal)", each(failures, (*evidence).failedWithAMessageToCome)},
	{"given up", "crashed follows three lapsed claims in a row, lost follows three publishes by the sweep (audit)",
		each(failures, (*evidence).givenUpTooSoon)},
	{"restarts", "no document fails because of database restarts alone (times of faults and deliveries)",
		each(failures, (*evidence).failedByRestarts)},
	{"again", "a failed document succeeds when published again", each(documents, (*evidence).failedAgain)},
	{"I1", "published = succeeded + failed, the queue is empty, every document has ended",
		(*evidence).accounting},
	{"I2", "a message is deleted only if its document has ended, is parked or was published again later (audit, journal)",
		(*evidence).acks},
	{"I3", "every response of the function is valid (event source mapping)", (*evidence).responses},
	{"I4", "a document fails for good only if its question was refused for good; others in its batch don't",
		(*evidence).innocents},
	{"I5", "attempts rise by one per claim and never fall (audit)", each(changes, (*evidence).attempts)},
	{"I6", "no attempt has two terminal writes (audit)", (*evidence).terminalWrites},
	{"I7", "the claiming process makes all writes of an attempt: state, contents, pairs, matches (audit)",
		(*evidence).fences},
	{"I8", "no claim before the previous lease expires (audit, database clock)",
		each(changes, (*evidence).leases)},
	{"I9", "only legal state transitions (audit)", each(changes, (*evidence).moves)},
	{"I10", "nothing is in progress at the end", each(documents, (*evidence).unfinished)},
	{"I11, I12", "matches equal the quiet run's, and the true links", (*evidence).sameMatches},
	{"I13", "clusters equal a union-find's", (*evidence).sameClusters},
	{"I14", "both documents of a match belong to one tenant", (*evidence).tenants},
	{"I15", "each failure has one notification, accepted by Slack", (*evidence).notified},
	{"I16", "no claim begun after a usable answer was stored asks its question again (model journal)",
		(*evidence).boughtAgain},
	{"I17", "no question before its Retry-After (model clock); calls in flight <= workers x batch",
		(*evidence).tooEarly},
	{"I19", "everything has ended " + settledWithin.String() + " after the faults", (*evidence).late},
}

// verdict runs all checks.
func (e *evidence) verdict() (list []Check) {
	for _, c := range checks {
		e.found = nil
		c.check(e)
		for i := range e.found {
			e.found[i].History = e.history(e.found[i].Document)
		}
		list = append(list, Check{c.name, c.how, e.found})
	}
	return list
}

// broken records a violation of the current check.
func (e *evidence) broken(id uuid.UUID, format string, args ...any) {
	e.found = append(e.found, Violation{Document: id, What: fmt.Sprintf(format, args...)})
}

// each runs a check for every element of a list.
func each[T any](list func(*evidence) []T, check func(*evidence, T)) func(*evidence) {
	return func(e *evidence) {
		for _, one := range list(e) {
			check(e, one)
		}
	}
}

func failures(e *evidence) []failure { return e.failures }
func documents(e *evidence) []row    { return e.documents }
func changes(e *evidence) []change   { return e.audit.changes }

func (e *evidence) failedWithAMessageToCome(f failure) {
	if m := e.toCome(f.Document, f.N, f.At); m != nil && f.bySweep() {
		e.broken(f.Document, "failed as %s, although message %.8s was queued", f.kind, m.id)
	}
}

func (e *evidence) givenUpTooSoon(f failure) {
	switch f.kind {
	case "crashed":
		if n := e.lapsed(f.Document, f.N); n < 3 {
			e.broken(f.Document, "crashed after %d lapsed claims", n)
		}
	case "lost":
		if n := e.sweptSince(f); n < 3 {
			e.broken(f.Document, "lost after %d publishes by the sweep", n)
		}
	}
}

// sweptSince counts the sweep's publishes of a document since its last claim or other publish.
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

func (e *evidence) failedByRestarts(f failure) {
	if hit := e.hitBy(f); len(hit) == 1 && hit[0] == "restart" {
		e.broken(f.Document, "failed as %s because of database restarts alone", f.kind)
	}
}

func (e *evidence) failedAgain(d row) {
	if d.Status == "failed" {
		e.broken(d.ID, "failed again: %s", d.Error)
	}
}

func (e *evidence) accounting() {
	if e.left > 0 {
		e.broken(uuid.Nil, "%d messages left in the queue", e.left)
	}
	for _, d := range e.documents {
		switch {
		case len(e.messages[d.ID]) == 0:
			e.broken(d.ID, "never sent")
		case d.Status == "":
			e.broken(d.ID, "published but not queued")
		}
	}
}

// state returns a document's latest change before at, or nil.
func (e *evidence) state(id uuid.UUID, at time.Time) *change {
	var latest *change
	for i, c := range e.changes[id] {
		if c.At.Before(at) {
			latest = &e.changes[id][i]
		}
	}
	return latest
}

func (e *evidence) acks() {
	for id, messages := range e.messages {
		for _, m := range messages {
			for _, s := range m.events {
				if s.Kind != sqs.Deleted {
					continue
				}
				c := e.state(id, s.at)
				switch {
				case c == nil:
					e.broken(id, "message %.8s was acknowledged before any work", m.id)
				case m.sent.Before(e.published(id, c.N+1, true)): // superseded
				case c.Status == "pending" && c.Parked: // the sweep publishes it
				case c.Status == "pending" || c.Status == "in-progress":
					e.broken(id, "message %.8s was acknowledged while the document was %s", m.id, c.Status)
				case c.Status == "failed" && c.bySweep() && m.run(s.at).from.After(c.At):
					e.broken(id, "message %.8s arrived late, and was acknowledged without work", m.id)
				}
			}
		}
	}
}

// run returns the latest run before at.
func (m *message) run(at time.Time) (latest run) {
	for _, r := range m.runs {
		if r.from.Before(at) {
			latest = r
		}
	}
	return latest
}

func (e *evidence) responses() {
	for _, text := range e.invalid {
		e.broken(uuid.Nil, "%s", text)
	}
}

func (e *evidence) innocents() {
	guilty := map[uuid.UUID]bool{}
	for _, a := range e.asked {
		if a.Fault != "" {
			guilty[e.asker(a.UserText)] = true
		}
	}
	for _, f := range e.failures {
		if f.kind == "permanent" && !guilty[f.Document] {
			e.broken(f.Document, "failed for good, although its question was not refused")
		}
	}
}

func (e *evidence) attempts(c change) {
	switch claimed := c.Status == "in-progress" && (c.Was != "in-progress" || c.Attempt != c.WasAttempt); {
	case c.Attempt < c.WasAttempt:
		e.broken(c.Document, "attempt fell from %d to %d", c.WasAttempt, c.Attempt)
	case claimed && c.Attempt != c.WasAttempt+1:
		e.broken(c.Document, "claim set attempt %d after %d", c.Attempt, c.WasAttempt)
	}
}

func (e *evidence) terminalWrites() {
	writes := map[fence]int{}
	for _, c := range e.audit.changes {
		if c.Was == c.Status || c.Status != "succeeded" && c.Status != "failed" {
			continue
		}
		f := fence{c.Document, c.Attempt}
		if writes[f]++; writes[f] == 2 {
			e.broken(c.Document, "attempt %d has two terminal writes", c.Attempt)
		}
	}
}

func (e *evidence) fences() {
	for _, c := range e.audit.changes {
		owner := e.owners[fence{c.Document, c.WasAttempt}]
		switch {
		case !c.byMatch() || c.claims():
		case c.settles() && owner != c.Process:
			e.broken(c.Document, "attempt %d of %s was ended by %s", c.WasAttempt, owner, c.Process)
		case c.Contents && (c.Was != "in-progress" || owner != c.Process):
			e.broken(c.Document, "%s wrote contents, but attempt %d belongs to %s and is %s", c.Process, c.WasAttempt, owner, c.Was)
		}
	}
	for _, s := range e.stray {
		e.broken(uuid.Nil, "%s changed %s in a transaction without a settlement", s.Process, s.Relations)
	}
}

func (e *evidence) leases(c change) {
	if c.claims() && c.Was == "in-progress" && c.WasLease != nil && c.WasLease.After(c.Clock) {
		e.broken(c.Document, "claimed %s before the lease of attempt %d expired", c.WasLease.Sub(c.Clock), c.WasAttempt)
	}
}

// legal lists the transitions other than publishing.
var legal = map[[2]string]bool{
	{"", "in-progress"}: true, {"pending", "in-progress"}: true, {"in-progress", "in-progress"}: true,
	{"in-progress", "succeeded"}: true, {"in-progress", "failed"}: true, {"in-progress", "pending"}: true,
	{"in-progress", ""}: true,
	{"pending", ""}:     true, {"failed", "in-progress"}: true,
}

func (e *evidence) moves(c change) {
	move := [2]string{c.Was, c.Status}
	lost := c.bySweep() && move == [2]string{"pending", "failed"}
	switch {
	case c.Was == c.Status && !c.claims(), c.Status == "pending" && c.PublishedAnew, lost:
	case !legal[move]:
		e.broken(c.Document, "illegal transition from %q to %q", c.Was, c.Status)
	case c.Was == "failed" && !e.sentAfter(c):
		e.broken(c.Document, "claimed after failing, without a new message")
	}
}

// sentAfter reports whether the claim of a failed document belongs to a message with a
// delivery after the failure.
func (e *evidence) sentAfter(c change) bool {
	failed := e.state(c.Document, c.At)
	return failed == nil || slices.ContainsFunc(e.messages[c.Document], func(m *message) bool {
		return m.sent.After(failed.At) || failed.bySweep() && m.run(c.At).to.After(failed.At)
	})
}

func (e *evidence) unfinished(d row) {
	if d.Status == "in-progress" || d.Status == "pending" {
		e.broken(d.ID, "still %s", d.Status)
	}
}

func (e *evidence) sameMatches() {
	got := e.links()
	for _, p := range sortedPairs(e.want) {
		if got[p] != e.want[p] {
			e.broken(p.A, "match with %s is %q, but %q in the quiet run", p.B, got[p], e.want[p])
		}
	}
	for _, p := range sortedPairs(got) {
		if _, ok := e.want[p]; !ok {
			e.broken(p.A, "matched with %s, but not in the quiet run", p.B)
		}
	}
	for _, p := range sortedPairs(e.true) {
		if e.want[p] == "" {
			e.broken(p.A, "belongs to %s, but was not matched in the quiet run", p.B)
		}
	}
}

func (e *evidence) sameClusters() {
	want, size := e.clusters(), map[uuid.UUID]int{}
	for _, root := range want {
		size[root]++
	}
	for _, d := range e.documents {
		root := want[d.ID]
		if alone := size[root] == 1; alone != (d.Cluster == nil) || !alone && *d.Cluster != root {
			e.broken(d.ID, "cluster is %v, expected %s of %d", d.Cluster, root, size[root])
		}
	}
}

func (e *evidence) tenants() {
	for _, m := range e.matches {
		if m.TenantA != m.TenantB {
			e.broken(m.A, "matched with %s of another tenant", m.B)
		}
	}
}

func (e *evidence) notified() {
	rows, sent := map[fence]int{}, 0
	for _, n := range e.notifications {
		rows[fence{n.Document, n.Attempt}]++
		switch {
		case n.Delivery == "pending":
			e.broken(n.Document, "notification of attempt %d was never sent", n.Attempt)
		case n.Delivery == "sent" && !strings.Contains(e.texts, n.Document.String()):
			e.broken(n.Document, "notification of attempt %d counts as sent, but Slack didn't accept it", n.Attempt)
		default:
			sent++
		}
	}
	if e.taken < sent {
		e.broken(uuid.Nil, "Slack accepted messages of %d failures, but %d count as sent", e.taken, sent)
	}
	for _, f := range e.failures {
		key := fence{f.Document, f.Attempt}
		if rows[key] != 1 {
			e.broken(f.Document, "attempt %d failed with %d notifications", f.Attempt, rows[key])
		}
		delete(rows, key)
	}
	for key := range rows {
		e.broken(key.document, "notification of attempt %d, without a failure", key.attempt)
	}
}

// boughtAgain ignores processes with a claim from before the answer was stored: they may have
// looked for the answer before, and been frozen since.
func (e *evidence) boughtAgain() {
	stored := map[string]answer{} // first answer by question
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
			e.broken(e.asker(call.UserText), "%s asked question %s, although the answer had been stored %s earlier",
				process, questionOf(call.UserText), call.at.Sub(a.At))
		}
	}
}

func (e *evidence) claimedSince(a answer, process string, at time.Time) bool {
	return slices.ContainsFunc(e.changes[a.Document], func(c change) bool {
		return c.claims() && c.Process == process && c.At.After(a.At) && c.At.Before(at)
	})
}

// takenFrom reports whether another process ended, before a time, the attempt that made a call.
func (e *evidence) takenFrom(call asked, before time.Time) bool {
	process, claim := "match-"+Process(call.Path), -1
	changes := e.changes[e.asker(call.UserText)]
	for i, c := range changes {
		if c.claims() && c.Process == process && c.At.Before(call.at) {
			claim = i
		}
	}
	end := slices.IndexFunc(changes[claim+1:], change.ends)
	if claim < 0 || end < 0 {
		return false
	}
	c := changes[claim+1+end]
	return c.Process != process && c.At.Before(before)
}

// tooEarly leaves out the questions of a process after it lost its attempt, and those after such
// a process, since nobody could know their wait.
func (e *evidence) tooEarly() {
	for _, early := range e.early {
		calls := slices.DeleteFunc(slices.Clone(e.asked), func(a asked) bool { return a.Question != early.Question })
		i := slices.IndexFunc(calls, func(a asked) bool { return a.At.Equal(early.At) })
		document := uuid.Nil
		if i > 0 {
			document = e.asker(calls[i].UserText)
			if e.takenFrom(calls[i], calls[i].at) || e.takenFrom(calls[i-1], calls[i].at) {
				continue
			}
		}
		e.broken(document, "question %.8s was asked %s before its Retry-After", early.Question, early.NotBefore.Sub(early.At))
	}
	if e.busiest > workers*manifest.Match.BatchSize {
		e.broken(uuid.Nil, "too many questions in flight: %d", e.busiest)
	}
}

func (e *evidence) late() {
	if e.took > settledWithin {
		e.broken(uuid.Nil, "last document took %s", e.took.Round(time.Second))
	}
}
