package main

import (
	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

// queueFunction is the core of a workload: a queue, its dead-letter queue, the function and
// the alarms on all three.
type queueFunction struct {
	facts      manifest.Function
	queue      awssqs.IQueue
	deadLetter awssqs.IQueue
	function   awslambda.Function
	live       awslambda.Alias
}

// newQueueFunction builds it from the manifest's facts. The caller must add the permissions to
// the role.
func (s *site) newQueueFunction(f manifest.Function, variables environment) queueFunction {
	q := queueFunction{facts: f}
	q.queue, q.deadLetter = s.newQueues(f)
	variables.values[variable.QueueURL] = q.queue.QueueUrl()
	task := manifest.Task{Name: f.Name, Purpose: f.Purpose, Timeout: f.Timeout, MemoryMB: f.MemoryMB}
	q.function = s.newFunction(task, variables)
	q.live = s.live(q.function, f.Name)
	s.newMapping(q)
	s.alarms.onQueueFunction(q)
	return q
}

// newQueues makes a queue with its dead-letter queue, or returns the user's for the first workload.
// Nothing here can check the user's; doctor --stack compares them with the manifest.
func (s *site) newQueues(f manifest.Function) (queue, deadLetter awssqs.IQueue) {
	id := title(f.Name)
	if arn := s.config.MatchQueue; f.First && arn != "" {
		queue = awssqs.Queue_FromQueueArn(s.stack, jsii.String(id+"Queue"), jsii.String(arn))
		deadLetter = awssqs.Queue_FromQueueArn(s.stack, jsii.String(id+"DeadLetterQueue"), jsii.String(s.config.MatchDeadLetterQueue))
	} else {
		queue, deadLetter = s.makeQueues(f)
	}
	s.output(id+"QueueUrl", "Takes the ids of "+settings.RowOf(f)+"s", queue.QueueUrl())
	s.output(id+"DeadLetterQueueUrl", "Holds the given-up messages", deadLetter.QueueUrl())
	return queue, deadLetter
}

func (s *site) makeQueues(f manifest.Function) (queue, deadLetter awssqs.Queue) {
	id := title(f.Name)
	encryption := awssqs.QueueEncryption_SQS_MANAGED
	if s.key != nil {
		encryption = awssqs.QueueEncryption_KMS
	}
	// The two refer to each other, so use one by its name before it exists.
	source := awssqs.Queue_FromQueueArn(s.stack, jsii.String(id+"QueueByName"), s.arn("sqs", *s.name(f.Name)))
	deadLetter = called(awssqs.NewQueue(s.stack, jsii.String(id+"DeadLetterQueue"), &awssqs.QueueProps{
		QueueName:       s.name(f.Name, "dead", "letter"),
		RetentionPeriod: seconds(manifest.DeadLetterRetention),
		Encryption:      encryption, EncryptionMasterKey: s.key,
		EnforceSSL: jsii.Bool(true),
		RedriveAllowPolicy: &awssqs.RedriveAllowPolicy{
			RedrivePermission: awssqs.RedrivePermission_BY_QUEUE,
			SourceQueues:      &[]awssqs.IQueue{source},
		},
	}), id+"DeadLetterQueue")
	queue = called(awssqs.NewQueue(s.stack, jsii.String(id+"Queue"), &awssqs.QueueProps{
		QueueName:         s.name(f.Name),
		VisibilityTimeout: seconds(f.Visibility()),
		RetentionPeriod:   seconds(manifest.QueueRetention),
		Encryption:        encryption, EncryptionMasterKey: s.key,
		EnforceSSL: jsii.Bool(true),
		DeadLetterQueue: &awssqs.DeadLetterQueue{Queue: deadLetter,
			MaxReceiveCount: jsii.Number(f.MaxReceiveCount())},
	}), id+"Queue")
	return queue, deadLetter
}

// newMapping feeds the function. It limits by MaximumConcurrency instead of the function's
// concurrency, because a throttled delivery counts although nothing ran.
func (s *site) newMapping(q queueFunction) {
	id := title(q.facts.Name) + "Mapping"
	var window awscdk.Duration // nil if one receive fills a batch
	if w := q.facts.BatchWindow(); w > 0 {
		window = seconds(w)
	}
	called(awslambda.NewEventSourceMapping(s.stack, jsii.String(id), &awslambda.EventSourceMappingProps{
		Target:                  q.live,
		EventSourceArn:          q.queue.QueueArn(),
		BatchSize:               jsii.Number(q.facts.BatchSize),
		MaxBatchingWindow:       window,
		MaxConcurrency:          jsii.Number(q.facts.MaxConcurrency),
		ReportBatchItemFailures: jsii.Bool(true),
		MetricsConfig: &awslambda.MetricsConfig{
			Metrics: &[]awslambda.MetricType{awslambda.MetricType_EVENT_COUNT}},
	}), id)
}
