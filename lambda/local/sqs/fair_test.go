package sqs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// fill sends messages of a group past HTTP, which would take most of the time.
func (r *rig) fill(queue, group string, n int) {
	r.t.Helper()
	r.sqs.lock(nil)
	defer r.sqs.mu.Unlock()
	for i := range n {
		body := fmt.Sprintf("%s%d", group, i)
		_, err := r.sqs.send(r.sqs.queues[queue], entry{MessageBody: body, MessageGroupId: group})
		r.must(err)
	}
}

func (r *rig) sendTo(queue *string, group, body string) error {
	_, err := r.client.SendMessage(r.t.Context(),
		&sqs.SendMessageInput{QueueUrl: queue, MessageBody: &body, MessageGroupId: &group})
	return err
}

func bodies(messages []types.Message) (list []string) {
	for _, m := range messages {
		list = append(list, *m.Body)
	}
	return list
}

// Eight workers are busy with an import of 100,000 documents of one tenant. A
// document of another tenant is in the next batch that is received, always.
func TestSmallTenantGoesFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"VisibilityTimeout": "1080"})
	r.fill("work", "importer", 100_000)
	var busy [][]types.Message
	for range 8 {
		busy = append(busy, r.receive(q))
	}
	for i := range 100 {
		small := fmt.Sprintf("small%d", i)
		r.must(r.sendTo(q, "small", small))
		for _, m := range busy[i%8] {
			r.must(r.delete(q, m))
		}
		busy[i%8] = r.receive(q)
		if got := bodies(busy[i%8]); len(got) != 10 || got[0] != small ||
			slices.ContainsFunc(got[1:], func(b string) bool { return !strings.HasPrefix(b, "importer") }) {
			t.Fatalf("the next batch was %q, want %q and nine of the import", got, small)
		}
	}
}

func TestNoisyGroupsComeLast(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		inFlight map[string]int // by group
		waiting  []string       // groups, in the order in which they were sent
		want     string
	}{
		"nothing in flight":                   {nil, []string{"a", "b", "c"}, "a0 b0 c0"},
		"less than 30 in flight":              {map[string]int{"a": 29}, []string{"a", "b"}, "a0 b0"},
		"30 in flight":                        {map[string]int{"a": 30}, []string{"a", "b"}, "b0 a0"},
		"a tenth of what is in flight":        {map[string]int{"a": 30, "b": 270}, []string{"a", "c"}, "a0 c0"},
		"more than a tenth":                   {map[string]int{"a": 31, "b": 270}, []string{"a", "c"}, "c0 a0"},
		"several noisy ones, the least first": {map[string]int{"a": 50, "b": 40}, []string{"a", "b", "c"}, "c0 b0 a0"},
		"without a group each is a tenant":    {map[string]int{"": 50}, []string{"", "b"}, "0 b0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			q := r.queue("work", nil)
			for group, n := range tc.inFlight {
				r.fill("work", group, n)
			}
			r.sqs.lock(nil)
			r.sqs.handOut(r.sqs.queues["work"], input{MaxNumberOfMessages: aws.Int(1000)})
			r.sqs.mu.Unlock()
			for _, group := range tc.waiting {
				r.fill("work", group, 1)
			}
			if got := strings.Join(bodies(r.receive(q)), " "); got != tc.want {
				t.Errorf("received %q, want %q", got, tc.want)
			}
		})
	}
}

// A group orders nothing and blocks nothing, and is quiet again when its
// messages are no longer in flight.
func TestStandardGroupsDontLock(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"VisibilityTimeout": "60"})
	r.fill("work", "a", 40)
	for range 4 {
		if got := r.receive(q); len(got) != 10 {
			t.Fatalf("received %d, want 10: others of the group are in flight", len(got))
		}
	}
	r.clock.Advance(time.Minute)
	r.fill("work", "b", 1)
	if got := bodies(r.receive(q)); got[0] != "a0" {
		t.Errorf("received %q, want what came back, which stands first in line", got)
	}
}

func TestGroupIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, dead := r.pair(1)
	r.must(r.sendTo(work, "tenant", "x"))
	group := func(m types.Message) string { return m.Attributes["MessageGroupId"] }
	m := r.one(work)
	if got := group(m); got != "tenant" {
		t.Errorf("the receiver sees group %q", got)
	}
	r.must(r.change(work, m, 0))
	r.none(work)
	if got := group(r.one(dead)); got != "tenant" {
		t.Errorf("in the dead-letter queue: group %q", got)
	}
	r.clock.Advance(time.Minute)
	r.must(r.move("dead"))
	if got := group(r.one(work)); got != "tenant" {
		t.Errorf("after the redrive: group %q", got)
	}
	r.send(work, "without")
	if got, ok := r.one(work).Attributes["MessageGroupId"]; ok {
		t.Errorf("a message without a group has %q", got)
	}
}

func TestGroupIDIsChecked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	for group, code := range map[string]string{
		"10000000-0000-4000-8000-000000000001": "", `a!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + "`": "",
		strings.Repeat("a", 128): "",
		strings.Repeat("a", 129): "InvalidParameterValue", "a b": "InvalidParameterValue", "ä": "InvalidParameterValue",
		"a\n": "InvalidParameterValue",
	} {
		wantCode(t, r.sendTo(q, group, "x"), code)
	}
}
