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

	"matchbook/lambda/failure"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/schema"
)

const (
	dlqSuffix  = "-dlq"
	idlePoll   = 2 * time.Millisecond
	maxSweeps  = 40
	stackConns = 4
)

// StackConfig configures a stack.
type StackConfig struct {
	DatabaseURL string           // must be migrated
	Functions   []FunctionConfig // at least one
	FrozenAt    time.Time        // freezes the clocks between jumps; zero lets them run
	Log         *slog.Logger     // for the sweep; may be nil
	OnEvent     func(sqs.Event)  // called for every SQS event; may be nil
	AsOwner     bool             // functions keep the rights of the database URL, instead of taking schema.AppRole
	// Route returns the database URL for the functions; nil keeps the original.
	Route func(databaseURL string) string
}

// Stack runs everything on one machine: functions in their real bootstraps behind their
// queues, one SQS over HTTP, one database, one sweep, and one clock for queues and database.
// The clock jumps when the stack is idle, so tests and trial runs don't wait.
type Stack struct {
	*Consumer // the first, often the only one
	Consumers []*Consumer
	Clock     *clock.Clock
	SQS       *sqs.Server
	DB        *postgres.DB // sees the stack's clock
	// Wait waits for the next delivery instead of advancing the clocks; may be nil. Use it with a
	// real model, since an outage doesn't end because a clock jumps.
	Wait func(ctx context.Context, d time.Duration) error

	queues  []string // queue URLs as environment variables for publishers
	sweeper *sweep.Sweeper
	dbClock *simclock.Clock
	server  *http.Server
	stopped sync.WaitGroup
	stop    context.CancelFunc
}

// StartStack starts a stack. The caller must close it.
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
	if s.DB, err = postgres.Open(ctx, simURL, stackConns); err != nil {
		return "", err
	}
	if c.AsOwner {
		return simURL, nil
	}
	return schema.AsApp(ctx, s.DB, simURL) // for the functions, which need no more
}

// openQueues starts the SQS and creates the queues. The sweep function reads the queues of all
// workloads in the manifest, so it creates them even for workloads without a function here.
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
	s.stopped.Go(func() { _ = s.server.Serve(listener) }) // returns on Close
	client := sqs.NewClient("http://" + listener.Addr().String())
	create := func(row manifest.Function) (QueueURLs, error) {
		url, err := CreateQueueWith(ctx, client, row.Name, row)
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
	sweeper := &sweep.Sweeper{Log: log, Notify: func(ctx context.Context) {
		if err := s.DB.Breakers().EndOutages(ctx); err != nil {
			log.Error("ending outages failed", "reason", failure.Of(err).Text)
		}
	}}
	for _, w := range s.Consumers {
		if w.row.Rowless {
			continue
		}
		sweeper.Targets = append(sweeper.Targets, sweep.Target{
			Name: w.row.Name, Store: w.Jobs, Queue: w.Queue, Visibility: w.row.Visibility()})
	}
	return sweeper
}

// startFunctions starts the functions. Each gets the URLs of all queues in its environment.
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
			// No function here takes its rows, so they would stay pending forever.
			env = append(slices.Clone(common), to.QueueEnv()+"=")
		}
		s.stopped.Go(w.start(ctx, list[i], env))
	}
}

// has reports whether the stack has a function of this name.
func (s *Stack) has(name string) bool {
	return slices.ContainsFunc(s.Consumers, func(w *Consumer) bool { return w.row.Name == name })
}

// Close stops everything and removes the clock from the database.
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
