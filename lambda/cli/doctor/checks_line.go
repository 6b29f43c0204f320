package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/internal/plural"
	"matchbook/lambda/manifest"
)

func mapped(f facts) (results []result) {
	for _, l := range f.lines {
		const do = "Add one event source mapping from the queue to the function, and enable it."
		switch maps := l.mapping.value; {
		case l.mapping.why() != "":
			results = append(results, skipped(l.name, l.mapping.why()))
		case len(maps) == 0:
			results = append(results, wrong(l.name, do, "missing event source mapping of %s", l.name))
		case len(maps) > 1:
			results = append(results, wrong(l.name, "Keep one event source mapping and delete the others.",
				"%d event source mappings feed %s, which must have one", len(maps), l.name))
		case maps[0].enabled.why() != "":
			results = append(results, skipped(maps[0].name, maps[0].enabled.why()))
		case !maps[0].enabled.value:
			results = append(results, wrong(maps[0].name, "Enable the event source mapping.",
				"the event source mapping of %s is disabled", l.name))
		default:
			results = append(results, fine(maps[0].name, "feeds %s", l.name))
		}
	}
	return results
}

func batchFailures(_ line, m mapping) result {
	switch {
	case m.reports.why() != "":
		return skipped(m.name, m.reports.why())
	case !m.reports.value:
		return wrong(m.name, "Set FunctionResponseTypes of the event source mapping to [ReportBatchItemFailures].",
			"ReportBatchItemFailures is not on")
	}
	return fine(m.name, "ReportBatchItemFailures is on")
}

func batchSize(_ line, m mapping) result {
	switch {
	case m.batch.why() != "":
		return skipped(m.name, m.batch.why())
	case m.batch.value < 1 || m.batch.value > manifest.MaxBatchSize:
		return wrong(m.name, fmt.Sprintf("Set BatchSize to %d or less.", manifest.MaxBatchSize),
			"batches have up to %d messages", m.batch.value)
	}
	return fine(m.name, "batches of %d", m.batch.value)
}

func maximumConcurrency(l line, m mapping) result {
	switch {
	case m.most.why() != "":
		return skipped(m.name, m.most.why())
	case m.most.value == 0:
		do := fmt.Sprintf("Set ScalingConfig.MaximumConcurrency of the event source mapping, to %d for %s.",
			l.row.MaxConcurrency, l.name)
		return wrong(m.name, do, "MaximumConcurrency is not set")
	}
	return fine(m.name, "at most %d instances at once", m.most.value)
}

func reservedConcurrency(l line) result {
	const do = "Remove the reserved concurrency of the function; " +
		"MaximumConcurrency of the event source mapping limits it."
	most, limited := l.instances()
	reserved := l.reserved.value
	switch {
	case l.reserved.why() != "":
		return skipped(l.name, l.reserved.why())
	case reserved < 0:
		return fine(l.name, "no concurrency is reserved")
	case limited && reserved >= most:
		return doubtful(l.name, do, "%d instances are reserved; the mapping starts up to %d", reserved, most)
	case limited:
		return wrong(l.name, do, "%d instances are reserved, but the mapping starts up to %d", reserved, most)
	}
	return wrong(l.name, do, "%d instances are reserved, but the mapping may start more", reserved)
}

// instances returns the maximum number of concurrent instances, and whether it's limited.
func (l line) instances() (n int, limited bool) {
	if l.mapping.why() != "" {
		return l.most, l.most > 0
	}
	for _, m := range l.mapping.value {
		if m.most.why() != "" || m.most.value == 0 {
			return 0, false
		}
		n += m.most.value
	}
	return n, true
}

// queueURL compares the queues in variables with the queues of event source mappings.
func queueURL(f facts) (results []result) {
	read := map[string][]string{} // queues by fed function
	for _, l := range f.lines {
		for _, m := range l.mapping.value {
			if m.queue.why() == "" {
				read[l.row.Name] = append(read[l.row.Name], m.queue.value)
			}
			results = append(results, listens(l, m))
		}
		if why := l.mapping.why(); why != "" {
			results = append(results, skipped(l.name, why))
		}
	}
	publishers := slices.Clone(f.functions)
	for _, l := range f.lines {
		if l.mapping.why() == "" {
			publishers = append(publishers, l.function)
		}
	}
	for _, fn := range publishers {
		for _, to := range fn.sends {
			results = append(results, sendsTo(fn.name, to, read[to.row.Name]))
		}
		if strings.HasSuffix(nameOf(fn.name), manifest.Sweep.Name) {
			results = append(results, unswept(fn, f.lines)...)
		}
	}
	return results
}

func listens(l line, m mapping) result {
	do := "Set QUEUE_URL of " + l.name + " to the URL of the queue of its event source mapping."
	switch why := missing(m.queue, l.listens); {
	case why != "":
		return skipped(l.name, why)
	case l.listens.value == "":
		return wrong(l.name, do, "QUEUE_URL is not set")
	case l.listens.value != m.queue.value:
		return wrong(l.name, do, "QUEUE_URL is %s, but the event source mapping reads %s",
			l.listens.value, m.queue.value)
	}
	return fine(l.name, "QUEUE_URL is the queue of its mapping")
}

func sendsTo(name string, to destination, read []string) result {
	switch why := to.queue.why(); {
	case why != "":
		return skipped(name, why)
	case !slices.Contains(read, to.queue.value):
		do := fmt.Sprintf("Set %s of %s to the URL of the %s function's queue.",
			to.row.QueueEnv(), name, to.row.Name)
		return wrong(name, do, "%s publishes to %s, but no event source mapping here reads it", name, to.queue.value)
	}
	return fine(name, "it publishes to a queue with a mapping")
}

func visibility(l line) result {
	if why := missing(l.queue, l.queue.value.visibility, l.timeout); why != "" {
		return skipped(l.name, why)
	}
	v, t, name := l.queue.value.visibility.value, l.timeout.value, l.queue.value.name
	do := fmt.Sprintf("Set the visibility timeout of %s to %s, 6 times the function's timeout.", name, short(6*t))
	switch {
	case v < t+manifest.LeaseMargin:
		return wrong(name, do, "it hides a message for %s, less than the function's timeout of %s "+
			"plus the lease margin of %s", short(v), short(t), short(manifest.LeaseMargin))
	case v < 6*t:
		return doubtful(name, do, "it hides a message for %s, less than 6 times the function's timeout of %s",
			short(v), short(t))
	}
	return fine(name, "visibility timeout %s, function %s", short(v), short(t))
}

// schedule parses RETRY_SCHEDULE as the function does, but accepts any number of entries.
func (l line) schedule() (waits []time.Duration, err error) {
	if l.retries.value == "" {
		return l.row.Retries, nil
	}
	for i, part := range strings.Split(l.retries.value, ",") {
		d, err := time.ParseDuration(strings.TrimSpace(part))
		if err != nil || d < 0 {
			return nil, fmt.Errorf("invalid entry %d of RETRY_SCHEDULE: expected a duration such as 5m", i+1)
		}
		waits = append(waits, d)
	}
	return waits, nil
}

func scheduleEntries(l line) result {
	if why := missing(l.retries, l.queue, l.queue.value.receives); why != "" {
		return skipped(l.name, why)
	}
	waits, err := l.schedule()
	receives := l.queue.value.receives.value
	switch {
	case err != nil:
		return wrong(l.name, "Set RETRY_SCHEDULE to durations separated by commas, such as 5m,30m.", "%s", err)
	case len(waits) != receives-1:
		do := fmt.Sprintf("Set maxReceiveCount of %s to %d, or give RETRY_SCHEDULE %s.",
			l.queue.value.name, len(waits)+1, entries(receives-1))
		return wrong(l.name, do, "the retry schedule has %s, but maxReceiveCount %d allows %d",
			entries(len(waits)), receives, receives-1)
	}
	return fine(l.name, "%s for maxReceiveCount %d", entries(len(waits)), receives)
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func scheduleLimit(l line) result {
	if why := missing(l.retries, l.timeout); why != "" {
		return skipped(l.name, why)
	}
	waits, err := l.schedule()
	if err != nil {
		return skipped(l.name, err.Error())
	}
	const most = manifest.MaxVisibility
	longest, timeout := slices.Max(waits), l.timeout.value
	if longest+timeout > most {
		return wrong(l.name, fmt.Sprintf("Keep every entry of RETRY_SCHEDULE at %s or less.", short(most-timeout)),
			"a retry after %s and an invocation of %s exceed the %s of SQS",
			short(longest), short(timeout), short(most))
	}
	return fine(l.name, "the longest wait is %s", short(longest))
}

// retention assumes deliveries as long as the visibility timeout.
func retention(l line) result {
	q := l.queue.value
	if why := missing(l.retries, l.queue, q.retention, q.visibility, q.receives); why != "" {
		return skipped(l.name, why)
	}
	waits, err := l.schedule()
	if err != nil {
		return skipped(l.name, err.Error())
	}
	longest := time.Duration(q.receives.value) * q.visibility.value
	for _, w := range waits {
		longest += w
	}
	if q.retention.value <= longest {
		do := fmt.Sprintf("Set MessageRetentionPeriod of %s to %d seconds, %s.",
			q.name, int(manifest.QueueRetention.Seconds()), short(manifest.QueueRetention))
		return wrong(q.name, do, "it keeps a message for %s, but %d deliveries may take %s",
			short(q.retention.value), q.receives.value, short(longest))
	}
	return fine(q.name, "it keeps a message for %s; all deliveries take at most %s",
		short(q.retention.value), short(longest))
}

func dlq(l line) result {
	const do = "Add a RedrivePolicy with the ARN of a dead-letter queue in the same account and region."
	if why := missing(l.queue, l.queue.value.dlq); why != "" {
		return skipped(l.name, why)
	}
	if l.queue.value.dlq.value == "" {
		return wrong(l.queue.value.name, do, "missing dead-letter queue")
	}
	return answers(l.queue.value.name, "its dead-letter queue is "+l.queue.value.dlq.value, do, l.dlqAnswers)
}

func dlqRetention(l line) result {
	if why := missing(l.queue, l.dlq, l.queue.value.retention, l.dlq.value.retention); why != "" {
		return skipped(l.name, why)
	}
	kept, before, name := l.dlq.value.retention.value, l.queue.value.retention.value, l.dlq.value.name
	do := fmt.Sprintf("Set MessageRetentionPeriod of %s to %d seconds, 14 days, and the one of %s to less.",
		name, int(manifest.DeadLetterRetention.Seconds()), l.queue.value.name)
	switch {
	case kept <= before:
		return wrong(name, do, "it keeps a message for %s, not longer than %s (%s)",
			short(kept), l.queue.value.name, short(before))
	case kept < manifest.DeadLetterRetention:
		return doubtful(name, do, "it keeps a message for %s, less than the maximum of 14 days", short(kept))
	}
	return fine(name, "it keeps a message for %s, %s for %s", short(kept), l.queue.value.name, short(before))
}

func dlqEmpty(l line) result {
	switch why := missing(l.dlq, l.dlq.value.waiting); {
	case why != "":
		return skipped(l.name, why)
	case l.dlq.value.waiting.value > 0:
		const do = `Run "matchbook dlq list" for their rows and errors, and fix the cause; then run ` +
			`"matchbook dlq redrive", and "matchbook dlq drop" for what is done.`
		return doubtful(l.dlq.value.name, do, "%s in the dead-letter queue",
			plural.Of(l.dlq.value.waiting.value, "message"))
	}
	return fine(l.dlq.value.name, "it is empty")
}
