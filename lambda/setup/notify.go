package setup

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/email"
	"matchbook/lambda/notify/slack"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
)

// NotifyConfig is whom to tell of failures. A channel is on when it is
// configured.
type NotifyConfig struct {
	SlackURL  string // an incoming webhook; it is a secret
	EmailFrom string
	EmailTo   string
	AdminURL  string // of the admin pages; empty: no links
}

func loadNotify(env Env, errs *[]error) NotifyConfig {
	c := NotifyConfig{env(manifest.EnvSlackWebhookURL), env(manifest.EnvEmailFrom), env(manifest.EnvEmailTo), env(manifest.EnvAdminBaseURL)}
	if (c.EmailFrom == "") != (c.EmailTo == "") {
		*errs = append(*errs, fmt.Errorf("%s and %s: one is set and the other is not", manifest.EnvEmailFrom, manifest.EnvEmailTo))
	}
	if u, err := url.Parse(c.AdminURL); c.AdminURL != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http") {
		*errs = append(*errs, fmt.Errorf("%s: not a URL such as https://matchbook.example.com", manifest.EnvAdminBaseURL))
	}
	return c
}

// LoadNotify reads whom to tell, for those who only tell.
func LoadNotify(env Env) (NotifyConfig, error) {
	env, _, errs := secretsManager().Resolve(env, manifest.EnvSlackWebhookURL)
	c := loadNotify(env, &errs)
	return c, report(errs)
}

// Senders are the channels that are configured. The AWS configuration is read
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

// newRelay makes what tells of failures; nil when there is no channel.
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

const (
	// tellFor is how long telling may take at the end of a batch. What it does
	// not get done the sweep does.
	tellFor = 8 * time.Second
	// tellReserve is kept free after it, for noting what was told and for the
	// response: without that every message of the batch would come again.
	tellReserve = notify.SettleFor + 2*time.Second
)

// telling runs a batch, and tells of the documents that failed in it before
// their messages are acknowledged.
type telling struct {
	*job.Runtime
	store *watched
	relay *notify.Relay
}

func newTelling(r *job.Runtime, relay *notify.Relay) sqsjob.Runner {
	if relay == nil {
		return r
	}
	store := &watched{Store: r.Store}
	r.Store = store
	return &telling{r, store, relay}
}

// Run implements sqsjob.Runner.
func (t *telling) Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement {
	ends := t.Runtime.Run(ctx, deliveries, m)
	if t.store.failed.Load() {
		t.tell(ctx)
	}
	return ends
}

// tell tells as long as there is time before the end of the invocation.
func (t *telling) tell(ctx context.Context) {
	end := time.Now().Add(tellFor)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-tellReserve).Before(end) {
		end = deadline.Add(-tellReserve)
	}
	if !end.After(time.Now()) {
		return
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	t.relay.Run(ctx)
}

// watched is a store that notices whether a document failed.
type watched struct {
	job.Store
	failed atomic.Bool
}

// Release implements job.Store.
func (w *watched) Release(ctx context.Context, f job.Fence, v job.Release) (bool, error) {
	held, err := w.Store.Release(ctx, f, v)
	if err == nil && held && v.Status == job.StatusFailed {
		w.failed.Store(true)
	}
	return held, err
}
