package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/sweep"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

const (
	queueName  = "match"
	dlqName    = queueName + dlqSuffix
	dlqSuffix  = "-dlq"
	idlePoll   = 2 * time.Millisecond
	maxSweeps  = 40
	stackConns = 4
)

// StackConfig configures a stack.
type StackConfig struct {
	DatabaseURL string          // a migrated database
	Bootstrap   string          // the executable of the match function
	Env         []string        // further variables of the function, KEY=VALUE
	FrozenAt    time.Time       // zero: the clocks flow; else they stand still between jumps
	Concurrency int             // invocations at once; manifest.Match's when 0
	NoMapping   bool            // nothing takes messages from the queue: Function is invoked by the caller only
	Logs        io.Writer       // the output of the function; may be nil
	Log         *slog.Logger    // of the sweep; may be nil
	OnEvent     func(sqs.Event) // everything that happens to a message; may be nil
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
	DB       *postgres.DB // sees the stack's clock
	Queue    *sqsjob.Queue
	DLQURL   string

	workers  int
	env      []string
	sweeper  *sweep.Sweeper
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
	if c.Concurrency == 0 {
		c.Concurrency = manifest.Match.MaxConcurrency
	}
	simURL, err := s.openDatabase(ctx, c)
	if err == nil {
		err = s.openQueues(ctx, c)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.sweeper = &sweep.Sweeper{Log: c.Log, Workloads: []sweep.Workload{
		{Name: manifest.Match.Name, Store: s.DB, Queue: s.Queue, Visibility: manifest.Match.Visibility()}}}
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
	s.DB, err = postgres.Open(ctx, simURL, stackConns)
	return simURL, err
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
	url, err := createQueue(ctx, client, queueName)
	if err != nil {
		return err
	}
	s.DLQURL = url.DLQ
	s.Queue, err = sqsjob.NewQueue(client, url.Queue)
	return err
}

// QueueURLs are the URLs of a queue and of its dead-letter queue.
type QueueURLs struct{ Queue, DLQ string }

// CreateQueue makes a queue and its dead-letter queue, NAME-dlq, at the SQS
// that endpoint is the URL of, with the settings that the infrastructure gives
// to the match queue.
func CreateQueue(ctx context.Context, endpoint, name string) (QueueURLs, error) {
	return createQueue(ctx, sqs.NewClient(endpoint), name)
}

func createQueue(ctx context.Context, client *awssqs.Client, name string) (u QueueURLs, err error) {
	dlq, err := client.CreateQueue(ctx, &awssqs.CreateQueueInput{QueueName: aws.String(name + dlqSuffix),
		Attributes: map[string]string{"MessageRetentionPeriod": strconv.Itoa(14 * 24 * 3600)}})
	if err != nil {
		return u, fmt.Errorf("create the dead-letter queue: %w", err)
	}
	arn, err := sqsjob.NewQueue(client, *dlq.QueueUrl)
	if err != nil {
		return u, err
	}
	redrive, err := json.Marshal(map[string]any{
		"deadLetterTargetArn": arn.ARN, "maxReceiveCount": manifest.Match.MaxReceiveCount()})
	if err != nil {
		return u, err
	}
	queue, err := client.CreateQueue(ctx, &awssqs.CreateQueueInput{QueueName: aws.String(name),
		Attributes: map[string]string{
			"VisibilityTimeout": strconv.Itoa(int(manifest.Match.Visibility().Seconds())), "RedrivePolicy": string(redrive)}})
	if err != nil {
		return u, fmt.Errorf("create the queue: %w", err)
	}
	return QueueURLs{*queue.QueueUrl, *dlq.QueueUrl}, nil
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
	s.Function = lambdahost.New(lambdahost.Config{Name: manifest.Match.Name, Bootstrap: c.Bootstrap, Env: s.env,
		Timeout: manifest.Match.Timeout, MaxConcurrency: c.Concurrency, Logs: c.Logs})
	s.workers = c.Concurrency
	if c.NoMapping {
		return
	}
	mapping := eventsource.New(eventsource.Config{QueueURL: s.Queue.URL, QueueARN: s.Queue.ARN, Region: sqs.Region,
		BatchSize: manifest.Match.BatchSize, MaxConcurrency: c.Concurrency, Client: s.Queue.Client,
		Invoke: s.invoke, Now: s.Clock.Now, OnInvocation: c.OnInvocation})
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.stopped.Go(func() { _ = mapping.Run(ctx) }) // fails only on a batch size that manifest.Validate refuses
}

// invoke keeps count of the invocations that a kill would leave without
// another delivery.
func (s *Stack) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var last int
	if hasLastDelivery(payload) {
		last = 1
	}
	s.invoking.Lock()
	s.last += last
	s.invoking.Unlock()
	defer func() {
		s.invoking.Lock()
		s.last -= last
		s.invoking.Unlock()
	}()
	return s.Function.Invoke(ctx, payload)
}

func hasLastDelivery(payload []byte) bool {
	var event events.SQSEvent
	if json.Unmarshal(payload, &event) != nil {
		return true
	}
	for _, r := range event.Records {
		n, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
		if err != nil || n >= manifest.Match.MaxReceiveCount() {
			return true
		}
	}
	return false
}

// KillEvery kills the function's process again and again until ctx ends:
// whenever the interval has passed on the stack's clock, at a moment when a
// document is in progress. A message has a limited number of deliveries; one
// that is on its last is spared, or else it would be the sweep's. The moments
// come from the seed. It returns how often it killed.
func (s *Stack) KillEvery(ctx context.Context, interval time.Duration, seed uint64) (kills int) {
	random := rand.New(rand.NewPCG(seed, 0))
	next := s.Clock.Now()
	ticker := time.NewTicker(idlePoll)
	defer ticker.Stop()
	for wait := random.IntN(5); ; {
		select {
		case <-ctx.Done():
			return kills
		case <-ticker.C:
		}
		if s.Clock.Now().Before(next) || !s.working(ctx) {
			continue
		}
		if wait--; wait > 0 {
			continue
		}
		if s.kill(random) {
			kills++
			next = s.Clock.Now().Add(interval)
			wait = random.IntN(5)
		}
	}
}

func (s *Stack) working(ctx context.Context) bool {
	n, err := s.DB.InProgress(ctx)
	return err == nil && n > 0
}

func (s *Stack) kill(random *rand.Rand) bool {
	s.invoking.Lock()
	defer s.invoking.Unlock()
	return s.last == 0 && s.Function.Kill(random.IntN)
}

// Idle reports whether nothing is under way: no message is visible, and every
// worker of the mapping waits at the queue for the next one.
func (s *Stack) Idle() bool {
	stats, _ := s.SQS.Stats(queueName)
	return stats.Visible == 0 && stats.Polls >= s.workers
}

// Stats are the counts of the queue and of its dead-letter queue.
func (s *Stack) Stats() (queue, dlq sqs.Stats) {
	queue, _ = s.SQS.Stats(queueName)
	dlq, _ = s.SQS.Stats(dlqName)
	return queue, dlq
}

// WaitIdle waits until the stack is idle.
func (s *Stack) WaitIdle(ctx context.Context) error {
	ticker := time.NewTicker(idlePoll)
	defer ticker.Stop()
	for !s.Idle() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

// Advance moves the clocks of queue and database.
func (s *Stack) Advance(ctx context.Context, d time.Duration) error {
	if err := s.dbClock.Advance(ctx, d); err != nil {
		return fmt.Errorf("advance the database's clock: %w", err)
	}
	s.Clock.Advance(d)
	return nil
}

// Jump moves the clocks to the moment at which the next message becomes
// visible. It reports false when no message waits.
func (s *Stack) Jump(ctx context.Context) (bool, error) {
	stats, _ := s.SQS.Stats(queueName)
	if stats.NextVisible.IsZero() {
		return false, nil
	}
	return true, s.Advance(ctx, stats.NextVisible.Sub(s.Clock.Now()))
}

// Sweep runs the sweep once.
func (s *Stack) Sweep(ctx context.Context) (sweep.Report, error) { return s.sweeper.Run(ctx) }

// Env is the environment of the functions of this stack, KEY=VALUE.
func (s *Stack) Env() []string { return slices.Clone(s.env) }

// Publish publishes documents.
func (s *Stack) Publish() *job.Publisher { return &job.Publisher{Store: s.DB, Sender: s.Queue} }

// Drain lets everything happen that is due, jumping over the waits, until the
// queue is empty and unfinished counts no document any more. Where the queue
// is empty before that, the sweep runs, each time a visibility timeout later.
func (s *Stack) Drain(ctx context.Context, unfinished func(context.Context) (int, error)) error {
	var sweepErr error // a sweep that failed is made good by the next one
	for sweeps := 0; ; {
		if err := s.WaitIdle(ctx); err != nil {
			return err
		}
		jumped, err := s.Jump(ctx)
		if err != nil {
			return err
		}
		if jumped {
			continue
		}
		n, err := unfinished(ctx)
		if err != nil || n == 0 {
			return err
		}
		if sweeps++; sweeps > maxSweeps {
			return errors.Join(fmt.Errorf("%d documents are unfinished after %d sweeps", n, maxSweeps), sweepErr)
		}
		if err := s.Advance(ctx, manifest.Match.Visibility()+time.Second); err != nil {
			return err
		}
		_, sweepErr = s.Sweep(ctx)
	}
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
