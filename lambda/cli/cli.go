// Package cli is the frame of a command-line program: environment, outputs, exit code,
// wrong usage, and help pages. Use it for the mains of cmd/matchbook and cmd/mbdev.
package cli

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
	ExitOK       = 0 // all is well
	ExitFindings = 1 // it ran, and something failed: see the output
	ExitError    = 2 // it could not run: configuration, usage, environment
)

// ErrFindings ends a command with ExitFindings. The command must have printed the findings,
// because Run prints nothing more.
var ErrFindings = errors.New("finished with findings")

// Findings returns ErrFindings for a command that ran without success, otherwise err.
func Findings(succeeded bool, err error) error {
	if err == nil && !succeeded {
		return ErrFindings
	}
	return err
}

// Program is main with its environment passed in; it returns the exit code.
type Program func(ctx context.Context, args []string, env setup.Env, out, errOut io.Writer) int

// Main runs a program in the environment of this process, and exits with its code. An
// interrupt or SIGTERM cancels the program's context.
func Main(run Program) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Invocation is the environment of a command: arguments, variables, outputs.
type Invocation struct {
	Args        []string
	Env         setup.Env
	Out, ErrOut io.Writer
}

// Run runs root with the arguments and returns the exit code. It prints an error on ErrOut,
// without secrets.
func (w *Invocation) Run(ctx context.Context, root *cobra.Command) int {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.Args, root.RunE = NoArgs, ShowHelp // otherwise cobra words unknown commands
	root.SetArgs(w.Args)
	root.SetOut(w.Out)
	root.SetErr(w.ErrOut)
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrFindings):
		return ExitFindings
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintf(w.ErrOut, "%s: interrupted\n", root.Name())
	default:
		fmt.Fprintf(w.ErrOut, "%s: %s\n", root.Name(), errtext.WithoutSecrets(err.Error(), w.Env))
	}
	return ExitError
}

// Metered runs work with a meter for its progress, and closes the meter.
func (w *Invocation) Metered(work func(*term.Meter) (succeeded bool, err error)) error {
	m := term.NewMeter(w.ErrOut)
	defer m.Close()
	return Findings(work(m))
}

// Print prints a report for people, or as JSON. Use it for every report, so that all look alike.
func (w *Invocation) Print(r interface{ Text() string }, asJSON bool) error {
	return term.Print(w.Out, r, asJSON)
}
