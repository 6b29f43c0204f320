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

// NewClient returns a client of the SDK for a queue at endpoint.
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

// ClientEnv are the variables, KEY=VALUE, with which an AWS SDK in any language
// finds the SQS at endpoint. Nothing checks the credentials, but the SDKs want some.
func ClientEnv(endpoint string) []string {
	return []string{"AWS_ENDPOINT_URL_SQS=" + endpoint, "AWS_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local"}
}

// ownBody gives the transport a request body of its own. The SDK closes its
// body as soon as an answer is there; a server on the same machine may answer
// before net/http has noticed that it has written everything, and net/http
// then drops the connection and with it an answer that holds messages.
type ownBody struct{ http.RoundTripper }

// RoundTrip sends a copy of the request whose body is in memory.
func (o ownBody) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return o.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the request body: %w", err)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return o.RoundTripper.RoundTrip(r)
}
