package setup

import (
	"cmp"
	"fmt"

	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
)

// LoadWeb reads the configuration of the function behind the URL of reviews. It
// calls no model, and needs no key: Model has the name and the price for the
// estimates of reviews that it starts; nil: the review function works by rules.
func LoadWeb(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Review, secretsManager(), manifest.EnvDatabaseURL, manifest.EnvReviewTokenSecret)
	c.QueueURL = required(env, manifest.Review.QueueEnv(), queueMeaning(manifest.Review), &errs)
	c.Blobs = env(manifest.EnvBlobURL) // optional: requests then have the text of the contract
	c.TokenSecret = required(env, manifest.EnvReviewTokenSecret, tokenSecretMeaning, &errs)
	switch env(manifest.EnvMatchMode) {
	case "rules":
	case "", "model":
		c.Model = &ModelConfig{Price: price(env, &errs),
			OpenAI: openai.Config{Model: cmp.Or(env(manifest.EnvOpenAIModel), manifest.DefaultModel)}}
	default:
		errs = append(errs, fmt.Errorf("%s: not rules or model", manifest.EnvMatchMode))
	}
	return c, report(errs)
}

const tokenSecretMeaning = "the key that signs the tokens of reviews, 32 random bytes or more"

// LoadTokenSecret reads the key that signs the tokens of reviews, alone.
func LoadTokenSecret(env Env) (string, error) {
	env, _, errs := secretsManager().Resolve(env, manifest.EnvReviewTokenSecret)
	secret := required(env, manifest.EnvReviewTokenSecret, tokenSecretMeaning, &errs)
	return secret, report(errs)
}
