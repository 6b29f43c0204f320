package matchrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"matchbook/lambda/local"
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify"
	"matchbook/lambda/setup"
)

// Channels receive the notifications of a run.
type Channels struct {
	Config setup.NotifyConfig
	Shown  *notify.Recorder // where no channel is configured
	Close  func() error
}

// OpenChannels reads which channels are configured, and starts the receiver of
// --slack-log.
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

// with returns env with another value of one variable.
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
	url, stop, err := local.Serve("127.0.0.1:0", &webhook.Receiver{Log: f})
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("--slack-log: %w", err), f.Close())
	}
	return url + webhook.Path, func() error { return errors.Join(stop(), f.Close()) }, nil
}

// env returns the variables of the function.
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

// Senders returns the channels; where none is configured, a recorder.
func (t *Channels) Senders(ctx context.Context) ([]notify.Sender, error) {
	if t.Shown != nil {
		return []notify.Sender{t.Shown}, nil
	}
	return setup.Senders(ctx, t.Config)
}

// notifiedReport is about the notifications of a run.
type notifiedReport struct {
	Channels []channelReport `json:"channels"` // empty: none is configured
	Messages []string        `json:"messages"` // that would have been sent then
}

// channelReport counts the notifications that one channel was not sent in time.
type channelReport struct {
	Channel string `json:"channel"`
	Unsent  int    `json:"untold"`
}

// Notify sends the notifications that the sweep would send in the next minute.
func (r *Run) Notify(ctx context.Context) (rep notifiedReport, err error) {
	senders, err := r.Channels.Senders(ctx)
	if err != nil {
		return rep, err
	}
	relay := &notify.Relay{Outbox: r.Stack.DB, Senders: senders, Base: r.Channels.Config.AdminURL,
		Log: slog.New(slog.NewJSONHandler(r.Logs, nil))}
	relay.Run(ctx)
	if err := r.Stack.Advance(ctx, notify.Window); err != nil { // the digests are due
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

// notified shows the messages as they would have been sent, unfolded: a link stays whole.
func (t *reportText) notified() {
	for _, c := range t.Notified.Channels {
		switch {
		case c.Unsent > 0:
			t.summary("NOTIFIED", "%s did not accept %d notifications: --logs shows why; they stay in the outbox",
				c.Channel, c.Unsent)
		case t.Accounting.Failed > 0:
			t.summary("NOTIFIED", "%s was sent every failure", c.Channel)
		}
	}
	if len(t.Notified.Messages) == 0 {
		return
	}
	t.Line("WOULD HAVE BEEN SENT (%s, are not set)", setup.ChannelVariables())
	for _, m := range t.Notified.Messages {
		for line := range strings.Lines(m) {
			t.Line("  %s", strings.TrimRight(line, "\n"))
		}
		t.Line("")
	}
}
