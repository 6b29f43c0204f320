package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"matchbook/infra/settings"
	"matchbook/infra/watch"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
)

type alarms struct {
	*watch.Alarms
	site *site
}

func newAlarms(s *site) *alarms {
	a := watch.NewAlarms(s.stack, s.config.Stage, s.config.AlarmEmail, s.key, s.name)
	s.output("AlarmTopicArn", "The topic that alarms are sent to", a.Topic.TopicArn())
	return &alarms{a, s}
}

// onQueueFunction adds the alarms common to all workloads.
func (a *alarms) onQueueFunction(q queueFunction) {
	name, rows := q.facts.Name, settings.RowOf(q.facts)+"s"
	queue := *a.site.name(name)
	dead := watch.SQS(q.deadLetter, "ApproximateNumberOfMessagesVisible")
	id := title(name)
	a.Add(
		// The alarm keeps its state without data, because an unused queue stops reporting
		// after some hours, full or not.
		watch.Alarm{ID: id + "DeadLetterQueueNotEmpty", Metric: dead, At: 1, Silence: awscloudwatch.TreatMissingData_IGNORE,
			Text: "Messages of " + queue + " were given up. Read the errors of their " + rows +
				explained(q.facts) + ", fix the cause, then run matchbook dlq redrive. The sweep drops what is done within ten minutes."},
		// Use the difference of visible messages, because messages moved by SQS don't count
		// as NumberOfMessagesSent of the dead-letter queue.
		watch.Alarm{ID: id + "DeadLetterQueueFilling", At: 3,
			Metric: watch.Math("DIFF(FILL(dead, 0))", "Given up within five minutes",
				map[string]awscloudwatch.IMetric{"dead": dead}),
			Text: "Three or more messages of " + queue + " were given up within five minutes, probably for one " +
				"cause, such as the database or the model. Read the errors of the failed " + rows +
				" before more are given up."},
		watch.Alarm{ID: id + "QueueInFlight", Metric: watch.SQS(q.queue, "ApproximateNumberOfMessagesNotVisible"),
			At: inFlightAlarm,
			Text: "More than 100,000 messages of " + queue +
				" are in flight, and SQS stops at 120,000. Many " + rows + " wait for a retry: look for the " +
				"cause in their errors, and stop publishing until you have fixed it."},
	)
	if !q.facts.Rowless {
		a.onFailures(id, q.facts)
	}
	a.Add(watch.Alarm{ID: id + "Malformed", Metric: a.site.metric(name, metric.Malformed, "Sum"), At: 1,
		Text: a.malformed(q.facts)})
	if !q.facts.Rowless && q.facts.PublishesTo == "" { // it publishes to its own queue
		a.Add(watch.Alarm{ID: id + "LoopStopped", Metric: watch.Lambda(q.function, "RecursiveInvocationsDropped", "Sum"), At: 1,
			Text: "Lambda took a chain of " + rows + " that published each other for a loop, and stopped it after 16. " +
				"Nothing is lost: the sweep publishes the " + rows + " again. If it goes off daily, raise it with the developers; " +
				"until then set RecursiveLoop of " + queue + " to Allow."})
	}
	a.onFunction(q.function, name, q.facts.Timeout, 1)
	a.onThresholds(id, q)
}

// onThresholds adds the alarms with a threshold in the manifest.
func (a *alarms) onThresholds(id string, q queueFunction) {
	rows, queue := settings.RowOf(q.facts)+"s", *a.site.name(q.facts.Name)
	if at := q.facts.Alarms.Waiting; at > 0 {
		a.Add(watch.Alarm{ID: id + "QueueLong", Metric: watch.SQS(q.queue, "ApproximateNumberOfMessagesVisible"),
			At: float64(at), Over: true,
			Text: fmt.Sprintf("More than %d messages of %s are waiting. If they don't get fewer within minutes, check the errors and "+
				"throttles of the function and the load of the database; if the load is simply high, raise "+
				"MaxConcurrency in the manifest.", at, queue)})
	}
	if at := q.facts.Alarms.SlowWork; at > 0 {
		a.Add(watch.Alarm{ID: id + "Slow", Metric: a.site.metric(q.facts.Name, metric.AttemptTime, "p95"),
			At: float64(at.Milliseconds()), Over: true,
			Text: fmt.Sprintf("One in twenty %s takes more than %s. Check the load of the database and the memory "+
				"of the function. No %s is lost, since each is retried.", rows, at, settings.RowOf(q.facts))})
	}
}

// explained describes where to find the error of a row, if the manifest does.
func explained(f manifest.Function) string {
	if f.Repair.Explain == "" {
		return ""
	}
	return " (" + f.Repair.Explain + ")"
}

// onFailures adds the alarms on failed rows. They go off with notifications as well, because
// a channel may be missing or ignored.
func (a *alarms) onFailures(id string, f manifest.Function) {
	name, row := f.Name, settings.RowOf(f)
	ours := func(metric string) awscloudwatch.IMetric { return a.site.metric(name, metric, "Sum") }
	many := failedMany
	if !a.site.config.SendsFailures() {
		many = 1
	}
	percent, few, over := failedPercent, failedFew, false
	if f.Alarms.FailedPercent > 0 { // above it, however few
		percent, few, over = f.Alarms.FailedPercent, 1, true
	}
	share := watch.Math(fmt.Sprintf("IF(failed + dead >= %d, 100 * (failed + dead) / (succeeded + failed + dead), 0)",
		few), "Failed, in percent",
		map[string]awscloudwatch.IMetric{"failed": ours(metric.Failed),
			"dead": ours(metric.DeadLettered), "succeeded": ours(metric.Succeeded)})
	then := republished(f)
	a.Add(
		watch.Alarm{ID: id + "Failed", Metric: ours(metric.Failed), At: float64(many),
			Text: fmt.Sprintf("Within five minutes %d or more %ss failed for good on their first delivery; "+
				"they are not in the dead-letter queue.%s", many, row, then)},
		watch.Alarm{ID: id + "FailedShare", Metric: share, At: float64(percent), Over: over,
			Text: fmt.Sprintf("Of the %ss that ended within five minutes, %s failed.%s",
				row, orMore(percent, over), then)},
	)
}

func orMore(percent int, over bool) string {
	if over {
		return fmt.Sprintf("more than %d %%", percent)
	}
	return fmt.Sprintf("%d %% or more", percent)
}

func (a *alarms) malformed(f manifest.Function) string {
	queue := *a.site.name(f.Name)
	if f.Watches != "" {
		return "A file outside of " + f.Watches + "{tenant id}/ is not ingested, or a " +
			"message of " + queue + " was not an event of S3. The log group /aws/lambda/" + queue +
			" has the folder; move the file to the folder of its tenant."
	}
	return "Messages without an id in the body were taken off the queue " + queue + ". The log group /aws/lambda/" +
		queue + " has their message ids. Find their sender, because its messages are ignored."
}

// republished describes how to publish failed rows again.
func republished(f manifest.Function) string {
	if f.Repair.Again == "" {
		return " Read their errors, fix the cause, then publish the " + settings.RowOf(f) + "s again."
	}
	return " Read their errors: " + f.Repair.List + ". Fix the cause, then " + f.Repair.Again + "."
}

// onFunction adds the alarms on Lambda's metrics. errors is the threshold of the error alarm.
func (a *alarms) onFunction(f awslambda.Function, name string, timeout time.Duration, errors float64) {
	id, function := title(name), *a.site.name(name)
	a.Add(
		watch.Alarm{ID: id + "Errors", Metric: watch.Lambda(f, "Errors", "Sum"), At: errors,
			Text: function + " ended in an error: its configuration, a crash or a timeout. Its unfinished work " +
				"comes back by itself. See the log group /aws/lambda/" + function + " for the reason."},
		watch.Alarm{ID: id + "Throttles", Metric: watch.Lambda(f, "Throttles", "Sum"), At: 1,
			Text: function + " was throttled, because the account's concurrency is used up; each throttled delivery " +
				"counts. Raise the account's limit, or lower MaxConcurrency in the manifest."},
		watch.Alarm{ID: id + "Duration", Metric: watch.Lambda(f, "Duration", "p99"),
			At: float64(timeout.Milliseconds()) * slow,
			Text: fmt.Sprintf("%s takes more than %.0f %% of its timeout of %s. Check the model's latency and the "+
				"database's load on the dashboard, then lower the batch size, or raise the timeout, in the manifest.",
				function, slow*100, timeout)},
	)
}

const (
	inFlightAlarm = 100_000
	slow          = 0.8
	// failedMany failures raise the alarm if people are notified of each; otherwise one does.
	failedMany = 10
	// failedPercent raises the alarm if at least failedFew rows failed.
	failedPercent, failedFew = 5, 3
	// lateAfter is in visibility timeouts. The sweep republishes a lost message after one, then
	// after two more, so a row waiting longer isn't being repaired.
	lateAfter = 3
)

func (a *alarms) onSweep(sweep awslambda.Function) {
	name := a.site.facts.Sweep.Name
	ours := func(metric, statistic string) awscloudwatch.IMetric { return a.site.metric(name, metric, statistic) }
	repairs := watch.Math("republished + lost + crashed", "Repairs", map[string]awscloudwatch.IMetric{
		"republished": ours(metric.Republished, "Sum"), "lost": ours(metric.Lost, "Sum"),
		"crashed": ours(metric.Crashed, "Sum"),
	})
	late := lateAfter * a.site.facts.Visibility()
	a.Add(
		watch.Alarm{ID: "OldestDueDocument", Metric: ours(metric.OldestDue, "Maximum"), At: late.Seconds(),
			Text: fmt.Sprintf("The oldest %s has been due for more than %s. If the queue is long, raise MaxConcurrency in "+
				"the manifest (or wait); if it is empty, check that %s and the sweep run.",
				a.site.facts.Row(), late, a.site.theFunctions())},
		watch.Alarm{ID: "SweepRepairs", Metric: repairs, At: 1,
			Text: fmt.Sprintf("The sweep repaired something: a message got lost, or work on a %[1]s "+
				"killed its worker on every delivery. No %[1]s is lost, since a given-up one is failed "+
				"with a notification. Look for crashes and timeouts of %[2]s at that time.",
				a.site.facts.Row(), a.site.theFunctions())},
		watch.Alarm{ID: "SweepSilent", Metric: ours(metric.OldestDue, "SampleCount"), // a sign of life
			At: 0, Below: true, Times: 3, Silence: awscloudwatch.TreatMissingData_BREACHING,
			Text: "The sweep has measured nothing for 15 minutes, so nothing is repaired, and lost work goes " +
				"unnoticed. Check its errors in the log group and at the schedule " + *a.site.name(name) + "."},
		watch.Alarm{ID: "CredentialsRefused", Metric: a.site.refused(), At: 1,
			Text: "The database, the model, Slack or SES rejected the credentials. Put valid ones into the " +
				"secret; they are read again within five minutes of the next rejection, Slack's with the next " +
				"deployment. Then publish the rows that failed meanwhile; for documents, run matchbook " +
				"publish --failed."},
		watch.Alarm{ID: "NotificationsUntold", Metric: ours(metric.Unsent, "Minimum"), At: 1, Times: 6,
			Text: "Notifications of failures have been waiting for half an hour. See the answers of Slack or SES " +
				"in the log of the sweep. No notification is lost, since all are sent once the channel works."},
	)
	a.onFunction(sweep, name, a.site.facts.Sweep.Timeout, 3) // the next run makes up for a failed one
}

func (s *site) refused() awscloudwatch.IMetric {
	metrics := map[string]awscloudwatch.IMetric{"sweep": s.metric(s.facts.Sweep.Name, metric.Refused, "Sum")}
	var terms []string
	for i, f := range s.facts.Functions {
		id := "work"
		if i > 0 {
			id += strconv.Itoa(i + 1)
		}
		metrics[id] = s.metric(f.Name, metric.Refused, "Sum")
		terms = append(terms, "FILL("+id+", 0)")
	}
	metrics["schedule"] = s.metric(s.facts.Schedule.Name, metric.Refused, "Sum")
	terms = append(terms, "FILL(schedule, 0)")
	if s.config.ReviewURL {
		metrics["web"] = s.metric(s.facts.Web.Name, metric.Refused, "Sum")
		terms = append(terms, "FILL(web, 0)")
	}
	if s.config.HasConsole() {
		metrics["console"] = s.metric(s.facts.Console.Name, metric.Refused, "Sum")
		terms = append(terms, "FILL(console, 0)")
	}
	return watch.Math(strings.Join(append(terms, "FILL(sweep, 0)"), " + "), "Refused", metrics)
}

// theFunctions names the functions fed by queues, as part of a sentence.
func (s *site) theFunctions() string {
	var names []string
	for _, f := range s.facts.Functions {
		names = append(names, f.Name)
	}
	if len(names) == 1 {
		return "the " + names[0] + " function"
	}
	return "the functions " + strings.Join(names, ", ")
}
