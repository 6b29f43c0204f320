package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const callTimeout = 15 * time.Second // of a call of AWS with its tries

// cloud is AWS, by the SDK's own variables.
type cloud struct{ config aws.Config }

// openCloud makes sure that there are a region and credentials: without them
// every call would fail by itself, later and in other words.
func openCloud(ctx context.Context) (*cloud, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithRetryMaxAttempts(2))
	if err != nil {
		return nil, fmt.Errorf("the AWS configuration cannot be read: %w", err)
	}
	if c.Region == "" {
		return nil, errors.New("AWS_REGION is not set: the region of the stack and its queues")
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
