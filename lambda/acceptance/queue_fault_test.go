package acceptance_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/job"
	"matchbook/lambda/local/sqs"
)

// Everything that SQS does seldom, often: duplicates, late copies, visibility
// that ends during the work, calls and entries that fail, answers that get
// lost. Nothing is lost and nothing is done twice.
func TestQueueFaults(t *testing.T) {
	t.Parallel()
	const documents = 200
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	l := newLine(t, 2)
	g := newGate(l) // for its count of terminal writes; nothing is gated
	ids := l.store(documents)
	kinds := []sqs.FaultKind{sqs.DuplicateDelivery, sqs.LateDelivery, sqs.EarlyExpiry, sqs.EntryRefused,
		sqs.EntryUnconfirmed, sqs.CallRefused, sqs.AnswerLost}
	// Most duplicates are not seen: the message is deleted before its turn comes again.
	faults := []sqs.Fault{{Kind: sqs.DuplicateDelivery, Rate: 0.5}}
	for _, kind := range kinds {
		// By chance; sends a few times only, because a document whose message
		// cannot be sent four times in a row is failed as lost.
		for _, operation := range []string{"ReceiveMessage", "DeleteMessageBatch", "ChangeMessageVisibilityBatch"} {
			faults = append(faults, sqs.Fault{Kind: kind, Operation: operation, Rate: 0.05})
		}
		faults = append(faults, sqs.Fault{Kind: kind, Operation: "SendMessageBatch", Times: 2})
	}
	l.SQS.Order(seed, faults...)
	for chunk := range slices.Chunk(ids, 20) {
		var partly *job.PublishError // what was not sent, the sweep sends
		if err := l.Publish().Publish(t.Context(), chunk); err != nil && !errors.As(err, &partly) {
			t.Fatal(err)
		}
	}
	l.drain(ids)
	l.SQS.Order(seed)
	g.open()

	for kind, n := range l.SQS.Faults() {
		t.Logf("%d x %s", n, kind)
		if n == 0 {
			t.Errorf("%s never happened", kind)
		}
	}
	for _, id := range ids {
		if got := l.status(id); !strings.HasPrefix(got, "succeeded") {
			t.Errorf("%s: %v", got, l.events(id, sqs.Sent, sqs.Received, sqs.VisibilityChanged, sqs.Deleted,
				sqs.MovedToDLQ))
		}
	}
	g.finished(documents)
}
