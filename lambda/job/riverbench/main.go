// Command riverbench compares the throughput of package job with River, a job queue on
// PostgreSQL, on one private server with fsync on. The jobs do nothing: each is claimed and
// succeeds, in batches of ten as SQS delivers them to concurrent instances. It has a separate
// module, so that Matchbook doesn't depend on River.
//
//	cd lambda/job/riverbench && go run .
//
// In each round every contestant works off the same number of jobs, in turn. The program
// prints medians of the rounds, with minimum and maximum.
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

// contestant processes the jobs that fill puts into its table.
type contestant struct {
	name, table string
	fill        func()
	work        func() time.Duration
	// check returns the number of finished jobs, and of stale attempts; their writes must have
	// been refused. It is nil if there's no fence to check.
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
	fmt.Printf("| %d rounds of %d jobs | jobs/s | relative to River | stale writes accepted |\n|---|---|---|---|\n", *rounds, *jobs)
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

// must exits on an error, because half a measurement is useless.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// measure lets a contestant process its jobs. It makes a checkpoint before it makes the jobs,
// as when work follows soon after a publication.
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
		panic(fmt.Sprintf("%s: %d of %d jobs finished, %d were published meanwhile: a stale write was accepted",
			c.name, ended, *jobs, stale))
	}
	c.stale += stale
}

// median formats the median of all values but the first, with minimum and maximum.
func median(format string, values []float64) string {
	values = slices.Sorted(slices.Values(values[1:]))
	return fmt.Sprintf(strings.ReplaceAll("F (F to F)", "F", format), values[len(values)/2], values[0], values[len(values)-1])
}
