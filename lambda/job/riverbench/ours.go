package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// table is a table of jobs.
type table struct {
	name  string
	table postgres.Table
	fill  string // $1: rows, $2: the tenant; returns id and stamp of each job
	// succeed is the success of work without results.
	succeed func(db *postgres.DB) func(ctx context.Context, f job.Attempt) error
	ended   string // counts the jobs that have their end
}

// runtimeOnTable is a contestant: concurrent instances, each with connections of
// its own.
type runtimeOnTable struct {
	table
	admin     *pgxpool.Pool
	batchSize int
	instances []*postgres.DB
	messages  []job.Stamped
	stale     atomic.Int64
	accepted  atomic.Int64
}

func ourContestants(ctx context.Context, serverURL string, instances, batchSize int) (
	list []contestant, closeAll func(), err error,
) {
	url, drop, err := pgserver.CreateDatabase(ctx, serverURL, "matchbook_")
	if err != nil {
		return nil, nil, err
	}
	closeAll = func() { _ = drop() }
	if _, err := schema.Migrate(ctx, url); err != nil {
		return nil, closeAll, err
	}
	admin, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, closeAll, err
	}
	if _, err := admin.Exec(ctx, prepareSQL); err != nil {
		return nil, closeAll, err
	}
	var dbs []*postgres.DB
	closeAll = func() {
		for _, db := range dbs {
			db.Close()
		}
		admin.Close()
		_ = drop()
	}
	for range instances {
		db, err := postgres.Open(ctx, url, 1)
		if err != nil {
			return nil, closeAll, err
		}
		dbs = append(dbs, db)
	}
	for _, t := range tables {
		r := &runtimeOnTable{table: t, admin: admin, batchSize: batchSize, instances: dbs}
		list = append(list, contestant{t.name, r.fillTable, r.work, r.check})
	}
	return list, closeAll, nil
}

func (r *runtimeOnTable) fillTable(ctx context.Context, n int) error {
	if _, err := r.admin.Exec(ctx, "TRUNCATE "+r.table.table.Name+" CASCADE"); err != nil {
		return err
	}
	rows, _ := r.admin.Query(ctx, r.fill, n, tenant)
	var err error
	if r.messages, err = pgx.CollectRows(rows, pgx.RowToStructByPos[job.Stamped]); err != nil {
		return err
	}
	_, err = r.admin.Exec(ctx, "VACUUM ANALYZE "+r.table.table.Name)
	return err
}

func (r *runtimeOnTable) work(ctx context.Context, _ int) (time.Duration, error) {
	r.stale.Store(0)
	r.accepted.Store(0)
	batches := make(chan []job.Stamped, len(r.messages)/r.batchSize+1)
	for from := 0; from < len(r.messages); from += r.batchSize {
		batches <- r.messages[from:min(from+r.batchSize, len(r.messages))]
	}
	close(batches)
	began := time.Now()
	var working sync.WaitGroup
	for _, db := range r.instances {
		working.Go(func() { r.instance(ctx, db, batches) })
	}
	working.Wait()
	return time.Since(began), nil
}

// instance works on one batch after the other, as an instance of a function does.
func (r *runtimeOnTable) instance(ctx context.Context, db *postgres.DB, batches <-chan []job.Stamped) {
	jobs := db.JobsOf(r.table.table)
	succeed := r.succeed(db)
	runtime := &job.Runtime{Store: jobs, Backoff: manifest.Match.Retries, Log: slog.New(slog.DiscardHandler)}
	for batch := range batches {
		deliveries := make([]job.Delivery, len(batch))
		for i, m := range batch {
			deliveries[i] = job.Delivery{ID: m.ID, Count: 1, SentAt: m.PublishedAt, PublishedAt: m.PublishedAt}
		}
		runtime.Work = func(ctx context.Context, f job.Attempt) error {
			if f.ID[15] != 0 || f.ID[14]&3 != 0 { // one of 1024
				return succeed(ctx, f)
			}
			r.stale.Add(1)
			if _, err := jobs.Publish(ctx, []uuid.UUID{f.ID}); err != nil {
				return err
			}
			err := succeed(ctx, f)
			if err == nil {
				r.accepted.Add(1)
			}
			return err
		}
		invocation, cancel := context.WithTimeout(ctx, time.Minute)
		runtime.Run(invocation, deliveries, noQueue{})
		cancel()
	}
}

func (r *runtimeOnTable) check(ctx context.Context, n int) (refused int, err error) {
	var ended int
	if err := r.admin.QueryRow(ctx, r.ended).Scan(&ended); err != nil {
		return 0, err
	}
	stale := int(r.stale.Load())
	if accepted := r.accepted.Load(); accepted != 0 || ended != n-stale {
		return 0, fmt.Errorf("%d of %d jobs have their end, %d were published meanwhile; %d stale writes were accepted",
			ended, n, stale, accepted)
	}
	return stale, nil
}

// noQueue is a queue without messages.
type noQueue struct{}

// Settle implements job.Messages.
func (noQueue) Settle(context.Context, []job.Settled) {}

// Extend implements job.Messages.
func (noQueue) Extend(context.Context, []int, time.Duration) {}
