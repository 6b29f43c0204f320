// Command riverbench measures how many jobs a second the runtime of package job
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
	"strings"
	"time"

	"matchbook/lambda/local/pgserver"

	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	jobs      = flag.Int("jobs", 10_000, "jobs of a contestant in each round")
	rounds    = flag.Int("rounds", 5, "rounds")
	instances = flag.Int("instances", 8, "concurrent instances, each with one batch at a time")
	batchSize = flag.Int("batch", 10, "jobs of a batch")
	commit    = flag.String("commit", "on", "synchronous_commit of the server; off: without waiting for the disk")
)

// contestant works off jobs, which fill puts into its table.
type contestant struct {
	name, table string
	fill        func()
	work        func() time.Duration
	// check returns how many jobs have their end, and how many attempts are stale, whose
	// writes must have been refused. nil: there is no fence to check.
	check func() (ended, stale int)

	rates []float64 // jobs a second, by round; the first one warms up
	stale int
}

func main() {
	flag.Parse()
	ctx := context.Background()
	server := must(pgserver.Start(ctx, pgserver.Options{Durable: true, Settings: map[string]string{
		"shared_buffers": "128MB", "synchronous_commit": *commit}}))
	defer server.Stop()
	url := server.URL("postgres")
	pool := must(pgxpool.New(ctx, url))
	river := riverContestant(ctx, url)
	all := append([]*contestant{river}, ourContestants(ctx, url, pool)...)
	for round := range *rounds + 1 {
		for i := range all {
			c := all[(i+round)%len(all)]
			c.measure(ctx, pool)
			fmt.Fprintf(os.Stderr, "round %d  %-15s %7.0f jobs/s\n", round, c.name, c.rates[round])
		}
	}
	fmt.Printf("| %d rounds of %d jobs | jobs/s | beside River | stale writes accepted |\n|---|---|---|---|\n", *rounds, *jobs)
	for _, c := range all {
		ratios := make([]float64, len(c.rates)) // round by round
		for i, rate := range c.rates {
			ratios[i] = rate / river.rates[i]
		}
		stale := "no fence"
		if c.check != nil {
			stale = fmt.Sprintf("0 of %d", c.stale)
		}
		fmt.Printf("| %s | %s | %s | %s |\n", c.name, median("%.0f", c.rates), median("%.2f", ratios), stale)
	}
}

// must ends the program on an error: half a measurement is none.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// measure lets a contestant work off its jobs. The checkpoint comes before they are
// made, as when work follows soon after a publication.
func (c *contestant) measure(ctx context.Context, pool *pgxpool.Pool) {
	must(pool.Exec(ctx, "CHECKPOINT"))
	must(pool.Exec(ctx, "TRUNCATE "+c.table+" CASCADE"))
	c.fill()
	must(pool.Exec(ctx, "VACUUM ANALYZE "+c.table))
	runtime.GC()
	c.rates = append(c.rates, float64(*jobs)/c.work().Seconds())
	if c.check == nil {
		return
	}
	ended, stale := c.check()
	if ended != *jobs-stale {
		panic(fmt.Sprintf("%s: %d of %d jobs have their end, of which %d were published meanwhile: each end too many is a stale write",
			c.name, ended, *jobs, stale))
	}
	c.stale += stale
}

// median formats the median of values without the first, with the least and the most.
func median(format string, values []float64) string {
	values = slices.Sorted(slices.Values(values[1:]))
	return fmt.Sprintf(strings.ReplaceAll("F (F to F)", "F", format), values[len(values)/2], values[0], values[len(values)-1])
}
