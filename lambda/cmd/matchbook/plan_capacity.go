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
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return w.capacity(&o) },
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
	r := s.Throughput()
	if err := w.printPage(r, r.Page(), &o.workOptions); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return errFindings
	}
	return nil
}
