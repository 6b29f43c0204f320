// Command matchbook is for operators and integrators: use it to try Matchbook on this
// machine, to explain matches, and to check and operate a deployed system. Each file holds
// one command's flags; the imported packages do the work.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/status"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry/trace"

	"github.com/spf13/cobra"
)

func main() { cli.Main(run) }

// See cli.Help for the names of the pages; help/shared.txt has their common parts.
//
//go:embed help/*.txt
var helpPages embed.FS

// helpFacts are the values for {{.NAME}} in the pages.
var helpFacts = map[string]any{
	"Deliveries": manifest.Match.MaxReceiveCount(),
	"Visibility": fmt.Sprintf("%d minutes", manifest.Match.Visibility()/time.Minute),
	"Batch":      republish.Batch,
	"Shown":      republish.Shown,
	"Pruned":     prunedHelp(),
	"Legend":     status.LegendText(),
}

func run(ctx context.Context, args []string, env setup.Env, out, errOut io.Writer) int {
	w := &invocation{cli.Invocation{Args: joinKept(args), Env: env, Out: out, ErrOut: errOut}}
	root := &cobra.Command{
		Use:     "matchbook",
		Short:   "Match business documents",
		Version: version(debug.ReadBuildInfo()),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Try", []*cobra.Command{w.matchCommand(), w.ingestCommand(), w.reviewCommand()}},
		{"Run", []*cobra.Command{w.serveCommand()}},
		{"Integrate", []*cobra.Command{w.schemaCommand(), w.checkCommand(), w.importCommand(), w.exportCommand(), w.eventsCommand()}},
		{"Decide", []*cobra.Command{w.consoleCommand(), w.openCommand(), w.explainCommand(), w.confirmCommand(), w.rejectCommand(),
			w.undecideCommand(), w.settleCommand(), w.correctCommand(), w.dismissCommand(),
			w.pagesCommand(), w.companyCommand(), w.toleranceCommand(), w.taughtCommand()}},
		{"Operate", []*cobra.Command{w.statusCommand(), w.doctorCommand(), w.migrateCommand(), w.publishCommand(), w.dlqCommand(),
			w.sweepCommand(), w.offersCommand(), w.deleteCommand(), w.pruneCommand(), w.notifyCommand(), w.costCommand(),
			w.manifestCommand(), w.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			w.complete(cmd)
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID("Operate")
	cli.Help(root, helpPages, helpFacts)
	ctx, end := w.traced(ctx)
	defer end()
	return w.Run(ctx, root)
}

// traced returns a context with a tracer, if OpenTelemetry's variables ask for one. You must call
// end to send its spans.
func (w *invocation) traced(ctx context.Context) (_ context.Context, end func()) {
	c, err := trace.Load(w.Env)
	if err != nil {
		fmt.Fprintln(w.ErrOut, "matchbook: no tracing:", err)
		return ctx, func() {}
	}
	tracer := trace.New(c, "matchbook", w.Env(variable.Stage))
	return trace.With(ctx, tracer), func() {
		if err := tracer.Flush(context.WithoutCancel(ctx)); err != nil {
			fmt.Fprintln(w.ErrOut, "matchbook: spans lost:", err)
		}
	}
}

// group returns a command for the commands below it. By itself it shows its help.
func group(use, short string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cli.NoArgs,
		RunE:  cli.ShowHelp, // without a RunE cobra accepts any word
	}
	cmd.AddCommand(below...)
	return cmd
}

type invocation struct{ cli.Invocation }
