package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) recordCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "record FILE",
		Short: "Ask the model one question about made-up documents, and store the exchange for tests",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return w.record(cmd.Context(), args[0]) },
	}
}

// recording is one exchange with a model, as tests replay it.
type recording struct {
	Recorded string            `json:"recorded"` // the day
	Model    string            `json:"model"`    // as answers are filed under
	Request  json.RawMessage   `json:"request"`
	Status   int               `json:"status"`
	Header   map[string]string `json:"header"` // of the response
	Response string            `json:"response"`
}

// recordedHeaders are those that decide what we do. Others may name an
// organisation or a request.
var recordedHeaders = []string{"Content-Type", "Retry-After", "Retry-After-Ms", "X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset-Tokens", "X-Scripted"}

func (w *invocation) record(ctx context.Context, file string) error {
	config, err := setup.LoadModel(w.env)
	if err != nil {
		return err
	}
	recorder := &recorder{secret: strings.TrimSpace(w.env(manifest.EnvOpenAIKey))}
	config.OpenAI.HTTPClient = &http.Client{Transport: recorder}
	client, err := openai.New(config.OpenAI)
	if err != nil {
		return err
	}
	q, _, err := match.QuestionOf(recordedDocuments[0], recordedDocuments[1:])
	if err != nil {
		return err
	}
	answer, asked := client.Model().Answer(ctx, q)
	if recorder.seen == nil {
		return errors.New(failure.Of(asked).Text)
	}
	recorder.seen.Recorded, recorder.seen.Model = time.Now().UTC().Format(time.DateOnly), client.Model().Name()
	raw, err := json.MarshalIndent(recorder.seen, "", "  ")
	if err != nil {
		return err
	}
	if len(recorder.secret) >= 8 && bytes.Contains(raw, []byte(recorder.secret)) {
		return errors.New("the exchange holds the key: nothing was stored")
	}
	if err := os.WriteFile(file, append(raw, '\n'), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%s: HTTP %d, %d + %d tokens, stored in %s\n", client.Model().Name(), recorder.seen.Status,
		answer.Usage.PromptTokens, answer.Usage.CompletionTokens, file)
	if asked != nil {
		fmt.Fprintf(w.out, "it is a failure: %s\n", failure.Of(asked).Text)
		return errFindings
	}
	return nil
}

// recorder is a transport that remembers what went through it, without the
// secret.
type recorder struct {
	secret string
	seen   *recording
}

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
	r.seen = &recording{Request: json.RawMessage(r.scrub(string(body))), Status: response.StatusCode, Header: map[string]string{}, Response: r.scrub(string(answer))}
	for _, name := range recordedHeaders {
		if v := response.Header.Get(name); v != "" {
			r.seen.Header[name] = r.scrub(v)
		}
	}
	return response, nil
}

// scrub leaves what is too short to be a key: servers that want none are given
// any word.
func (r *recorder) scrub(s string) string {
	if len(r.secret) < 8 {
		return s
	}
	return strings.ReplaceAll(s, r.secret, "SECRET")
}

// recordedDocuments are an invoice and its candidates, made up.
var recordedDocuments = []match.Raw{
	{ID: uuid.MustParse("30000000-0000-4000-8000-000000000001"), Type: document.Invoice, Data: `{"number":"RE-2026-0881","date":"2026-03-12","currency":"EUR",
		"supplier":{"name":"Lampenhaus Wittmann GmbH","vat_id":"DE999000018"},"total":"1184.40","line_items":[{"sku":"L-20","description":"Desk lamp","quantity":"20","unit_price":"59.22"}]}`},
	{ID: uuid.MustParse("30000000-0000-4000-8000-000000000002"), Type: document.PurchaseOrder, Data: `{"number":"4500000107","date":"2026-03-02","currency":"EUR",
		"supplier":{"name":"Lampenhaus Wittmann GmbH"},"total":"1184.40","line_items":[{"sku":"L-20","description":"Desk lamp","quantity":"20","unit_price":"59.22"}]}`},
	{ID: uuid.MustParse("30000000-0000-4000-8000-000000000003"), Type: document.PurchaseOrder, Data: `{"number":"4500000109","date":"2026-03-09","currency":"EUR",
		"supplier":{"name":"Lampenhaus Wittmann GmbH"},"total":"592.20","line_items":[{"sku":"L-20","description":"Desk lamp","quantity":"10","unit_price":"59.22"}]}`},
}
