package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/sweep"
)

const (
	dlqSuffix  = "-dlq"
	idlePoll   = 2 * time.Millisecond
	maxSweeps  = 40
	stackConns = 4
)

// StackConfig configures a stack.
type StackConfig struct {
	DatabaseURL string            // a migrated database
	Bootstrap   string            // the executable of the function
	Row         manifest.Function // of the function; manifest.Match where it has no name
	Table       postgres.Table    // of the function; may be left out for a row of the manifest
	Env         []string          // further variables of the function, KEY=VALUE
	FrozenAt    time.Time         // zero: the clocks flow; else they stand still between jumps
	Concurrency int               // invocations at once; the row's when 0
	NoMapping   bool              // nothing takes messages from the queue: Function is invoked by the caller only
	Logs        io.Writer         // the output of the function; may be nil
	Log         *slog.Logger      // of the sweep; may be nil
	OnEvent     func(sqs.Event)   // everything that happens to a message; may be nil
	// OnInvocation is called for every batch; may be nil.
	OnInvocation func(eventsource.Invocation)
	// Route returns the URL by which the function reaches the database; nil
	// leaves it as it is.
	Route func(databaseURL string) string
}

// Stack is the whole line on one machine: the queue and its dead-letter queue
// over HTTP, the event source mapping, the function in its real bootstrap,
// the database, and one clock for queue and database that jumps when nothing
// else is left to do. The function does not know.
type Stack struct {
	Clock    *clock.Clock
	SQS      *sqs.Server
	Function *lambdahost.Function
	DB       *postgres.DB   // sees the stack's clock
	Jobs     *postgres.Jobs // the function's table
	Queue    *sqsjob.Queue
	DLQURL   string

	workers  int
	env      []string
	sweeper  *sweep.Sweeper
	row      manifest.Function
	dbClock  *simclock.Clock
	server   *http.Server
	stopped  sync.WaitGroup
	stop     context.CancelFunc
	invoking sync.Mutex
	last     int // invocations under way with a message on its last delivery
}

// StartStack starts everything. Close ends it.
func StartStack(ctx context.Context, c StackConfig) (*Stack, error) {
	s := &Stack{Clock: clock.New(), stop: func() {}}
	if !c.FrozenAt.IsZero() {
		s.Clock = clock.NewFrozen(c.FrozenAt)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Row.Name == "" {
		c.Row = manifest.Match
	}
	if c.Table.Name == "" {
		c.Table = postgres.Tables[c.Row.Name]
	}
	if c.Concurrency == 0 {
		c.Concurrency = c.Row.MaxConcurrency
	}
	s.row = c.Row
	simURL, err := s.openDatabase(ctx, c)
	if err == nil {
		err = s.openQueues(ctx, c)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.sweeper = &sweep.Sweeper{Log: c.Log, Workloads: []sweep.Workload{
		{Name: s.row.Name, Store: s.Jobs, Queue: s.Queue, Visibility: s.row.Visibility()}}}
	s.startFunction(ctx, c, simURL)
	return s, nil
}

func (s *Stack) openDatabase(ctx context.Context, c StackConfig) (simURL string, err error) {
	if s.dbClock, err = simclock.Install(ctx, c.DatabaseURL, c.FrozenAt); err != nil {
		return "", err
	}
	if simURL, err = s.dbClock.URL(); err != nil {
		return "", err
	}
	if s.DB, err = postgres.Open(ctx, simURL, stackConns); err != nil {
		return "", err
	}
	s.Jobs = s.DB.Workload(c.Table)
	return simURL, nil
}

func (s *Stack) openQueues(ctx context.Context, c StackConfig) error {
	s.SQS = sqs.New(s.Clock)
	if c.OnEvent != nil {
		s.SQS.OnEvent(c.OnEvent)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	s.server = &http.Server{Handler: s.SQS, ReadHeaderTimeout: time.Minute}
	s.stopped.Go(func() { _ = s.server.Serve(listener) }) // ends with Close
	client := sqs.NewClient("http://" + listener.Addr().String())
	url, err := createQueue(ctx, client, s.row.Name, s.row)
	if err != nil {
		return err
	}
	s.DLQURL = url.DLQ
	s.Queue, err = sqsjob.NewQueue(client, url.Queue)
	return err
}

func (s *Stack) startFunction(ctx context.Context, c StackConfig, simURL string) {
	if c.Route != nil {
		simURL = c.Route(simURL)
	}
	s.env = append([]string{
		manifest.EnvDatabaseURL + "=" + simURL,
		manifest.EnvQueueURL + "=" + s.Queue.URL,
		manifest.EnvMatchMode + "=rules",
		"AWS_ENDPOINT_URL_SQS=" + *s.Queue.Client.Options().BaseEndpoint,
	}, c.Env...)
	s.Function = lambdahost.New(lambdahost.Config{Name: s.row.Name, Bootstrap: c.Bootstrap, Env: s.env,
		Timeout: s.row.Timeout, MaxConcurrency: c.Concurrency, Logs: c.Logs})
	s.workers = c.Concurrency
	if c.NoMapping {
		return
	}
	mapping := eventsource.New(eventsource.Config{QueueURL: s.Queue.URL, QueueARN: s.Queue.ARN, Region: sqs.Region,
		BatchSize: s.row.BatchSize, MaxConcurrency: c.Concurrency, Client: s.Queue.Client,
		Invoke: s.invoke, Now: s.Clock.Now, OnInvocation: c.OnInvocation})
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.stopped.Go(func() { _ = mapping.Run(ctx) }) // fails only on a batch size that manifest.Validate refuses
}

// Close ends everything and takes the clock out of the database.
func (s *Stack) Close() error {
	s.stop()
	var errs []error
	if s.Function != nil {
		errs = append(errs, s.Function.Close())
	}
	if s.server != nil {
		errs = append(errs, s.server.Close())
	}
	s.stopped.Wait()
	if s.DB != nil {
		s.DB.Close()
	}
	if s.dbClock != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		errs = append(errs, s.dbClock.Remove(ctx))
	}
	return errors.Join(errs...)
}
