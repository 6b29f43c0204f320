package setup

import (
	"cmp"
	"fmt"
	"time"

	"matchbook/lambda/manifest"
)

// OffersConfig configures the receiver of match offers; empty: there is none.
type OffersConfig struct {
	URL    string
	Secret string // the key that signs requests
}

// loadOffers reads the receiver of match offers. Its variables are set together: an
// unsigned request could come from anybody.
func loadOffers(env Env, errs *[]error) OffersConfig {
	c := OffersConfig{URL: env(manifest.EnvOffersWebhookURL), Secret: env(manifest.EnvOffersWebhookSecret)}
	if (c.URL == "") != (c.Secret == "") {
		*errs = append(*errs, fmt.Errorf("%s and %s: one is set and the other is not",
			manifest.EnvOffersWebhookURL, manifest.EnvOffersWebhookSecret))
	}
	if c.URL != "" && !isPage(c.URL) {
		*errs = append(*errs, fmt.Errorf("%s: not a URL such as https://example.com/offers", manifest.EnvOffersWebhookURL))
	}
	return c
}

// catchUp is the usual age above which a date without offers is skipped: an outage of
// a day, and time to end it.
const catchUp = 36 * time.Hour

// LoadSchedule reads the configuration of the function that queues match offers.
// QueueURL is the queue of the offer function.
func LoadSchedule(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Offer, secretsManager(), manifest.EnvDatabaseURL)
	c.QueueURL = required(env, manifest.Offer.QueueEnv(), queueMeaning(manifest.Offer), &errs)
	c.CatchUp = cmp.Or(duration(env, manifest.EnvOffersCatchUp, "36h", &errs), catchUp)
	return c, report(errs)
}

// LoadOffersSecret reads the key that signs requests to the receiver of offers, alone.
func LoadOffersSecret(env Env) (string, error) {
	env, _, errs := secretsManager().Resolve(env, manifest.EnvOffersWebhookSecret)
	secret := required(env, manifest.EnvOffersWebhookSecret, "the key that signs requests to the receiver of offers", &errs)
	return secret, report(errs)
}
