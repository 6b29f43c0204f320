package matchrun

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/local"
	"matchbook/lambda/postgres/report"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"
)

// Outcome is the outcome of one invocation, also for use as JSON.
type Outcome struct {
	Response json.RawMessage `json:"response,omitempty"`
	Error    json.RawMessage `json:"function_error,omitempty"` // instead of a response
	Records  []recordOutcome `json:"records"`
}

type recordOutcome struct {
	Message  string `json:"message_id"`
	Document string `json:"document,omitempty"` // id
	Status   string `json:"status"`             // matching_status, or malformed, missing, not queued
	Error    string `json:"error,omitempty"`
	Attempts int    `json:"attempts"`
}

// Invoke sends the event to the emulator's URL and reads the states of its documents.
func (r *Run) Invoke(ctx context.Context, event []byte) (o *Outcome, err error) {
	url, stop, err := local.Serve("127.0.0.1:0", r.Stack.Function)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	url += "/2015-03-31/functions/function/invocations"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(event))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("invoke: %w", errors.Join(ctx.Err(), err))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read response: %w", err)
	}
	o = &Outcome{Response: body}
	switch {
	case response.StatusCode != http.StatusOK:
		kind := response.Header.Get("X-Amzn-Errortype")
		return nil, fmt.Errorf("event refused: %s: %s", kind, bytes.TrimSpace(body))
	case response.Header.Get("X-Amz-Function-Error") != "":
		o = &Outcome{Error: body}
	}
	o.Records, err = r.records(ctx, event)
	return o, err
}

// records looks up the document of each record. For other kinds of events the list is empty.
func (r *Run) records(ctx context.Context, event []byte) ([]recordOutcome, error) {
	var batch events.SQSEvent
	if json.Unmarshal(event, &batch) != nil {
		return []recordOutcome{}, nil //nolint:nilerr // an event of another kind
	}
	var ids []uuid.UUID
	for _, record := range batch.Records {
		if id, err := document.ParseID(record.Body); err == nil {
			ids = append(ids, id)
		}
	}
	documents, err := report.From(r.Stack.DB).Summaries(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read outcome: %w", err)
	}
	list := make([]recordOutcome, len(batch.Records))
	for i, record := range batch.Records {
		list[i] = recordOutcome{Message: record.MessageId, Status: "malformed"}
		id, err := document.ParseID(record.Body)
		if err != nil {
			list[i].Error = "invalid body: " + err.Error()
			continue
		}
		list[i].Document, list[i].Status = id.String(), "missing"
		if at := slices.IndexFunc(documents, func(d report.Summary) bool { return d.ID == id }); at >= 0 {
			d := documents[at]
			list[i].Status, list[i].Error, list[i].Attempts = cmp.Or(d.Status, "not queued"), d.Error, d.Attempts
		}
	}
	return list, nil
}

// AllAcknowledged reports whether Lambda would delete every message. A null list doesn't
// count: Lambda would delete the messages, but only by accident.
func (o *Outcome) AllAcknowledged() bool {
	var response events.SQSEventResponse
	err := json.Unmarshal(o.Response, &response)
	return err == nil && response.BatchItemFailures != nil && len(response.BatchItemFailures) == 0
}

// Text is the outcome for people.
func (o *Outcome) Text() string {
	var text strings.Builder
	if o.Error != nil {
		fmt.Fprintf(&text, "FUNCTION ERROR %s\n", o.Error)
	} else {
		fmt.Fprintf(&text, "%s\n", o.Response)
	}
	for _, r := range o.Records {
		fmt.Fprintf(&text, "%s  %s", cmp.Or(r.Document, "message "+r.Message), r.Status)
		if r.Attempts > 0 {
			fmt.Fprintf(&text, ", attempts: %d", r.Attempts)
		}
		if r.Error != "" {
			fmt.Fprintf(&text, ": %s", r.Error)
		}
		fmt.Fprintln(&text)
	}
	return text.String()
}
