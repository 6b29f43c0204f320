package setup

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/email"
	"matchbook/lambda/notify/slack"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
)

// NotifyConfig configures the channels for notifications.
type NotifyConfig struct {
	Values   map[string]string // of the channels' variables, by name; treat them as secrets
	AdminURL string            // of the admin pages; empty: no links
}

// Channels returns the channels turned on.
func (c NotifyConfig) Channels() []manifest.Channel {
	return slices.DeleteFunc(manifest.Channels(), func(ch manifest.Channel) bool { return c.set(ch) < len(ch.Variables) })
}

func (c NotifyConfig) set(ch manifest.Channel) (n int) {
	for _, name := range ch.Variables {
		if c.Values[name] != "" {
			n++
		}
	}
	return n
}

// ChannelVariables names the variables for channels, as a phrase.
func ChannelVariables() string {
	var each []string
	for _, ch := range manifest.Channels() {
		each = append(each, strings.Join(ch.Variables, " and "))
	}
	return strings.Join(each, ", or ")
}

func loadNotify(env Env, errs *[]error) NotifyConfig {
	c := NotifyConfig{Values: map[string]string{}, AdminURL: env(variable.AdminBaseURL)}
	for _, ch := range manifest.Channels() {
		for _, name := range ch.Variables {
			c.Values[name] = env(name)
		}
		if n := c.set(ch); n > 0 && n < len(ch.Variables) {
			*errs = append(*errs, fmt.Errorf("%s must both be set", strings.Join(ch.Variables, " and ")))
		}
	}
	if c.AdminURL != "" && !isPage(c.AdminURL) {
		*errs = append(*errs, fmt.Errorf("%s: expected a URL like https://matchbook.example.com",
			variable.AdminBaseURL))
	}
	return c
}

// isPage reports whether text is the URL of a page, without a user.
func isPage(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http")
}

// LoadNotify reads only the configuration of the channels.
func LoadNotify(env Env) (NotifyConfig, error) {
	env, _, errs := secretsManager().Resolve(env, manifest.ChannelSecrets()...)
	c := loadNotify(env, &errs)
	return c, report(errs)
}

type opener struct {
	open     func(values map[string]string, c aws.Config) (notify.Sender, error)
	needsAWS bool // otherwise its aws.Config is empty
}

// openers has an opener for each of manifest.Channels, by name.
var openers = map[string]opener{
	"slack": {open: func(values map[string]string, _ aws.Config) (notify.Sender, error) {
		return slack.New(slack.Config{WebhookURL: values[variable.SlackWebhookURL]})
	}},
	"email": {needsAWS: true, open: func(values map[string]string, c aws.Config) (notify.Sender, error) {
		return email.New(sesv2.NewFromConfig(c),
			email.Config{From: values[variable.EmailFrom], To: values[variable.EmailTo]})
	}},
}

// Senders opens the channels turned on.
func Senders(ctx context.Context, c NotifyConfig) ([]notify.Sender, error) {
	var senders []notify.Sender
	for _, ch := range c.Channels() {
		o := openers[ch.Name]
		var config aws.Config
		var err error
		if o.needsAWS {
			if config, err = LoadAWS(ctx); err != nil {
				return nil, err
			}
		}
		s, err := o.open(c.Values, config)
		if err != nil {
			return nil, fmt.Errorf("configuration:\n%s: %w", strings.Join(ch.Variables, ", "), err)
		}
		senders = append(senders, s)
	}
	return senders, nil
}

// newRelay returns the relay that sends notifications; nil without channels.
func newRelay(ctx context.Context, c Config, db *postgres.DB, log *slog.Logger) (*notify.Relay, error) {
	senders, err := Senders(ctx, c.Notify)
	if err != nil || len(senders) == 0 {
		return nil, err
	}
	for i, s := range senders {
		senders[i] = telemetry.CountSender(s, c.Metrics)
	}
	return &notify.Relay{Outbox: db, Senders: senders, Base: c.Notify.AdminURL, Log: log}, nil
}
