// Command mbdev is for developers of Matchbook: use it to measure and train the rules, to
// inject faults into the whole line, and to run parts of it alone. Each file holds one
// command's flags.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/local/drill"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

func main() { cli.Main(run) }

// See cli.Help for the names of the pages.
//
//go:embed help/*.txt
var helpPages embed.FS

// helpFacts are the values for {{.NAME}} in the pages.
var helpFacts = map[string]any{
	"Deliveries": manifest.Match.MaxReceiveCount(),
	"Visibility": fmt.Sprintf("%d minutes", manifest.Match.Visibility()/time.Minute),
	"Faults":     drill.Faults,
}

func run(ctx context.Context, args []string, env setup.Env, out, errOut io.Writer) int {
	w := &invocation{cli.Invocation{Args: args, Env: env, Out: out, ErrOut: errOut}}
	root := &cobra.Command{Use: "mbdev", Short: "Measure, break and take apart Matchbook"}
	root.AddCommand(w.evalCommand(), w.trainCommand(), w.drillCommand(), w.recordCommand(), w.invokeCommand(), w.queueCommand())
	cli.Help(root, helpPages, helpFacts)
	return w.Run(ctx, root)
}

type invocation struct{ cli.Invocation }
