package matchrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local"
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify"
	"matchbook/lambda/setup"
)

// Channels receive the notifications of a run.
type Channels struct {
	Config setup.NotifyConfig
	Shown  *notify.Recorder // set if no channel is configured
	Close  func() error
}

// OpenChannels reads the configured channels and starts the receiver for --slack-log. The
// caller must call Close.
func OpenChannels(env setup.Env, slackLog string) (t *Channels, err error) {
	t = &Channels{Close: func() error { return nil }}
	if slackLog != "" {
		url, close, err := receiveSlack(slackLog)
		if err != nil {
			return nil, err
		}
		t.Close = close
		env = with(env, variable.SlackWebhookURL, url)
	}
	if t.Config, err = setup.LoadNotify(env); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if len(t.Config.Channels()) == 0 {
		t.Shown = &notify.Recorder{Name: "terminal"}
	}
	return t, nil
}

// with returns env with one variable replaced.
func with(env setup.Env, name, value string) setup.Env {
	return func(n string) string {
		if n == name {
			return value
		}
		return env(n)
	}
}

// receiveSlack serves a webhook and appends its messages to a file.
func receiveSlack(file string) (url string, close func() error, err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", nil, fmt.Errorf("--slack-log: %w", err)
	}
	url, stop, err := local.Serve("127.0.0.1:0", &webhook.Receiver{Log: f})
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("--slack-log: %w", err), f.Close())
	}
	return url + webhook.Path, func() error { return errors.Join(stop(), f.Close()) }, nil
}

// env returns the function's variables.
func (t *Channels) env() []string {
	hook := t.Config.Values[variable.SlackWebhookURL]
	if hook == "" {
		return nil
	}
	return []string{
		variable.SlackWebhookURL + "=" + hook,
		variable.AdminBaseURL + "=" + t.Config.AdminURL,
	}
}

// Senders returns the channels, or a recorder if none are configured.
func (t *Channels) Senders(ctx context.Context) ([]notify.Sender, error) {
	if t.Shown != nil {
		return []notify.Sender{t.Shown}, nil
	}
	return setup.Senders(ctx, t.Config)
}

// notifiedReport reports the notifications of a run.
type notifiedReport struct {
	Channels []channelReport `json:"channels"` // empty if none are configured
	Messages []string        `json:"messages"` // the messages not sent for that reason
}

// channelReport counts a channel's notifications not sent in time.
type channelReport struct {
	Channel string `json:"channel"`
	Unsent  int    `json:"untold"`
}

// Notify sends the notifications the sweep would send within the next minute.
func (r *Run) Notify(ctx context.Context) (rep notifiedReport, err error) {
	senders, err := r.Channels.Senders(ctx)
	if err != nil {
		return rep, err
	}
	relay := &notify.Relay{Outbox: r.Stack.DB, Senders: senders, Base: r.Channels.Config.AdminURL,
		Log: slog.New(slog.NewJSONHandler(r.Logs, nil))}
	relay.Run(ctx)
	if err := r.Stack.Advance(ctx, notify.Window); err != nil { // makes the digests due
		return rep, err
	}
	relay.Run(ctx)
	rep.Messages, rep.Channels = []string{}, []channelReport{}
	if r.Channels.Shown != nil {
		for _, m := range r.Channels.Shown.Sent() {
			rep.Messages = append(rep.Messages, notify.Text(m))
		}
		return rep, nil
	}
	for _, s := range senders {
		n, err := r.Stack.DB.Unsent(ctx, s.Channel())
		if err != nil {
			return rep, err
		}
		rep.Channels = append(rep.Channels, channelReport{s.Channel(), n})
	}
	return rep, nil
}

// notified shows the messages as they would be sent, unwrapped so that links stay whole.
func (t *reportText) notified() {
	for _, c := range t.Notified.Channels {
		switch {
		case c.Unsent > 0:
			t.summary("NOTIFIED", "%s did not accept %s; they stay in the outbox. Use --logs to see why",
				c.Channel, plural.Of(c.Unsent, "notification", "notifications"))
		case t.Accounting.Failed > 0:
			t.summary("NOTIFIED", "%s received every failure", c.Channel)
		}
	}
	if len(t.Notified.Messages) == 0 {
		return
	}
	t.Line("NOT SENT, because no channel is configured (set %s)", setup.ChannelVariables())
	for _, m := range t.Notified.Messages {
		for line := range strings.Lines(m) {
			t.Line("  %s", strings.TrimRight(line, "\n"))
		}
		t.Line("")
	}
}
