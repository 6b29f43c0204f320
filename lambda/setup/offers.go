package setup

import (
	"cmp"
	"fmt"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/offer"
)

// ReceiverConfig configures a receiver of parcels; the zero value means no receiver.
type ReceiverConfig struct {
	URL    string
	Secret string // the key to sign requests with
}

func loadOffers(env Env, errs *[]error) ReceiverConfig {
	return loadReceiver(env, variable.OffersWebhookURL, variable.OffersWebhookSecret, "https://example.com/offers", errs)
}

func loadEvents(env Env, errs *[]error) ReceiverConfig {
	return loadReceiver(env, variable.EventsWebhookURL, variable.EventsWebhookSecret, "https://example.com/events", errs)
}

// loadReceiver reads a receiver. Both variables must be set, because an unsigned request could
// come from anyone.
func loadReceiver(env Env, url, secret, example string, errs *[]error) ReceiverConfig {
	c := ReceiverConfig{URL: env(url), Secret: env(secret)}
	if (c.URL == "") != (c.Secret == "") {
		*errs = append(*errs, fmt.Errorf("%s and %s must both be set", url, secret))
	}
	if c.URL != "" && !isPage(c.URL) {
		*errs = append(*errs, fmt.Errorf("%s: expected a URL like %s", url, example))
	}
	return c
}

// LoadSchedule reads the configuration of the function that queues match offers. QueueURL is
// the offer function's queue.
func LoadSchedule(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Offer, secretsManager(), variable.DatabaseURL)
	c.QueueURL = required(env, manifest.Offer.QueueEnv(), queueMeaning(manifest.Offer), &errs)
	c.CatchUp = cmp.Or(duration(env, variable.OffersCatchUp, "36h", &errs), offer.CatchUp)
	return c, report(errs)
}
