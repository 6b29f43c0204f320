package sqsjob_test

import (
	"slices"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// dead reads the dead-letter queue.
func (r *rig) dead(waiting int) (*sqsjob.DeadLetters, []sqsjob.DeadLetter) {
	r.t.Helper()
	d := must.Get(r.queue.DeadLetters(r.t.Context()))(r.t)
	if d.Waiting() != waiting {
		r.t.Fatalf("%d wait, want %d", d.Waiting(), waiting)
	}
	return d, must.Get(d.Read(r.t.Context(), 1000, time.Minute))(r.t)
}

// A message given up an hour after it was sent expires by the time of its first send.
func TestDeadLetterKeepsAge(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	must.Get(r.queue.Send(t.Context(), []job.Stamped{{ID: id(1), PublishedAt: noon, Tenant: id(7)}}))(t)
	for range 3 {
		r.receive(1)
		r.clock.Advance(20 * time.Minute)
	}
	must.Get(r.queue.Client.ReceiveMessage(t.Context(), &awssqs.ReceiveMessageInput{QueueUrl: &r.queue.URL}))(t) // moves it
	d, letters := r.dead(1)
	if len(letters) != 1 || letters[0].ID != id(1) || !letters[0].PublishedAt.Equal(noon) || !letters[0].SentAt.Equal(noon) ||
		!letters[0].ExpiresAt.Equal(noon.Add(4*24*time.Hour)) {
		t.Fatalf("got %+v, want the row, its stamp and the time of its first send", letters)
	}
	r.dead(0) // it is hidden while it is held
	must.OK(t, d.Release(t.Context(), letters))
	d, letters = r.dead(1)
	must.OK(t, d.Delete(t.Context(), letters))
	r.clock.Advance(time.Hour)
	r.dead(0)
}

func TestAllDeadLettersRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if none := must.Get(sqsjob.FindQueue(t.Context(), r.queue.Client, "nowhere", ""))(t); none != nil {
		t.Errorf("got %v for an unknown queue", none)
	}
	dead := must.Get(sqsjob.FindQueue(t.Context(), r.queue.Client, "dead", "000000000000"))(t)
	var sent []job.Stamped
	for i := range 25 {
		sent = append(sent, job.Stamped{ID: id(i), PublishedAt: noon})
	}
	must.Get(dead.Send(t.Context(), sent))(t)
	r.forget()
	_, letters := r.dead(25)
	r.wantCalls("GetQueueAttributes", "GetQueueUrl", "GetQueueAttributes", "ReceiveMessage", "ReceiveMessage", "ReceiveMessage")
	for _, want := range sent {
		if !slices.ContainsFunc(letters, func(l sqsjob.DeadLetter) bool { return l.ID == want.ID }) {
			t.Errorf("row %s was not read", want.ID)
		}
	}
}

// A message that names no row goes back as it is.
func TestDeadLetterReturns(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dead := r.server.URL + "/000000000000/dead"
	must.Get(r.queue.Client.SendMessage(t.Context(), &awssqs.SendMessageInput{QueueUrl: &dead, MessageBody: aws.String(`{"Records":[]}`),
		MessageAttributes: map[string]types.MessageAttributeValue{"a": {DataType: aws.String("String"), StringValue: aws.String("b")}}}))(t)
	d, letters := r.dead(1)
	must.OK(t, d.Return(t.Context(), letters))
	got := r.receive(1).Records[0]
	if got.Body != `{"Records":[]}` || *got.MessageAttributes["a"].StringValue != "b" {
		t.Errorf("got %+v", got)
	}
}

func TestNoDeadLetterQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	plain := must.Get(sqsjob.FindQueue(t.Context(), r.queue.Client, "dead", ""))(t)
	if d := must.Get(plain.DeadLetters(t.Context()))(t); d != nil {
		t.Errorf("got %v of a queue without a redrive policy", d)
	}
}
