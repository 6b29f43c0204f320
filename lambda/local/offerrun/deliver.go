package offerrun

import (
	"context"
	"fmt"
	"log/slog"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/local"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/notify/webhook"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/setup"
)

// receiver gets the sets of a run. The function sends them after each batch, and the run the
// rest, as the sweep does.
type receiver struct {
	config webhook.Config
	relay  outbox.Relay
}

// newReceiver returns the configured receiver; nil without deliver, because a trial mustn't reach
// a receiver in use only because its variables are set.
func newReceiver(env setup.Env, deliver bool, m *term.Meter) (*receiver, error) {
	c := webhook.Config{URL: env(variable.OffersWebhookURL), Secret: env(variable.OffersWebhookSecret)}
	switch {
	case !deliver && c.URL != "":
		m.Say("%s is ignored: pass --deliver to send the sets there", variable.OffersWebhookURL)
		return nil, nil
	case !deliver:
		return nil, nil
	case c.URL == "":
		return nil, fmt.Errorf("--deliver: missing %s", variable.OffersWebhookURL)
	}
	to, err := webhook.New(c)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", variable.OffersWebhookURL, variable.OffersWebhookSecret, err)
	}
	return &receiver{config: c, relay: outbox.Relay{Parcels: "sets", Receiver: to}}, nil
}

// function returns the function, with the receiver if there is one.
func (r *receiver) function() local.FunctionConfig {
	f := local.FunctionConfig{Row: manifest.Offer}
	if r != nil {
		f.Env = []string{variable.OffersWebhookURL + "=" + r.config.URL, variable.OffersWebhookSecret + "=" + r.config.Secret}
	}
	return f
}

// deliver sends the sets that the function had no time for, and counts the sets of the date.
func (r *run) deliver(ctx context.Context) (*report.OfferDeliveries, error) {
	if r.receiver == nil {
		return nil, nil
	}
	if err := r.Stack.WaitIdle(ctx); err != nil {
		return nil, err
	}
	relay := &r.receiver.relay
	relay.Outbox, relay.Log = offers.New(r.Stack.DB).Outbox(), slog.New(slog.NewTextHandler(r.Session.Logs, nil))
	relay.Run(ctx)
	d, err := report.From(r.Stack.DB).OfferDeliveries(ctx, r.date, r.tenants)
	d.Error = term.Clean(d.Error, term.MaxText)
	return &d, err
}
