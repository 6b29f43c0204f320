package doctor

import (
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/checkup"
)

// How far the clocks may be apart.
const (
	skewNoticed = time.Second
	skewWrong   = manifest.LeaseMargin / 2
)

// waitedTooLong is longer than all retries together.
const waitedTooLong = time.Hour

func connections(f facts) []result {
	if why := f.server.why(); why != "" {
		return []result{skipped("", why)}
	}
	tasks, unlimited := f.tasks()
	if unlimited.name != "" {
		do := fmt.Sprintf("Reserve a concurrency of %d for it; the stack does.", unlimited.optional.Instances)
		return []result{wrong(unlimited.name, do, "its instances have no limit, and each opens a connection")}
	}
	var terms []string
	for i, task := range tasks {
		terms = append(terms, fmt.Sprintf("%d of %s", task.Connections(), task.Name))
		if i == 0 {
			terms[0] = counted(task.Connections(), "connection") + " of the " + task.Name
		}
	}
	var functions []manifest.Function
	for _, l := range f.lines {
		n, limited := l.instances()
		if !limited {
			const why = "the number of instances of %s has no limit: see maximum-concurrency"
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

// tasks returns the functions that no queue feeds, with those of settings where they
// are deployed, or one of these whose instances have no limit.
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

// free returns the connections that are left for the functions.
func (s server) free() int { return s.most - s.reserved - s.others }

// String returns the connections of the server in words.
func (s server) String() string {
	if s.stated {
		return fmt.Sprintf("the database has %d (--connections)", s.most)
	}
	return fmt.Sprintf("the database has %d for them: %s %d, %d reserved, %d in use by others",
		max(0, s.free()), s.limit, s.most, s.reserved, s.others)
}

// remedy names the number of instances that would fit, where that helps.
func (s server) remedy(f facts, need int) string {
	raise := "Let the database have " + counted(need-s.free(), "more connection")
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
		return []result{doubtful("", "Deploy the version that the schema is of, and use its command.",
			"the schema is at version %d, which this version does not know", s.Newer)}
	}
	return []result{fine("", "the schema is up to date")}
}

func clock(f facts) []result {
	if why := f.skew.why(); why != "" {
		return []result{skipped("", why)}
	}
	const do = "Have both keep time by NTP (a database on RDS does); look at this machine first."
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

func overdue(b checkup.Backlog) result {
	if b.Overdue > 0 {
		return doubtful("", `Look whether the sweep function runs; "matchbook sweep" does its work once.`,
			"%s overdue: no message came in time", are(b.Overdue, "document"))
	}
	return fine("", "no document is overdue")
}

func oldest(b checkup.Backlog) result {
	if b.Oldest > waitedTooLong {
		return doubtful("", "Look at the function's errors and throttles; if it is only that there is much to do, "+
			"raise MaximumConcurrency as far as the database and the model allow.",
			"the longest waiting document was due %s ago", short(b.Oldest.Truncate(time.Minute)))
	}
	return fine("", "no document has been due for more than %s", short(waitedTooLong))
}

func abandoned(b checkup.Backlog) result {
	if b.Abandoned > 0 {
		return doubtful("", "Look into the function's log for the document's id: a crash or a time-out precedes it.",
			"%s in progress beyond the lease", are(b.Abandoned, "document"))
	}
	return fine("", "no document is in progress beyond its lease")
}

func unsent(b checkup.Backlog) result {
	if b.Unsent > 0 {
		return doubtful("", "See the function's log for why they were not taken; "+
			"--ask asks Slack. The sweep tries again.",
			"%s not sent for more than %s", are(b.Unsent, "notification"), short(sendWithin))
	}
	return fine("", "nothing waits to be sent")
}

func eventsWait(b checkup.Backlog) result {
	if b.Events.Oldest > waitedTooLong {
		return doubtful("", `"matchbook events status" shows the answers of the receiver. Repair it; then "matchbook events requeue" `+
			"has the next sweep send them. Without an answer the sweep does not run, or has no EVENTS_WEBHOOK_URL.",
			"%s not accepted, the oldest for %s", are(b.Events.Waiting, "event"), short(b.Events.Oldest.Truncate(time.Minute)))
	}
	return fine("", "no event has waited for more than %s", short(waitedTooLong))
}

func eventsDead(b checkup.Backlog) result {
	if b.Events.Dead > 0 {
		return doubtful("", `"matchbook events status" shows the answers of the receiver. Repair it; then "matchbook events requeue".`,
			"%s given up: the receiver refused for three days", are(b.Events.Dead, "event"))
	}
	return fine("", "no event was given up")
}

func anyChannel(f facts) []result {
	if why := f.channels.why(); why != "" {
		return []result{skipped("", why)}
	}
	if len(f.channels.value) == 0 {
		const do = "Set SLACK_WEBHOOK_URL, or EMAIL_FROM and EMAIL_TO (slack, emailFrom and emailTo in cdk.json)."
		return []result{doubtful("", do, "no channel is configured: failures are sent to no person")}
	}
	return []result{fine("", "failures are sent by %s", strings.Join(f.channels.value, " and "))}
}

func are(n int, what string) string {
	if n == 1 {
		return counted(n, what) + " is"
	}
	return counted(n, what) + " are"
}
