package main

import (
	"strings"
	"time"
	"unicode"

	"matchbook/lambda/manifest"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

// period applies to every metric here, in alarms and on the dashboard.
const period = 5 * time.Minute

// metric is one of ours, of one function.
func (s *site) metric(function, name, statistic string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String(manifest.MetricNamespace), MetricName: jsii.String(name),
		DimensionsMap: &map[string]*string{
			manifest.DimensionStage: jsii.String(s.config.Stage), manifest.DimensionFunction: jsii.String(function),
		},
		Statistic: jsii.String(statistic), Period: seconds(period),
	})
}

func options(statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: jsii.String(statistic), Period: seconds(period)}
}

// sqsMetric is the largest number of messages in a queue.
func sqsMetric(q awssqs.Queue, name string) awscloudwatch.IMetric {
	return q.Metric(jsii.String(name), options("Maximum"))
}

func lambdaMetric(f awslambda.Function, name, statistic string) awscloudwatch.IMetric {
	return f.Metric(jsii.String(name), options(statistic))
}

// math is computed from other metrics, by their keys.
func math(expression, label string, using map[string]awscloudwatch.IMetric) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(expression), Label: jsii.String(label), UsingMetrics: &using, Period: seconds(period),
	})
}

// kebab turns the id of a resource into a part of a name: MatchErrors is
// match-errors.
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
