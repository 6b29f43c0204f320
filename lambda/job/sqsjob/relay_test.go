package sqsjob_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job/sqsjob"

	"github.com/aws/aws-lambda-go/events"
)

// relayed is the end of an event whose bodies name their own ends.
func relayed(ctx context.Context, t *testing.T, records ...events.SQSMessage) (failed []string, counts map[string]int) {
	t.Helper()
	counts = map[string]int{}
	queue := must.Get(sqsjob.NewQueue(newClient(nil, offline{}), "https://sqs.us-east-1.amazonaws.com/000000000000/match"))(t)
	relay := &sqsjob.Relay{Queue: queue, Last: 3, Log: slog.New(slog.DiscardHandler), Count: func(metric string, n int) { counts[metric] += n },
		Take: func(_ context.Context, body string) (string, error) {
			switch body {
			case "fail":
				return "", failure.Permanently("away")
			case "panic":
				panic("away")
			}
			return body, nil
		}}
	response := must.Get(relay.Handle(ctx, events.SQSEvent{Records: records}))(t)
	if response.BatchItemFailures == nil {
		t.Error("null is everything done")
	}
	for _, f := range response.BatchItemFailures {
		failed = append(failed, f.ItemIdentifier)
	}
	return failed, counts
}

func message(id, body, receives string) events.SQSMessage {
	return events.SQSMessage{MessageId: id, Body: body, EventSource: "aws:sqs", EventSourceARN: queueARN,
		Attributes: map[string]string{"ApproximateReceiveCount": receives}}
}

// Each message has an end of its own, and a panic takes none of the others along.
func TestRelayKeepsFailed(t *testing.T) {
	t.Parallel()
	failed, counts := relayed(t.Context(), t, message("1", "Succeeded", "1"), message("2", "fail", "1"), message("3", "panic", "2"),
		message("4", "fail", "3"), message("5", "Skipped", "3"), message("6", "Succeeded", "1"))
	if want := []string{"2", "3", "4"}; !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
	if want := map[string]int{"Succeeded": 2, "Skipped": 1, "Retried": 2, "DeadLettered": 1}; !maps.Equal(counts, want) {
		t.Errorf("counted %v, want %v", counts, want)
	}
}

// A message that the event repeats is done when each of its records is.
func TestRelayRepeatedMessage(t *testing.T) {
	t.Parallel()
	for _, bodies := range [][]string{{"fail", "Succeeded"}, {"Succeeded", "fail"}} {
		if failed, _ := relayed(t.Context(), t, message("1", bodies[0], "1"), message("1", bodies[1], "1")); !slices.Equal(failed, []string{"1"}) {
			t.Errorf("%v: failed %q", bodies, failed)
		}
	}
}

func TestRelayOutOfTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if failed, counts := relayed(ctx, t, message("1", "Succeeded", "1")); len(failed) != 1 || counts["Retried"] != 1 {
		t.Errorf("failed %q, counted %v", failed, counts)
	}
}

func TestRelayForeignQueue(t *testing.T) {
	t.Parallel()
	queue := must.Get(sqsjob.NewQueue(newClient(nil, offline{}), "https://sqs.us-east-1.amazonaws.com/000000000000/other"))(t)
	relay := &sqsjob.Relay{Queue: queue, Log: slog.New(slog.DiscardHandler), Take: func(context.Context, string) (string, error) {
		return "", errors.New("taken")
	}}
	if _, err := relay.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{message("1", "a", "1")}}); err == nil || err.Error() == "taken" {
		t.Errorf("got %v", err)
	}
}
