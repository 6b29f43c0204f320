package sqs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// order orders faults and prints the seed.
func (r *rig) order(faults ...Fault) {
	r.t.Helper()
	const seed = 20260302
	r.t.Logf("seed %d", seed)
	r.sqs.Order(seed, faults...)
}

func (r *rig) wantFaults(kind FaultKind, want int) {
	r.t.Helper()
	if got := r.sqs.Faults()[kind]; got != want {
		r.t.Errorf("%d times %s, want %d", got, kind, want)
	}
}

func (r *rig) wantCounts(queue string, visible, inFlight int) {
	r.t.Helper()
	if got := r.stats(queue); got.Visible != visible || got.InFlight != inFlight {
		r.t.Errorf("%s: %d visible, %d in flight; want %d, %d", queue, got.Visible, got.InFlight, visible, inFlight)
	}
}

// wantNoAnswerToSend sends a message, and wants an error of the connection.
func (r *rig) wantNoAnswerToSend(queue *string) {
	r.t.Helper()
	err := r.trySend(queue)
	if api := smithy.APIError(nil); err == nil || errors.As(err, &api) {
		r.t.Errorf("send: %v, want an error of the connection", err)
	}
}

func (r *rig) trySend(queue *string) error {
	_, err := r.client.SendMessage(r.t.Context(), &sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("x")})
	return err
}

func TestDuplicateDelivery(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q, _ := r.pair(10)
	r.order(Fault{Kind: DuplicateDelivery, Times: 1})
	r.send(q, "x")
	first := r.one(q)
	r.wantFaults(DuplicateDelivery, 0) // ordered, not yet delivered
	r.must(r.change(q, first, 600))    // in flight, for ten minutes now
	second := r.one(q)
	if *second.MessageId != *first.MessageId || second.Attributes["ApproximateReceiveCount"] != "2" {
		t.Errorf("then received %s, delivery %s; want the same message, delivery 2",
			*second.MessageId, second.Attributes["ApproximateReceiveCount"])
	}
	r.wantFaults(DuplicateDelivery, 1)
	r.none(q)
	r.must(r.delete(q, first)) // its handle is that of an earlier receive now
	r.wantCounts("work", 0, 1)
	r.must(r.delete(q, second))
	r.wantCounts("work", 0, 0)
}

func TestVisibleIsNoDuplicate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q, _ := r.pair(10)
	r.order(Fault{Kind: DuplicateDelivery, Times: 1})
	r.send(q, "x")
	r.must(r.change(q, r.one(q), 0))
	r.one(q)
	r.none(q)
	r.wantFaults(DuplicateDelivery, 0)
}

func TestLateDelivery(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q, _ := r.pair(10)
	r.order(Fault{Kind: LateDelivery, Times: 1})
	id := r.send(q, "x")
	m := r.one(q)
	r.must(r.delete(q, m))
	if last := r.events[len(r.events)-1]; last.Kind != Deleted {
		t.Errorf("last event %+v, want deleted", last)
	}
	wantCode(t, r.change(q, m, 60), "InvalidParameterValue") // as of a message that is gone
	r.must(r.delete(q, m))
	r.clock.Advance(time.Minute - 1)
	r.none(q)
	r.wantFaults(LateDelivery, 0)
	r.clock.Advance(1)
	late := r.one(q)
	if *late.MessageId != id || late.Attributes["ApproximateReceiveCount"] != "2" {
		t.Errorf("received %s, delivery %s; want the deleted message, delivery 2",
			*late.MessageId, late.Attributes["ApproximateReceiveCount"])
	}
	r.wantFaults(LateDelivery, 1)
	r.must(r.delete(q, late))
	r.wantCounts("work", 0, 0)
}

// A fault that delivers once more never dead-letters what a consumer has done.
func TestFaultsAndMaxReceives(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q, _ := r.pair(2)
	r.order(Fault{Kind: DuplicateDelivery, Rate: 1}, Fault{Kind: LateDelivery, Rate: 1})
	r.send(q, "x")
	r.one(q)
	m := r.one(q)
	r.none(q)
	r.wantCounts("work", 0, 1)
	r.must(r.delete(q, m))
	r.clock.Advance(time.Hour)
	r.none(q)
	r.wantCounts("dead", 0, 0)
	r.wantFaults(DuplicateDelivery, 1)
	r.wantFaults(LateDelivery, 0)
}

func TestEarlyExpiry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q, _ := r.pair(2)
	r.order(Fault{Kind: EarlyExpiry, Times: 2})
	r.send(q, "x")
	first := r.one(q)
	wantCode(t, r.change(q, first, 60), "AWS.SimpleQueueService.MessageNotInflight")
	r.wantCounts("work", 1, 0)
	r.one(q)
	r.none(q)
	r.wantCounts("dead", 1, 0)
	r.wantFaults(EarlyExpiry, 2)
}

func TestEntryOfABatchFails(t *testing.T) {
	t.Parallel()
	type counts struct{ visible, inFlight int }
	for _, test := range []struct {
		kind                   FaultKind
		sent, changed, deleted counts
	}{
		{EntryRefused, counts{2, 0}, counts{2, 1}, counts{0, 1}},
		{EntryUnconfirmed, counts{3, 0}, counts{3, 0}, counts{0, 0}},
	} {
		t.Run(string(test.kind), func(t *testing.T) {
			t.Parallel()
			for operation, want := range map[string]counts{
				"SendMessageBatch": test.sent, "ChangeMessageVisibilityBatch": test.changed,
				"DeleteMessageBatch": test.deleted,
			} {
				r := newRig(t)
				q := r.queue("work", nil)
				var received []types.Message
				if operation != "SendMessageBatch" {
					for range 3 {
						r.send(q, "x")
					}
					received = r.receive(q)
				}
				r.order(Fault{Kind: test.kind, Operation: operation, Times: 1})
				failed, done := r.batch(operation, q, received)
				if len(failed) != 1 || *failed[0].Id != "0" || *failed[0].Code != "InternalError" ||
					failed[0].SenderFault || done != 2 {
					t.Errorf("%s: failed %+v, %d done; want the first as the server's fault, and 2",
						operation, failed, done)
				}
				r.wantCounts("work", want.visible, want.inFlight)
				r.wantFaults(test.kind, 1)
			}
		})
	}
}

// batch makes a batch call with three entries, 0 to 2.
func (r *rig) batch(operation string, q *string, received []types.Message) (failed []types.BatchResultErrorEntry,
	done int) {
	r.t.Helper()
	send, change, remove := &sqs.SendMessageBatchInput{QueueUrl: q},
		&sqs.ChangeMessageVisibilityBatchInput{QueueUrl: q}, &sqs.DeleteMessageBatchInput{QueueUrl: q}
	for i := range 3 {
		id := aws.String(fmt.Sprint(i))
		send.Entries = append(send.Entries, types.SendMessageBatchRequestEntry{Id: id, MessageBody: aws.String("x")})
		if received != nil {
			handle := received[i].ReceiptHandle
			change.Entries = append(change.Entries,
				types.ChangeMessageVisibilityBatchRequestEntry{Id: id, ReceiptHandle: handle})
			remove.Entries = append(remove.Entries, types.DeleteMessageBatchRequestEntry{Id: id, ReceiptHandle: handle})
		}
	}
	switch operation {
	case "SendMessageBatch":
		out, err := r.client.SendMessageBatch(r.t.Context(), send)
		r.must(err)
		return out.Failed, len(out.Successful)
	case "ChangeMessageVisibilityBatch":
		out, err := r.client.ChangeMessageVisibilityBatch(r.t.Context(), change)
		r.must(err)
		return out.Failed, len(out.Successful)
	}
	out, err := r.client.DeleteMessageBatch(r.t.Context(), remove)
	r.must(err)
	return out.Failed, len(out.Successful)
}

func TestCallIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	r.order(Fault{Kind: CallRefused, Times: 2})
	for _, want := range []struct {
		status int
		code   string
	}{{500, "InternalFailure"}, {503, "ServiceUnavailable"}} {
		err := r.trySend(q)
		wantCode(t, err, want.code)
		var response *smithyhttp.ResponseError
		if !errors.As(err, &response) || response.HTTPStatusCode() != want.status {
			t.Errorf("%v, want status %d", err, want.status)
		}
	}
	r.wantCounts("work", 0, 0)
	r.send(q, "x")
	r.wantFaults(CallRefused, 2)
}

func TestAnswerIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.order(Fault{Kind: AnswerLost, Operation: "SendMessage", Times: 1},
		Fault{Kind: AnswerLost, Operation: "ReceiveMessage", Times: 1})
	q := r.queue("work", nil)
	r.wantNoAnswerToSend(q)
	r.wantCounts("work", 1, 0)
	if out, err := r.client.ReceiveMessage(t.Context(), receiveInput(q)); err == nil {
		t.Errorf("received %+v, want an error", out)
	}
	r.wantCounts("work", 0, 1)
	r.wantFaults(AnswerLost, 2)
}

func TestCallIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	r.order(Fault{Kind: CallLost, Times: 1})
	r.wantNoAnswerToSend(q)
	r.wantCounts("work", 0, 0)
	r.wantFaults(CallLost, 1)
}

func TestFaultsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	r.order(Fault{Kind: CallRefused, Rate: 1}, Fault{Kind: LateDelivery, Rate: 0.5})
	wantCode(t, r.trySend(q), "InternalFailure")
	r.order()
	r.send(q, "x")
	if got, want := r.sqs.Faults(), map[FaultKind]int{CallRefused: 1, LateDelivery: 0}; !maps.Equal(got,
		want) {
		t.Errorf("faults %v, want %v", got, want)
	}
}

// everyFault is all at once, about one in ten.
var everyFault = []Fault{
	{Kind: DuplicateDelivery, Rate: 0.1}, {Kind: LateDelivery, Rate: 0.1},
	{Kind: EarlyExpiry, Rate: 0.1},
	{Kind: EntryRefused, Rate: 0.1}, {Kind: EntryUnconfirmed, Rate: 0.1},
	{Kind: CallRefused, Rate: 0.1}, {Kind: CallLost, Rate: 0.1}, {Kind: AnswerLost, Rate: 0.1},
}

// consume has 100 messages sent and consumed under every fault, with nobody
// else at the queue, and returns what happened.
func consume(t *testing.T, seed uint64) (journal string, faults map[FaultKind]int) {
	r := newRig(t)
	q, _ := r.pair(20)
	r.sqs.Order(seed, everyFault...)
	pending, seen := map[string]bool{}, map[string]bool{}
	for i := range 100 {
		pending[fmt.Sprintf("%02d", i)] = true
	}
	for len(pending) > 0 {
		in := &sqs.SendMessageBatchInput{QueueUrl: q}
		for body := range slices.Values(slices.Sorted(maps.Keys(pending))[:min(10, len(pending))]) {
			in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{Id: aws.String(body),
				MessageBody: aws.String(body)})
		}
		if out, err := r.client.SendMessageBatch(t.Context(), in); err == nil {
			for _, done := range out.Successful {
				delete(pending, *done.Id)
			}
		}
	}
	for stats := r.stats("work"); stats.Visible+stats.InFlight > 0; stats = r.stats("work") {
		out, err := r.client.ReceiveMessage(t.Context(), receiveInput(q))
		if err != nil {
			continue
		}
		if len(out.Messages) == 0 {
			r.clock.Advance(time.Minute)
			continue
		}
		in := &sqs.DeleteMessageBatchInput{QueueUrl: q}
		for i, m := range out.Messages {
			seen[*m.Body] = true
			in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{Id: aws.String(fmt.Sprint(i)),
				ReceiptHandle: m.ReceiptHandle})
		}
		_, _ = r.client.DeleteMessageBatch(t.Context(), in) // what is not deleted comes again
	}
	if len(seen) != 100 {
		t.Errorf("seed %d: %d of 100 messages were received", seed, len(seen))
	}
	var happened []string
	for _, e := range r.events {
		happened = append(happened, fmt.Sprint(e.At.Sub(epoch), e.Body, e.Kind, e.ReceiveCount))
	}
	return strings.Join(happened, "\n"), r.sqs.Faults()
}

func TestFaultsLoseNothing(t *testing.T) {
	t.Parallel()
	var journals []string
	for seed := range uint64(3) {
		t.Logf("seed %d", seed)
		journal, faults := consume(t, seed)
		for kind, n := range faults {
			if n == 0 {
				t.Errorf("seed %d: no %s", seed, kind)
			}
		}
		again, sameFaults := consume(t, seed)
		if again != journal || !maps.Equal(faults, sameFaults) {
			t.Errorf("seed %d: another run, with %v instead of %v", seed, sameFaults, faults)
		}
		if slices.Contains(journals, journal) {
			t.Errorf("seed %d: the run of another seed", seed)
		}
		journals = append(journals, journal)
	}
}
