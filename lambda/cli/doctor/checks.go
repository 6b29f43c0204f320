package doctor

import (
	"strings"
	"time"

	"matchbook/lambda/internal/plural"
)

// checks lists all checks in the order of a document's path. Each row must declare its
// severities; a test provokes every one.
var checks = []check{
	{"configuration", []Severity{Error}, "A function with an invalid configuration never takes a message, " +
		"so every message uses up its deliveries and goes to the dead-letter queue.",
		configuration},
	{"secrets", []Severity{Error}, "A function reads its secrets at its start, " +
		"and without one it never takes a message.", eachSecret},

	{"plain-secrets", []Severity{Warning}, "Everyone who may read a function's configuration reads the secret, and so do logs of changes.",
		eachFunction(plainSecrets)},
	{"startable", []Severity{Error}, "Nothing runs, so messages use up their deliveries, and schedules and requests fail.",
		eachFunction(startable)},
	{"architecture", []Severity{Error}, "A program for another processor doesn't start.", architectures},
	{"runtime", []Severity{Error}, "The programs are built for this runtime; another one doesn't start them, or ends its support.",
		eachFunction(runtimes)},
	{"handler", []Severity{Warning}, "The runtime starts the file bootstrap whatever the handler is, so another one is a sign " +
		"of another program.",
		eachFunction(handlers)},
	{"memory", []Severity{Error, Warning}, "A function's share of a processor grows with its memory, and Lambda kills one " +
		"that needs more; the manifest's size was measured.", eachFunction(memory)},
	{"timeout", []Severity{Error, Warning}, "Work that takes longer is cut off and comes back, until its deliveries are used up.",
		eachFunction(timeouts)},
	{"alias", []Severity{Error, Warning}, "A deployment moves the alias after its migrations, so work on any other version " +
		"meets a schema that it wasn't made for.", eachFunction(aliased)},
	{"permissions", []Severity{Error, Warning}, "AWS refuses such a call, so the work fails; without its log and traces, " +
		"the reason is unknown.", permissions},
	{"keys", []Severity{Error}, "What the key encrypts can be neither read nor written.", usableKeys},
	{"network", []Severity{Error}, "A function without a way out waits for AWS until its timeout.", throughNetwork},

	{"mapping", []Severity{Error}, "Nothing else takes messages from the queue, so documents stay pending.", mapped},
	{"batch-failures", []Severity{Error}, "Without it Lambda counts a batch as done as soon as the function answers: " +
		"the messages of failed documents are deleted, and there is no retry.", eachMapping(batchFailures)},
	{"batch-size", []Severity{Error}, "All messages of a batch are processed concurrently, " +
		"and all are settled in the last seconds.", eachMapping(batchSize)},
	{"batch-window", []Severity{Warning}, "Each message waits for so long before its function starts, " +
		"and its visibility timeout runs meanwhile.",
		eachMapping(batchWindow)},
	{"filter", []Severity{Error}, "Lambda deletes messages that don't match a filter, so documents stay pending.", eachMapping(filter)},
	{"mapping-target", []Severity{Error}, "Only the alias moves after the migrations, and with every deployment.",
		eachMapping(mappingTarget)},
	{"maximum-concurrency", []Severity{Error}, "Without a limit Lambda starts up to 1,000 instances, " +
		"too many for the database's connections and the model.", eachMapping(maximumConcurrency)},
	{"reserved-concurrency", []Severity{Error, Warning}, "A throttled delivery counts as a delivery, so " +
		"messages go to the dead-letter queue although no function saw them. " +
		"Use the mapping's MaximumConcurrency instead.", eachLine(reservedConcurrency)},
	{"queue-url", []Severity{Error}, "A function refuses every batch from a queue other than QUEUE_URL, " +
		"and messages sent to a queue without a mapping are never delivered.", queueURL},

	{"queue", []Severity{Error}, "No document is matched without its queue.", eachLine(queueAnswers)},
	{"fifo", []Severity{Error}, "A FIFO queue refuses messages without a group, and our messages have none; S3 can't send to one, either.",
		fifo},
	{"visibility", []Severity{Error, Warning}, "A message visible again while its function still runs " +
		"goes to a second one and uses up a delivery; AWS recommends 6 times the timeout.",
		eachLine(visibility)},
	{"schedule-entries", []Severity{Error}, "SQS moves a message away at the receive after maxReceiveCount, " +
		"whatever the schedule contains: with fewer receives some retries never happen, " +
		"with more the last ones come at the wrong time.", eachLine(scheduleEntries)},
	{"schedule-limit", []Severity{Error}, "SQS hides a message for at most 12 hours from its receive; " +
		"it refuses a longer wait, so the message comes back too early.", eachLine(scheduleLimit)},
	{"queue-retention", []Severity{Error}, "SQS deletes a message at the end of the retention period, " +
		"counted from its sending, even if its document is unfinished.", eachLine(retention)},
	{"dlq", []Severity{Error}, "Without a dead-letter queue a failing message is redelivered " +
		"until it expires, without an alarm.", eachLine(dlq)},
	{"dlq-own", []Severity{Error}, "Given-up messages would go to a function that can't read them, " +
		"or be moved back to the wrong queue.", ownDLQ},
	{"redrive-allowed", []Severity{Error}, "SQS can't move given-up messages away, so they are delivered until they expire.",
		eachLine(redriveAllowed)},
	{"dlq-retention", []Severity{Error, Warning}, "A message keeps its age when it moves to the dead-letter queue, so " +
		"with a period no longer than the queue's it may be deleted before anyone looks.",
		eachLine(dlqRetention)},
	{"dlq-empty", []Severity{Warning}, "Each message there is a given-up document.", eachLine(dlqEmpty)},

	{"schedule", []Severity{Error, Warning}, "Nothing else starts the function: without the sweep lost work stays lost, and " +
		"without the schedule no offers are queued.", scheduled},
	{"notification", []Severity{Error}, "Files put into the inbox are not ingested, without an alarm.", notified},
	{"alarms", []Severity{Warning}, "An alarm without an action reaches no person.", alarmed},

	{"files", []Severity{Error}, "Ingestions read their files there, so all of them fail without it.", eachFiles},
	{"ocr", []Severity{Error}, "Pages without text cannot be read without the engine, so their files fail.",
		one(func(f facts) result { return answers("", "the engine can be used", checkOCR[f.ocr.name], f.ocr.usable) })},

	{"database", []Severity{Error}, "Documents and their states are in the database, so every delivery fails without it.",
		one(func(f facts) result { return answers("", "the database answers", checkDatabase, f.database) })},
	{"database-identity", []Severity{Warning}, "Passwords and documents go to whoever answers at the address of the database.", identity},
	{"connections", []Severity{Error}, "Without a free connection deliveries fail and use up their receives, " +
		"just when there is most to do.", connections},
	{"migrations", []Severity{Error, Warning}, "The functions' SQL must fit the schema, " +
		"otherwise every delivery fails.", migrated},
	{"clock", []Severity{Error, Warning}, "Leases and publish stamps use the database's clock, " +
		"invocation deadlines the machine's: if the two differ, " +
		"leases end too early and newer messages count as older ones.", clock},
	{"overdue", []Severity{Warning}, "Their messages were lost, or the sweep does not run; " +
		"it should have published them again.", eachBacklog(overdue)},
	{"backlog", []Severity{Warning}, "Documents wait for longer than all their retries take together, because " +
		"more come in than are matched, or no function takes messages.", eachBacklog(oldest)},
	{"leases", []Severity{Warning}, "Their worker died or hangs. " +
		"Their messages come back after the queue's visibility timeout, otherwise the sweep fails them.",
		eachBacklog(abandoned)},
	{"failed", []Severity{Warning}, "Each waits until a person fixes its cause, and nothing retries it.", eachBacklog(failedRows)},
	{"services", []Severity{Warning}, "Work that needs such a service waits until it is back; nothing fails.",
		eachAway},
	{"untold", []Severity{Warning}, "Documents failed, and the people able to fix the cause do not know.",
		eachBacklog(unsent)},
	{"events", []Severity{Warning}, "Another program misses these changes, and later events of the same documents wait.",
		eachBacklog(eventsWait)},
	{"events-dead", []Severity{Warning}, "Another program misses these changes, and nothing retries them.",
		eachBacklog(eventsDead)},

	{"channels", []Severity{Warning}, "Alarms report a number of failed documents, without names and reasons; " +
		"without an address for alarms, nothing is reported.", anyChannel},

	{"model", []Severity{Error}, "The model answers what the rules leave open, " +
		"so these documents fail without it.",
		one(func(f facts) result { return answers("", "the model answers by the schema", checkModel, f.model) })},
	{"embedding-model", []Severity{Error}, "Embeddings find further candidates, " +
		"so these documents fail without an answer.",
		one(func(f facts) result { return answers("", "the embedding model answers", checkEmbeddings, f.embeddings) })},
	{"slack", []Severity{Error}, "Notifications of failed documents do not arrive.",
		one(func(f facts) result { return answers("", "Slack knows the webhook", checkSlack, f.slack) })},
}

// Remedies for something that does not answer.
const (
	checkQueue      = "Check QUEUE_URL, the region, and the right to call sqs:GetQueueAttributes."
	checkDatabase   = "Check DATABASE_URL or its secret, and that the network lets this machine reach the server."
	checkModel      = "Check OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL; use MATCH_MODE=rules to go without a model."
	checkEmbeddings = "Check OPENAI_EMBEDDING_MODEL and OPENAI_EMBEDDING_DIMENSIONS (0 for a model with a fixed length). " +
		"Unset the model to match without embeddings."
	checkFiles  = "Check BLOB_URL, and the rights to call s3:ListBucket on the bucket and s3:GetObject on its files."
	checkSlack  = "Create a new incoming webhook in Slack and put its URL into SLACK_WEBHOOK_URL or its secret."
	checkSecret = "Check that the secret exists in this region and that the function's role may call " +
		"secretsmanager:GetSecretValue on it."
)

func queueAnswers(l line) result { return answers(l.name, "the queue answers", checkQueue, l.answers) }

func one(look func(facts) result) func(facts) []result {
	return func(f facts) []result { return []result{look(f)} }
}

func answers(subject, well, do string, f fact[problem]) result {
	switch {
	case f.why() != "":
		return skipped(subject, f.why())
	case f.value != "":
		return wrong(subject, do, "%s", f.value)
	}
	return fine(subject, "%s", well)
}

func eachLine(look func(line) result) func(facts) []result {
	return func(f facts) (results []result) {
		for _, l := range f.lines {
			results = append(results, look(l))
		}
		return results
	}
}

func eachMapping(look func(line, mapping) result) func(facts) []result {
	return func(f facts) (results []result) {
		for _, l := range f.lines {
			if why := l.mapping.why(); why != "" {
				results = append(results, skipped(l.name, why))
			}
			for _, m := range l.mapping.value {
				results = append(results, look(l, m))
			}
		}
		return results
	}
}

func eachSecret(f facts) (results []result) {
	if len(f.secrets) == 0 {
		return []result{skipped("", "no variable has the ARN of a secret")}
	}
	for _, s := range f.secrets {
		results = append(results, answers(s.subject, "the secret can be read", checkSecret, s.readable))
	}
	return results
}

func configuration(f facts) (results []result) {
	all := f.functions
	for _, l := range f.lines {
		all = append(all, l.function)
	}
	for _, fn := range all {
		if why := fn.config.why(); why != "" {
			results = append(results, skipped(fn.name, why))
			continue
		}
		for _, p := range fn.config.value {
			results = append(results, wrong(fn.name, "Set or correct the variable; see lambda/setup/README.md.", "%s", p))
		}
		if fn.served {
			results = append(results, skipped(fn.name, noQueueHere))
		}
		if len(fn.config.value) == 0 && !fn.served {
			results = append(results, fine(fn.name, "its variables can be read"))
		}
	}
	return results
}

// short formats a duration without trailing zeros: 18m, not 18m0s.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return plural.Of(int(d/day), "day")
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
