package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/local"
	"matchbook/lambda/local/drill"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/manifest/variable"

	"github.com/spf13/cobra"
)

type drillOptions struct {
	documents int
	length    time.Duration
	seed      uint64
	only      []string
	workloads []string
	json      bool
	short     bool
	outage    bool
	logs      string
}

func (w *invocation) drillCommand() *cobra.Command {
	var o drillOptions
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "Inject faults and check that nothing is lost",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.drill(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.IntVar(&o.documents, "documents", 600, "publish at least this many documents; the number of all else follows")
	flags.DurationVar(&o.length, "for", 2*time.Minute, "inject faults for this `DURATION` of real time")
	flags.Uint64Var(&o.seed, "seed", 0, "seed of documents and faults; 0 draws one and prints it")
	flags.StringSliceVar(&o.only, "only", nil, "only this `FAULT`; repeat or separate by commas")
	flags.StringSliceVar(&o.workloads, "workloads", nil, "only this `WORKLOAD` and those it publishes to, of "+
		strings.Join(drill.Workloads(), ", ")+"; repeat or separate by commas")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.short, "short", false, "run 40 documents, what goes with them, and each fault once; ignores --documents and --for")
	flags.BoolVar(&o.outage, "outage", false, "let the model's provider be away; the same as --only outage")
	flags.StringVar(&o.logs, "logs", "", "append the logs of the functions to `FILE`; - is standard error")
	return cmd
}

func (w *invocation) drill(ctx context.Context, o drillOptions) (err error) {
	p := term.NewMeter(w.ErrOut)
	defer p.Close()
	source, _, err := pgserver.ReadSource(w.Env, variable.Postgres)
	if err != nil {
		return err
	}
	for o.seed == 0 {
		o.seed = rand.Uint64() >> 32
	}
	logs, stop, err := local.OpenLogs(o.logs, p)
	if err != nil {
		return err
	}
	defer func() { _ = stop() }()
	d := drill.Options{Documents: o.documents, For: o.length, Seed: o.seed, Only: o.only, Workloads: o.workloads,
		Freeze: 20 * time.Second, Source: source, Logs: logs,
		Progress: func(line string) { p.Say("%s", line) }}
	if o.short {
		d.Documents, d.For, d.Freeze = 40, 0, 4*time.Second
	}
	if o.outage {
		d.Only = append(d.Only, "outage")
	}
	p.Say("seed %d", o.seed)
	report, err := drill.Run(ctx, d)
	if err != nil {
		return err
	}
	if err = w.Print(report, o.json); err == nil && report.Violations() > 0 {
		err = cli.ErrFindings
	}
	return err
}
