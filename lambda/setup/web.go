package setup

import (
	"cmp"
	"fmt"

	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

// LoadWeb reads the configuration of the function behind the URL of reviews. It
// calls no model, and needs no key: Model has the name and the price for the
// estimates of reviews that it starts; nil: the review function works by rules.
func LoadWeb(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Review, secretsManager(), variable.DatabaseURL, variable.ReviewTokenSecret)
	c.QueueURL = required(env, manifest.Review.QueueEnv(), queueMeaning(manifest.Review), &errs)
	c.Blobs = env(variable.BlobURL) // optional: requests then have the text of the contract
	c.TokenSecret = required(env, variable.ReviewTokenSecret, tokenSecretMeaning, &errs)
	switch env(variable.MatchMode) {
	case "rules":
	case "", "model":
		c.Model = &ModelConfig{Price: price(env, &errs),
			OpenAI: openai.Config{Model: cmp.Or(env(variable.OpenAIModel), manifest.DefaultModel)}}
	default:
		errs = append(errs, fmt.Errorf("%s: not rules or model", variable.MatchMode))
	}
	return c, report(errs)
}

const tokenSecretMeaning = "the key that signs the tokens of reviews, 32 random bytes or more"

// LoadTokenSecret reads the key that signs the tokens of reviews, alone.
func LoadTokenSecret(env Env) (string, error) {
	env, _, errs := secretsManager().Resolve(env, variable.ReviewTokenSecret)
	secret := required(env, variable.ReviewTokenSecret, tokenSecretMeaning, &errs)
	return secret, report(errs)
}
