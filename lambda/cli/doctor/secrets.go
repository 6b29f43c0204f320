package doctor

import (
	"context"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// look is one examination of a deployment.
type look struct {
	Options
	rows    rows              // of the manifest
	cloud   *cloud            // nil until needed, or without one
	noAWS   error             // reason for having none
	outside bool              // whether the database was asked
	read    map[string]string // secrets, by variable and ARN

	described map[string]secretsmanager.DescribeSecretOutput // secrets, by ARN
	roles     map[string]fact[role]                          // by ARN
	keys      map[string]fact[kmsKey]                        // by id, ARN or alias
}

func (l *look) aws(ctx context.Context) (*cloud, error) {
	if l.cloud == nil && l.noAWS == nil {
		l.Progress("looking for AWS credentials")
		l.cloud, l.noAWS = openCloud(ctx)
	}
	return l.cloud, l.noAWS
}

// secrets reads the secrets given by ARN and returns the variables with their values. A
// value set directly wins.
func (l *look) secrets(ctx context.Context, f *facts, env variables) variables {
	env = maps.Clone(env)
	for _, name := range manifest.Secrets {
		arn := env[name+variable.SecretSuffix]
		if arn == "" || env.has(name) {
			continue
		}
		text, state := l.secret(ctx, name, arn)
		if f.note(name+variable.SecretSuffix, state); text != "" {
			env[name] = text
		}
	}
	return env
}

func (f *facts) note(subject string, state fact[problem]) {
	s := secret{subject, state}
	if !slices.Contains(f.secrets, s) {
		f.secrets = append(f.secrets, s)
	}
}

// secret reads a value as the functions do. Callers must never print it.
func (l *look) secret(ctx context.Context, name, arn string) (text string, state fact[problem]) {
	if _, err := l.aws(ctx); err != nil {
		return "", unknown[problem](err.Error())
	}
	if text, ok := l.read[name+arn]; ok {
		return text, known(problem(""))
	}
	l.Progress("reading secrets")
	text, err := readers[name](variables{name + variable.SecretSuffix: arn,
		variable.DatabaseURL:      other(name, variable.DatabaseURL),
		manifest.Match.QueueEnv(): other(name, manifest.Match.QueueEnv())}.text)
	if err != nil {
		return "", known(problem(strings.TrimPrefix(sentences(err)[0], name+variable.SecretSuffix+": ")))
	}
	if l.read == nil {
		l.read = map[string]string{}
	}
	l.read[name+arn] = text
	return text, known(problem(""))
}

// readers read a secret as the functions do, so that they accept the same forms.
var readers = map[string]func(setup.Env) (string, error){
	variable.DatabaseURL: func(env setup.Env) (string, error) {
		c, err := setup.LoadMigrate(env)
		return c.DatabaseURL, err
	},
	variable.OpenAIKey: func(env setup.Env) (string, error) {
		c, err := setup.LoadModel(env)
		return c.OpenAI.APIKey, err
	},
	variable.DocumentAIKey:       key(variable.DocumentAIKey),
	variable.ReviewTokenSecret:   key(variable.ReviewTokenSecret),
	variable.OffersWebhookSecret: key(variable.OffersWebhookSecret),
	variable.OIDCClientSecret:    key(variable.OIDCClientSecret),
	variable.EventsWebhookSecret: key(variable.EventsWebhookSecret),
	variable.OTLPHeaders:         key(variable.OTLPHeaders),
	variable.SlackWebhookURL: func(env setup.Env) (string, error) {
		c, err := setup.LoadPublisher(env, manifest.Match)
		return c.Notify.Values[variable.SlackWebhookURL], err
	},
}

func key(name string) func(setup.Env) (string, error) {
	return func(env setup.Env) (string, error) { return setup.LoadKey(env, name) }
}

// other returns a stand-in for a variable, unless it is the one to read.
func other(read, name string) string {
	if read == name {
		return ""
	}
	return standIn(name)
}

func (v variables) text(name string) string { return v[name] }
