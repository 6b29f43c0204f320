package setup

import (
	"cmp"
	"fmt"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/offer"
)

// ReceiverConfig configures a receiver of parcels; empty: there is none.
type ReceiverConfig struct {
	URL    string
	Secret string // the key that signs requests
}

// loadOffers reads the receiver of match offers.
func loadOffers(env Env, errs *[]error) ReceiverConfig {
	return loadReceiver(env, variable.OffersWebhookURL, variable.OffersWebhookSecret, "https://example.com/offers", errs)
}

// loadEvents reads the receiver of events.
func loadEvents(env Env, errs *[]error) ReceiverConfig {
	return loadReceiver(env, variable.EventsWebhookURL, variable.EventsWebhookSecret, "https://example.com/events", errs)
}

// loadReceiver reads a receiver from variables that are set together: an unsigned
// request could come from anybody.
func loadReceiver(env Env, url, secret, example string, errs *[]error) ReceiverConfig {
	c := ReceiverConfig{URL: env(url), Secret: env(secret)}
	if (c.URL == "") != (c.Secret == "") {
		*errs = append(*errs, fmt.Errorf("%s and %s: one is set and the other is not", url, secret))
	}
	if c.URL != "" && !isPage(c.URL) {
		*errs = append(*errs, fmt.Errorf("%s: not a URL such as %s", url, example))
	}
	return c
}

// LoadSchedule reads the configuration of the function that queues match offers.
// QueueURL is the queue of the offer function.
func LoadSchedule(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Offer, secretsManager(), variable.DatabaseURL)
	c.QueueURL = required(env, manifest.Offer.QueueEnv(), queueMeaning(manifest.Offer), &errs)
	c.CatchUp = cmp.Or(duration(env, variable.OffersCatchUp, "36h", &errs), offer.CatchUp)
	return c, report(errs)
}
