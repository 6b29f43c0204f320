// Package serve runs all of Matchbook in one process on a PostgreSQL, without AWS: the queue,
// the functions of the four workloads, the sweep, the schedule, the console and the API of
// reviews. The functions are the deployed ones, called in the process with the same events,
// settlement and retries; so one program to install needs less memory than eight.
//
// The rows are the truth. The queue is in memory (local/sqs) and starts empty: rows published
// before are published again (resume.go), and a killed process's rows once their leases end.
// Two processes share a database safely, as two stacks on AWS would: a claim is one fenced
// write, and a message is superseded by a later publication. The same rows can move to a stack
// on AWS and back.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry/prometheus"
)

// Config configures a Server.
type Config struct {
	DatabaseURL string    // must be migrated
	Data        string    // folder of files and keys; created if missing
	Env         setup.Env // settings of the functions, as deployed; queues and database are ignored
	Addr        string    // HOST:PORT of the pages
	Person      login.Person
	Review      bool // review each ingested contract
	Watch       []Watch
	Log         io.Writer // JSON lines
	// Every is the period of the sweep and of new rows; 0 is 5 s.
	Every time.Duration
}

// Server is a running process.
type Server struct {
	URL string // of the pages

	config  Config
	log     *slog.Logger
	sqs     *sqs.Server
	env     setup.Env
	db      *postgres.DB
	metrics *prometheus.Collector
	since   time.Time // of the queue, by the database's clock
	feeds   []feed
	health  health

	running sync.WaitGroup
	stop    context.CancelFunc
	closers []func()
}

// Start starts everything. You must call Close.
func Start(ctx context.Context, c Config) (*Server, error) {
	s := &Server{config: c, sqs: sqs.New(clock.New()), metrics: &prometheus.Collector{}, stop: func() {},
		log: slog.New(slog.NewJSONHandler(c.Log, nil)).With("function", "serve")}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open opens the parts in the order of their needs: folder, queues, database, functions, tasks,
// and last the pages, so that a page is served only by a process that works.
func (s *Server) open(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(s.config.Data, filesFolder), 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if err := s.openQueues(ctx); err != nil {
		return err
	}
	if err := s.openDatabase(ctx); err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	for _, open := range []func(context.Context) error{s.openFunctions, s.openTasks, s.openWatches, s.openPages} {
		if err := open(running); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) openDatabase(ctx context.Context) (err error) {
	if s.db, err = postgres.Open(ctx, s.config.DatabaseURL, manifest.Console.PoolSize+manifest.Sweep.PoolSize); err != nil {
		return err
	}
	s.onClose(s.db.Close)
	s.since, err = offers.New(s.db).Now(ctx)
	return err
}

// openQueues creates the queues of the manifest.
func (s *Server) openQueues(ctx context.Context) error {
	variables := map[string]string{}
	for _, f := range manifest.Functions() {
		urls, err := local.CreateQueueWith(ctx, s.sqs.Client(), f.Name, f)
		if err != nil {
			return err
		}
		variables[f.QueueEnv()] = urls.Queue
	}
	var err error
	s.env, err = s.environment(variables)
	return err
}

// drain is the time for running work after Close; then it is left to its leases.
const drain = 30 * time.Second

// Close stops taking work, lets running work finish, and closes everything.
func (s *Server) Close() error {
	s.stop()
	done := make(chan struct{})
	go func() { s.running.Wait(); close(done) }()
	var err error
	select {
	case <-done:
	case <-time.After(drain):
		err = fmt.Errorf("work still running after %s: it is taken up again once its leases end", drain)
	}
	for len(s.closers) > 0 {
		s.closers[len(s.closers)-1]()
		s.closers = s.closers[:len(s.closers)-1]
	}
	return err
}

func (s *Server) onClose(f func()) { s.closers = append(s.closers, f) }

// every calls work at once and then every period until ctx ends.
func (s *Server) every(ctx context.Context, period time.Duration, work func(context.Context)) {
	s.running.Go(func() {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			work(ctx)
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// handle adds the pages' handler to a server at the address.
func (s *Server) handle(pages http.Handler) error {
	url, stop, err := local.Serve(s.config.Addr, pages)
	if err != nil {
		return err
	}
	s.URL = url
	s.onClose(func() { _ = stop() }) // waits five seconds for requests, then closes them
	return nil
}
