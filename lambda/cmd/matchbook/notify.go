package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/failure"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/notify"
	"matchbook/lambda/setup"

	"github.com/spf13/cobra"
)

type notifyOptions struct {
	test, json bool
	slackLog   string
}

func (w *invocation) notifyCommand() *cobra.Command {
	var o notifyOptions
	cmd := &cobra.Command{
		Use:   "notify --test",
		Short: "Send a test notification to each channel",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.notify(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.test, "test", false, "send the test notification (required)")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.StringVar(&o.slackLog, "slack-log", "", "send to a local receiver instead of Slack, and append its messages to `FILE`")
	return cmd
}

type outcome struct {
	Channel string `json:"channel"`
	Taken   bool   `json:"taken"`
	Error   string `json:"error,omitempty"`
}

func (w *invocation) notify(ctx context.Context, o notifyOptions) (err error) {
	if !o.test {
		return errors.New("missing --test: run matchbook notify --test")
	}
	c, err := matchrun.OpenChannels(w.Env, o.slackLog)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if c.Shown != nil {
		return fmt.Errorf("missing notification channel: set %s", setup.ChannelVariables())
	}
	senders, err := c.Senders(ctx)
	if err != nil {
		return err
	}
	all := make([]outcome, len(senders))
	for i, s := range senders {
		all[i] = sendTest(ctx, s, c.Config.AdminURL)
	}
	return w.writeOutcomes(all, o.json)
}

func sendTest(ctx context.Context, s notify.Sender, base string) outcome {
	if err := s.Send(ctx, notify.Test(time.Now(), base)); err != nil {
		return outcome{s.Channel(), false, failure.Of(err).Text}
	}
	return outcome{s.Channel(), true, ""}
}

func (w *invocation) writeOutcomes(all []outcome, asJSON bool) (err error) {
	if asJSON {
		err = json.NewEncoder(w.Out).Encode(all)
	}
	for _, o := range all {
		switch {
		case asJSON:
		case o.Taken:
			fmt.Fprintf(w.Out, "%-6s accepted\n", o.Channel)
		default:
			fmt.Fprintf(w.Out, "%-6s NOT accepted: %s\n", o.Channel, o.Error)
		}
	}
	if err == nil && slices.ContainsFunc(all, func(o outcome) bool { return !o.Taken }) {
		return cli.ErrFindings
	}
	return err
}
