package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
)

const (
	dlqSuffix  = "-dlq"
	idlePoll   = 2 * time.Millisecond
	maxSweeps  = 40
	stackConns = 4
)

// StackConfig configures a stack.
type StackConfig struct {
	DatabaseURL string           // a migrated database
	Functions   []FunctionConfig // the functions
	FrozenAt    time.Time        // zero: the clocks flow; else they stand still between jumps
	Log         *slog.Logger     // of the sweep; may be nil
	OnEvent     func(sqs.Event)  // everything that happens to a message; may be nil
	// Route returns the URL by which the functions reach the database; nil
	// leaves it as it is.
	Route func(databaseURL string) string
}

// Stack is the whole line on one machine: functions, each in its real bootstrap
// behind its queue, one SQS over HTTP, one database, one sweep, and one clock
// for queues and database that jumps when nothing else is left to do. The
// functions run as they do in AWS.
type Stack struct {
	*Consumer // the first one, of most stacks the only one
	Consumers []*Consumer
	Clock     *clock.Clock
	SQS       *sqs.Server
	DB        *postgres.DB // sees the stack's clock

	queues  []string // of all functions, as the variables that publishers read
	sweeper *sweep.Sweeper
	dbClock *simclock.Clock
	server  *http.Server
	stopped sync.WaitGroup
	stop    context.CancelFunc
}

// StartStack starts everything. Close ends it.
func StartStack(ctx context.Context, c StackConfig) (*Stack, error) {
	s := &Stack{Clock: clock.New(), stop: func() {}}
	if !c.FrozenAt.IsZero() {
		s.Clock = clock.NewFrozen(c.FrozenAt)
	}
	list, err := configured(c.Functions)
	if err != nil {
		return nil, err
	}
	simURL, err := s.openDatabase(ctx, c)
	if err == nil {
		err = s.openQueues(ctx, c, list)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.sweeper = s.newSweeper(c.Log)
	s.startFunctions(ctx, c, list, simURL)
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

// openQueues starts the SQS, and makes the queues: also those of the
// manifest's workloads without a function here, which the sweep function looks at.
func (s *Stack) openQueues(ctx context.Context, c StackConfig, list []FunctionConfig) error {
	s.SQS = sqs.New(s.Clock)
	if c.OnEvent != nil {
		s.SQS.OnEvent(c.OnEvent)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the queues: %w", err)
	}
	s.server = &http.Server{Handler: s.SQS, ReadHeaderTimeout: time.Minute}
	s.stopped.Go(func() { _ = s.server.Serve(listener) }) // ends with Close
	client := sqs.NewClient("http://" + listener.Addr().String())
	create := func(row manifest.Function) (QueueURLs, error) {
		url, err := createQueue(ctx, client, row.Name, row)
		s.queues = append(s.queues, row.QueueEnv()+"="+url.Queue)
		return url, err
	}
	for _, c := range list {
		url, err := create(c.Row)
		if err != nil {
			return err
		}
		w := &Consumer{Jobs: s.DB.JobsOf(c.Table), DLQURL: url.DLQ, row: c.Row, sqs: s.SQS, clock: s.Clock}
		if w.Queue, err = sqsjob.NewQueue(client, url.Queue); err != nil {
			return err
		}
		s.Consumers = append(s.Consumers, w)
	}
	s.Consumer = s.Consumers[0]
	for _, row := range manifest.Workloads() {
		if s.has(row.Name) {
			continue
		}
		if _, err := create(row); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) newSweeper(log *slog.Logger) *sweep.Sweeper {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	sweeper := &sweep.Sweeper{Log: log}
	for _, w := range s.Consumers {
		if w.row.Rowless {
			continue
		}
		sweeper.Targets = append(sweeper.Targets, sweep.Target{
			Name: w.row.Name, Store: w.Jobs, Queue: w.Queue, Visibility: w.row.Visibility()})
	}
	return sweeper
}

// startFunctions starts the functions. Each knows the queues of all, by the
// variable that publishers read.
func (s *Stack) startFunctions(ctx context.Context, c StackConfig, list []FunctionConfig, simURL string) {
	if c.Route != nil {
		simURL = c.Route(simURL)
	}
	common := []string{
		variable.DatabaseURL + "=" + simURL,
		variable.MatchMode + "=rules",
		"AWS_ENDPOINT_URL_SQS=" + *s.Queue.Client.Options().BaseEndpoint,
	}
	common = append(common, s.queues...)
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	for i, w := range s.Consumers {
		env := common
		if to := (manifest.Function{Name: w.row.MayPublishTo}); to.Name != "" && !s.has(to.Name) {
			// Rows that no function takes would wait for ever.
			env = append(slices.Clone(common), to.QueueEnv()+"=")
		}
		s.stopped.Go(w.start(ctx, list[i], env))
	}
}

// has reports whether the function of this name is in the stack.
func (s *Stack) has(name string) bool {
	return slices.ContainsFunc(s.Consumers, func(w *Consumer) bool { return w.row.Name == name })
}

// Close ends everything and takes the clock out of the database.
func (s *Stack) Close() error {
	s.stop()
	var errs []error
	for _, w := range s.Consumers {
		if w.Function != nil {
			errs = append(errs, w.Function.Close())
		}
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
