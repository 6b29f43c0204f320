package sqs

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Region is the region of every queue.
const Region = "us-east-1"

// NewClient returns an SDK client for the SQS at endpoint. Use it for the local SQS only,
// because its credentials are fake.
func NewClient(endpoint string) *sqs.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	return sqs.New(sqs.Options{
		Region:           Region,
		BaseEndpoint:     aws.String(endpoint),
		Credentials:      credentials.NewStaticCredentialsProvider("local", "local", ""),
		RetryMaxAttempts: 1,
		HTTPClient:       &http.Client{Transport: ownBody{transport}},
	})
}

// ClientEnv returns the variables, KEY=VALUE, for an AWS SDK in any language to use the SQS at
// endpoint. The SDKs require credentials, but nothing checks them.
func ClientEnv(endpoint string) []string {
	return []string{"AWS_ENDPOINT_URL_SQS=" + endpoint, "AWS_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local"}
}

// ownBody gives the transport a private copy of the request body. The SDK closes the body as
// soon as the response arrives; a server on the same machine may respond before net/http has
// finished writing, so net/http drops the connection together with a response full of
// messages.
type ownBody struct{ http.RoundTripper }

// RoundTrip sends a copy of the request with its body in memory.
func (o ownBody) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return o.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read request body: %w", err)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return o.RoundTripper.RoundTrip(r)
}
