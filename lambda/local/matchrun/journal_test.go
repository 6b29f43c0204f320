package matchrun

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/local/sqs"

	"github.com/google/uuid"
)

// A document that is published again has a message more; its deliveries are
// listed message by message.
func TestRepublishedDeliveries(t *testing.T) {
	t.Parallel()
	j, id, start := newJournal(), uuid.NewString(), time.Unix(0, 0)
	tell := func(message string, kind sqs.EventKind, after, receive int) {
		j.add(sqs.Event{MessageID: message, Kind: kind, Body: id, At: start.Add(time.Duration(after) * time.Second), ReceiveCount: receive})
	}
	tell("b", sqs.Sent, 0, 0)
	tell("b", sqs.Received, 1, 1)
	tell("b", sqs.VisibilityChanged, 1, 1)
	tell("a", sqs.Sent, 5, 0)
	tell("a", sqs.Received, 6, 1)
	tell("a", sqs.Deleted, 6, 1)
	tell("b", sqs.Received, 9, 2)
	tell("b", sqs.Deleted, 9, 2)
	var got []string
	for _, d := range j.all() {
		got = append(got, fmt.Sprintf("%s %d %s %d", d.Message, d.Delivery, d.Settled, d.Seconds))
	}
	want := []string{"b 1 retry 1", "b 2 acknowledged 9", "a 1 acknowledged 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
