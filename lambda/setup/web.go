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

// LoadWeb reads the configuration of the function behind the URL of reviews. It
// calls no model, and needs no key: Model has the name and the price for the
// estimates of reviews that it starts; nil: the review function works by rules.
func LoadWeb(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Review, secretsManager(), variable.DatabaseURL, variable.ReviewTokenSecret)
	c.QueueURL = required(env, manifest.Review.QueueEnv(), queueMeaning(manifest.Review), &errs)
	c.Blobs = env(variable.BlobURL) // optional: requests then have the text of the contract
	c.TokenSecret = required(env, variable.ReviewTokenSecret, keys[variable.ReviewTokenSecret], &errs)
	if asksModel(env, &errs) {
		c.Model = &ModelConfig{Price: price(env, &errs),
			OpenAI: openai.Config{Model: cmp.Or(env(variable.OpenAIModel), manifest.DefaultModel)}}
	}
	return c, report(errs)
}

// LoginConfig names the issuer, and the console as its client, as oidc.Config does.
type LoginConfig struct {
	Issuer, Client, Secret, Claim, Base string
	Scopes                              []string
}

// LoadConsole reads the configuration of the console: the database, the queue to which
// it publishes documents, and the issuer by which people log in. The address of the console is that of the links in
// notifications.
func LoadConsole(env Env) (Config, error) {
	c, env, errs := load(env, manifest.Match, secretsManager(), variable.DatabaseURL, variable.OIDCClientSecret)
	c.QueueURL = required(env, variable.MatchQueueURL, queueMeaning(manifest.Match), &errs)
	c.Login = LoginConfig{
		Issuer: required(env, variable.OIDCIssuer, "the OpenID Connect issuer by which people log in", &errs),
		Client: required(env, variable.OIDCClientID, "the client id of the console at its issuer", &errs),
		Secret: env(variable.OIDCClientSecret), // optional: a public client has none
		Claim:  cmp.Or(env(variable.OIDCGroupsClaim), "cognito:groups"),
		Base: strings.TrimSuffix(required(env, variable.AdminBaseURL,
			"the address of the console, https://host, without a path", &errs), "/"),
		Scopes: strings.Fields(cmp.Or(env(variable.OIDCScopes), "email profile")),
	}
	for name, value := range map[string]string{variable.OIDCIssuer: c.Login.Issuer, variable.AdminBaseURL: c.Login.Base} {
		if u, err := url.Parse(value); value != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil ||
			u.RawQuery != "" || name == variable.AdminBaseURL && u.Path != "") {
			errs = append(errs, fmt.Errorf("%s: not an address such as https://host", name))
		}
	}
	return c, report(errs)
}
