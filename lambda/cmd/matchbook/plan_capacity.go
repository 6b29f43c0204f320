package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/plan"
	"matchbook/lambda/term"

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

func (w *world) capacityCommand() *cobra.Command {
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

// capacityReport is what capacity prints.
type capacityReport struct {
	plan.Capacity
	Table  []capacityCell `json:"table"`
	system plan.System
}

// capacityCell is the capacity of the same system with another concurrency
// and latency.
type capacityCell struct {
	Concurrency int     `json:"concurrency"`
	Latency     string  `json:"latency"`
	Documents   float64 `json:"documents_per_hour"`
	Binding     string  `json:"binding"`
}

// Those that the table is made of, beside what was asked for.
var (
	tableConcurrency = []int{2, 8, 18, 50}
	tableLatency     = []plan.Latency{{Min: 500 * time.Millisecond, Max: time.Second}, {Min: time.Second, Max: 4 * time.Second}, {Min: 5 * time.Second, Max: 20 * time.Second}}
)

func (w *world) capacity(o *capacityOptions) error {
	s, err := o.system(manifest.Functions())
	if err != nil {
		return err
	}
	r := &capacityReport{Capacity: s.Capacity(), system: s}
	if r.Problems == nil {
		r.Problems = []string{}
	}
	for _, concurrency := range r.concurrencies() {
		for _, latency := range r.latencies() {
			s.Concurrency, s.Latency = concurrency, latency
			c := s.Capacity()
			r.Table = append(r.Table, capacityCell{concurrency, latencyText(latency), c.Documents, c.Binding})
		}
	}
	if err := w.printPage(r, r.page(), &o.workOptions); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return errFindings
	}
	return nil
}

func (r *capacityReport) concurrencies() []int {
	list := append(slices.Clone(tableConcurrency), r.system.Concurrency)
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *capacityReport) latencies() []plan.Latency {
	list := append(slices.Clone(tableLatency), r.system.Latency)
	slices.SortFunc(list, func(a, b plan.Latency) int { return int(a.Min + a.Max - b.Min - b.Max) })
	return slices.Compact(list)
}

// page is the report for people.
func (r *capacityReport) page() *term.Sheet {
	s := &term.Sheet{}
	s.Say(r.verdict())
	for _, p := range r.Problems {
		s.Say("It cannot work: " + p + ".")
	}
	rows := [][]string{{"limit", "documents an hour"}}
	for _, l := range r.Limits {
		rows = append(rows, []string{l.Name, grouped(l.Documents)})
	}
	s.Table(rows)
	for _, l := range r.Limits[:min(2, len(r.Limits))] {
		s.Say(fmt.Sprintf("%s: %s. To change it, %s.", capital(l.Name), l.Why, l.Change))
	}
	s.Say("Documents an hour, and what binds, with other invocations at a time and other answers of the model:")
	s.Table(r.table())
	return s
}

func (r *capacityReport) verdict() string {
	y := r.system
	text := fmt.Sprintf("%s documents an hour, with MaximumConcurrency %d, %g questions per document, answers that take %s, and %d tenants. What binds is: %s.",
		grouped(r.Documents), y.Concurrency, y.Questions, latencyText(y.Latency), y.Tenants, r.Binding)
	if r.Concurrency < y.Concurrency {
		text += fmt.Sprintf(" MaximumConcurrency %d is enough for that; with more, invocations wait or are refused.", r.Concurrency)
	}
	return text
}

func (r *capacityReport) table() [][]string {
	head := []string{"MaximumConcurrency"}
	for _, l := range r.latencies() {
		head = append(head, latencyText(l))
	}
	rows := [][]string{head}
	width := len(head) - 1
	for i, c := range r.Table {
		if i%width == 0 {
			rows = append(rows, []string{fmt.Sprint(c.Concurrency)})
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], grouped(c.Documents)+" ("+c.Binding+")")
	}
	return rows
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
