package sqsjob_test

import (
	"context"
	"strconv"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-lambda-go/events"
)

// A function that always sends to its own queue is stopped before Lambda would drop its message,
// and says which rows the sweep has to send.
func TestChainEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	must.Get(r.queue.Send(t.Context(), []job.Stamped{{ID: id(1)}}))(t)
	invocations, stopped := 0, false
	for !stopped {
		event := r.receive(1)
		if hops := event.Records[0].MessageAttributes["hops"].StringValue; invocations == 0 != (hops == nil) ||
			hops != nil && *hops != strconv.Itoa(invocations) {
			t.Fatalf("hops %v of message %d", hops, invocations)
		}
		r.handle(event, func(ctx context.Context, _ []job.Delivery, _ job.Messages) []job.Settlement {
			invocations++
			unsent, err := r.queue.Send(ctx, []job.Stamped{{ID: id(1)}})
			stopped = err != nil
			if stopped && (len(unsent) != 1 || unsent[0] != id(1)) {
				t.Errorf("unsent %v, %v", unsent, err)
			}
			return []job.Settlement{{Action: job.Ack}}
		})
	}
	if invocations != manifest.MaxHops+1 || invocations >= 16 {
		t.Errorf("%d invocations", invocations)
	}
}

// The longest chain of a batch counts for all that its work sends; nonsense begins a new one.
func TestHopsOfBatch(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tc := range []struct {
		of   []string
		want int
	}{{nil, 1}, {[]string{"3", "7", ""}, 8}, {[]string{"-5", "x"}, 1}} {
		event := events.SQSEvent{Records: []events.SQSMessage{}}
		for i, n := range tc.of {
			record := record(strconv.Itoa(i), id(i).String())
			record.MessageAttributes = map[string]events.SQSMessageAttribute{"hops": {DataType: "Number", StringValue: &n}}
			event.Records = append(event.Records, record)
		}
		r.handle(event, func(ctx context.Context, deliveries []job.Delivery, _ job.Messages) []job.Settlement {
			if got := job.WorkerOf(ctx).Hops; got != tc.want {
				t.Errorf("%q: got %d hops, want %d", tc.of, got, tc.want)
			}
			return make([]job.Settlement, len(deliveries))
		})
	}
}
