package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/rehearsal"

	"github.com/spf13/cobra"
)

const queueAddress = "127.0.0.1:9324"

func (w *invocation) queueCommand() *cobra.Command {
	var addr string
	var names []string
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Serve a strict local SQS to any SQS client, until interrupted",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.queue(cmd.Context(), addr, names) },
	}
	cmd.Flags().StringVar(&addr, "addr", queueAddress, "address to listen on; port 0 takes a free one")
	cmd.Flags().StringArrayVar(&names, "queue", []string{manifest.Match.Name}, "a queue to create; may be repeated")
	return cmd
}

func (w *invocation) queue(ctx context.Context, addr string, names []string) (err error) {
	for _, name := range names {
		if err := checkQueueName(name); err != nil {
			return err
		}
	}
	endpoint, stop, err := rehearsal.Serve(addr, sqs.New(clock.New()))
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer func() { err = errors.Join(err, stop()) }()
	fmt.Fprintf(w.out, "SQS at %s, in memory: it is gone with this program (Ctrl-C)\n", endpoint)
	fmt.Fprintf(w.out, "\nQueues, and where their messages go after %d deliveries:\n", manifest.Match.MaxReceiveCount())
	for _, name := range names {
		urls, err := local.CreateQueue(ctx, endpoint, name, manifest.Match)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.out, "  %s\n  %s\n", urls.Queue, urls.DLQ)
	}
	fmt.Fprintf(w.out, "\nA client needs:\n  export %s\n", strings.Join(sqs.ClientEnv(endpoint), "\n  export "))
	<-ctx.Done()
	fmt.Fprintln(w.errOut, "stopped")
	return nil
}

// queueName leaves room for the dead-letter queue's suffix within SQS's 80
// characters, and takes no FIFO queues: a mapping treats them differently.
var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,76}$`)

func checkQueueName(name string) error {
	if !queueName.MatchString(name) || strings.HasSuffix(name, "-dlq") {
		return fmt.Errorf("--queue %.100q: a name has at most 76 letters, digits, hyphens and underscores, and does not end in -dlq, "+
			"because that queue is made with it", name)
	}
	return nil
}
