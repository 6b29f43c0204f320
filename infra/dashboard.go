package main

import (
	"fmt"

	"matchbook/infra/settings"
	"matchbook/infra/watch"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// newDashboard shows progress, duration and cost of the work, a row of graphs per workload.
// web and console may be nil.
func newDashboard(s *site, workloads []queueFunction, sweep, schedule, web, console awslambda.Function) {
	dashboard := called(awscloudwatch.NewDashboard(s.stack, jsii.String("Dashboard"),
		&awscloudwatch.DashboardProps{DashboardName: s.name()}), "Dashboard")
	dashboard.AddWidgets(awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("Alarms"), Alarms: &s.alarms.All, Width: jsii.Number(24), Height: jsii.Number(3),
	}))
	for i, w := range workloads {
		row := s.workWidgets(w.facts)
		if i == 0 { // measured by the sweep for all workloads
			row = append(row, watch.Graph("Backlog: oldest due "+s.facts.Row()+" (s)", false,
				s.metrics(s.facts.Sweep.Name, "Maximum", metric.OldestDue)...))
		}
		dashboard.AddWidgets(row...)
	}
	dashboard.AddWidgets(s.sweepWidgets(workloads)...)
	for _, w := range workloads {
		if w.facts.AsksModel {
			dashboard.AddWidgets(s.modelWidgets(w.facts)...)
		}
	}
	for _, w := range workloads {
		dashboard.AddWidgets(s.functionWidgets(w, sweep)...)
	}
	dashboard.AddWidgets(s.scheduleWidgets(schedule)...)
	dashboard.AddWidgets(s.eventWidgets()...)
	if web != nil {
		dashboard.AddWidgets(webWidgets(web)...)
	}
	if console != nil {
		dashboard.AddWidgets(consoleWidgets(console)...)
	}
	const page = "https://%[1]s.%[2]s/cloudwatch/home?region=%[1]s#dashboards/dashboard/%[3]s"
	s.output("DashboardUrl", "Shows the state of all functions and queues",
		jsii.String(fmt.Sprintf(page, *s.stack.Region(), *s.consoleDomain(), *s.name())))
}

// consoleDomain returns the domain of AWS's console, which depends on the partition.
func (s *site) consoleDomain() *string {
	domains := awscdk.NewCfnMapping(s.stack, jsii.String("ConsoleDomains"), &awscdk.CfnMappingProps{
		Mapping: &map[string]*map[string]any{
			"aws": {"domain": "console.aws.amazon.com"}, "aws-cn": {"domain": "console.amazonaws.cn"},
			"aws-us-gov": {"domain": "console.amazonaws-us-gov.com"},
		}})
	return domains.FindInMap(s.stack.Partition(), jsii.String("domain"), nil)
}

// of returns the title of a workload's graph, with its name if there are several workloads.
func (s *site) of(f manifest.Function, title string) string {
	if len(s.facts.Functions) == 1 {
		return title
	}
	return f.Name + ": " + title
}

func (s *site) workWidgets(f manifest.Function) []awscloudwatch.IWidget {
	widgets := []awscloudwatch.IWidget{
		watch.Graph(s.of(f, "Deliveries by result"), true,
			s.metrics(f.Name, "Sum", metric.Succeeded, metric.Retried, metric.DeadLettered,
				metric.Failed, metric.Skipped, metric.Malformed)...),
	}
	if f.Rowless {
		return widgets
	}
	return append(widgets, watch.Graph(s.of(f, "Time per "+settings.RowOf(f)+" (ms)"), false,
		s.percentiles(f.Name, metric.AttemptTime)...))
}

func (s *site) sweepWidgets(workloads []queueFunction) []awscloudwatch.IWidget {
	name := s.facts.Sweep.Name
	queues := []awscloudwatch.IMetric{s.metric(name, metric.SweepBacklog, "Maximum")}
	repairs := append(s.metrics(name, "Sum", metric.Inserted, metric.Republished,
		metric.Recovered, metric.Lost, metric.Crashed),
		s.metric(name, metric.Unsent, "Maximum"))
	for _, w := range workloads {
		queues = append(queues, watch.SQS(w.queue, "ApproximateNumberOfMessagesVisible"),
			watch.SQS(w.queue, "ApproximateNumberOfMessagesNotVisible"),
			watch.SQS(w.deadLetter, "ApproximateNumberOfMessagesVisible"))
		repairs = append(repairs, s.metric(w.facts.Name, metric.Refused, "Sum"))
	}
	return []awscloudwatch.IWidget{
		watch.Graph(title(s.facts.Row())+"s that wait or are worked on", false,
			s.metrics(name, "Maximum", metric.Pending, metric.Parked, metric.InProgress)...),
		watch.Graph("Queues", false, queues...),
		watch.Graph("Repairs, unsent notifications, and refused credentials", false,
			append(repairs, s.metric(name, metric.Refused, "Sum"))...),
	}
}

func (s *site) modelWidgets(f manifest.Function) []awscloudwatch.IWidget {
	return append([]awscloudwatch.IWidget{
		watch.Graph(s.of(f, "Model: calls, stored answers used again, and calls that are repeated"), false,
			s.metrics(f.Name, "Sum", metric.ModelCalls, metric.ModelReplays,
				metric.ModelRetries)...),
		watch.Graph(s.of(f, "Model: tokens"), true, s.metrics(f.Name, "Sum", metric.ModelPromptTokens,
			metric.ModelCompletionTokens)...),
		watch.Graph(s.of(f, "Model: waits for its rate limit (ms)"), true,
			s.metrics(f.Name, "Sum", metric.ModelPaused)...),
	}, s.costWidgets(f)...)
}

func (s *site) functionWidgets(w queueFunction, sweep awslambda.Function) []awscloudwatch.IWidget {
	return []awscloudwatch.IWidget{
		watch.Graph(s.of(w.facts, "Invocations, errors, throttles"), false, watch.Lambda(w.function, "Invocations", "Sum"),
			watch.Lambda(w.function, "Errors", "Sum"),
			watch.Lambda(w.function, "Throttles", "Sum"), watch.Lambda(sweep, "Errors", "Sum")),
		watch.Graph(s.of(w.facts, "Invocation duration (ms)"), false, watch.Lambda(w.function, "Duration", "p50"),
			watch.Lambda(w.function, "Duration", "p99")),
		watch.Graph(s.of(w.facts, "Concurrent invocations"), false, watch.Lambda(w.function, "ConcurrentExecutions", "Maximum")),
	}
}

// costWidgets returns nil for unknown prices, because the dashboard must never show them as
// free.
func (s *site) costWidgets(f manifest.Function) []awscloudwatch.IWidget {
	c := s.config
	if c.Mode != "model" || c.PromptPrice == 0 {
		return nil
	}
	cost := watch.Math(fmt.Sprintf("(prompt * %g + completion * %g) / 1000000", c.PromptPrice, c.CompletionPrice), "USD",
		map[string]awscloudwatch.IMetric{
			"prompt":     s.metric(f.Name, metric.ModelPromptTokens, "Sum"),
			"completion": s.metric(f.Name, metric.ModelCompletionTokens, "Sum"),
		})
	title := fmt.Sprintf("Model: cost (USD, at %g and %g per million tokens)", c.PromptPrice, c.CompletionPrice)
	return []awscloudwatch.IWidget{watch.Graph(s.of(f, title), false, cost)}
}

func (s *site) metric(function, name, statistic string) awscloudwatch.Metric {
	return watch.Metric(s.config.Stage, function, name, statistic)
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
