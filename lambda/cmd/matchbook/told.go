package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"matchbook/lambda/local/webhook"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify"
	"matchbook/lambda/setup"
)

// telling is whom a run tells of failures.
type telling struct {
	config setup.NotifyConfig
	shown  *notify.Recorder // where no channel is configured
	close  func() error
}

// startTelling reads whom to tell, and starts the receiver of --slack-log.
func startTelling(env setup.Env, slackLog string) (t *telling, err error) {
	t = &telling{close: func() error { return nil }}
	if slackLog != "" {
		url, close, err := receiveSlack(slackLog)
		if err != nil {
			return nil, err
		}
		t.close = close
		env = with(env, manifest.EnvSlackWebhookURL, url)
	}
	if t.config, err = setup.LoadNotify(env); err != nil {
		return nil, errors.Join(err, t.close())
	}
	if t.config.SlackURL == "" && t.config.EmailTo == "" {
		t.shown = &notify.Recorder{Name: "terminal"}
	}
	return t, nil
}

// with is env, but for one variable.
func with(env setup.Env, name, value string) setup.Env {
	return func(n string) string {
		if n == name {
			return value
		}
		return env(n)
	}
}

// receiveSlack serves a webhook whose messages are appended to a file.
func receiveSlack(file string) (url string, close func() error, err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", nil, fmt.Errorf("--slack-log: %w", err)
	}
	url, stop, err := serve("127.0.0.1:0", &webhook.Receiver{Log: f})
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("--slack-log: %w", err), f.Close())
	}
	return url + webhook.Path, func() error { return errors.Join(stop(), f.Close()) }, nil
}

// env is what the function has to know.
func (t *telling) env() []string {
	if t.config.SlackURL == "" {
		return nil
	}
	return []string{manifest.EnvSlackWebhookURL + "=" + t.config.SlackURL, manifest.EnvAdminBaseURL + "=" + t.config.AdminURL}
}

// senders are the channels, or what shows messages where there is none.
func (t *telling) senders(ctx context.Context) ([]notify.Sender, error) {
	if t.shown != nil {
		return []notify.Sender{t.shown}, nil
	}
	return setup.Senders(ctx, t.config)
}

// toldReport is who was told of the failures of a run, or would have been.
type toldReport struct {
	Channels []channelReport `json:"channels"` // none is configured if there is none
	Messages []string        `json:"messages"` // what would have been told then
}

type channelReport struct {
	Channel string `json:"channel"`
	Untold  int    `json:"untold"` // failures that could not be told in time
}

// tell does what the sweep would do in the next minute, and tells how it went.
func (r *matchRun) tell(ctx context.Context) (rep toldReport, err error) {
	senders, err := r.telling.senders(ctx)
	if err != nil {
		return rep, err
	}
	relay := &notify.Relay{Outbox: r.stack.DB, Senders: senders, Base: r.telling.config.AdminURL, Log: slog.New(slog.NewJSONHandler(r.logs, nil))}
	relay.Run(ctx)
	if err := r.stack.Advance(ctx, notify.Window); err != nil { // the digests are due
		return rep, err
	}
	relay.Run(ctx)
	rep.Messages, rep.Channels = []string{}, []channelReport{}
	if r.telling.shown != nil {
		for _, m := range r.telling.shown.Sent() {
			rep.Messages = append(rep.Messages, notify.Text(m))
		}
		return rep, nil
	}
	for _, s := range senders {
		n, err := r.stack.DB.Untold(ctx, s.Channel())
		if err != nil {
			return rep, err
		}
		rep.Channels = append(rep.Channels, channelReport{s.Channel(), n})
	}
	return rep, nil
}

func (t *text) told() {
	for _, c := range t.Told.Channels {
		switch {
		case c.Untold > 0:
			t.line("TOLD       %s could not be told of %d failures: --logs says why; they stay in the outbox", c.Channel, c.Untold)
		case t.Accounting.Failed > 0:
			t.line("TOLD       %s was told of every failure", c.Channel)
		}
	}
	if len(t.Told.Messages) == 0 {
		return
	}
	t.line("WOULD HAVE BEEN TOLD (%s, or %s and %s, are not set)", manifest.EnvSlackWebhookURL, manifest.EnvEmailFrom, manifest.EnvEmailTo)
	for _, m := range t.Told.Messages {
		for line := range strings.Lines(m) {
			t.line("%s", strings.TrimRight("  "+strings.TrimRight(line, "\n"), " "))
		}
		t.line("")
	}
}
