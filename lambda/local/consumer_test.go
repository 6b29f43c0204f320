package local_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

var testStart = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// ingest is a row beside match, with half its visibility timeout.
func ingest() manifest.Function {
	row := manifest.Match
	row.Name, row.Timeout = "ingest", 90*time.Second
	return row
}

// startTwo starts a stack of match and ingest; nothing takes their messages.
func startTwo(t *testing.T) *local.Stack {
	t.Helper()
	s := must.Get(local.StartStack(t.Context(), local.StackConfig{DatabaseURL: postgrestest.URL(t), FrozenAt: testStart,
		Functions: []local.FunctionConfig{{NoMapping: true, Concurrency: 1},
			{Row: ingest(), NoMapping: true, Concurrency: 1, Env: []string{"OCR=none"}}}}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestQueueURLsReachAll(t *testing.T) {
	t.Parallel()
	s := startTwo(t)
	match, ingest := s.Consumers[0], s.Consumers[1]
	if !strings.HasSuffix(match.Queue.URL, "/match") || !strings.HasSuffix(ingest.Queue.URL, "/ingest") {
		t.Fatalf("the queues are %s and %s", match.Queue.URL, ingest.Queue.URL)
	}
	for _, w := range s.Consumers {
		for _, want := range []string{"QUEUE_URL=" + w.Queue.URL, "MATCH_QUEUE_URL=" + match.Queue.URL,
			"INGEST_QUEUE_URL=" + ingest.Queue.URL} {
			if !slices.Contains(w.Env(), want) {
				t.Errorf("%s is not in %q", want, w.Env())
			}
		}
	}
	if slices.Contains(match.Env(), "OCR=none") || !slices.Contains(ingest.Env(), "OCR=none") {
		t.Error("OCR=none is not the variable of ingest alone")
	}
}

func TestIdleWhenAllWorkersPoll(t *testing.T) {
	t.Parallel()
	s := startTwo(t)
	match, ingest := s.Consumers[0], s.Consumers[1]
	poll(t, match)
	waitUntil(t, "match waits for a message", func() bool { queue, _ := match.Stats(); return queue.Polls == 1 })
	if s.Idle() {
		t.Error("idle although ingest may be at work")
	}
	received := poll(t, ingest)
	must.OK(t, s.WaitIdle(t.Context()))
	must.Get(ingest.Queue.Client.SendMessage(t.Context(),
		&awssqs.SendMessageInput{QueueUrl: &ingest.Queue.URL, MessageBody: aws.String("x")}))(t)
	<-received
	if s.Idle() {
		t.Error("idle although ingest has a message")
	}
}

// poll is a worker that waits for a message of the workload's queue.
func poll(t *testing.T, w *local.Consumer) (received <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.Queue.Client.ReceiveMessage(t.Context(), // ends with the test
			&awssqs.ReceiveMessageInput{QueueUrl: &w.Queue.URL, WaitTimeSeconds: 20})
	}()
	return done
}

// waitUntil waits until the condition holds, looking again and again.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for again := time.NewTicker(time.Millisecond); !holds(); {
		select {
		case <-deadline:
			t.Fatal("waited in vain: " + what)
		case <-again.C:
		}
	}
}

// The clock stops at each message, whatever queue it is in.
func TestJumpToNextMessage(t *testing.T) {
	t.Parallel()
	s := startTwo(t)
	for _, w := range s.Consumers {
		must.Get(w.Queue.Client.SendMessage(t.Context(),
			&awssqs.SendMessageInput{QueueUrl: &w.Queue.URL, MessageBody: aws.String("x")}))(t)
		must.Get(w.Queue.Client.ReceiveMessage(t.Context(),
			&awssqs.ReceiveMessageInput{QueueUrl: &w.Queue.URL}))(t)
	}
	for _, want := range []time.Duration{9 * time.Minute, 18 * time.Minute} { // ingest's, then match's
		if jumped, err := s.Jump(t.Context()); !jumped || err != nil {
			t.Fatalf("no jump: %t, %v", jumped, err)
		}
		if got := s.Clock.Now().Sub(testStart); got != want {
			t.Errorf("the clock is at %s, want %s", got, want)
		}
	}
	if jumped, err := s.Jump(t.Context()); jumped || err != nil {
		t.Errorf("a jump without a message that waits: %t, %v", jumped, err)
	}
}

// Two functions of one name would share a queue.
func TestInvalidFunctionLists(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]local.FunctionConfig{
		"missing functions":                       nil,
		"match: duplicate name":                   {{}, {}},
		"batch size 0: must be between 1 and 100": {{Row: manifest.Function{Name: "ingest"}}},
	} {
		s, err := local.StartStack(t.Context(), local.StackConfig{DatabaseURL: "postgres://127.0.0.1:1/x",
			Functions: list})
		if s != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}
