// Package recording records one exchange with a model, about invented documents, for tests to
// replay. Use it when a new server or model needs a test.
package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// Exchange is one exchange with a model.
type Exchange struct {
	Recorded string            `json:"recorded"` // date
	Model    string            `json:"model"`    // the name to store answers under
	Request  json.RawMessage   `json:"request"`
	Status   int               `json:"status"`
	Header   map[string]string `json:"header"` // of the response
	Response string            `json:"response"`

	Usage   llm.Usage `json:"-"`
	Failure error     `json:"-"` // the outcome as seen by the client

	secret string
}

// headers lists the relevant response headers. Others may identify an organisation or a
// request, so they aren't recorded.
var headers = []string{
	"Content-Type", "Retry-After", "Retry-After-Ms", "X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset-Tokens",
	"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Remaining-Tokens",
	"X-Scripted",
}

// Take asks a model one question. The exchange doesn't contain the server's key. An error
// means that there was no response.
func Take(ctx context.Context, config openai.Config) (*Exchange, error) {
	secret := strings.TrimSpace(config.APIKey)
	recorder := &recorder{secret: secret}
	config.HTTPClient = &http.Client{Transport: recorder}
	client, err := openai.New(config)
	if err != nil {
		return nil, err
	}
	q, _, err := match.QuestionOf(documents[0], documents[1:], nil)
	if err != nil {
		return nil, err
	}
	answer, failed := client.Model().Answer(ctx, q)
	e := recorder.seen
	if e == nil {
		return nil, errors.New(failure.Of(failed).Text)
	}
	e.Recorded, e.Model = time.Now().UTC().Format(time.DateOnly), client.Model().Name()
	e.Usage, e.Failure, e.secret = answer.Usage, failed, secret
	return e, nil
}

// Store writes the exchange to a file. It returns an error if the exchange contains the
// secret.
func (e *Exchange) Store(file string) error {
	raw, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	if len(e.secret) >= shortestKey && bytes.Contains(raw, []byte(e.secret)) {
		return errors.New("exchange not stored: must not contain the key")
	}
	return os.WriteFile(file, append(raw, '\n'), 0o644)
}

// shortestKey is the minimum length of a secret to look for: servers without keys get any
// word, and this word may occur in the text.
const shortestKey = 8

// recorder is a transport that keeps the last exchange, without the secret.
type recorder struct {
	secret string
	seen   *Exchange
}

// RoundTrip sends the request and keeps both sides.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	again := request.Clone(request.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	response, err := http.DefaultTransport.RoundTrip(again)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	r.seen = &Exchange{Request: json.RawMessage(r.scrub(string(body))), Status: response.StatusCode,
		Header: map[string]string{}, Response: r.scrub(string(answer))}
	for _, name := range headers {
		if v := response.Header.Get(name); v != "" {
			r.seen.Header[name] = r.scrub(v)
		}
	}
	return response, nil
}

func (r *recorder) scrub(s string) string {
	if len(r.secret) < shortestKey {
		return s
	}
	return strings.ReplaceAll(s, r.secret, "SECRET")
}

// documents are an invented invoice and its candidates.
var documents = []score.Raw{
	{ID: uuid.MustParse("30000000-0000-4000-8000-000000000001"), Type: document.Invoice, Data: `{
		"number":"RE-2026-0881","date":"2026-03-12","currency":"EUR",
		"supplier":{"name":"Lampenhaus Wittmann GmbH","vat_id":"DE999000018"},"total":"1184.40",
		"line_items":[{"sku":"L-20","description":"Desk lamp","quantity":"20","unit_price":"59.22"}]}`},
	{ID: uuid.MustParse("30000000-0000-4000-8000-000000000002"), Type: document.PurchaseOrder, Data: `{
		"number":"4500000107","date":"2026-03-02","currency":"EUR",
		"supplier":{"name":"Lampenhaus Wittmann GmbH"},"total":"1184.40",
		"line_items":[{"sku":"L-20","description":"Desk lamp","quantity":"20","unit_price":"59.22"}]}`},
	{ID: uuid.MustParse("30000000-0000-4000-8000-000000000003"), Type: document.PurchaseOrder, Data: `{
		"number":"4500000109","date":"2026-03-09","currency":"EUR",
		"supplier":{"name":"Lampenhaus Wittmann GmbH"},"total":"592.20",
		"line_items":[{"sku":"L-20","description":"Desk lamp","quantity":"10","unit_price":"59.22"}]}`},
}
