package main

import (
	"errors"
	"slices"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/plan"

	"github.com/spf13/cobra"
)

// capacityOptions are the flags of capacity.
type capacityOptions struct {
	workOptions
	concurrency int
	connections int
	cores       float64
	requests    float64
	tokens      float64
}

// What a system has if nothing else is said.
const (
	usualConnections = 97 // PostgreSQL's 100 without those for superusers
	usualCores       = 1  // Aurora at 4 ACU
	usualRequests    = 500
	usualTokens      = 200_000
	callTimeout      = time.Minute // LLM_TIMEOUT, if not set
)

func (w *invocation) capacityCommand() *cobra.Command {
	var o capacityOptions
	cmd := &cobra.Command{
		Use:   "capacity",
		Short: "Say how many documents an hour a system can do, what limits it, and what to change next",
		Long: `Capacity reckons, it asks nobody: how many documents an hour go through while
there is a backlog, for a MaximumConcurrency, a latency of the model, what the
provider allows, the database's connections and cores, and the number of
tenants. It lists the limits, the tightest first, and says what to change. The
formula is in the documentation of lambda/plan, what a document takes in
lambda/plan/measured.json; a test compares it with a simulated run.

A batch of ten documents ends when its slowest does. --latency 1s-4s has answers
take 1 to 4 seconds, each as likely; the slowest of ten then takes nearly 4. Take
what the slowest few of 100 take for the second number, not the average.

What the provider refuses is tried again after 5 and 30 minutes and then given
up. Nothing but MaximumConcurrency keeps the line from asking more than is
allowed, so where the provider binds, the page says how many invocations are
enough.

--json: documents_per_hour, binding, batch_seconds,
  concurrency_that_is_enough, limits [{name, documents_per_hour, why, change}],
  problems [sentences], table [{concurrency, latency, documents_per_hour,
  binding}]

Exit status 1: it cannot work at all, as when a batch takes longer than an
invocation has.`,
		Example: `  matchbook capacity
  matchbook capacity --concurrency 50 --latency 2s-10s --questions 0.26
  matchbook capacity --requests 10000 --tokens 2000000 --connections 400 --tenants 20
  matchbook capacity --json | jq .binding`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return w.capacity(&o) },
	}
	o.flags(cmd, 4, manifest.Match.BatchSize)
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print as JSON")
	flags.IntVar(&o.concurrency, "concurrency", manifest.Match.MaxConcurrency, "MaximumConcurrency of the event source mapping")
	flags.IntVar(&o.connections, "connections", usualConnections, "connections that the database allows")
	flags.Float64Var(&o.cores, "cores", usualCores, "cores of the database; an ACU has a quarter")
	flags.Float64Var(&o.requests, "requests", usualRequests, "requests a minute that the model's provider allows; 0: any number")
	flags.Float64Var(&o.tokens, "tokens", usualTokens, "tokens a minute that the model's provider allows; 0: any number")
	return cmd
}

// system reads the flags. The connections of other functions are those of all
// rows but match's.
func (o *capacityOptions) system(functions []manifest.Function) (s plan.System, err error) {
	others := slices.DeleteFunc(slices.Clone(functions), func(f manifest.Function) bool { return f.Name == manifest.Match.Name })
	work, err := o.work()
	s = plan.System{Work: work, Concurrency: o.concurrency, BatchSize: o.batch, Timeout: manifest.Match.Timeout, Reserve: manifest.SettleReserve,
		CallTimeout: callTimeout, Connections: o.connections, OtherConnections: manifest.Connections(others, manifest.Tasks()),
		Cores: o.cores, RequestsAMinute: o.requests, TokensAMinute: o.tokens}
	for _, e := range []error{
		unless(o.concurrency >= 2 && o.concurrency <= 1000, "--concurrency %d: MaximumConcurrency is between 2 and 1000", o.concurrency),
		unless(o.connections >= 1, "--connections %d is less than 1", o.connections),
		unless(o.cores > 0, "--cores %g is not more than 0", o.cores),
		unless(o.requests >= 0, "--requests %g is less than 0", o.requests),
		unless(o.tokens >= 0, "--tokens %g is less than 0", o.tokens),
	} {
		err = errors.Join(err, e)
	}
	return s, err
}

func (w *invocation) capacity(o *capacityOptions) error {
	s, err := o.system(manifest.Functions())
	if err != nil {
		return err
	}
	r := plan.NewThroughput(s)
	if err := w.printPage(r, r.Page(), &o.workOptions); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return errFindings
	}
	return nil
}
