package main

import (
	"fmt"
	"strings"
	"time"

	"matchbook/infra/watch"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// newOfferSchedule makes the function for queueing match offers, and its schedule.
func newOfferSchedule(s *site, workloads []queueFunction) awslambda.Function {
	to := named(workloads, s.facts.Schedule.PublishesTo)
	schedule := s.newFunction(s.facts.Schedule, s.addTracing(environment{map[string]*string{
		to.facts.QueueEnv():    to.queue.QueueUrl(),
		variable.OffersCatchUp: jsii.String(""),
	}, map[string]secret{variable.DatabaseURL: s.database.secret}}))
	s.grant(schedule.Role(), workloads, permission.OfTask(s.facts.Schedule, nil)...)
	s.invokeEvery(schedule, s.facts.Schedule)
	s.alarms.onOfferSchedule(schedule)
	s.alarms.onReceiver()
	return schedule
}

// addReceiver adds the URL of a receiver and the key for signing requests to it. It adds
// nothing without a URL in the settings.
func (s *site) addReceiver(e environment, r manifest.Receiver) {
	var url, arn, key string
	switch r {
	case manifest.Sets:
		url, arn, key = s.config.OffersURL, s.config.OffersSecret, "offers-webhook-secret"
	case manifest.Events:
		url, arn, key = s.config.EventsURL, s.config.EventsSecret, "events-webhook-secret"
	default:
		return
	}
	e.values[r.URL] = jsii.String(url)
	e.values[r.Secret], e.values[r.Secret+variable.SecretSuffix] = jsii.String(""), jsii.String("")
	if url != "" {
		e.secrets[r.Secret] = s.secretOf(arn, key)
	}
}

// refusedBy returns the refusals of a receiver, by the name of the delivering function.
func (s *site) refusedBy(r manifest.Receiver) (names []string, refused map[string]awscloudwatch.IMetric) {
	for _, f := range s.facts.Functions {
		if f.Delivers == r {
			names = append(names, f.Name)
		}
	}
	names, refused = append(names, s.facts.Sweep.Name), map[string]awscloudwatch.IMetric{}
	for _, name := range names {
		refused[name] = s.metric(name, r.Refused, "Sum")
	}
	return names, refused
}

func (s *site) refusals(r manifest.Receiver, label string) awscloudwatch.IMetric {
	names, refused := s.refusedBy(r)
	return watch.Math("FILL("+strings.Join(names, ", 0) + FILL(")+", 0)", label, refused)
}

func (s *site) refusalLines(r manifest.Receiver) (lines []awscloudwatch.IMetric) {
	names, refused := s.refusedBy(r)
	for _, name := range names {
		lines = append(lines, refused[name])
	}
	return lines
}

// onOfferSchedule adds the alarms on the schedule of match offers and the findings of its
// check.
func (a *alarms) onOfferSchedule(schedule awslambda.Function) {
	name, silent := a.site.facts.Schedule.Name, 2*a.site.facts.Schedule.Every
	duplicates := func(statistic string) awscloudwatch.IMetric {
		return a.site.metric(name, metric.DuplicateOffers, statistic)
	}
	a.Add(
		watch.Alarm{ID: "DuplicateOffers", Metric: duplicates("Maximum"), At: 1,
			Text: "A user has two sets of one date, or a candidate twice in one. The unique constraints of matchmaking_job " +
				"and offer forbid both: check that they exist and are valid. Stop the schedule " + *a.site.name(name) +
				" until then."},
		watch.Alarm{ID: "ScheduleSilent", Metric: duplicates("SampleCount"), At: 0, Below: true, Times: int(silent / watch.Period),
			Silence: awscloudwatch.TreatMissingData_BREACHING,
			Text: "No match offers were queued for " + short(silent) + ", two runs of the schedule. Check its errors in the log group " +
				"/aws/lambda/" + *a.site.name(name) + " and at the schedule " + *a.site.name(name) +
				". Its next run queues missed offers, unless they are older than OFFERS_CATCH_UP."},
	)
	a.onFunction(schedule, name, a.site.facts.Schedule.Timeout, 1)
}

func short(d time.Duration) string {
	if d < time.Hour {
		return "half an hour"
	}
	return "two hours"
}

// undeliveredAlarm is the age of an undelivered set that raises the alarm.
const undeliveredAlarm = time.Hour

func (a *alarms) onReceiver() {
	a.Add(
		watch.Alarm{ID: "OffersRefused", Metric: a.site.refusals(manifest.Sets, "Refused sets"), At: 1,
			Text: "The receiver of match offers refused sets. See its answers in the logs of offer and sweep, and " +
				"fix the receiver or " + variable.OffersWebhookSecret + ". No set is lost, since the sweep retries them."},
		watch.Alarm{ID: "OffersUndelivered", Metric: a.site.metric(a.site.facts.Sweep.Name, metric.OldestUndelivered,
			"Maximum"), At: undeliveredAlarm.Seconds(),
			Text: fmt.Sprintf("A set of match offers has been undelivered for more than %s. See the receiver's answers in the "+
				"log of the sweep, and check that it is up. No set is lost, since the sweep retries them.",
				undeliveredAlarm)},
	)
}

func (s *site) scheduleWidgets(schedule awslambda.Function) []awscloudwatch.IWidget {
	return []awscloudwatch.IWidget{
		watch.Graph("schedule: Runs, errors, throttles", false, watch.Lambda(schedule, "Invocations", "Sum"),
			watch.Lambda(schedule, "Errors", "Sum"), watch.Lambda(schedule, "Throttles", "Sum")),
		watch.Graph("schedule: Jobs queued, late ones, dates skipped", false,
			s.metrics(s.facts.Schedule.Name, "Sum", metric.Queued, metric.Late, metric.SkippedDates)...),
		watch.Graph("schedule: Duplicate offers", false,
			s.metrics(s.facts.Schedule.Name, "Maximum", metric.DuplicateOffers)...),
		watch.Graph("Undelivered sets of offers", false,
			append(s.metrics(s.facts.Sweep.Name, "Maximum", metric.UndeliveredSets, metric.OldestUndelivered),
				s.refusalLines(manifest.Sets)...)...),
	}
}
