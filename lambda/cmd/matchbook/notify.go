package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify"
	"matchbook/lambda/rehearsal"

	"github.com/spf13/cobra"
)

// notifyOptions are the flags of the notify command.
type notifyOptions struct {
	test, json bool
	slackLog   string
}

func (w *invocation) notifyCommand() *cobra.Command {
	var o notifyOptions
	cmd := &cobra.Command{
		Use:   "notify --test",
		Short: "Send one message to each configured channel, to see whether it arrives",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.notify(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.test, "test", false, "send the test message")
	flags.BoolVar(&o.json, "json", false, "print as JSON")
	flags.StringVar(&o.slackLog, "slack-log", "", "tell a local receiver of Slack's messages, and append them to this file")
	return cmd
}

// tried is what became of the message on one channel.
type tried struct {
	Channel string `json:"channel"`
	Taken   bool   `json:"taken"`
	Error   string `json:"error,omitempty"`
}

func (w *invocation) notify(ctx context.Context, o notifyOptions) (err error) {
	if !o.test {
		return errors.New("notify does nothing without --test: failures are told by the function and by the sweep")
	}
	t, err := rehearsal.OpenChannels(w.env, o.slackLog)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if t.Shown != nil {
		return fmt.Errorf("no channel is configured: set %s, or %s and %s", manifest.EnvSlackWebhookURL, manifest.EnvEmailFrom, manifest.EnvEmailTo)
	}
	senders, err := t.Senders(ctx)
	if err != nil {
		return err
	}
	all := []tried{}
	for _, s := range senders {
		all = append(all, try(ctx, s, t.Config.AdminURL))
	}
	return w.writeTried(all, o.json)
}

func try(ctx context.Context, s notify.Sender, base string) tried {
	if err := s.Send(ctx, notify.Test(time.Now(), base)); err != nil {
		return tried{s.Channel(), false, failure.Of(err).Text}
	}
	return tried{s.Channel(), true, ""}
}

func (w *invocation) writeTried(all []tried, asJSON bool) error {
	var missed bool
	for _, t := range all {
		missed = missed || !t.Taken
		switch {
		case asJSON:
		case t.Taken:
			fmt.Fprintf(w.out, "%-6s taken over\n", t.Channel)
		default:
			fmt.Fprintf(w.out, "%-6s NOT taken: %s\n", t.Channel, t.Error)
		}
	}
	if asJSON {
		if err := json.NewEncoder(w.out).Encode(all); err != nil {
			return err
		}
	}
	if missed {
		return errFindings
	}
	return nil
}
