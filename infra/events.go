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

// waitingEventAlarm is the age of an event that the receiver has not accepted.
const waitingEventAlarm = time.Hour

// onEvents adds the alarms on the receiver of events.
func (a *alarms) onEvents() {
	sweep := a.site.facts.Sweep.Name
	a.Add(
		watch.Alarm{ID: "EventsRefused", Metric: a.site.refusals(manifest.Events, "Refused events"), At: 1,
			Text: "The receiver of events refused some. Read its answers in the logs of the functions match and sweep, and repair " +
				"the receiver or " + variable.EventsWebhookSecret + " within three days: an event that is refused for longer is " +
				"given up."},
		watch.Alarm{ID: "EventsWaiting", Metric: a.site.metric(sweep, metric.OldestEvent, "Maximum"),
			At: waitingEventAlarm.Seconds(),
			Text: fmt.Sprintf("An event was not accepted by its receiver for more than %s. Read its answers in the log of the "+
				"sweep, and look whether the receiver is up and %s is set; later events of its documents wait for it.",
				waitingEventAlarm, variable.EventsWebhookURL)},
		watch.Alarm{ID: "EventsDead", Metric: a.site.metric(sweep, metric.DeadEvents, "Maximum"), At: 1,
			Text: "An event was refused for three days and given up. The table event has the reason, where dead_at is set. " +
				"Repair the receiver, and set dead_at and refused_at to NULL to have it sent again."},
	)
}

// eventWidgets show what waits for the receiver of events.
func (s *site) eventWidgets() []awscloudwatch.IWidget {
	return []awscloudwatch.IWidget{watch.Graph("Events that the receiver has not accepted", false,
		append(s.metrics(s.facts.Sweep.Name, "Maximum", metric.WaitingEvents, metric.OldestEvent,
			metric.DeadEvents), s.refusalLines(manifest.Events)...)...)}
}
