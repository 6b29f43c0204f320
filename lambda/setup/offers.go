package setup

import (
	"fmt"

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

// LoadOffersSecret reads the key that signs requests to the receiver of offers, alone.
func LoadOffersSecret(env Env) (string, error) {
	env, _, errs := secretsManager().Resolve(env, manifest.EnvOffersWebhookSecret)
	secret := required(env, manifest.EnvOffersWebhookSecret, "the key that signs requests to the receiver of offers", &errs)
	return secret, report(errs)
}
