package setup

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"

	"matchbook/lambda/manifest"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/email"
	"matchbook/lambda/notify/slack"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
)

// NotifyConfig configures the channels for failures. A channel is on when it is
// configured.
type NotifyConfig struct {
	SlackURL  string // an incoming webhook; it is a secret
	EmailFrom string
	EmailTo   string
	AdminURL  string // of the admin pages; empty: no links
}

func loadNotify(env Env, errs *[]error) NotifyConfig {
	c := NotifyConfig{SlackURL: env(manifest.EnvSlackWebhookURL), EmailFrom: env(manifest.EnvEmailFrom),
		EmailTo: env(manifest.EnvEmailTo), AdminURL: env(manifest.EnvAdminBaseURL)}
	if (c.EmailFrom == "") != (c.EmailTo == "") {
		*errs = append(*errs, fmt.Errorf("%s and %s: one is set and the other is not",
			manifest.EnvEmailFrom, manifest.EnvEmailTo))
	}
	if c.AdminURL != "" && !isPage(c.AdminURL) {
		*errs = append(*errs, fmt.Errorf("%s: not a URL such as https://matchbook.example.com",
			manifest.EnvAdminBaseURL))
	}
	return c
}

// isPage reports whether the text is the URL of a page, without a user.
func isPage(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http")
}

// LoadNotify reads the configuration of the channels alone.
func LoadNotify(env Env) (NotifyConfig, error) {
	env, _, errs := secretsManager().Resolve(env, manifest.EnvSlackWebhookURL)
	c := loadNotify(env, &errs)
	return c, report(errs)
}

// Senders returns the channels that are configured. The AWS configuration is read
// if one of them needs it.
func Senders(ctx context.Context, c NotifyConfig) ([]notify.Sender, error) {
	var senders []notify.Sender
	if c.SlackURL != "" {
		s, err := slack.New(slack.Config{WebhookURL: c.SlackURL})
		if err != nil {
			return nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvSlackWebhookURL, err)
		}
		senders = append(senders, s)
	}
	if c.EmailTo != "" {
		aws, err := loadAWS(ctx)
		if err != nil {
			return nil, err
		}
		s, err := email.New(sesv2.NewFromConfig(aws), email.Config{From: c.EmailFrom, To: c.EmailTo})
		if err != nil {
			return nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvEmailFrom+", "+manifest.EnvEmailTo, err)
		}
		senders = append(senders, s)
	}
	return senders, nil
}

// newRelay returns the relay that sends notifications; nil without a channel.
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
