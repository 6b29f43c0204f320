package drill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// settledWithin bounds the time for the remaining rows to end after the faults: the end of a lease,
// the queue's visibility twice, the sweep's doubled wait, the retries. A file waits so for two
// functions, and a review for three chunks in turn: the first, the others, the whole.
func settledWithin(list []*workload) (longest time.Duration) {
	within := map[string]time.Duration{"": 0}
	for _, w := range list {
		one := w.Timeout + manifest.SettleReserve + manifest.LeaseMargin + 4*w.Visibility() + sum(w.Retries) + 2*manifest.Sweep.Every
		within[w.Name] = time.Duration(max(w.inTurn, 1))*one + within[w.PublishesTo]
		longest = max(longest, within[w.Name])
	}
	return longest
}

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

// check is a part of the verdict.
type check struct {
	name, how string
	check     func(*evidence)
}

// checks are about the rows of every workload; its own checks follow. I4, I11 and I12 are checked
// as far as failures and results show them; I18 is not checked.
var checks = []check{
	{"to come", "the sweep fails no row while a message of its latest publish is queued (queue journal)",
		each(failures, (*evidence).failedWithAMessageToCome)},
	{"given up", "crashed follows three lapsed claims in a row, lost follows three publishes by the sweep (audit)",
		each(failures, (*evidence).givenUpTooSoon)},
	{"alone", "no row fails because of database restarts or outages alone (times of faults and deliveries)",
		each(failures, (*evidence).failedByItself)},
	{"again", "a failed row succeeds when published again, unless its review was cancelled", each(allRows, (*evidence).failedAgain)},
	{"I1", "published = ended, the queues are empty, and each last delivery that failed is a dead letter",
		(*evidence).accounting},
	{"I2", "a message is deleted only if its row has ended, is parked or was published again later (audit, journal)",
		(*evidence).acks},
	{"I3", "every response of the functions is valid (event source mapping)", (*evidence).responses},
	{"I4", "a row fails for good only if its question was refused for good; others in its batch don't",
		(*evidence).innocents},
	{"I5", "attempts rise by one per claim and never fall (audit)", each(changes, (*evidence).attempts)},
	{"I6", "no attempt has two terminal writes (audit)", (*evidence).terminalWrites},
	{"I7", "the claiming process makes all writes of an attempt: state, contents, results (audit)",
		(*evidence).fences},
	{"I8", "no claim before the previous lease expires (audit, database clock)",
		each(changes, (*evidence).leases)},
	{"I9", "only legal state transitions (audit)", each(changes, (*evidence).moves)},
	{"I10", "nothing is in progress at the end", each(allRows, (*evidence).unfinished)},
	{"I11, I12", "results equal the quiet run's, and the true links", (*evidence).sameResults},
	{"I15", "each failure has one notification, accepted by Slack", (*evidence).notified},
	{"I16", "no claim begun after a usable answer was stored asks its question again (model journal)",
		(*evidence).boughtAgain},
	{"I17", "no question before its Retry-After (model clock); calls in flight within the limit",
		(*evidence).tooEarly},
	{"I19", "everything has ended within the leases, visibilities, retries and sweeps due after the faults", (*evidence).late},
}

// verdict runs all checks.
func (e *evidence) verdict() (list []Check) {
	all := slices.Clone(checks)
	for _, w := range e.workloads {
		all = append(all, w.checks...)
	}
	for _, c := range all {
		e.found = nil
		c.check(e)
		for i := range e.found {
			e.found[i].History = e.history(e.found[i].Row)
		}
		list = append(list, Check{c.name, c.how, e.found})
	}
	return list
}

// broken records a violation of the current check.
func (e *evidence) broken(id uuid.UUID, format string, args ...any) {
	e.found = append(e.found, Violation{Row: id, What: fmt.Sprintf(format, args...)})
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
func allRows(e *evidence) []row      { return e.rows }
func changes(e *evidence) []change   { return e.audit.changes }

func (e *evidence) failedWithAMessageToCome(f failure) {
	if m := e.toCome(f.ID, f.N, f.At); m != nil && f.bySweep() {
		e.broken(f.ID, "failed as %s, although message %.8s was queued", f.kind, m.id)
	}
}

func (e *evidence) givenUpTooSoon(f failure) {
	switch f.kind {
	case "crashed":
		if n := e.lapsed(f.ID, f.N); n < 3 {
			e.broken(f.ID, "crashed after %d lapsed claims", n)
		}
	case "lost":
		if n := e.sweptSince(f); n < 3 {
			e.broken(f.ID, "lost after %d publishes by the sweep", n)
		}
	}
}

// sweptSince counts the sweep's publishes of a document since its last claim or other publish.
func (e *evidence) sweptSince(f failure) (n int) {
	for _, c := range e.changes[f.ID] {
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

func (e *evidence) failedByItself(f failure) {
	if hit := e.hitBy(f); len(hit) == 1 && (hit[0] == "restart" || hit[0] == "outage") {
		e.broken(f.ID, "failed as %s because of the fault %s alone", f.kind, hit[0])
	}
}

func (e *evidence) failedAgain(d row) {
	if d.Status == "failed" && !e.withdrawn(d) {
		e.broken(d.ID, "failed again: %s", d.Error)
	}
}

func (e *evidence) accounting() {
	if e.left > 0 {
		e.broken(uuid.Nil, "%d messages left in the queues", e.left)
	}
	for _, d := range e.papers.all {
		if len(e.messages[d.ID]) == 0 {
			e.broken(d.ID, "never sent")
		}
	}
	for _, r := range e.rows {
		switch {
		case len(e.changes[r.ID]) == 0: // nobody published it
		case len(e.messages[r.ID]) == 0 && r.Status != "cancelled":
			e.broken(r.ID, "published but never sent")
		case r.Status == "":
			e.broken(r.ID, "published but not queued")
		}
	}
	for _, f := range e.failures {
		if f.kind == "transient" && !f.bySweep() && !e.buried(f) {
			e.broken(f.ID, "attempt %d failed on its last delivery, but no message is in the dead-letter queue", f.Attempt)
		}
	}
}

// buried reports whether a message of a failed row is a dead letter, or was received again after the
// failure, and settled as a duplicate.
func (e *evidence) buried(f failure) bool {
	return slices.ContainsFunc(e.messages[f.ID], func(m *message) bool {
		return slices.ContainsFunc(m.events, func(s seen) bool {
			return s.Kind == sqs.MovedToDLQ || s.Kind == sqs.Received && s.at.After(f.At)
		})
	})
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
				case e.hasOther(m, c.N+1, s.at): // superseded, and sent late
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

// hasOther reports whether a row has another message of its latest publish: of two publishers at
// once, the earlier may send the later message.
func (e *evidence) hasOther(m *message, n int64, at time.Time) bool {
	published := e.published(m.row, n, true)
	return slices.ContainsFunc(e.messages[m.row], func(other *message) bool {
		_, live := other.live(at)
		return other != m && live && other.sent.After(published)
	})
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
			guilty[e.papers.about(a.UserText)] = true
		}
	}
	for _, f := range e.failures {
		if f.kind == "permanent" && !guilty[f.About] {
			e.broken(f.ID, "failed for good, although its question was not refused")
		}
	}
}

func (e *evidence) attempts(c change) {
	switch claimed := c.Status == "in-progress" && (c.Was != "in-progress" || c.Attempt != c.WasAttempt); {
	case c.Attempt < c.WasAttempt:
		e.broken(c.ID, "attempt fell from %d to %d", c.WasAttempt, c.Attempt)
	case claimed && c.Attempt != c.WasAttempt+1:
		e.broken(c.ID, "claim set attempt %d after %d", c.Attempt, c.WasAttempt)
	}
}

func (e *evidence) terminalWrites() {
	writes := map[fence]int{}
	for _, c := range e.audit.changes {
		if c.Was == c.Status || c.Status != "succeeded" && c.Status != "failed" {
			continue
		}
		f := fence{c.ID, c.Attempt}
		if writes[f]++; writes[f] == 2 {
			e.broken(c.ID, "attempt %d has two terminal writes", c.Attempt)
		}
	}
}

func (e *evidence) fences() {
	ended := map[int64]bool{} // transactions
	for _, c := range e.audit.changes {
		if c.ends() {
			ended[c.Tx] = true
		}
		owner := e.owners[fence{c.ID, c.WasAttempt}]
		switch {
		case !c.byWorker() || c.claims():
		case c.settles() && owner != c.Process:
			e.broken(c.ID, "attempt %d of %s was ended by %s", c.WasAttempt, owner, c.Process)
		case c.Contents && (owner != c.Process || c.Was != "in-progress" && !ended[c.Tx]):
			e.broken(c.ID, "%s wrote contents, but attempt %d belongs to %s and is %s", c.Process, c.WasAttempt, owner, c.Was)
		}
	}
	for _, w := range e.effects {
		owner := e.ownerAt(w.Owner, w.At)
		switch {
		case w.Owner == uuid.Nil && !ended[w.Tx]:
			e.broken(uuid.Nil, "%s changed %s in a transaction without a settlement", w.Process, w.Relation)
		case w.Owner != uuid.Nil && owner != w.Process:
			e.broken(w.Owner, "%s wrote to %s, but the row belongs to %s", w.Process, w.Relation, cmp.Or(owner, "nobody"))
		}
	}
}

// ownerAt returns the process with the claim of a row, or nothing.
func (e *evidence) ownerAt(id uuid.UUID, at time.Time) (owner string) {
	for _, c := range e.changes[id] {
		switch {
		case c.At.After(at):
			return owner
		case c.claims():
			owner = c.Process
		case c.ends():
			owner = ""
		}
	}
	return owner
}

func (e *evidence) leases(c change) {
	if c.claims() && c.Was == "in-progress" && c.WasLease != nil && c.WasLease.After(c.Clock) {
		e.broken(c.ID, "claimed %s before the lease of attempt %d expired", c.WasLease.Sub(c.Clock), c.WasAttempt)
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
	case !legal[move] && !slices.Contains(e.workload(c.Function).moves, move):
		e.broken(c.ID, "illegal transition from %q to %q", c.Was, c.Status)
	case c.Was == "failed" && !e.sentAfter(c):
		e.broken(c.ID, "claimed after failing, without a new message")
	}
}

// sentAfter reports whether the claim of a failed document belongs to a message with a
// delivery after the failure.
func (e *evidence) sentAfter(c change) bool {
	failed := e.state(c.ID, c.At)
	return failed == nil || slices.ContainsFunc(e.messages[c.ID], func(m *message) bool {
		return m.sent.After(failed.At) || failed.bySweep() && m.run(c.At).to.After(failed.At)
	})
}

func (e *evidence) unfinished(d row) {
	if d.Status == "in-progress" || d.Status == "pending" {
		e.broken(d.ID, "still %s", d.Status)
	}
}

func (e *evidence) sameResults() {
	got := e.outcome()
	for r, want := range e.want {
		if got[r] != want && !e.papers.agreed[r.Row].cancel {
			e.broken(r.Row, "%s is %q, but %q in the quiet run", r.What, got[r], want)
		}
	}
	for r, value := range got {
		if _, ok := e.want[r]; !ok {
			e.broken(r.Row, "%s is %q, but not in the quiet run", r.What, value)
		}
	}
	for _, p := range sortedPairs(e.papers.true) {
		if e.want[result{Row: p.A, What: "match with " + p.B.String()}] == "" {
			e.broken(p.A, "belongs to %s, but was not matched in the quiet run", p.B)
		}
	}
}

func (e *evidence) notified() {
	rows, sent := map[fence]int{}, 0
	for _, n := range e.notifications {
		rows[fence{n.Row, n.Attempt}]++
		switch {
		case n.Delivery == "pending":
			e.broken(n.Row, "notification of attempt %d was never sent", n.Attempt)
		case n.Delivery == "sent" && !strings.Contains(e.texts, n.Row.String()) && !strings.Contains(e.texts, e.about(n.Row).String()):
			e.broken(n.Row, "notification of attempt %d counts as sent, but Slack didn't accept it", n.Attempt)
		default:
			sent++
		}
	}
	if e.taken < sent {
		e.broken(uuid.Nil, "Slack accepted messages of %d failures, but %d count as sent", e.taken, sent)
	}
	for _, f := range e.failures {
		key := fence{f.ID, f.Attempt}
		if rows[key] != 1 {
			e.broken(f.ID, "attempt %d failed with %d notifications", f.Attempt, rows[key])
		}
		delete(rows, key)
	}
	for key := range rows {
		e.broken(key.row, "notification of attempt %d, without a failure", key.attempt)
	}
}

func (e *evidence) late() {
	if within := settledWithin(e.workloads); e.took > within {
		e.broken(uuid.Nil, "the last row took %s, more than %s", e.took.Round(time.Second), within)
	}
}
