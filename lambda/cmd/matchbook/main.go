// Command matchbook is for operators and integrators: it runs a folder of
// documents through the whole line on this machine, explains matches, and examines
// and operates a deployed system. It holds flags and help, one file for each
// command; the packages that it imports do the work.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func main() { cli.Main(run) }

// The help of a command is help/NAME.txt; cli.Help reads it. What several
// commands share is in help/shared.txt.
//
//go:embed help/*.txt
var helpPages embed.FS

// helpFacts are the values that a page takes from the code.
var helpFacts = map[string]any{
	"Deliveries": manifest.Match.MaxReceiveCount(),
	"Visibility": fmt.Sprintf("%d minutes", manifest.Match.Visibility()/time.Minute),
	"Batch":      republish.Batch,
	"Shown":      republish.Shown,
}

// run is the program.
func run(ctx context.Context, args []string, env setup.Env, out, errOut io.Writer) int {
	w := &invocation{cli.Invocation{Args: joinKept(args), Env: env, Out: out, ErrOut: errOut}}
	root := &cobra.Command{
		Use:     "matchbook",
		Short:   "Match business documents: never lost, never done twice, never left unexplained",
		Version: version(debug.ReadBuildInfo()),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Try", []*cobra.Command{w.matchCommand(), w.ingestCommand(), w.reviewCommand()}},
		{"Integrate", []*cobra.Command{w.schemaCommand(), w.checkCommand(), w.importCommand(), w.exportCommand(), w.eventsCommand()}},
		{"Decide", []*cobra.Command{w.consoleCommand(), w.openCommand(), w.explainCommand(), w.confirmCommand(), w.rejectCommand(),
			w.undecideCommand(), w.correctCommand()}},
		{"Operate", []*cobra.Command{w.doctorCommand(), w.migrateCommand(), w.publishCommand(), w.sweepCommand(), w.offersCommand(),
			w.notifyCommand(), w.costCommand(), w.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID("Operate")
	cli.Help(root, helpPages, helpFacts)
	return w.Run(ctx, root)
}

// group makes a command that has only commands below it, and shows them.
func group(use, short string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs, // it needs a RunE: without one any word is accepted
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(below...)
	return cmd
}

// invocation is a run of the program, with its commands.
type invocation struct{ cli.Invocation }
