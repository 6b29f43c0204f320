package doctor

import (
	"fmt"
	"strings"
	"time"
)

// checks are all there are, in the order of a document's way. Which finding
// has which severity is in raises, and a test provokes each of them.
var checks = []check{
	{"configuration", []Severity{Error}, "A function that cannot read its configuration ends before it takes a message; every message then uses up its deliveries and goes to the dead-letter queue.", configuration},
	{"secrets", []Severity{Error}, "A function reads its secrets when it starts: without one it ends before it takes a message.", eachSecret},

	{"mapping", []Severity{Error}, "Nothing else takes messages from the queue: documents stay pending.", mapped},
	{"batch-failures", []Severity{Error}, "Without it Lambda takes a batch for done as soon as the function answers: failed documents' messages are deleted, and nobody tries again.", eachMapping(batchFailures)},
	{"batch-size", []Severity{Error}, "All messages of a batch are worked on at once, and are settled in calls of at most 10.", eachMapping(batchSize)},
	{"maximum-concurrency", []Severity{Error}, "Without a limit Lambda starts up to 1,000 instances, more than the database has connections and the model answers.", eachMapping(maximumConcurrency)},
	{"reserved-concurrency", []Severity{Error, Warning}, "A delivery that Lambda throttles counts as one: messages go to the dead-letter queue although nobody worked on them. The mapping's MaximumConcurrency limits without that.", eachLine(reservedConcurrency)},
	{"queue-url", []Severity{Error}, "A function that answers for another queue than the one that feeds it refuses every batch; what the sweep publishes elsewhere nobody takes.", queueURL},

	{"queue", []Severity{Error}, "Without its queue no document is matched.", eachLine(func(l line) result { return answers(l.name, "the queue answers", mendQueue, l.answers) })},
	{"visibility", []Severity{Error, Warning}, "A message that comes back while its function still runs is handed to a second one, which uses up one of its deliveries; AWS recommends 6 times the timeout.", eachLine(visibility)},
	{"schedule-entries", []Severity{Error}, "SQS moves a message away at the receive after maxReceiveCount, whatever the schedule says: with fewer receives retries are never made, with more the last ones come at the wrong time.", eachLine(scheduleEntries)},
	{"schedule-limit", []Severity{Error}, "SQS hides a message for 12 hours from its receive at most; a longer wait is refused, and the message comes back too early.", eachLine(scheduleLimit)},
	{"queue-retention", []Severity{Error}, "SQS deletes a message when it has been kept for so long, counted from when it was sent, whether its document is done or not.", eachLine(retention)},
	{"dlq", []Severity{Error}, "Without a dead-letter queue a message that fails comes again and again until it expires, and nobody sees it.", eachLine(dlq)},
	{"dlq-retention", []Severity{Error, Warning}, "A message keeps its age when it moves to the dead-letter queue: what is kept no longer than in the queue may be deleted there before anybody looks.", eachLine(dlqRetention)},
	{"dlq-empty", []Severity{Warning}, "Each message there is a document that was given up.", eachLine(dlqEmpty)},

	{"database", []Severity{Error}, "Documents and their states are in the database: without it every delivery fails.", func(f facts) []result {
		return []result{answers("", "the database answers", mendDatabase, f.database)}
	}},
	{"connections", []Severity{Error}, "When no connection is free, deliveries fail and use up their receives, just when there is most to do.", connections},
	{"migrations", []Severity{Error, Warning}, "The functions' SQL is that of their own schema: with another one every delivery fails.", migrated},
	{"clock", []Severity{Error, Warning}, "Leases and publish stamps are database time, the deadlines of invocations machine time: when the two differ, claims end too early and newer messages are taken for older ones.", clock},
	{"overdue", []Severity{Warning}, "Their messages were lost, or the sweep does not run: it should have published them again.", eachBacklog(overdue)},
	{"backlog", []Severity{Warning}, "Documents wait for longer than all their retries take together: more come in than are matched, or nothing takes messages.", eachBacklog(oldest)},
	{"leases", []Severity{Warning}, "Whoever worked on them died or hangs. Their messages come back after the queue's visibility timeout; else the sweep fails them.", eachBacklog(abandoned)},
	{"untold", []Severity{Warning}, "Documents failed and the people who should mend them do not know.", eachBacklog(untold)},

	{"channels", []Severity{Warning}, "Alarms say that documents failed, and not which and why; without their address nothing does.", anyChannel},

	{"model", []Severity{Error}, "What rules leave open is asked of the model: without it these documents fail.", func(f facts) []result {
		return []result{answers("", "the model answers by the schema", mendModel, f.model)}
	}},
	{"embedding-model", []Severity{Error}, "Candidates are also found by embeddings: without an answer these documents fail.", func(f facts) []result {
		return []result{answers("", "the embedding model answers", mendEmbeddings, f.embeddings)}
	}},
	{"slack", []Severity{Error}, "Nobody hears of failed documents.", func(f facts) []result {
		return []result{answers("", "Slack knows the webhook", mendSlack, f.slack)}
	}},
}

const (
	mendQueue      = "Check QUEUE_URL, the region, and that whoever runs this may call sqs:GetQueueAttributes."
	mendDatabase   = "Check DATABASE_URL or its secret, and that the network lets this machine reach the server."
	mendModel      = "Check OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL; MATCH_MODE=rules does without a model."
	mendEmbeddings = "Check OPENAI_EMBEDDING_MODEL: it must know the parameter dimensions. Unset, matching does without embeddings."
	mendSlack      = "Create a new incoming webhook in Slack and put its URL into SLACK_WEBHOOK_URL or its secret."
)

// answers is the result of something that was asked.
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
		results = append(results, answers(s.subject, "the secret can be read",
			"Check that the secret exists in this region and that the function's role may call secretsmanager:GetSecretValue on it.", s.readable))
	}
	return results
}

// configuration shows each problem by itself.
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
			results = append(results, wrong(fn.name, "Set or mend the variable; the README says what each means.", "%s", p))
		}
		if len(fn.config.value) == 0 {
			results = append(results, fine(fn.name, "its variables can be read"))
		}
	}
	return results
}

// short is a duration as people write it: 18m, not 18m0s.
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
