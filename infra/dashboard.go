package main

import (
	"fmt"

	"matchbook/lambda/manifest"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// newDashboard shows whether work gets done, how long it takes and what it costs.
func newDashboard(s *site, match queueFunction, sweep awslambda.Function) {
	dashboard := called(awscloudwatch.NewDashboard(s.stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{DashboardName: s.name()}), "Dashboard")
	dashboard.AddWidgets(awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("Alarms"), Alarms: &s.alarms.all, Width: jsii.Number(24), Height: jsii.Number(3),
	}))
	work, repairs := s.facts.Match.Name, s.facts.Sweep.Name
	dashboard.AddWidgets(
		graph("Deliveries by how they ended", true, s.metrics(work, "Sum", manifest.MetricSucceeded, manifest.MetricRetried,
			manifest.MetricDeadLettered, manifest.MetricFailed, manifest.MetricSkipped, manifest.MetricMalformed)...),
		graph("How long a document takes (ms)", false, s.percentiles(work, manifest.MetricAttemptTime)...),
		graph("Backlog: oldest due document (s)", false, s.metrics(repairs, "Maximum", manifest.MetricOldestDue)...))
	dashboard.AddWidgets(
		graph("Documents that wait or are worked on", false, s.metrics(repairs, "Maximum", manifest.MetricPending, manifest.MetricInProgress)...),
		graph("Queues", false, s.metric(repairs, manifest.MetricSweepBacklog, "Maximum"), sqsMetric(match.queue, "ApproximateNumberOfMessagesVisible"),
			sqsMetric(match.queue, "ApproximateNumberOfMessagesNotVisible"), sqsMetric(match.deadLetter, "ApproximateNumberOfMessagesVisible")),
		graph("Repairs, what is untold, and refused credentials", false, append(s.metrics(repairs, "Sum", manifest.MetricInserted, manifest.MetricRepublished, manifest.MetricRecovered,
			manifest.MetricLost, manifest.MetricCrashed), s.metric(repairs, manifest.MetricUntold, "Maximum"), s.metric(work, manifest.MetricRefused, "Sum"), s.metric(repairs, manifest.MetricRefused, "Sum"))...))
	dashboard.AddWidgets(append([]awscloudwatch.IWidget{
		graph("Model: calls, and answers that were there already", false, s.metrics(work, "Sum", manifest.MetricModelCalls, manifest.MetricModelReplays)...),
		graph("Model: tokens", true, s.metrics(work, "Sum", manifest.MetricModelPromptTokens, manifest.MetricModelCompletionTokens)...),
	}, s.costWidgets()...)...)
	dashboard.AddWidgets(
		graph("Invocations, errors, throttles", false, lambdaMetric(match.function, "Invocations", "Sum"), lambdaMetric(match.function, "Errors", "Sum"),
			lambdaMetric(match.function, "Throttles", "Sum"), lambdaMetric(sweep, "Errors", "Sum")),
		graph("Duration of an invocation (ms)", false, lambdaMetric(match.function, "Duration", "p50"), lambdaMetric(match.function, "Duration", "p99")),
		graph("Invocations at once", false, lambdaMetric(match.function, "ConcurrentExecutions", "Maximum")))
	s.output("DashboardUrl", "How it is doing", jsii.String(fmt.Sprintf("https://%[1]s.console.aws.amazon.com/cloudwatch/home?region=%[1]s#dashboards/dashboard/%[2]s",
		*s.stack.Region(), *s.name())))
}

// costWidgets are none where the model's prices are not known: what has no
// price is never shown as free.
func (s *site) costWidgets() []awscloudwatch.IWidget {
	c, work := s.config, s.facts.Match.Name
	if c.Mode != "model" || c.PromptPrice == 0 {
		return nil
	}
	cost := math(fmt.Sprintf("(prompt * %g + completion * %g) / 1000000", c.PromptPrice, c.CompletionPrice), "USD", map[string]awscloudwatch.IMetric{
		"prompt":     s.metric(work, manifest.MetricModelPromptTokens, "Sum"),
		"completion": s.metric(work, manifest.MetricModelCompletionTokens, "Sum"),
	})
	return []awscloudwatch.IWidget{graph(fmt.Sprintf("Model: cost (USD, at %g and %g per million tokens)", c.PromptPrice, c.CompletionPrice), false, cost)}
}

func (s *site) metrics(function, statistic string, names ...string) (list []awscloudwatch.IMetric) {
	for _, name := range names {
		list = append(list, s.metric(function, name, statistic))
	}
	return list
}

func (s *site) percentiles(function, name string) (list []awscloudwatch.IMetric) {
	for _, p := range []string{"p50", "p90", "p99"} {
		list = append(list, s.metric(function, name, p).With(&awscloudwatch.MetricOptions{Label: jsii.String(p)}))
	}
	return list
}

func graph(title string, stacked bool, metrics ...awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: jsii.String(title), Left: &metrics, Stacked: jsii.Bool(stacked), Width: jsii.Number(8), Height: jsii.Number(6),
		LeftYAxis: &awscloudwatch.YAxisProps{Min: jsii.Number(0)},
	})
}
