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

// FunctionConfig configures a function of a stack.
type FunctionConfig struct {
	Row         manifest.Function // of the function; manifest.Match where it has no name
	Table       postgres.Table    // of the function; may be left out for a row of the manifest, and for a rowless one
	Bootstrap   string            // the executable of the function
	Env         []string          // further variables of the function, KEY=VALUE
	Concurrency int               // invocations at once; the row's when 0
	NoMapping   bool              // leaves messages in the queue: only the caller invokes Function
	Logs        io.Writer         // the output of the function; may be nil
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

// configured returns the functions with their defaults. Two of one name would
// share a queue.
func configured(list []FunctionConfig) ([]FunctionConfig, error) {
	list = slices.Clone(list)
	rows := make([]manifest.Function, len(list))
	for i, w := range list {
		list[i] = w.withDefaults()
		rows[i] = list[i].Row
	}
	if len(list) == 0 {
		return nil, errors.New("start a stack: it has no function")
	}
	return list, manifest.Validate(rows, nil)
}

// Consumer is a function of a stack, in its real bootstrap, with its table, its
// queue, the event source mapping between them and the dead-letter queue.
type Consumer struct {
	Function *lambdahost.Function
	Jobs     *postgres.Jobs // the function's table; of no use to a rowless one
	Queue    *sqsjob.Queue
	DLQURL   string

	row      manifest.Function
	workers  int
	env      []string
	sqs      *sqs.Server
	clock    *clock.Clock
	invoking sync.Mutex
	last     int // invocations under way with a message on its last delivery
}

// Stats are the counts of the queue and of its dead-letter queue.
func (w *Consumer) Stats() (queue, dlq sqs.Stats) {
	all := w.sqs.AllStats()
	return all[w.row.Name], all[w.row.Name+dlqSuffix]
}

// Env is the environment of the function, KEY=VALUE.
func (w *Consumer) Env() []string { return slices.Clone(w.env) }

// Send sends a message with that body, as another service does.
func (w *Consumer) Send(ctx context.Context, body string) error {
	_, err := w.Queue.Client.SendMessage(ctx, &awssqs.SendMessageInput{QueueUrl: &w.Queue.URL, MessageBody: &body})
	return err
}

// Publish publishes rows of the table.
func (w *Consumer) Publish() *job.Publisher { return &job.Publisher{Store: w.Jobs, Sender: w.Queue} }

// start makes the function, whose environment is common to all functions of the
// stack but for the last variables, and its mapping. run ends with ctx.
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
	return func() { _ = mapping.Run(ctx) } // fails only on a batch size that manifest.Validate refuses
}
