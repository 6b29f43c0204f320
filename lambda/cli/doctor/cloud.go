package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const callTimeout = 15 * time.Second // of an AWS call including retries

// cloud is AWS as configured by the SDK's variables.
type cloud struct{ config aws.Config }

// openCloud checks region and credentials, because otherwise every call fails later, each in
// other words.
func openCloud(ctx context.Context) (*cloud, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithRetryMaxAttempts(2))
	if err != nil {
		return nil, fmt.Errorf("read the AWS configuration: %w", err)
	}
	if c.Region == "" {
		return nil, errors.New("missing AWS_REGION: set it to the region of the stack")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := c.Credentials.Retrieve(ctx); err != nil {
		return nil, errors.New("missing AWS credentials: " +
			"set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return &cloud{c}, nil
}

func (a *cloud) sqs() *sqs.Client { return sqs.NewFromConfig(a.config) }

func (a *cloud) s3() *s3.Client {
	return s3.NewFromConfig(a.config, func(o *s3.Options) {
		o.UsePathStyle = a.config.BaseEndpoint != nil // a custom endpoint lacks subdomains
	})
}
