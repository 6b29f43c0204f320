package doctor

import (
	"fmt"
	"strings"
	"time"
)

// checks lists all checks, in the order of a document's way. Each row
// declares the severities it may have; a test provokes every one of them.
var checks = []check{
	{"configuration", []Severity{Error}, "A function that cannot read its configuration ends " +
		"before it takes a message; every message then uses up its deliveries and goes to the dead-letter queue.",
		configuration},
	{"secrets", []Severity{Error}, "A function reads its secrets when it starts: " +
		"without one it ends before it takes a message.", eachSecret},

	{"mapping", []Severity{Error}, "Nothing else takes messages from the queue: documents stay pending.", mapped},
	{"batch-failures", []Severity{Error}, "Without it Lambda counts a batch as done as soon as the function answers: " +
		"the messages of failed documents are deleted, and there is no retry.", eachMapping(batchFailures)},
	{"batch-size", []Severity{Error}, "All messages of a batch are worked on at once, " +
		"and all of them are settled in the last seconds.", eachMapping(batchSize)},
	{"maximum-concurrency", []Severity{Error}, "Without a limit Lambda starts up to 1,000 instances, " +
		"more than the database has connections and the model answers.", eachMapping(maximumConcurrency)},
	{"reserved-concurrency", []Severity{Error, Warning}, "A delivery that Lambda throttles counts as one: " +
		"messages go to the dead-letter queue although no function worked on them. " +
		"The mapping's MaximumConcurrency limits without that.", eachLine(reservedConcurrency)},
	{"queue-url", []Severity{Error}, "A function refuses every batch of another queue than the one in QUEUE_URL; " +
		"a message that the sweep sends to a queue without a mapping is never delivered.", queueURL},

	{"queue", []Severity{Error}, "Without its queue no document is matched.", eachLine(queueAnswers)},
	{"visibility", []Severity{Error, Warning}, "A message that comes back while its function still runs " +
		"goes to a second one, which uses up one of its deliveries; AWS recommends 6 times the timeout.",
		eachLine(visibility)},
	{"schedule-entries", []Severity{Error}, "SQS moves a message away at the receive after maxReceiveCount, " +
		"whatever the schedule contains: with fewer receives retries are never made, " +
		"with more the last ones come at the wrong time.", eachLine(scheduleEntries)},
	{"schedule-limit", []Severity{Error}, "SQS hides a message for 12 hours from its receive at most; " +
		"a longer wait is refused, and the message comes back too early.", eachLine(scheduleLimit)},
	{"queue-retention", []Severity{Error}, "SQS deletes a message at the end of the retention period, " +
		"counted from when it was sent, whether its document is done or not.", eachLine(retention)},
	{"dlq", []Severity{Error}, "Without a dead-letter queue a message that fails comes again and again " +
		"until it expires, and no alarm shows it.", eachLine(dlq)},
	{"dlq-retention", []Severity{Error, Warning}, "A message keeps its age when it moves to the dead-letter queue: " +
		"with a period no longer than the queue's it may be deleted there before a person looks.",
		eachLine(dlqRetention)},
	{"dlq-empty", []Severity{Warning}, "Each message there is a document that was given up.", eachLine(dlqEmpty)},

	{"files", []Severity{Error}, "Ingestions read their files there: without it all of them fail.", eachFiles},
	{"ocr", []Severity{Error}, "Without the engine that OCR names, pages without text are not read, and their files fail.",
		one(func(f facts) result { return answers("", "the engine can be used", checkOCR[f.ocr.name], f.ocr.usable) })},

	{"database", []Severity{Error}, "Documents and their states are in the database: without it every delivery fails.",
		one(func(f facts) result { return answers("", "the database answers", checkDatabase, f.database) })},
	{"connections", []Severity{Error}, "When no connection is free, deliveries fail and use up their receives, " +
		"just when there is most to do.", connections},
	{"migrations", []Severity{Error, Warning}, "The functions' SQL is written for their own schema: " +
		"with another one every delivery fails.", migrated},
	{"clock", []Severity{Error, Warning}, "Leases and publish stamps are database time, " +
		"the deadlines of invocations machine time: when the two differ, " +
		"claims end too early and newer messages count as older ones.", clock},
	{"overdue", []Severity{Warning}, "Their messages were lost, or the sweep does not run: " +
		"it should have published them again.", eachBacklog(overdue)},
	{"backlog", []Severity{Warning}, "Documents wait for longer than all their retries take together: " +
		"more come in than are matched, or no function takes messages.", eachBacklog(oldest)},
	{"leases", []Severity{Warning}, "Their worker died or hangs. " +
		"Their messages come back after the queue's visibility timeout; else the sweep fails them.",
		eachBacklog(abandoned)},
	{"untold", []Severity{Warning}, "Documents failed, and the people who could repair the cause do not know.",
		eachBacklog(unsent)},
	{"events", []Severity{Warning}, "Another program does not know what has changed; the later events of the same documents wait.",
		eachBacklog(eventsWait)},
	{"events-dead", []Severity{Warning}, "Another program does not know what has changed, and nothing sends it these events again.",
		eachBacklog(eventsDead)},

	{"channels", []Severity{Warning}, "Alarms report that documents failed, but not which ones and why; " +
		"without an address for alarms there is no report at all.", anyChannel},

	{"model", []Severity{Error}, "Cases that the rules leave open are asked of the model: " +
		"without it these documents fail.",
		one(func(f facts) result { return answers("", "the model answers by the schema", checkModel, f.model) })},
	{"embedding-model", []Severity{Error}, "Candidates are also found by embeddings: " +
		"without an answer these documents fail.",
		one(func(f facts) result { return answers("", "the embedding model answers", checkEmbeddings, f.embeddings) })},
	{"slack", []Severity{Error}, "Reports of failed documents do not arrive.",
		one(func(f facts) result { return answers("", "Slack knows the webhook", checkSlack, f.slack) })},
}

// What to do where something does not answer.
const (
	checkQueue      = "Check QUEUE_URL, the region, and the right to call sqs:GetQueueAttributes."
	checkDatabase   = "Check DATABASE_URL or its secret, and that the network lets this machine reach the server."
	checkModel      = "Check OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL; MATCH_MODE=rules does without a model."
	checkEmbeddings = "Check OPENAI_EMBEDDING_MODEL, and OPENAI_EMBEDDING_DIMENSIONS: 0 for a model of one length. " +
		"Unset, matching does without embeddings."
	checkFiles  = "Check BLOB_URL, and the rights to call s3:ListBucket on the bucket and s3:GetObject on its files."
	checkSlack  = "Create a new incoming webhook in Slack and put its URL into SLACK_WEBHOOK_URL or its secret."
	checkSecret = "Check that the secret exists in this region and that the function's role may call " +
		"secretsmanager:GetSecretValue on it."
)

func queueAnswers(l line) result { return answers(l.name, "the queue answers", checkQueue, l.answers) }

// one makes a check of a function with a single result.
func one(look func(facts) result) func(facts) []result {
	return func(f facts) []result { return []result{look(f)} }
}

// answers turns the answer to a question into a result.
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
		return []result{skipped("", "no variable is given as the ARN of a secret")}
	}
	for _, s := range f.secrets {
		results = append(results, answers(s.subject, "the secret can be read", checkSecret, s.readable))
	}
	return results
}

// configuration reports each problem by itself.
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
			results = append(results, wrong(fn.name, "Set or correct the variable; the README explains each.", "%s", p))
		}
		if len(fn.config.value) == 0 {
			results = append(results, fine(fn.name, "its variables can be read"))
		}
	}
	return results
}

// short writes a duration as people do: 18m, not 18m0s.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return counted(int(d/day), "day")
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

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
