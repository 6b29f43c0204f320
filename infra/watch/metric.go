// Package watch builds CloudWatch metrics, graphs and alarms, and the alarms' topic. The
// stack decides which ones to use.
package watch

import (
	"strings"
	"time"
	"unicode"

	"matchbook/lambda/manifest/metric"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

// Period is the period of every metric here, in alarms and on the dashboard.
const Period = 5 * time.Minute

func period() awscdk.Duration { return awscdk.Duration_Minutes(jsii.Number(Period.Minutes())) }

// Metric returns a metric of Matchbook, for a function of a stage.
func Metric(stage, function, name, statistic string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String(metric.Namespace), MetricName: jsii.String(name),
		DimensionsMap: &map[string]*string{
			metric.DimensionStage: jsii.String(stage), metric.DimensionFunction: jsii.String(function),
		},
		Statistic: jsii.String(statistic), Period: period(),
	})
}

func options(statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: jsii.String(statistic), Period: period()}
}

// SQS returns the maximum of a queue's metric.
func SQS(q awssqs.IQueue, name string) awscloudwatch.IMetric {
	return q.Metric(jsii.String(name), options("Maximum"))
}

// Lambda returns a metric of Lambda for a function.
func Lambda(f awslambda.Function, name, statistic string) awscloudwatch.IMetric {
	return f.Metric(jsii.String(name), options(statistic))
}

// Math returns an expression over metrics, by their keys.
func Math(expression, label string, using map[string]awscloudwatch.IMetric) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(expression), Label: jsii.String(label), UsingMetrics: &using, Period: period(),
	})
}

// Graph returns a widget with metrics over time.
func Graph(title string, stacked bool, metrics ...awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: jsii.String(title), Left: &metrics, Stacked: jsii.Bool(stacked), Width: jsii.Number(8),
		Height:    jsii.Number(6),
		LeftYAxis: &awscloudwatch.YAxisProps{Min: jsii.Number(0)},
	})
}

// kebab turns a resource id into a part of a name: MatchErrors becomes match-errors.
func kebab(id string) string {
	var b strings.Builder
	for i, r := range id {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
