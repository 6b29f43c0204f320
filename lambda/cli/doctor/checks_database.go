package doctor

import (
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/checkup"
)

// Bounds of the clocks' difference.
const (
	skewNoticed = time.Second
	skewWrong   = manifest.LeaseMargin / 2
)

const waitedTooLong = time.Hour

func connections(f facts) []result {
	if why := f.server.why(); why != "" {
		return []result{skipped("", why)}
	}
	tasks, unlimited := f.tasks()
	if unlimited.name != "" {
		do := fmt.Sprintf("Reserve a concurrency of %d for it; the stack does.", unlimited.optional.Instances)
		return []result{wrong(unlimited.name, do, "unlimited instances, and each opens a connection")}
	}
	var terms []string
	for i, task := range tasks {
		terms = append(terms, fmt.Sprintf("%d of %s", task.Connections(), task.Name))
		if i == 0 {
			terms[0] = plural.Of(task.Connections(), "connection") + " of the " + task.Name
		}
	}
	var functions []manifest.Function
	for _, l := range f.lines {
		n, limited := l.instances()
		if !limited {
			const why = "unlimited instances of %s; see maximum-concurrency"
			return []result{skipped(l.name, fmt.Sprintf(why, l.name))}
		}
		functions = append(functions, manifest.Function{MaxConcurrency: n, PoolSize: l.row.PoolSize})
		terms = append(terms, fmt.Sprintf("%d x %d of %s", n, l.row.PoolSize, l.name))
	}
	need := manifest.Connections(functions, tasks)
	s := f.server.value
	sum := fmt.Sprintf("%s: %d in all", strings.Join(terms, ", "), need)
	if need > s.free() {
		return []result{wrong("", s.remedy(f, need), "%s, and %s", sum, s)}
	}
	return []result{fine("", "%s, and %s", sum, s)}
}

func identity(f facts) []result {
	switch {
	case f.identity.why() != "":
		return []result{skipped("", f.identity.why())}
	case f.identity.value != "":
		const do = `Add sslmode=verify-full to DATABASE_URL, or to "parameters" of its secret, with the certificates of the ` +
			"database in PGSSLROOTCERT (the stack's setting databaseCaFile)."
		return []result{doubtful("", do, "%s", f.identity.value)}
	}
	return []result{fine("", "the database proves its identity, or is on this machine")}
}

// tasks returns the functions without a queue, including deployed optional ones. It returns an
// optional one with unlimited instances instead, if there is one.
func (f facts) tasks() (tasks []manifest.Task, unlimited function) {
	tasks = manifest.Tasks()
	for _, fn := range f.functions {
		task := fn.optional
		if task.Name == "" {
			continue
		}
		if fn.reserved.why() == "" {
			task.Instances = fn.reserved.value
		}
		if task.Instances < 0 {
			return nil, fn
		}
		tasks = append(tasks, task)
	}
	return tasks, function{}
}

func (s server) free() int { return s.most - s.reserved - s.others }

// String describes the connections of the server.
func (s server) String() string {
	if s.stated {
		return fmt.Sprintf("the database has %d (--connections)", s.most)
	}
	return fmt.Sprintf("the database has %d for them: %s %d, %d reserved, %d in use by others",
		max(0, s.free()), s.limit, s.most, s.reserved, s.others)
}

// remedy returns the remedy, with the number of instances that would fit if that helps.
func (s server) remedy(f facts, need int) string {
	raise := "Let the database have " + plural.Of(need-s.free(), "more connection")
	if len(f.lines) != 1 || f.lines[0].row.PoolSize == 0 {
		return raise + ", or lower MaximumConcurrency."
	}
	tasks, _ := f.tasks()
	fits := (s.free() - manifest.Connections(nil, tasks)) / f.lines[0].row.PoolSize
	if fits < 2 { // Lambda takes no less
		return raise + "."
	}
	return fmt.Sprintf("%s, or lower MaximumConcurrency of %s to %d.", raise, f.lines[0].name, fits)
}

func migrated(f facts) []result {
	switch s := f.schema.value; {
	case f.schema.why() != "":
		return []result{skipped("", f.schema.why())}
	case len(s.Lacking) > 0:
		const do = `Run "matchbook migrate up", or deploy: the stack migrates before a new version takes messages.`
		return []result{wrong("", do, "not applied: %s", strings.Join(s.Lacking, ", "))}
	case s.Newer > 0:
		return []result{doubtful("", "Deploy the schema's own version, and use its command.",
			"the schema is at version %d, unknown to this version", s.Newer)}
	}
	return []result{fine("", "the schema is up to date")}
}

func clock(f facts) []result {
	if why := f.skew.why(); why != "" {
		return []result{skipped("", why)}
	}
	const do = "Synchronize both with NTP (RDS does); check this machine first."
	ahead, direction := f.skew.value.Ahead, "ahead of"
	if ahead < 0 {
		ahead, direction = -ahead, "behind"
	}
	within := f.skew.value.Within
	sure := ahead - within
	ahead, within = ahead.Round(time.Millisecond), within.Round(time.Millisecond)
	seen := fmt.Sprintf("the database's clock is %s %s this machine's, within %s", ahead, direction, within)
	switch {
	case sure > skewWrong:
		return []result{wrong("", do, "%s", seen)}
	case sure > skewNoticed:
		return []result{doubtful("", do, "%s", seen)}
	}
	return []result{fine("", "the clocks differ by %s, known within %s", ahead, within)}
}

func eachBacklog(look func(checkup.Backlog) result) func(facts) []result {
	return func(f facts) []result {
		if why := f.backlog.why(); why != "" {
			return []result{skipped("", why)}
		}
		return []result{look(f.backlog.value)}
	}
}

func eachAway(f facts) (results []result) {
	if why := f.backlog.why(); why != "" {
		return []result{skipped("", why)}
	}
	for _, a := range f.backlog.value.Away {
		results = append(results, doubtful(a.Service,
			"Nothing: its work goes on by itself. If it stays away, see the provider's status page, or your quota.",
			"%s", term.Clean(a.String(), term.MaxText)))
	}
	if results == nil {
		return []result{fine("", "no model or OCR is away")}
	}
	return results
}

func overdue(b checkup.Backlog) result {
	if b.Overdue > 0 {
		return doubtful("", `Check that the sweep function, or matchbook serve, runs; use "matchbook sweep" to run the sweep once.`,
			"%s overdue, because no message came in time", are(b.Overdue, "document"))
	}
	return fine("", "no document is overdue")
}

func oldest(b checkup.Backlog) result {
	if b.Oldest > waitedTooLong {
		return doubtful("", "Check the function's errors and throttles; if the load is simply high, "+
			"raise MaximumConcurrency as far as the database and the model allow.",
			"the longest waiting document was due %s ago", short(b.Oldest.Truncate(time.Minute)))
	}
	return fine("", "no document has been due for more than %s", short(waitedTooLong))
}

func abandoned(b checkup.Backlog) result {
	if b.Abandoned > 0 {
		return doubtful("", "Search the function's log for the document's id; a crash or a timeout precedes it.",
			"%s in progress beyond the lease", are(b.Abandoned, "document"))
	}
	return fine("", "no document is in progress beyond its lease")
}

func failedRows(b checkup.Backlog) result {
	var failed []string
	for _, rows := range []struct {
		n         int
		one, many string
	}{{b.Failed, "document", "documents"}, {b.Files, "file", "files"}, {b.Chunks, "part of a review", "parts of reviews"},
		{b.Jobs, "job of match offers", "jobs of match offers"}} {
		if rows.n > 0 {
			failed = append(failed, plural.Of(rows.n, rows.one, rows.many))
		}
	}
	if len(failed) > 0 {
		return doubtful("", `Run "matchbook status --failed" for the rows and reasons, fix them, and publish the rows with `+
			`"matchbook publish --failed --all".`, "%s failed", strings.Join(failed, ", "))
	}
	return fine("", "no row failed")
}

func unsent(b checkup.Backlog) result {
	if b.Unsent > 0 {
		return doubtful("", "See the function's log for the reason; "+
			"use --ask to test Slack. The sweep retries.",
			"%s not sent for more than %s", are(b.Unsent, "notification"), short(sendWithin))
	}
	return fine("", "no unsent notifications")
}

func eventsWait(b checkup.Backlog) result {
	if b.Events.Oldest > waitedTooLong {
		return doubtful("", `Run "matchbook events status" for the receiver's answers, and fix it; then run "matchbook events requeue", `+
			"so that the next sweep sends them. If answers are missing, check that the sweep runs with EVENTS_WEBHOOK_URL.",
			"%s not accepted, the oldest for %s", are(b.Events.Waiting, "event"), short(b.Events.Oldest.Truncate(time.Minute)))
	}
	return fine("", "no event has waited for more than %s", short(waitedTooLong))
}

func eventsDead(b checkup.Backlog) result {
	if b.Events.Dead > 0 {
		return doubtful("", `Run "matchbook events status" for the receiver's answers, and fix it; then run "matchbook events requeue".`,
			"%s given up after three days of refusals", are(b.Events.Dead, "event"))
	}
	return fine("", "no event was given up")
}

func anyChannel(f facts) []result {
	if why := f.channels.why(); why != "" {
		return []result{skipped("", why)}
	}
	if len(f.channels.value) == 0 {
		const do = "Set SLACK_WEBHOOK_URL, or EMAIL_FROM and EMAIL_TO (slack, emailFrom and emailTo in cdk.json)."
		return []result{doubtful("", do, "no notification channel is set up: people hear about no failures")}
	}
	return []result{fine("", "failures are sent by %s", strings.Join(f.channels.value, " and "))}
}

func are(n int, what string) string {
	if n == 1 {
		return plural.Of(n, what) + " is"
	}
	return plural.Of(n, what) + " are"
}
