package sqs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/clock"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
)

// rig is an SQS behind a server, with a real client.
type rig struct {
	t       testing.TB
	sqs     *Server
	clock   *clock.Clock
	client  *sqs.Client
	url     string
	events  []Event       // read them after the request that causes them
	waiting chan struct{} // a long poll has looked and waits
	ended   chan string   // requests that ended, by target; buffered, dropped when full
}

var epoch = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func newRig(t testing.TB) *rig { return newRigOn(t, clock.NewFrozen(epoch)) }

func newRigOn(t testing.TB, clock *clock.Clock) *rig {
	r := &rig{t: t, clock: clock, sqs: New(clock), waiting: make(chan struct{}, 1), ended: make(chan string, 1)}
	r.sqs.OnEvent(func(e Event) { r.events = append(r.events, e) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.sqs.ServeHTTP(w, req.WithContext(watchedContext{req.Context(), r.waiting}))
		select {
		case r.ended <- req.Header.Get("X-Amz-Target"):
		default:
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	r.client = sqs.New(sqs.Options{Region: "us-east-1", BaseEndpoint: &server.URL, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "")})
	return r
}

// watchedContext signals when a request begins to wait for the end of a context:
// that is a long poll that has found nothing.
type watchedContext struct {
	context.Context
	waiting chan struct{}
}

func (c watchedContext) Done() <-chan struct{} {
	select {
	case c.waiting <- struct{}{}:
	default:
	}
	return c.Context.Done()
}

func (r *rig) queue(name string, settings map[string]string) *string {
	r.t.Helper()
	out, err := r.client.CreateQueue(r.t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: settings})
	r.must(err)
	return out.QueueUrl
}

// pair makes a queue "work" with a dead-letter queue "dead".
func (r *rig) pair(maxReceiveCount int) (work, dead *string) {
	r.t.Helper()
	dead = r.queue("dead", nil)
	return r.queue("work", map[string]string{"VisibilityTimeout": "60",
		"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":"%sdead","maxReceiveCount":%d}`,
			arnPrefix, maxReceiveCount)}), dead
}

func (r *rig) send(queue *string, body string) string {
	r.t.Helper()
	out, err := r.client.SendMessage(r.t.Context(), &sqs.SendMessageInput{QueueUrl: queue, MessageBody: &body})
	r.must(err)
	return *out.MessageId
}

func (r *rig) receive(queue *string) []types.Message {
	r.t.Helper()
	out, err := r.client.ReceiveMessage(r.t.Context(), receiveInput(queue))
	r.must(err)
	return out.Messages
}

func receiveInput(queue *string) *sqs.ReceiveMessageInput {
	return &sqs.ReceiveMessageInput{QueueUrl: queue, MaxNumberOfMessages: 10, MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll}}
}

func (r *rig) one(queue *string) types.Message {
	r.t.Helper()
	got := r.receive(queue)
	if len(got) != 1 {
		r.t.Fatalf("received %d messages, want 1", len(got))
	}
	return got[0]
}

func (r *rig) none(queue *string) {
	r.t.Helper()
	if got := r.receive(queue); len(got) != 0 {
		r.t.Fatalf("received %d messages, want none", len(got))
	}
}

func (r *rig) change(queue *string, m types.Message, seconds int32) error {
	_, err := r.client.ChangeMessageVisibility(r.t.Context(), &sqs.ChangeMessageVisibilityInput{
		QueueUrl: queue, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: seconds})
	return err
}

func (r *rig) delete(queue *string, m types.Message) error {
	_, err := r.client.DeleteMessage(r.t.Context(),
		&sqs.DeleteMessageInput{QueueUrl: queue, ReceiptHandle: m.ReceiptHandle})
	return err
}

func (r *rig) must(err error) {
	r.t.Helper()
	must.OK(r.t, err)
}

func (r *rig) stats(queue string) Stats {
	r.t.Helper()
	got, ok := r.sqs.Stats(queue)
	if !ok {
		r.t.Fatalf("no queue %q", queue)
	}
	return got
}

func (r *rig) wantStats(queue string, want Stats) {
	r.t.Helper()
	if got := r.stats(queue); got != want {
		r.t.Errorf("%s: stats %+v, want %+v", queue, got, want)
	}
}

func (r *rig) wantVisible(queue string, at time.Time) {
	r.t.Helper()
	if got := r.stats(queue).NextVisible; !got.Equal(at) {
		r.t.Errorf("%s: visible at %v, want %v", queue, got, at)
	}
}

// sendLate sends a message that is delayed.
func (r *rig) sendLate(queue *string, seconds int32) {
	r.t.Helper()
	_, err := r.client.SendMessage(r.t.Context(),
		&sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("late"), DelaySeconds: seconds})
	r.must(err)
}

// move redrives the messages of a dead-letter queue.
func (r *rig) move(queue string) error {
	_, err := r.client.StartMessageMoveTask(r.t.Context(),
		&sqs.StartMessageMoveTaskInput{SourceArn: aws.String(arnPrefix + queue)})
	return err
}

// codeOf is the code of an API error, "" for none, else the error's text.
func codeOf(err error) string {
	var api smithy.APIError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &api):
		return api.ErrorCode()
	}
	return err.Error()
}

func wantCode(t testing.TB, err error, code string) {
	t.Helper()
	if got := codeOf(err); got != code {
		t.Errorf("error code %q, want %q (%v)", got, code, err)
	}
}

func TestVisibilityUsesClock(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"VisibilityTimeout": "60"})
	id := r.send(q, "x")
	for count := 1; count <= 3; count++ {
		m := r.one(q)
		if got, want := m.Attributes["ApproximateReceiveCount"], fmt.Sprint(count); got != want || *m.MessageId != id {
			t.Errorf("received %s for the %s. time, want %s for the %s.", *m.MessageId, got, id, want)
		}
		if got, want := m.Attributes["SentTimestamp"], fmt.Sprint(epoch.UnixMilli()); got != want {
			t.Errorf("SentTimestamp %s, want %s", got, want)
		}
		if got, want := m.Attributes["ApproximateFirstReceiveTimestamp"], fmt.Sprint(epoch.UnixMilli()); got != want {
			t.Errorf("ApproximateFirstReceiveTimestamp %s, want %s", got, want)
		}
		r.clock.Advance(time.Minute - 1)
		r.none(q)
		r.clock.Advance(1)
	}
}

func TestReturnedGoesLast(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	first := r.send(q, "first")
	r.must(r.change(q, r.one(q), 0))
	second := r.send(q, "second")
	in := receiveInput(q)
	in.MaxNumberOfMessages = 1
	for i, want := range []string{first, second, first} {
		out, err := r.client.ReceiveMessage(t.Context(), in)
		r.must(err)
		if got := *out.Messages[0].MessageId; got != want {
			t.Errorf("receive %d: %s, want %s", i+1, got, want)
		}
		r.must(r.change(q, out.Messages[0], 0))
	}
}

func TestChangeVisibility(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"VisibilityTimeout": "60"})
	r.send(q, "x")
	m := r.one(q)
	r.clock.Advance(30 * time.Second)
	r.must(r.change(q, m, 300))
	r.wantVisible("work", epoch.Add(330*time.Second))
	r.clock.Advance(300*time.Second - 1)
	r.none(q)
	r.clock.Advance(1)
	r.one(q)
	r.wantVisible("work", r.clock.Now().Add(time.Minute))
}

func TestTwelveHourLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"VisibilityTimeout": "60"})
	r.send(q, "x")
	m := r.one(q)
	r.must(r.change(q, m, 43200))
	r.clock.Advance(time.Hour)
	wantCode(t, r.change(q, m, 11*3600+1), "InvalidParameterValue")
	r.wantVisible("work", epoch.Add(12*time.Hour))
	r.must(r.change(q, m, 11*3600))
	r.clock.Advance(11 * time.Hour)
	again := r.one(q)
	r.must(r.change(q, again, 43200)) // they count anew from the new receive
}

func TestOldReceiptHandle(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"VisibilityTimeout": "60"})
	r.send(q, "x")
	first := r.one(q)
	r.clock.Advance(time.Minute)
	var notInFlight *types.MessageNotInflight
	if err := r.change(q, first, 60); !errors.As(err, &notInFlight) {
		t.Errorf("change of a visible message: %v, want MessageNotInflight", err)
	}
	second := r.one(q)
	wantCode(t, r.change(q, first, 0), "InvalidParameterValue")
	r.must(r.delete(q, first))
	r.wantCounts("work", 0, 1)
	r.clock.Advance(time.Minute)
	r.must(r.delete(q, second)) // visible again and not received since
	r.wantCounts("work", 0, 0)
	wantCode(t, r.change(q, second, 0), "InvalidParameterValue")

	other := r.queue("other", nil)
	var invalid *types.ReceiptHandleIsInvalid
	if err := r.delete(other, second); !errors.As(err, &invalid) {
		t.Errorf("handle of another queue: %v, want ReceiptHandleIsInvalid", err)
	}
}

func TestDLQAtNextReceive(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, dead := r.pair(3)
	id := r.send(work, "x")
	for range 3 {
		r.one(work)
		r.clock.Advance(time.Minute)
	}
	r.none(dead)
	r.wantCounts("work", 1, 0) // it moves at the next receive
	r.clock.Advance(time.Hour)
	r.none(work)
	m := r.one(dead)
	got := []string{*m.MessageId, *m.Body, m.Attributes["SentTimestamp"], m.Attributes["DeadLetterQueueSourceArn"],
		m.Attributes["ApproximateReceiveCount"]}
	want := []string{id, "x", fmt.Sprint(epoch.UnixMilli()), arnPrefix + "work", "4"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in the dead-letter queue: %q, want %q", got, want)
	}
}

func TestAllStatsAreConsistent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, _ := r.pair(1)
	r.send(work, "x")
	r.one(work)
	want := map[string]Stats{"work": {InFlight: 1, HandedOut: 1, NextVisible: epoch.Add(time.Minute)}, "dead": {}}
	if got := r.sqs.AllStats(); !maps.Equal(got, want) {
		t.Errorf("in flight: %+v, want %+v", got, want)
	}
	r.clock.Advance(time.Minute)
	r.none(work)
	want = map[string]Stats{"work": {HandedOut: 1}, "dead": {Visible: 1}}
	if got := r.sqs.AllStats(); !maps.Equal(got, want) {
		t.Errorf("moved: %+v, want %+v", got, want)
	}
}

func TestDLQKeepsSentTime(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const day = 24 * time.Hour
	work, dead := r.pair(1)
	r.clock.Advance(day)
	r.send(work, "x")
	r.one(work)
	r.clock.Advance(3 * day)
	r.none(dead) // has been looked through since the message was sent
	r.none(work)
	r.clock.Advance(day - 1)
	r.wantCounts("dead", 1, 0)
	r.clock.Advance(1) // four days after it was sent
	r.none(dead)
	if last := r.events[len(r.events)-1]; last.Kind != Expired || last.Queue != "dead" {
		t.Errorf("last event %+v, want expired in the dead-letter queue", last)
	}
}

func TestMoveTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, dead := r.pair(1)
	id := r.send(work, "x")
	r.one(work)
	r.clock.Advance(time.Hour)
	r.none(work)

	arn := aws.String(arnPrefix + "dead")
	r.must(r.move("dead"))
	r.none(dead)
	m := r.one(work)
	if *m.MessageId == id {
		t.Error("a redriven message kept its id")
	}
	got := []string{*m.Body, m.Attributes["SentTimestamp"], m.Attributes["ApproximateReceiveCount"],
		m.Attributes["DeadLetterQueueSourceArn"]}
	want := []string{"x", fmt.Sprint(epoch.Add(time.Hour).UnixMilli()), "1", ""}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("redriven: %q, want %q", got, want)
	}
	list, err := r.client.ListMessageMoveTasks(t.Context(), &sqs.ListMessageMoveTasksInput{SourceArn: arn})
	r.must(err)
	if len(list.Results) != 1 || *list.Results[0].Status != "COMPLETED" ||
		list.Results[0].ApproximateNumberOfMessagesMoved != 1 {
		t.Errorf("tasks %+v, want one that moved 1", list.Results)
	}
	wantCode(t, r.move("work"), "InvalidParameterValue") // no dead-letter queue
	r.send(dead, "nobody's")
	r.must(r.move("dead"))
	list, err = r.client.ListMessageMoveTasks(t.Context(), &sqs.ListMessageMoveTasksInput{SourceArn: arn})
	r.must(err)
	if *list.Results[0].Status != "FAILED" || r.stats("dead").Visible != 1 {
		t.Errorf("a message without a source: %s, %+v, want FAILED and it stays",
			*list.Results[0].Status, r.stats("dead"))
	}
}

func TestJournalAndStats(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, dead := r.pair(2)
	r.send(work, "a")
	r.sendLate(work, 900)
	r.must(r.change(work, r.one(work), 0))
	r.wantStats("work", Stats{Visible: 1, Delayed: 1, HandedOut: 1, NextVisible: epoch.Add(15 * time.Minute)})
	r.one(work)
	r.wantStats("work", Stats{InFlight: 1, Delayed: 1, HandedOut: 2, NextVisible: epoch.Add(time.Minute)})
	r.clock.Advance(time.Minute)
	r.none(work)
	_, err := r.client.StartMessageMoveTask(t.Context(), &sqs.StartMessageMoveTaskInput{SourceArn: aws.String(arnPrefix +
		"dead"), DestinationArn: aws.String(arnPrefix + "work")})
	r.must(err)
	r.must(r.delete(work, r.one(work)))
	r.none(dead)

	var got []string
	ids := map[string]string{}
	for _, e := range r.events {
		if ids[e.MessageID] == "" {
			ids[e.MessageID] = fmt.Sprint("m", len(ids)+1)
		}
		got = append(got, fmt.Sprintf("%v %s %s %s %s %d %v",
			e.At.Sub(epoch), e.Queue, ids[e.MessageID], e.Body, e.Kind, e.ReceiveCount, e.Visibility))
	}
	want := []string{
		"0s work m1 a sent 0 0s",
		"0s work m2 late sent 0 15m0s",
		"0s work m1 a received 1 1m0s",
		"0s work m1 a visibility changed 1 0s",
		"0s work m1 a received 2 1m0s",
		"1m0s work m1 a moved to DLQ 2 0s",
		"1m0s dead m1 a deleted 2 0s",
		"1m0s work m3 a redriven 0 0s",
		"1m0s work m3 a received 1 1m0s",
		"1m0s work m3 a deleted 1 0s",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("journal\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, ok := r.sqs.Stats("absent"); ok {
		t.Error("stats of a queue that does not exist")
	}
}
