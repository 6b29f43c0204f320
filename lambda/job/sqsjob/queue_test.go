package sqsjob_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/sqs"

	"github.com/aws/aws-lambda-go/events"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// offline is a network without a queue.
type offline struct{}

func (offline) Do(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// silent is a queue that takes calls and never answers.
type silent struct{}

func (silent) Do(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func TestQueueARN(t *testing.T) {
	t.Parallel()
	client := newClient(nil, offline{})
	for url, want := range map[string]string{
		"https://sqs.us-east-1.amazonaws.com/123456789012/match": "arn:aws:sqs:us-east-1:123456789012:match",
		"http://127.0.0.1:9324/000000000000/match.fifo":          "arn:aws:sqs:us-east-1:000000000000:match.fifo",
		"http://127.0.0.1:9324/000000000000/match/":              "arn:aws:sqs:us-east-1:000000000000:match",
		"":      "",
		"match": "",
		"arn:aws:sqs:us-east-1:000000000000:match": "",
		"https://sqs.us-east-1.amazonaws.com":      "",
		"https://sqs.us-east-1.amazonaws.com/1":    "",
		"https://host/a/b/c":                       "",
		"https://host//match":                      "",
		"https://host/%zz/match":                   "",
	} {
		q, err := sqsjob.NewQueue(client, url)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q: accepted as %s", url, q.ARN)
		case want != "" && (err != nil || q.ARN != want || q.URL != url):
			t.Errorf("%q: got %+v, %v, want %s", url, q, err, want)
		}
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(5)
	event := r.receive(5)
	got := r.handle(event, ends(retry(5*time.Minute), deadLetter, retry(job.KeepVisibility), ack,
		retry(10*time.Second)))
	all := messageIDs(event.Records)
	if want := slices.Delete(slices.Clone(all), 3, 4); !slices.Equal(got, want) {
		t.Errorf("unfinished %q, want %q", got, want)
	}
	r.wantCalls("ChangeMessageVisibilityBatch", "DeleteMessageBatch")
	r.wantLog()
	r.wantQueue("match", 1, 3) // one at once, one is gone
	for _, step := range []struct {
		advance           time.Duration
		visible, inFlight int
	}{
		{10*time.Second - 1, 1, 3},
		{1, 2, 2},
		{50 * time.Second, 3, 1}, // the queue's own minute
		{4*time.Minute - 1, 3, 1},
		{1, 4, 0},
	} {
		r.clock.Advance(step.advance)
		r.wantQueue("match", step.visible, step.inFlight)
	}
}

func TestLastDeliveryGoesToDLQ(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(1)
	for range 2 {
		r.handle(r.receive(1), ends(retry(0)))
	}
	r.handle(r.receive(1), ends(deadLetter))
	r.wantQueue("match", 1, 0)
	must.Get(r.queue.Client.ReceiveMessage(t.Context(), &awssqs.ReceiveMessageInput{QueueUrl: &r.queue.URL}))(t)
	r.wantQueue("match", 0, 0)
	r.wantQueue("dead", 1, 0)
}

func TestVisibilityLimits(t *testing.T) {
	t.Parallel()
	// Twelve hours from the receive, less a minute, less what has passed
	// since; rounding up makes whole seconds of it again.
	const most, least = 12*time.Hour - time.Minute, 12*time.Hour - 2*time.Minute
	for _, tc := range []struct{ wait, least, most time.Duration }{
		{-time.Hour, 0, 0},
		{-2, 0, 0}, // KeepVisibility is -1
		{0, 0, 0},
		{1, time.Second, time.Second},
		{1500 * time.Millisecond, 2 * time.Second, 2 * time.Second},
		{time.Minute, time.Minute, time.Minute},
		{11 * time.Hour, 11 * time.Hour, 11 * time.Hour},
		{12 * time.Hour, least, most},
		{1000 * time.Hour, least, most},
	} {
		t.Run(tc.wait.String(), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.send(1)
			r.handle(r.receive(1), ends(retry(tc.wait)))
			r.wantLog()
			happened := r.happened()
			if len(happened) != 1 || happened[0].Kind != sqs.VisibilityChanged {
				t.Fatalf("got %+v, want a change of visibility", happened)
			}
			if got := happened[0].Visibility; got < tc.least || got > tc.most {
				t.Errorf("visible after %v, want %v to %v", got, tc.least, tc.most)
			}
		})
	}
}

func TestSettleManyMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const n = 25
	r.send(2 * n)
	event := r.receive(2 * n)
	var all []job.Settlement
	for range n {
		all = append(all, retry(time.Hour), ack)
	}
	if got := r.handle(event, ends(all...)); len(got) != n {
		t.Errorf("%d unfinished, want %d", len(got), n)
	}
	change, remove := "ChangeMessageVisibilityBatch", "DeleteMessageBatch"
	r.wantCalls(change, change, change, remove, remove, remove)
	r.wantQueue("match", 0, n)
	r.clock.Advance(time.Hour - 1)
	r.wantQueue("match", 0, n)
	r.clock.Advance(1)
	r.wantQueue("match", n, 0)
	r.wantLog()
}

func TestUnchangedVisibility(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(1)
	r.handle(r.receive(1), ends(retry(job.KeepVisibility)))
	r.wantCalls()
	r.clock.Advance(time.Minute - 1)
	r.wantQueue("match", 0, 1)
	r.clock.Advance(1)
	r.wantQueue("match", 1, 0)
}

// Before a suspect runs, what is finished leaves the queue; the response
// agrees.
func TestEarlyAckDeletes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(2)
	event := r.receive(2)
	got := r.handle(event, func(ctx context.Context, _ []job.Delivery, m job.Messages) []job.Settlement {
		m.Settle(ctx, []job.Settled{{Index: 1, Settlement: ack}})
		r.wantQueue("match", 0, 1)
		return []job.Settlement{retry(job.KeepVisibility), ack}
	})
	if want := []string{event.Records[0].MessageId}; !slices.Equal(got, want) {
		t.Errorf("unfinished %q, want %q", got, want)
	}
	r.clock.Advance(time.Hour)
	if again := r.receive(1); again.Records[0].MessageId != event.Records[0].MessageId {
		t.Errorf("received %s, want the unfinished one", again.Records[0].MessageId)
	}
}

// A beat moves the messages of its deliveries, and no other.
func TestExtend(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(3)
	event := r.receive(3)
	r.handle(event, func(ctx context.Context, _ []job.Delivery, m job.Messages) []job.Settlement {
		r.clock.Advance(50 * time.Second) // of the queue's own minute
		m.Extend(ctx, []int{0, 2}, 5*time.Minute)
		return []job.Settlement{retry(job.KeepVisibility), retry(job.KeepVisibility), retry(job.KeepVisibility)}
	})
	r.wantCalls("ChangeMessageVisibilityBatch")
	r.clock.Advance(10 * time.Second)
	r.wantQueue("match", 1, 2)
	r.clock.Advance(5*time.Minute - 10*time.Second - 1)
	r.wantQueue("match", 1, 2)
	r.clock.Advance(1)
	r.wantQueue("match", 3, 0)
}

// The indexes of settlements count deliveries, and a malformed record is none.
func TestMalformedShiftsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(2)
	event := r.receive(2)
	event.Records = slices.Insert(event.Records, 1, record("bad", "no id"))
	got := r.handle(event, ends(retry(time.Hour), ack))
	if want := []string{event.Records[0].MessageId}; !slices.Equal(got, want) {
		t.Errorf("unfinished %q, want %q", got, want)
	}
	happened := r.happened()
	if len(happened) != 2 || happened[0].MessageID != event.Records[0].MessageId ||
		happened[1].MessageID != event.Records[2].MessageId {
		t.Errorf("got %+v, want the first changed and the third deleted", happened)
	}
}

func TestRefusedChangeIsLogged(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(3)
	stale := r.receive(3)
	r.clock.Advance(time.Minute)
	event := r.receive(3)
	old, foreign := event.Records[0].MessageId, event.Records[1].MessageId
	for _, s := range stale.Records {
		if s.MessageId == old {
			event.Records[0].ReceiptHandle = s.ReceiptHandle
		}
	}
	event.Records[1].ReceiptHandle = "of another queue"
	got := r.handle(event, ends(retry(time.Hour), ack, retry(time.Hour)))
	if want := []string{old, event.Records[2].MessageId}; !slices.Equal(got, want) {
		t.Errorf("unfinished %q, want %q", got, want)
	}
	r.wantLog(
		line{Level: "ERROR", Msg: "SQS refused to change visibility", Message: old, Code: "InvalidParameterValue"},
		line{Level: "ERROR", Msg: "SQS refused to delete", Message: foreign, Code: "ReceiptHandleIsInvalid"},
	)
	r.clock.Advance(time.Hour - 1)
	r.wantQueue("match", 2, 1) // the third one waits
}

func TestUnreachableQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(3)
	event := r.receive(3)
	r.server.Close()
	got := r.handle(event, ends(retry(time.Hour), ack, deadLetter))
	if want := []string{event.Records[0].MessageId, event.Records[2].MessageId}; !slices.Equal(got, want) {
		t.Errorf("unfinished %q, want %q", got, want)
	}
	logged := r.log.lines(t)
	if len(logged) != 2 || logged[0].Level != "ERROR" || logged[1].Level != "ERROR" {
		t.Errorf("logged %+v, want an error for each of the two calls", logged)
	}
	if strings.Contains(r.log.String(), "127.0.0.1") {
		t.Errorf("the driver's text is in the log: %s", r.log.String())
	}
}

func TestSettlingOutlivesStop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(2)
	event := r.receive(2)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	must.Get(r.handler(ends(retry(time.Hour), ack)).Handle(ctx, event))(t)
	r.wantLog()
	r.wantQueue("match", 0, 1)
}

func TestSilentQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		endpoint := "http://queue.invalid"
		queue := must.Get(sqsjob.NewQueue(newClient(&endpoint, silent{}), endpoint+"/000000000000/match"))(t)
		r := &rig{t: t, queue: queue}
		var event events.SQSEvent
		var all []job.Settlement
		for n := range 30 {
			event.Records = append(event.Records, record(fmt.Sprint(n), id(n).String()))
			all = append(all, retry(time.Hour))
		}
		begin := time.Now()
		if got := r.handle(event, ends(all...)); len(got) != len(all) {
			t.Errorf("%d unfinished, want %d", len(got), len(all))
		}
		if got, want := time.Since(begin), 5*time.Second; got != want {
			t.Errorf("took %v, want %v: it is taken from the response's time", got, want)
		}
	})
}
