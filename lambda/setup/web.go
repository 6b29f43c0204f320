package setup

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

// LoadWeb reads the configuration of the function behind the URL of reviews. It calls no model
// and so needs no key: Model only has the name and the price, for estimates of new reviews.
// Model is nil if the review function works by rules.
func LoadWeb(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Review, secretsManager(), variable.DatabaseURL, variable.ReviewTokenSecret)
	c.QueueURL = required(env, manifest.Review.QueueEnv(), queueMeaning(manifest.Review), &errs)
	c.Blobs = env(variable.BlobURL) // optional: adds the contract's text to requests
	c.TokenSecret = required(env, variable.ReviewTokenSecret, keys[variable.ReviewTokenSecret], &errs)
	if asksModel(env, &errs) {
		c.Model = &ModelConfig{Price: price(env, &errs),
			OpenAI: openai.Config{Model: cmp.Or(env(variable.OpenAIModel), manifest.DefaultModel)}}
	}
	return c, report(errs)
}

// LoginConfig names the issuer, and the console as its client; see oidc.Config.
type LoginConfig struct {
	Issuer, Client, Secret, Claim, Base string
	Scopes                              []string
}

// LoadConsole reads the configuration of the console: the database, the queue to publish
// documents to, the issuer for logins, and optionally the store and the queue of files. The console's address is the one used for links in
// notifications.
func LoadConsole(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Match, secretsManager(), variable.DatabaseURL, variable.OIDCClientSecret)
	c.QueueURL = required(env, variable.MatchQueueURL, queueMeaning(manifest.Match), &errs)
	desk := LoadFiles(env)
	c.Blobs, c.Queues = desk.Blobs, desk.Queues
	c.Login = LoginConfig{
		Issuer: required(env, variable.OIDCIssuer, "the OpenID Connect issuer by which people log in", &errs),
		Client: required(env, variable.OIDCClientID, "the client id of the console at its issuer", &errs),
		Secret: env(variable.OIDCClientSecret), // optional: a public client needs none
		Claim:  cmp.Or(env(variable.OIDCGroupsClaim), "cognito:groups"),
		Base: strings.TrimSuffix(required(env, variable.AdminBaseURL,
			"the address of the console, https://host, without a path", &errs), "/"),
		Scopes: strings.Fields(cmp.Or(env(variable.OIDCScopes), "email profile")),
	}
	for name, value := range map[string]string{variable.OIDCIssuer: c.Login.Issuer, variable.AdminBaseURL: c.Login.Base} {
		if u, err := url.Parse(value); value != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil ||
			u.RawQuery != "" || name == variable.AdminBaseURL && u.Path != "") {
			errs = append(errs, fmt.Errorf("%s: expected an address like https://host", name))
		}
	}
	return c, report(errs)
}

// LoadFiles reads the settings of console.OpenFiles.
func LoadFiles(env Env) Config {
	return Config{Blobs: env(variable.BlobURL), Queues: map[string]string{manifest.Ingest.Name: env(manifest.Ingest.QueueEnv())}}
}
