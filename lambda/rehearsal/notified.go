package rehearsal

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

// Channels is whom a run tells of failures.
type Channels struct {
	Config setup.NotifyConfig
	Shown  *notify.Recorder // where no channel is configured
	Close  func() error
}

// OpenChannels reads whom to tell, and starts the receiver of --slack-log.
func OpenChannels(env setup.Env, slackLog string) (t *Channels, err error) {
	t = &Channels{Close: func() error { return nil }}
	if slackLog != "" {
		url, close, err := receiveSlack(slackLog)
		if err != nil {
			return nil, err
		}
		t.Close = close
		env = with(env, manifest.EnvSlackWebhookURL, url)
	}
	if t.Config, err = setup.LoadNotify(env); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if t.Config.SlackURL == "" && t.Config.EmailTo == "" {
		t.Shown = &notify.Recorder{Name: "terminal"}
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
	url, stop, err := Serve("127.0.0.1:0", &webhook.Receiver{Log: f})
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("--slack-log: %w", err), f.Close())
	}
	return url + webhook.Path, func() error { return errors.Join(stop(), f.Close()) }, nil
}

// env is what the function has to know.
func (t *Channels) env() []string {
	if t.Config.SlackURL == "" {
		return nil
	}
	return []string{manifest.EnvSlackWebhookURL + "=" + t.Config.SlackURL, manifest.EnvAdminBaseURL + "=" + t.Config.AdminURL}
}

// Senders are the channels, or what shows messages where there is none.
func (t *Channels) Senders(ctx context.Context) ([]notify.Sender, error) {
	if t.Shown != nil {
		return []notify.Sender{t.Shown}, nil
	}
	return setup.Senders(ctx, t.Config)
}

// notifiedReport is who was told of the failures of a run, or would have been.
type notifiedReport struct {
	Channels []ChannelReport `json:"channels"` // none is configured if there is none
	Messages []string        `json:"messages"` // what would have been told then
}

// ChannelReport counts the failures that one channel could not send in time.
type ChannelReport struct {
	Channel string `json:"channel"`
	Untold  int    `json:"untold"` // failures that could not be told in time
}

// Notify does what the sweep would do in the next minute, and tells how it went.
func (r *Run) Notify(ctx context.Context) (rep notifiedReport, err error) {
	senders, err := r.Channels.Senders(ctx)
	if err != nil {
		return rep, err
	}
	relay := &notify.Relay{Outbox: r.stack.DB, Senders: senders, Base: r.Channels.Config.AdminURL, Log: slog.New(slog.NewJSONHandler(r.logs, nil))}
	relay.Run(ctx)
	if err := r.stack.Advance(ctx, notify.Window); err != nil { // the digests are due
		return rep, err
	}
	relay.Run(ctx)
	rep.Messages, rep.Channels = []string{}, []ChannelReport{}
	if r.Channels.Shown != nil {
		for _, m := range r.Channels.Shown.Sent() {
			rep.Messages = append(rep.Messages, notify.Text(m))
		}
		return rep, nil
	}
	for _, s := range senders {
		n, err := r.stack.DB.Unsent(ctx, s.Channel())
		if err != nil {
			return rep, err
		}
		rep.Channels = append(rep.Channels, ChannelReport{s.Channel(), n})
	}
	return rep, nil
}

func (t *reportText) notified() {
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
