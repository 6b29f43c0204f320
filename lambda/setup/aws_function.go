//go:build lambda.norpc

package setup

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// ownConfig of a program that is built for Lambda reads Lambda's environment
// only. The build tag comes from aws-lambda-go.
func ownConfig(context.Context) (aws.Config, error) { return inLambda(os.Getenv), nil }
