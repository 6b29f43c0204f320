//go:build !lambda.norpc

package setup

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// ownConfig reads all sources of the SDK, except in a Lambda build.
func ownConfig(ctx context.Context) (aws.Config, error) { return config.LoadDefaultConfig(ctx) }
