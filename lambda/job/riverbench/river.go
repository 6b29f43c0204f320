package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"matchbook/lambda/local/pgserver"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type nothing struct {
	Num int `json:"num"`
}

// Kind implements river.JobArgs.
func (nothing) Kind() string { return "nothing" }

type worker struct {
	river.WorkerDefaults[nothing]
}

// Work implements river.Worker.
func (worker) Work(context.Context, *river.Job[nothing]) error { return nil }

// riverContestant is River with the settings of its own benchmark, the fastest that
// its authors found.
func riverContestant(ctx context.Context, serverURL string) (c contestant, closeAll func(), err error) {
	url, drop, err := pgserver.CreateDatabase(ctx, serverURL, "river_")
	if err != nil {
		return c, nil, err
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return c, nil, err
	}
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return c, nil, err
	}
	closeAll = func() { pool.Close(); _ = drop() }
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return c, closeAll, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return c, closeAll, err
	}
	c.name = "River"
	c.fill = func(ctx context.Context, n int) error { return fillRiver(ctx, pool, driver, n) }
	c.work = func(ctx context.Context, n int) (time.Duration, error) { return workRiver(ctx, driver, n) }
	return c, closeAll, nil
}

func fillRiver(ctx context.Context, pool *pgxpool.Pool, driver *riverpgxv5.Driver, n int) error {
	if _, err := pool.Exec(ctx, "TRUNCATE river_job"); err != nil {
		return err
	}
	client, err := river.NewClient(driver, &river.Config{})
	if err != nil {
		return err
	}
	for from := 0; from < n; from += 5000 {
		var params []river.InsertManyParams
		for i := from; i < min(from+5000, n); i++ {
			params = append(params, river.InsertManyParams{Args: nothing{i}})
		}
		if _, err := client.InsertMany(ctx, params); err != nil {
			return err
		}
	}
	_, err = pool.Exec(ctx, "VACUUM ANALYZE river_job")
	return err
}

func workRiver(ctx context.Context, driver *riverpgxv5.Driver, n int) (took time.Duration, err error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{})
	client, err := river.NewClient[pgx.Tx](driver, &river.Config{
		FetchCooldown: 2 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond,
		Logger:  slog.New(slog.DiscardHandler),
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2_000}},
		Workers: workers,
	})
	if err != nil {
		return 0, err
	}
	events, cancel := client.SubscribeConfig(&river.SubscribeConfig{ChanSize: n,
		Kinds: []river.EventKind{river.EventKindJobCompleted, river.EventKindJobFailed}})
	defer cancel()
	if err := client.Start(ctx); err != nil {
		return 0, err
	}
	began := time.Now()
	for range n {
		if e := <-events; e.Kind != river.EventKindJobCompleted {
			return 0, fmt.Errorf("a job ended with %s", e.Kind)
		}
	}
	took = time.Since(began)
	return took, client.Stop(ctx)
}
