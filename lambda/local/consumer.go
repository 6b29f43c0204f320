package local

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// FunctionConfig configures one function of a Stack.
type FunctionConfig struct {
	Row         manifest.Function // zero means manifest.Match
	Table       postgres.Table    // the row's table in the manifest when unset; rowless functions need none
	Bootstrap   string            // path of the executable
	Env         []string          // additional variables, KEY=VALUE
	Concurrency int               // maximum concurrent invocations; the row's when 0
	NoMapping   bool              // leaves messages in the queue; use Function.Invoke
	Logs        io.Writer         // output of the function; may be nil
	// OnInvocation is called for every batch; may be nil.
	OnInvocation func(eventsource.Invocation)
}

func (c FunctionConfig) withDefaults() FunctionConfig {
	if c.Row.Name == "" {
		c.Row = manifest.Match
	}
	if c.Table.Name == "" {
		c.Table = postgres.Tables[c.Row.Name]
	}
	c.Concurrency = cmp.Or(c.Concurrency, c.Row.MaxConcurrency)
	return c
}

// configured returns the functions with their defaults. It refuses duplicate names because
// they would share a queue.
func configured(list []FunctionConfig) ([]FunctionConfig, error) {
	list = slices.Clone(list)
	rows := make([]manifest.Function, len(list))
	for i, w := range list {
		list[i] = w.withDefaults()
		rows[i] = list[i].Row
	}
	if len(list) == 0 {
		return nil, errors.New("start stack: missing functions")
	}
	return list, manifest.Validate(rows, nil)
}

// Consumer is a function of a stack: the real bootstrap, its table, its queue, the event
// source mapping between them, and the dead-letter queue.
type Consumer struct {
	Function *lambdahost.Function
	Jobs     *postgres.Jobs // the function's table; unused by a rowless function
	Queue    *sqsjob.Queue
	DLQURL   string

	row      manifest.Function
	workers  int
	env      []string
	sqs      *sqs.Server
	clock    *clock.Clock
	invoking sync.Mutex
	last     int // running invocations with a message on its last delivery
}

// Stats returns the counts of the queue and its dead-letter queue.
func (w *Consumer) Stats() (queue, dlq sqs.Stats) {
	all := w.sqs.AllStats()
	return all[w.row.Name], all[w.row.Name+dlqSuffix]
}

// Env returns the function's environment, KEY=VALUE.
func (w *Consumer) Env() []string { return slices.Clone(w.env) }

// Send sends a message with the given body and no attributes, as a foreign publisher would.
func (w *Consumer) Send(ctx context.Context, body string) error {
	_, err := w.Queue.Client.SendMessage(ctx, &awssqs.SendMessageInput{QueueUrl: &w.Queue.URL, MessageBody: &body})
	return err
}

// Publish returns a publisher for the function's table.
func (w *Consumer) Publish() *job.Publisher { return &job.Publisher{Store: w.Jobs, Sender: w.Queue} }

// start creates the function and its mapping. The environment is common plus the queue and the
// function's own variables. run returns when ctx ends.
func (w *Consumer) start(ctx context.Context, c FunctionConfig, common []string) (run func()) {
	w.workers = c.Concurrency
	w.env = slices.Concat(common, []string{variable.QueueURL + "=" + w.Queue.URL}, c.Env)
	w.Function = lambdahost.New(lambdahost.Config{Name: w.row.Name, Bootstrap: c.Bootstrap, Env: w.env,
		Timeout: w.row.Timeout, MaxConcurrency: c.Concurrency, Logs: c.Logs})
	if c.NoMapping {
		return func() {}
	}
	mapping := eventsource.New(eventsource.Config{QueueURL: w.Queue.URL, QueueARN: w.Queue.ARN, Region: sqs.Region,
		BatchSize: w.row.BatchSize, MaxConcurrency: c.Concurrency, Client: w.Queue.Client,
		Invoke: w.invoke, Now: w.clock.Now, OnInvocation: c.OnInvocation})
	return func() { _ = mapping.Run(ctx) } // fails only for a batch size refused by manifest.Validate
}
