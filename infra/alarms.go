package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"matchbook/infra/settings"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"
)

// alarms send to one topic.
type alarms struct {
	site  *site
	topic awssns.Topic
	all   []interfacesawscloudwatch.IAlarmRef
}

// alarm is one of them. Its text is for a person just woken up: the meaning of
// the alarm and the remedy.
type alarm struct {
	id     string
	text   string
	metric awscloudwatch.IMetric // its period is five minutes
	at     float64               // the threshold: it goes off at this value and above
	below  bool                  // or at this value and below
	times  int                   // the number of periods one after the other; 0 is 1
	// silence is the meaning of a missing value: by default that nothing is
	// wrong.
	silence awscloudwatch.TreatMissingData
}

// newAlarms makes the topic. CloudWatch cannot use the key that AWS has for
// encrypted topics, so it has one of its own.
func newAlarms(s *site) *alarms {
	service := awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil)
	key := called(awskms.NewKey(s.stack, jsii.String("AlarmKey"), &awskms.KeyProps{
		Description:       jsii.String("Encrypts the alarms of Matchbook, stage " + s.config.Stage),
		EnableKeyRotation: jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_DESTROY, PendingWindow: awscdk.Duration_Days(jsii.Number(7)),
	}), "AlarmKey")
	key.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("AlarmsEncrypt"), Principals: &[]awsiam.IPrincipal{service},
		Actions: jsii.Strings("kms:Decrypt", "kms:GenerateDataKey*"), Resources: jsii.Strings("*"),
	}), nil)
	topic := called(awssns.NewTopic(s.stack, jsii.String("AlarmTopic"), &awssns.TopicProps{
		TopicName: s.name("alarms"), DisplayName: jsii.String("Matchbook " + s.config.Stage), MasterKey: key,
		EnforceSSL: jsii.Bool(true),
	}), "AlarmTopic")
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("AlarmsPublish"), Principals: &[]awsiam.IPrincipal{service},
		Actions: jsii.Strings("sns:Publish"), Resources: &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"ArnLike": map[string]any{
			"aws:SourceArn": s.arn("cloudwatch", "alarm:"+*s.name("*"))}},
	}))
	if s.config.AlarmEmail != "" {
		topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(jsii.String(s.config.AlarmEmail), nil))
	}
	s.output("AlarmTopicArn", "The topic that alarms are sent to", topic.TopicArn())
	return &alarms{site: s, topic: topic}
}

func (a *alarms) add(list ...alarm) {
	action := awscloudwatchactions.NewSnsAction(a.topic)
	for _, d := range list {
		operator := awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD
		if d.below {
			operator = awscloudwatch.ComparisonOperator_LESS_THAN_OR_EQUAL_TO_THRESHOLD
		}
		made := called(awscloudwatch.NewAlarm(a.site.stack, jsii.String(d.id), &awscloudwatch.AlarmProps{
			AlarmName: a.site.name(kebab(d.id)), AlarmDescription: jsii.String(d.text), Metric: d.metric,
			Threshold:         jsii.Number(d.at),
			EvaluationPeriods: jsii.Number(max(d.times, 1)), ComparisonOperator: operator,
			TreatMissingData: cmp.Or(d.silence, awscloudwatch.TreatMissingData_NOT_BREACHING),
		}), d.id)
		made.AddAlarmAction(action)
		made.AddOkAction(action)
		a.all = append(a.all, made)
	}
}

// onQueueFunction adds the alarms that every workload has.
func (a *alarms) onQueueFunction(q queueFunction) {
	name, rows := q.facts.Name, settings.RowOf(q.facts)+"s"
	queue := *a.site.name(name)
	dead := sqsMetric(q.deadLetter, "ApproximateNumberOfMessagesVisible")
	id := title(name)
	a.add(
		// An unused queue stops reporting after some hours, full or not: then
		// the alarm keeps its state.
		alarm{id: id + "DeadLetterQueueNotEmpty", metric: dead, at: 1, silence: awscloudwatch.TreatMissingData_IGNORE,
			text: "Messages of " + queue + " were given up. Read the errors of the " + rows + " that they name" +
				explained(q.facts) + ", fix the cause, then redrive the dead-letter queue."},
		// Messages that SQS moves are not in NumberOfMessagesSent of the queue
		// that they come to, so the increase is taken from the number of
		// messages there.
		alarm{id: id + "DeadLetterQueueFilling", at: 3,
			metric: math("DIFF(FILL(dead, 0))", "Given up within five minutes",
				map[string]awscloudwatch.IMetric{"dead": dead}),
			text: "Three or more messages of " + queue + " were given up within five minutes: probably for one " +
				"cause, such as the database or the model. Read the errors of the failed " + rows +
				" before more are given up."},
		alarm{id: id + "QueueInFlight", metric: sqsMetric(q.queue, "ApproximateNumberOfMessagesNotVisible"),
			at: inFlightAlarm,
			text: "More than 100,000 messages of " + queue +
				" are in flight, and SQS stops at 120,000. Many " + rows + " wait for a retry: look for the " +
				"cause in their errors, and stop publishing until it is fixed."},
	)
	if !q.facts.Rowless {
		a.onFailures(id, q.facts)
	}
	a.add(alarm{id: id + "Malformed", metric: a.site.metric(name, manifest.MetricMalformed, "Sum"), at: 1,
		text: a.malformed(q.facts)})
	a.onFunction(q.function, name, q.facts.Timeout, 1)
}

// explained names the command that shows the error of a row, where one does.
func explained(f manifest.Function) string {
	switch f.Name {
	case manifest.Match.Name, manifest.Ingest.Name:
		return " (matchbook explain ID)"
	case manifest.Inbox.Name:
		return " (in the log of the function)"
	}
	return ""
}

// onFailures adds the alarms on rows that fail. They go off whether or not people
// are sent each failure: the channel may have been forgotten.
func (a *alarms) onFailures(id string, f manifest.Function) {
	name, row := f.Name, settings.RowOf(f)
	ours := func(metric string) awscloudwatch.IMetric { return a.site.metric(name, metric, "Sum") }
	many := failedMany
	if !a.site.config.SendsFailures() {
		many = 1
	}
	share := math(fmt.Sprintf("IF(failed + dead >= %d, 100 * (failed + dead) / (succeeded + failed + dead), 0)",
		failedFew), "Failed, in percent",
		map[string]awscloudwatch.IMetric{"failed": ours(manifest.MetricFailed),
			"dead": ours(manifest.MetricDeadLettered), "succeeded": ours(manifest.MetricSucceeded)})
	then := republished(f)
	a.add(
		alarm{id: id + "Failed", metric: ours(manifest.MetricFailed), at: float64(many),
			text: fmt.Sprintf("Within five minutes %d or more %ss failed for good on their first delivery; "+
				"they are not in the dead-letter queue.%s", many, row, then)},
		alarm{id: id + "FailedShare", metric: share, at: failedPercent,
			text: fmt.Sprintf("Of the %ss that ended within five minutes, %d %% or more failed.%s",
				row, failedPercent, then)},
	)
}

// malformed describes messages without effect.
func (a *alarms) malformed(f manifest.Function) string {
	queue := *a.site.name(f.Name)
	if f.Name == manifest.Inbox.Name {
		return "A file was laid outside of " + manifest.FolderInbox + "{tenant id}/ and is not ingested, or a " +
			"message of " + queue + " was no event of S3. The log group /aws/lambda/" + queue +
			" has the folder; move the file to the folder of its tenant."
	}
	return "Messages whose body is not an id were taken off the queue " + queue + ". The log group /aws/lambda/" +
		queue + " has their message ids; find the program that sends them, since its messages have no effect."
}

// republished describes the way from failed rows to published ones.
func republished(f manifest.Function) string {
	command, ok := map[string]string{manifest.Match.Name: "matchbook publish --failed",
		manifest.Ingest.Name: "matchbook publish --ingestions --failed"}[f.Name]
	if ok {
		return " Read their errors: " + command + " --dry-run lists them by kind. Fix the cause, then publish the " +
			settings.RowOf(f) + "s again: " + command + "."
	}
	return " Read their errors, fix the cause, then publish the " + settings.RowOf(f) + "s again."
}

// onFunction adds the alarms on Lambda's own metrics; errors is the threshold
// of errors.
func (a *alarms) onFunction(f awslambda.Function, name string, timeout time.Duration, errors float64) {
	id, function := title(name), *a.site.name(name)
	a.add(
		alarm{id: id + "Errors", metric: lambdaMetric(f, "Errors", "Sum"), at: errors,
			text: function + " ended in an error: its configuration, a crash or a timeout. Its unfinished work " +
				"comes back by itself; the log group /aws/lambda/" + function + " has the reason."},
		alarm{id: id + "Throttles", metric: lambdaMetric(f, "Throttles", "Sum"), at: 1,
			text: function + " was throttled: the account's concurrency is used up, and each throttled delivery " +
				"counts as a try. Raise the account's limit, or lower MaxConcurrency in the manifest."},
		alarm{id: id + "Duration", metric: lambdaMetric(f, "Duration", "p99"),
			at: float64(timeout.Milliseconds()) * slow,
			text: fmt.Sprintf("%s takes more than %.0f %% of its timeout of %s. Look at the model's latency and the "+
				"database's load on the dashboard; then lower the batch size, or raise the timeout, in the manifest.",
				function, slow*100, timeout)},
	)
}

const (
	inFlightAlarm = 100_000
	slow          = 0.8
	// failedMany rows that failed for good raise the alarm where people are sent
	// each failure; elsewhere one row does.
	failedMany = 10
	// failedPercent of the rows raise the alarm, unless they are fewer than
	// failedFew.
	failedPercent, failedFew = 5, 3
	// lateAfter is in visibility timeouts. A lost message is published again
	// after one of them, then after two more: a row that waits longer is not being
	// repaired.
	lateAfter = 3
)

// onSweep adds the alarms on the findings of the sweep, and on the sweep
// itself.
func (a *alarms) onSweep(sweep awslambda.Function) {
	name := a.site.facts.Sweep.Name
	ours := func(metric, statistic string) awscloudwatch.IMetric { return a.site.metric(name, metric, statistic) }
	repairs := math("republished + lost + crashed", "Repairs", map[string]awscloudwatch.IMetric{
		"republished": ours(manifest.MetricRepublished, "Sum"), "lost": ours(manifest.MetricLost, "Sum"),
		"crashed": ours(manifest.MetricCrashed, "Sum"),
	})
	late := lateAfter * a.site.facts.Visibility()
	a.add(
		alarm{id: "OldestDueDocument", metric: ours(manifest.MetricOldestDue, "Maximum"), at: late.Seconds(),
			text: fmt.Sprintf("The oldest %s has been due for more than %s. If the queue is long, raise MaxConcurrency in "+
				"the manifest (or wait); if it is empty, check that %s and the sweep run.",
				a.site.facts.Row(), late, a.site.theFunctions())},
		alarm{id: "SweepRepairs", metric: repairs, at: 1,
			text: fmt.Sprintf("The sweep had to repair something: a message got lost, or the work on one of "+
				"the %[1]ss killed its worker on every delivery. No %[1]s is lost: one that was given up is failed, "+
				"with a notification like any other. Look for crashes and timeouts of %[2]s at that time.",
				a.site.facts.Row(), a.site.theFunctions())},
		alarm{id: "SweepSilent", metric: ours(manifest.MetricOldestDue, "SampleCount"), // a sign of life
			at: 0, below: true, times: 3, silence: awscloudwatch.TreatMissingData_BREACHING,
			text: "The sweep has measured nothing for 15 minutes, so nothing is repaired, and lost work would go " +
				"unnoticed. Look at its errors in the log group and at the schedule " + *a.site.name(name) + "."},
		alarm{id: "CredentialsRefused", metric: a.site.refused(), at: 1,
			text: "The database, the model, Slack or SES does not accept our credentials. Put the right ones into the " +
				"secret: they are read again within five minutes of the next refusal, Slack's with the next " +
				"deployment. Then publish the rows again that failed meanwhile; for documents, the command is matchbook " +
				"publish --failed."},
		alarm{id: "NotificationsUntold", metric: ours(manifest.MetricUnsent, "Minimum"), at: 1, times: 6,
			text: "Notifications of failures have been waiting for half an hour. Read the answers of Slack or SES " +
				"in the log of the sweep; no notification is lost, they are sent as soon as the channel works."},
	)
	a.onFunction(sweep, name, a.site.facts.Sweep.Timeout, 3) // the next run makes up for a failed one
}

// refused adds up the credentials that were refused, in every function.
func (s *site) refused() awscloudwatch.IMetric {
	metrics := map[string]awscloudwatch.IMetric{"sweep": s.metric(s.facts.Sweep.Name, manifest.MetricRefused, "Sum")}
	var terms []string
	for i, f := range s.facts.Functions {
		id := "work"
		if i > 0 {
			id += strconv.Itoa(i + 1)
		}
		metrics[id] = s.metric(f.Name, manifest.MetricRefused, "Sum")
		terms = append(terms, "FILL("+id+", 0)")
	}
	return math(strings.Join(append(terms, "FILL(sweep, 0)"), " + "), "Refused", metrics)
}

// theFunctions names the functions that queues feed, as part of a sentence.
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
