// Command matchbook is for developers and operators: it runs a folder of
// documents through the whole line on this machine, explains and measures
// matches, and examines and operates a deployed system. It holds flags, help
// and exit codes, one file for each command; packages of their own do the work.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK       = 0 // all is well
	exitFindings = 1 // it ran, and something did not succeed: it is in the output
	exitError    = 2 // it could not run: configuration, usage, environment
)

// errFindings ends a command that ran and has printed what did not succeed.
var errFindings = errors.New("something did not succeed")

// findings ends a command that ran, with or without success.
func findings(succeeded bool, err error) error {
	if err == nil && !succeeded {
		return errFindings
	}
	return err
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its environment passed in; it returns the exit code.
func run(ctx context.Context, args []string, env setup.Env, out, errOut io.Writer) int {
	args = joinKept(args)
	w := &invocation{args: args, env: env, out: out, errOut: errOut}
	root := &cobra.Command{
		Use:           "matchbook",
		Short:         "Match business documents: never lost, never done twice, never left unexplained",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	setHelp(root)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, command := range []*cobra.Command{
		w.matchCommand(), w.ingestCommand(), w.reviewCommand(), w.evalCommand(), w.trainCommand(), w.explainCommand(), w.confirmCommand(),
		w.rejectCommand(), w.undecideCommand(), w.correctCommand(), w.offersCommand(), w.checkCommand(), w.schemaCommand(),
		w.importCommand(), w.openCommand(), w.decideCommand(), w.exportCommand(), w.consoleCommand(),
		w.publishCommand(), w.eventsCommand(), w.sweepCommand(), w.migrateCommand(), w.doctorCommand(), w.notifyCommand(),
		w.costCommand(), w.drillCommand(), w.invokeCommand(), w.queueCommand(), w.recordCommand(), w.versionCommand(),
	} {
		setHelp(command)
		root.AddCommand(command)
	}
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(errOut, "matchbook: interrupted")
		return exitError
	default:
		fmt.Fprintln(errOut, "matchbook:", errtext.WithoutSecrets(err.Error(), w.env))
		return exitError
	}
}

// invocation is the environment of a command: arguments, variables, outputs.
type invocation struct {
	args        []string
	env         setup.Env
	out, errOut io.Writer
}

// print prints a report for people, or as JSON.
func (w *invocation) print(r interface{ Text() string }, asJSON bool) error {
	return term.Print(w.out, r, asJSON)
}
