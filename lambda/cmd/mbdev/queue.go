package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/spf13/cobra"
)

const queueAddress = "127.0.0.1:9324"

func (w *invocation) queueCommand() *cobra.Command {
	var addr string
	var names []string
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Serve a strict local SQS until interrupted",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.queue(cmd.Context(), addr, names) },
	}
	cmd.Flags().StringVar(&addr, "addr", queueAddress, "listen on `HOST:PORT`; port 0 picks a free port")
	cmd.Flags().StringArrayVar(&names, "queue", functionNames(), "create a queue with this `NAME`; repeatable")
	return cmd
}

func functionNames() (names []string) {
	for _, f := range manifest.Functions() {
		names = append(names, f.Name)
	}
	return names
}

func (w *invocation) queue(ctx context.Context, addr string, names []string) (err error) {
	for _, name := range names {
		if err := local.CheckQueueName(name); err != nil {
			return fmt.Errorf("invalid --queue %.100q: %w", name, err)
		}
	}
	endpoint, stop, err := local.Serve(addr, sqs.New(clock.New()))
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer func() { err = errors.Join(err, stop()) }()
	fmt.Fprintf(w.Out, "SQS at %s, in memory until you press Ctrl-C\n", endpoint)
	for _, name := range names {
		row := local.QueueSettings(manifest.Functions(), name)
		urls, err := local.CreateQueue(ctx, endpoint, name, row)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.Out, "\n%s, visibility timeout %s, dead-letter queue after %d deliveries:\n  %s\n  %s\n",
			name, row.Visibility(), row.MaxReceiveCount(), urls.Queue, urls.DLQ)
	}
	fmt.Fprintf(w.Out, "\nSet these variables for your client:\n  export %s\n", strings.Join(sqs.ClientEnv(endpoint), "\n  export "))
	<-ctx.Done()
	fmt.Fprintln(w.ErrOut, "stopped")
	return nil
}
