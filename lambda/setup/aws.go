package setup

import (
	"context"
	"errors"
	"strings"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// LoadAWS reads the SDK's variables. It turns retries off, because the sweep or the queue
// retries.
func LoadAWS(ctx context.Context) (aws.Config, error) {
	c, err := ownConfig(ctx)
	if err != nil {
		return c, errors.New("AWS configuration: " + err.Error())
	}
	if c.Region == "" {
		return c, errors.New("configuration:\nAWS_REGION is not set: the region of the stack")
	}
	c.RetryMaxAttempts = 1
	return c, nil
}

// LoadSignedIn is LoadAWS for a person: it returns an error without credentials.
func LoadSignedIn(ctx context.Context) (aws.Config, error) {
	c, err := LoadAWS(ctx)
	if err != nil {
		return c, err
	}
	if _, err := c.Credentials.Retrieve(ctx); err != nil { // without err, which lists everything tried
		return c, errors.New("missing AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return c, nil
}

// inLambda reads the settings of Lambda's environment: region, credentials and any endpoints.
// The SDK's other sources, profiles and sign-ins, are for a developer's machine, and would add
// 1.5 MB to a program that must start quickly.
func inLambda(env Env) aws.Config {
	c := aws.Config{
		Region:        env("AWS_REGION"),
		ConfigSources: []any{endpoints(env)},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			keys := aws.Credentials{Source: "environment", AccessKeyID: env("AWS_ACCESS_KEY_ID"),
				SecretAccessKey: env("AWS_SECRET_ACCESS_KEY"), SessionToken: env("AWS_SESSION_TOKEN")}
			if !keys.HasKeys() {
				return keys, errors.New("missing AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, usually set by Lambda")
			}
			return keys, nil
		}),
	}
	if all := env("AWS_ENDPOINT_URL"); all != "" {
		c.BaseEndpoint = &all
	}
	return c
}

// endpoints looks up a service's endpoint in its variable, such as AWS_ENDPOINT_URL_SQS.
type endpoints Env

// GetServiceBaseEndpoint returns a service's endpoint. The SDK's clients call it on each of
// their sources.
func (e endpoints) GetServiceBaseEndpoint(_ context.Context, service string) (string, bool, error) {
	url := e("AWS_ENDPOINT_URL_" + strings.ToUpper(strings.ReplaceAll(service, " ", "_")))
	return url, url != "", nil
}

// GetUseFIPSEndpoint returns whether clients use FIPS endpoints.
func (e endpoints) GetUseFIPSEndpoint(context.Context) (aws.FIPSEndpointState, bool, error) {
	if strings.EqualFold(e("AWS_USE_FIPS_ENDPOINT"), "true") {
		return aws.FIPSEndpointStateEnabled, true, nil
	}
	return aws.FIPSEndpointStateUnset, false, nil
}

// GetUseDualStackEndpoint returns whether clients use dual-stack endpoints.
func (e endpoints) GetUseDualStackEndpoint(context.Context) (aws.DualStackEndpointState, bool, error) {
	if strings.EqualFold(e("AWS_USE_DUALSTACK_ENDPOINT"), "true") {
		return aws.DualStackEndpointStateEnabled, true, nil
	}
	return aws.DualStackEndpointStateUnset, false, nil
}

// StackQueues returns a function that finds the queues of a deployed stack; nil for one that the
// stack lacks.
func StackQueues(ctx context.Context, stack string) (func(manifest.Function) (*sqsjob.Queue, error), error) {
	c, err := LoadSignedIn(ctx)
	if err != nil {
		return nil, err
	}
	client := sqs.NewFromConfig(c)
	return func(f manifest.Function) (*sqsjob.Queue, error) {
		return sqsjob.FindQueue(ctx, client, StackQueue(stack, f), "")
	}, nil
}

// StackQueue returns the name of a function's queue in a stack.
func StackQueue(stack string, f manifest.Function) string { return stack + "-" + f.Name }
