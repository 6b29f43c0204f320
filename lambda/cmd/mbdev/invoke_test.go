package main

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

const sampleEvents = "../../../testdata/events"

func TestInvokeSampleEvents(t *testing.T) {
	t.Parallel()
	const response = `{"batchItemFailures":[]}` + "\n"
	for name, tc := range map[string]struct {
		code int
		want string
	}{
		"one-document.json": {cli.ExitOK, response + "10000000-0000-4000-8000-000000000101  succeeded, attempts: 1\n"},
		"batch-with-poison-body.json": {cli.ExitOK, response + "10000000-0000-4000-8000-000000000101  succeeded, attempts: 1\n" +
			"message 4f6c1e0a-52a7-4c5d-9a3b-0c1d2e3f4102  malformed: invalid body: not a UUID of 36 characters\n" +
			"10000000-0000-4000-8000-000000000105  succeeded, attempts: 1\n"},
		"third-delivery.json": {cli.ExitOK, response + "10000000-0000-4000-8000-000000000105  succeeded, attempts: 1\n"},
		"empty-batch.json":    {cli.ExitOK, response},
		"not-sqs.json":        {cli.ExitFindings, `FUNCTION ERROR {"errorMessage":"expected an SQS event: missing Records","errorType":"errorString"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errOut := mbdev(t, postgrestest.EmptyURL(t), "invoke", "-e", filepath.Join(sampleEvents, name), "--documents", samples)
			if code != tc.code || out != tc.want {
				t.Errorf("exit status %d and\n%s%s\nwant %d and\n%s", code, out, errOut, tc.code, tc.want)
			}
		})
	}
}

func TestInvokeFailedRecords(t *testing.T) {
	t.Parallel()
	raw := must.Get(os.ReadFile(filepath.Join(sampleEvents, "batch-with-poison-body.json")))(t)
	url := postgrestest.EmptyURL(t)
	var out, errOut bytes.Buffer
	w := &invocation{cli.Invocation{Env: func(name string) string { return map[string]string{variable.DatabaseURL: url}[name] }, Out: &out, ErrOut: &errOut}}
	cmd := w.invokeCommand()
	cmd.SetIn(bytes.NewReader(raw))
	cmd.SetArgs([]string{"-e", "-", "--documents", filepath.Join(samples, "siebenschlaefer"), "--json", "--logs", "-"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, cli.ErrFindings) {
		t.Fatalf("got %v, want %v\n%s", err, cli.ErrFindings, &errOut)
	}
	var got matchrun.Outcome
	must.OK(t, json.Unmarshal(out.Bytes(), &got))
	var response bytes.Buffer
	must.OK(t, json.Compact(&response, got.Response))
	want := `{"batchItemFailures":[{"itemIdentifier":"4f6c1e0a-52a7-4c5d-9a3b-0c1d2e3f4101"},{"itemIdentifier":"4f6c1e0a-52a7-4c5d-9a3b-0c1d2e3f4103"}]}`
	if response.String() != want {
		t.Errorf("response %s, want %s", &response, want)
	}
	var states []string
	for _, r := range got.Records {
		states = append(states, r.Status)
	}
	if want := []string{"missing", "malformed", "missing"}; !slices.Equal(states, want) {
		t.Errorf("states %q, want %q", states, want)
	}
	// The event's messages are in no queue: SQS does not know their handles.
	if !strings.Contains(errOut.String(), "change visibility") {
		t.Errorf("the log does not contain the refused visibility change:\n%s", &errOut)
	}
}

func TestInvokeUsage(t *testing.T) {
	t.Parallel()
	text := clitest.File(t, "event.json", "hello")
	event := filepath.Join(sampleEvents, "empty-batch.json")
	wantRefused(t, "", "invoke", clitest.Refusals{
		{nil, "missing --event"},
		{[]string{"-e", "/nowhere.json"}, "read event: open /nowhere.json"},
		{[]string{"-e", text}, "invalid JSON in event " + text},
		{[]string{"-e", event, "--documents", "/nowhere"}, "/nowhere does not exist"},
	})
}

// The shape that AWS documents: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
func TestSampleEventsShape(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(sampleEvents, "*.json"))
	if err != nil || len(files) < 5 {
		t.Fatalf("found %q, %v", files, err)
	}
	fields := []string{"attributes", "awsRegion", "body", "eventSource", "eventSourceARN", "md5OfBody", "messageAttributes", "messageId", "receiptHandle"}
	attributes := []string{"ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount", "SenderId", "SentTimestamp"}
	for _, file := range files {
		raw := must.Get(os.ReadFile(file))(t)
		var event struct{ Records []map[string]any }
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for i, r := range event.Records {
			if got := slices.Sorted(maps.Keys(r)); !slices.Equal(got, fields) {
				t.Errorf("%s, record %d: fields %q, want %q", file, i, got, fields)
				continue
			}
			if got := slices.Sorted(maps.Keys(r["attributes"].(map[string]any))); !slices.Equal(got, attributes) {
				t.Errorf("%s, record %d: attributes %q, want %q", file, i, got, attributes)
			}
			sum := md5.Sum([]byte(r["body"].(string)))
			if got, want := r["md5OfBody"], hex.EncodeToString(sum[:]); got != want {
				t.Errorf("%s, record %d: md5OfBody %s, want %s", file, i, got, want)
			}
			if got, want := r["eventSourceARN"], "arn:aws:sqs:us-east-1:000000000000:match"; got != want {
				t.Errorf("%s, record %d: eventSourceARN %s, want %s", file, i, got, want)
			}
		}
	}
}
