package main

import (
	"fmt"
	"time"

	"matchbook/infra/watch"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
)

// waitingEventAlarm is the age of an undelivered event that raises the alarm.
const waitingEventAlarm = time.Hour

func (a *alarms) onEvents() {
	sweep := a.site.facts.Sweep.Name
	a.Add(
		watch.Alarm{ID: "EventsRefused", Metric: a.site.refusals(manifest.Events, "Refused events"), At: 1,
			Text: "The receiver of events refused some. See its answers in the logs of match and sweep, and fix " +
				"the receiver or " + variable.EventsWebhookSecret + " within three days, because events refused for longer are " +
				"given up."},
		watch.Alarm{ID: "EventsWaiting", Metric: a.site.metric(sweep, metric.OldestEvent, "Maximum"),
			At: waitingEventAlarm.Seconds(),
			Text: fmt.Sprintf("An event has been undelivered for more than %s. See the receiver's answers in the log of the "+
				"sweep, and check that the receiver is up and %s is set. Later events of its documents wait for it.",
				waitingEventAlarm, variable.EventsWebhookURL)},
		watch.Alarm{ID: "EventsDead", Metric: a.site.metric(sweep, metric.DeadEvents, "Maximum"), At: 1,
			Text: "An event was refused for three days and given up. Run matchbook events status for the reason. " +
				"Fix the receiver, then run matchbook events requeue."},
	)
}

func (s *site) eventWidgets() []awscloudwatch.IWidget {
	return []awscloudwatch.IWidget{watch.Graph("Undelivered events", false,
		append(s.metrics(s.facts.Sweep.Name, "Maximum", metric.WaitingEvents, metric.OldestEvent,
			metric.DeadEvents), s.refusalLines(manifest.Events)...)...)}
}
