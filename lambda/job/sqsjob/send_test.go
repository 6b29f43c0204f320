package sqsjob_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/job"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"
)

func TestSendMessageForm(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const n = 25
	var messages []job.Stamped
	at := time.Date(2026, 3, 2, 13, 0, 0, 120_000, time.FixedZone("CET", 3600))
	for i := range n {
		messages = append(messages, job.Stamped{ID: id(i), PublishedAt: at, Tenant: id(1 + i%2)})
	}
	unsent, err := r.queue.Send(t.Context(), messages)
	if err != nil || len(unsent) != 0 {
		t.Fatalf("unsent %v, %v", unsent, err)
	}
	r.wantCalls("SendMessageBatch", "SendMessageBatch", "SendMessageBatch")
	event := r.receive(n)
	slices.SortFunc(event.Records, func(a, b events.SQSMessage) int { return strings.Compare(a.Body, b.Body) })
	for i, got := range event.Records {
		if want := id(i).String(); got.Body != want {
			t.Errorf("message %d: body %q, want %q", i, got.Body, want)
		}
		stamp := got.MessageAttributes["published-at"]
		if want := "2026-03-02T12:00:00.000120Z"; stamp.DataType != "String" || *stamp.StringValue != want {
			t.Errorf("message %d: %s %q, want %q", i, stamp.DataType, *stamp.StringValue, want)
		}
		if group, want := got.Attributes["MessageGroupId"], id(1+i%2).String(); group != want {
			t.Errorf("message %d: group %q, want the tenant %q", i, group, want)
		}
	}
	r.handle(event, func(_ context.Context, deliveries []job.Delivery, _ job.Messages) []job.Settlement {
		for i, d := range deliveries {
			if d.ID != id(i) || !d.PublishedAt.Equal(at) || !d.SentAt.Equal(noon) || d.Count != 1 {
				t.Errorf("delivery %d: %+v, want what was sent", i, d)
			}
		}
		return nil
	})
}

func TestSendNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if unsent, err := r.queue.Send(t.Context(), nil); err != nil || len(unsent) != 0 {
		t.Errorf("unsent %v, %v; want nothing", unsent, err)
	}
	r.wantCalls()
}

func TestSendReturnsUnsent(t *testing.T) {
	t.Parallel()
	var messages []job.Stamped
	for i := range 25 {
		messages = append(messages, job.Stamped{ID: id(i), PublishedAt: noon})
	}
	refuse := func(w http.ResponseWriter) bool {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		fmt.Fprint(w, `{"Successful":[],"Failed":[{"Id":"2","Code":"InternalError","SenderFault":false},{"Id":"4","Code":"InternalError","SenderFault":false}]}`)
		return true
	}
	breakDown := func(w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	isSecond := func(body string) bool { return strings.Contains(body, id(15).String()) }
	for _, tc := range []struct {
		name   string
		answer func(body string, w http.ResponseWriter) bool
		want   []uuid.UUID
		text   string
	}{
		{"two refused in the second call", func(body string, w http.ResponseWriter) bool { return isSecond(body) && refuse(w) },
			[]uuid.UUID{id(12), id(14)}, "send messages: SQS refused a message (InternalError)"},
		{"the second call fails", func(body string, w http.ResponseWriter) bool { return isSecond(body) && breakDown(w) },
			idsFrom(10, 20), ""},
		{"every call fails", func(_ string, w http.ResponseWriter) bool { return breakDown(w) }, idsFrom(0, 25), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.answerTo = tc.answer
			unsent, err := r.queue.Send(t.Context(), messages)
			if err == nil || !strings.HasPrefix(err.Error(), "send messages: ") || tc.text != "" &&
				err.Error() != tc.text {
				t.Errorf("got error %v, want where and why", err)
			}
			if !slices.Equal(unsent, tc.want) {
				t.Errorf("unsent %v, want %v", unsent, tc.want)
			}
			r.wantCalls("SendMessageBatch", "SendMessageBatch", "SendMessageBatch") // one that fails does not stop the rest
		})
	}
}

// Many messages are sent by eight calls at once: the first ones wait for each other.
func TestSendIsConcurrent(t *testing.T) {
	t.Parallel()
	const atOnce = 8
	r := newRig(t)
	var mu sync.Mutex
	open, most, all := 0, 0, make(chan struct{})
	r.answerTo = func(string, http.ResponseWriter) bool {
		mu.Lock()
		if open++; open == atOnce && most < atOnce {
			close(all)
		}
		most = max(most, open)
		mu.Unlock()
		<-all
		mu.Lock()
		open--
		mu.Unlock()
		return false
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	context.AfterFunc(ctx, func() { // the calls of a Send that makes fewer
		mu.Lock()
		defer mu.Unlock()
		if most < atOnce {
			most = atOnce + 1
			close(all)
		}
	})
	var messages []job.Stamped
	for i := range 40 * 10 {
		messages = append(messages, job.Stamped{ID: id(i), PublishedAt: noon})
	}
	unsent, err := r.queue.Send(ctx, messages)
	if err != nil || len(unsent) != 0 || most != atOnce {
		t.Errorf("%d calls at once, want %d; unsent %d, %v", most, atOnce, len(unsent), err)
	}
	r.wantQueue("match", len(messages), 0)
}

func idsFrom(begin, end int) (ids []uuid.UUID) {
	for n := begin; n < end; n++ {
		ids = append(ids, id(n))
	}
	return ids
}

func TestPublishUnreachable(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.server.Close()
	p := &job.Publisher{Store: committed{}, Sender: r.queue}
	err := p.Publish(t.Context(), idsFrom(1, 12))
	var got *job.PublishError
	if !errors.As(err, &got) || !slices.Equal(got.Unsent, idsFrom(1, 12)) || len(got.Missing) != 0 {
		t.Errorf("got %+v, want all 11 unsent", err)
	}
}

// committed is a store in which every document exists.
type committed struct{}

func (committed) Publish(_ context.Context, ids []uuid.UUID) (stamped []job.Stamped, err error) {
	for _, id := range ids {
		stamped = append(stamped, job.Stamped{ID: id, PublishedAt: noon})
	}
	return stamped, nil
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, step := range []struct{ send, receive, want int }{{0, 0, 0}, {12, 0, 12}, {0, 10, 12}, {1, 0, 13}} {
		r.send(step.send)
		if step.receive > 0 {
			r.receive(step.receive)
		}
		if got, err := r.queue.Backlog(t.Context()); err != nil || got != step.want {
			t.Errorf("backlog %d, %v; want %d", got, err, step.want)
		}
	}
}

func TestBacklogError(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"no attributes": `{}`,
		"no number": `{"Attributes":{"ApproximateNumberOfMessages":"many"}}`} {
		r := newRig(t)
		r.answer = func(_ int, w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			fmt.Fprint(w, body)
			return true
		}
		if got, err := r.queue.Backlog(t.Context()); err == nil ||
			err.Error() != "read the queue's backlog: missing count in SQS's response" {
			t.Errorf("%s: got %d, %v; want an error", name, got, err)
		}
	}
	r := newRig(t)
	r.server.Close()
	if got, err := r.queue.Backlog(t.Context()); err == nil {
		t.Errorf("unreachable: got %d, want an error", got)
	}
}
