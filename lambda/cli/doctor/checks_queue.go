package doctor

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/internal/plural"
)

// mappingTarget expects the alias, since a version there is neither before its migrations nor
// left behind by a deployment.
func mappingTarget(l line, m mapping) result {
	do := fmt.Sprintf("Set FunctionName of the event source mapping to the alias %s:%s.", l.name, liveAlias)
	if why := missing(m.target, l.alias); why != "" {
		return skipped(m.name, why)
	}
	switch to := qualifier(m.target.value); {
	case to == latest:
		return wrong(m.name, do, "it feeds %s of %s, so new code takes messages before its migrations", latest, l.name)
	case strings.Trim(to, "0123456789") == "":
		return wrong(m.name, do, "it feeds version %s of %s, and deployments don't move it", to, l.name)
	default:
		return fine(m.name, "it feeds the alias %s of %s", to, l.name)
	}
}

func filter(l line, m mapping) result {
	switch {
	case m.filters.why() != "":
		return skipped(m.name, m.filters.why())
	case m.filters.value > 0:
		return wrong(m.name, "Remove FilterCriteria of the event source mapping.", "it has %s before %s",
			plural.Of(m.filters.value, "filter"), l.name)
	}
	return fine(m.name, "it has no filter")
}

func batchWindow(l line, m mapping) result {
	want := l.row.BatchWindow()
	switch {
	case m.window.why() != "":
		return skipped(m.name, m.window.why())
	case m.window.value > want:
		do := fmt.Sprintf("Set MaximumBatchingWindowInSeconds of the event source mapping to %d.", int(want.Seconds()))
		return doubtful(m.name, do, "it collects messages for up to %s, for %s at most %s", short(m.window.value), l.name, short(want))
	}
	return fine(m.name, "a batch waits %s for messages", short(m.window.value))
}

// fifo looks at both queues: a dead-letter queue has its source's type.
func fifo(f facts) (results []result) {
	for _, l := range f.lines {
		for _, q := range []fact[queue]{l.queue, l.dlq} {
			switch {
			case q.why() != "":
				results = append(results, skipped(l.name, q.why()))
			case q.value.fifo:
				const do = "Create a standard queue for %s and its event source mapping; the type of a queue can't be changed."
				results = append(results, wrong(q.value.name, fmt.Sprintf(do, l.name), "it is a FIFO queue"))
			default:
				results = append(results, fine(q.value.name, "it is a standard queue"))
			}
		}
	}
	return results
}

// ownDLQ finds dead-letter queues that take others' messages.
func ownDLQ(f facts) (results []result) {
	users := map[string][]string{}
	works := map[string]string{}
	for _, l := range f.lines {
		users[l.queue.value.dlq.value] = append(users[l.queue.value.dlq.value], l.queue.value.name)
		works[l.queue.value.id] = l.name
	}
	for _, l := range f.lines {
		q := l.queue.value
		do := "Give " + q.name + " a RedrivePolicy with a dead-letter queue that nothing else uses."
		if why := missing(l.queue, q.dlq); why != "" {
			results = append(results, skipped(l.name, why))
			continue
		}
		switch shared := users[q.dlq.value]; {
		case q.dlq.value == "":
			results = append(results, skipped(q.name, noRedrive))
		case works[q.dlq.value] != "":
			results = append(results, wrong(q.name, do, "its dead-letter queue %s is the queue of %s", q.dlq.value, works[q.dlq.value]))
		case len(shared) > 1:
			results = append(results, wrong(q.name, do, "%s share the dead-letter queue %s", strings.Join(shared, " and "), q.dlq.value))
		default:
			results = append(results, fine(q.name, "no other queue uses its dead-letter queue"))
		}
	}
	return results
}

// redriveAllow is a dead-letter queue's RedriveAllowPolicy.
type redriveAllow struct {
	RedrivePermission string
	SourceQueueArns   []string
}

func redriveAllowed(l line) result {
	if why := missing(l.queue, l.dlq, l.dlq.value.allows); why != "" {
		return skipped(l.name, why)
	}
	allows, name := l.dlq.value.allows.value, l.dlq.value.name
	source := func(arn string) bool { return queueID(arn, "") == l.queue.value.id }
	do := fmt.Sprintf("Set RedriveAllowPolicy of %s to byQueue with the ARN of %s.", name, l.queue.value.name)
	switch {
	case allows.RedrivePermission == "denyAll":
		return wrong(name, do, "its RedriveAllowPolicy denies all queues")
	case allows.RedrivePermission == "byQueue" && !slices.ContainsFunc(allows.SourceQueueArns, source):
		return wrong(name, do, "its RedriveAllowPolicy doesn't list %s", l.queue.value.name)
	}
	return fine(name, "it takes messages from %s", l.queue.value.name)
}
