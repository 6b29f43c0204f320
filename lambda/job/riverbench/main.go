// Command rival measures how many jobs a second the runtime of package job
// finishes beside River, a job queue on PostgreSQL, on one private server with
// fsync on. Jobs do nothing; each is claimed and succeeds, in batches of ten as SQS
// delivers them to concurrent instances. It is a module of its own: River is no
// dependency of Matchbook.
//
//	cd lambda/job/riverbench && go run .
//
// Each round lets every contestant work off the same number of jobs, in turn. Of
// the rounds it prints the medians, with the least and the most.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"matchbook/lambda/local/pgserver"

	"github.com/jackc/pgx/v5/pgxpool"
)

// contestant works off n jobs, which fill has made.
type contestant struct {
	name string
	fill func(ctx context.Context, n int) error
	work func(ctx context.Context, n int) (time.Duration, error)
	// check returns how many writes of stale attempts were refused; an error if one
	// was accepted, or a job is not finished. nil: there is no fence to check.
	check func(ctx context.Context, n int) (refused int, err error)
}

// measurement is one contestant's part of a round.
type measurement struct {
	perSecond         float64
	serverCPU, ownCPU float64 // ms a job
	walBytes          float64 // a job
	refused           int
}

func main() {
	jobs := flag.Int("jobs", 10_000, "jobs of a contestant in each round")
	rounds := flag.Int("rounds", 5, "rounds")
	instances := flag.Int("instances", 8, "concurrent instances, each with one batch at a time")
	batch := flag.Int("batch", 10, "jobs of a batch")
	only := flag.String("only", "", "the one contestant beside River; empty: all")
	commit := flag.String("commit", "on", "synchronous_commit of the server; off: without waiting for the disk")
	flag.Parse()
	if err := run(context.Background(), *jobs, *rounds, *instances, *batch, *commit, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, jobs, rounds, instances, batch int, commit, only string) error {
	server, err := pgserver.Start(ctx, pgserver.Options{Durable: true, Settings: map[string]string{
		"shared_buffers": "128MB", "synchronous_commit": commit}})
	if err != nil {
		return err
	}
	defer server.Stop()
	pool, err := pgxpool.New(ctx, server.URL("postgres"))
	if err != nil {
		return err
	}
	defer pool.Close()
	ours, closeOurs, err := ourContestants(ctx, server.URL("postgres"), instances, batch)
	if err != nil {
		return err
	}
	defer closeOurs()
	rivers, closeRiver, err := riverContestant(ctx, server.URL("postgres"))
	if err != nil {
		return err
	}
	defer closeRiver()
	all := append([]contestant{rivers}, slices.DeleteFunc(ours, func(c contestant) bool { return only != "" && c.name != only })...)
	measured := make([][]measurement, len(all))
	for round := range rounds + 1 { // the first one warms up
		for i := range all {
			c := all[(i+round)%len(all)]
			m, err := measure(ctx, pool, c, jobs)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			fmt.Fprintf(os.Stderr, "round %d  %-28s %7.0f jobs/s\n", round, c.name, m.perSecond)
			if round > 0 {
				measured[(i+round)%len(all)] = append(measured[(i+round)%len(all)], m)
			}
		}
	}
	report(all, measured, jobs)
	return nil
}

// measure lets a contestant work off its jobs. The checkpoint comes before they are
// made, as when work follows soon after a publication.
func measure(ctx context.Context, pool *pgxpool.Pool, c contestant, jobs int) (m measurement, err error) {
	if _, err := pool.Exec(ctx, "CHECKPOINT"); err != nil {
		return m, err
	}
	if err := c.fill(ctx, jobs); err != nil {
		return m, fmt.Errorf("fill: %w", err)
	}
	runtime.GC()
	before, err := readUsage(ctx, pool)
	if err != nil {
		return m, err
	}
	took, err := c.work(ctx, jobs)
	if err != nil {
		return m, fmt.Errorf("work: %w", err)
	}
	after, err := readUsage(ctx, pool)
	if err != nil {
		return m, err
	}
	n := float64(jobs)
	m = measurement{perSecond: n / took.Seconds(), serverCPU: 1000 * (after.server - before.server).Seconds() / n,
		ownCPU: 1000 * (after.own - before.own).Seconds() / n, walBytes: float64(after.wal-before.wal) / n}
	if c.check != nil {
		m.refused, err = c.check(ctx, jobs)
	}
	return m, err
}

// report prints a table in Markdown; the first contestant is the measure.
func report(all []contestant, measured [][]measurement, jobs int) {
	fmt.Printf("| %d rounds of %d jobs | jobs/s | beside River | server CPU, ms a job | client CPU, ms a job | "+
		"WAL, bytes a job | stale writes accepted |\n|---|---|---|---|---|---|---|\n", len(measured[0]), jobs)
	for i, c := range all {
		ms := measured[i]
		stale := "no fence"
		if c.check != nil {
			refused := 0
			for _, m := range ms {
				refused += m.refused
			}
			stale = fmt.Sprintf("0 of %d", refused)
		}
		ratios := make([]float64, len(ms)) // round by round
		for n := range ms {
			ratios[n] = ms[n].perSecond / measured[0][n].perSecond
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %s | %s |\n", c.name,
			spread("%.0f", ms, func(m measurement) float64 { return m.perSecond }),
			median("%.2f", ratios),
			spread("%.3f", ms, func(m measurement) float64 { return m.serverCPU }),
			spread("%.3f", ms, func(m measurement) float64 { return m.ownCPU }),
			spread("%.0f", ms, func(m measurement) float64 { return m.walBytes }), stale)
	}
}

func spread(format string, ms []measurement, of func(measurement) float64) string {
	values := make([]float64, len(ms))
	for i, m := range ms {
		values[i] = of(m)
	}
	return median(format, values)
}

// median formats the median of values, with the least and the most.
func median(format string, values []float64) string {
	slices.Sort(values)
	return fmt.Sprintf(format+" ("+format+" to "+format+")", values[len(values)/2], values[0], values[len(values)-1])
}
