package drill

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/local/webhook"

	"github.com/google/uuid"
)

// seen is an event of a message, in real time like the audit.
type seen struct {
	at time.Time
	sqs.Event
}

// message is the history of one message. After a redrive it is a new message.
type message struct {
	id       string
	function string // that the message is for
	row      uuid.UUID
	sent     time.Time
	events   []seen
	runs     []run
}

// run is one of the message's invocations.
type run struct {
	from, to time.Time
	acked    bool
}

// until returns the message's events before at.
func (m *message) until(at time.Time) []seen {
	n, _ := slices.BinarySearchFunc(m.events, at, func(e seen, at time.Time) int { return e.at.Compare(at) })
	return m.events[:n]
}

// live reports whether the message was in a queue at the given time, and its receives by then.
func (m *message) live(at time.Time) (receives int, live bool) {
	events := m.until(at)
	if len(events) == 0 {
		return 0, false
	}
	last := events[len(events)-1]
	return last.ReceiveCount, last.Kind != sqs.Deleted && last.Kind != sqs.MovedToDLQ && last.Kind != sqs.Expired
}

// asked is a model call, in real time.
type asked struct {
	at time.Time
	scripted.Call
}

// journal is the record of the servers around the functions.
type journal struct {
	mu       sync.Mutex
	messages map[string]*message
	broken   []string // invocations with an invalid response
	asked    []asked
}

func newJournal() *journal { return &journal{messages: map[string]*message{}} }

// event records an event of a message.
func (j *journal) event(e sqs.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	m := j.messages[e.MessageID]
	if m == nil {
		id, _ := uuid.Parse(e.Body)
		m = &message{id: e.MessageID, function: e.Queue, row: id, sent: now}
		j.messages[e.MessageID] = m
	}
	m.events = append(m.events, seen{now, e})
}

// invocation records a batch.
func (j *journal) invocation(i eventsource.Invocation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	for _, id := range i.MessageIDs {
		if m := j.messages[id]; m != nil {
			m.runs = append(m.runs, run{now.Add(-i.Took), now, i.Err == nil && !slices.Contains(i.Failed, id)})
		}
	}
	var failed *lambdahost.FunctionError
	if i.Err != nil && len(i.MessageIDs) > 0 && !errors.As(i.Err, &failed) {
		j.broken = append(j.broken, i.Err.Error())
	}
}

// call records a model call.
func (j *journal) call(c scripted.Call) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked = append(j.asked, asked{time.Now(), c})
}

// byRow returns each row's messages in sending order.
func (j *journal) byRow() map[uuid.UUID][]*message {
	j.mu.Lock()
	defer j.mu.Unlock()
	by := map[uuid.UUID][]*message{}
	for _, m := range j.messages {
		by[m.row] = append(by[m.row], m)
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b *message) int { return a.sent.Compare(b.sent) })
	}
	return by
}

// slackFaults are the faults of the Slack receiver.
var slackFaults = []func(http.ResponseWriter){
	func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	},
	func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
	func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
}

// slack accepts the same messages as Slack, unless broken.
type slack struct {
	webhook.Receiver
	broken atomic.Bool
	faults atomic.Int64
}

// ServeHTTP implements http.Handler. Every second fault is a lost response.
func (s *slack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.broken.Load() {
		s.Receiver.ServeHTTP(w, r)
		return
	}
	n := int(s.faults.Add(1))
	if n%2 == 0 {
		s.Receiver.ServeHTTP(discard{w}, r)
		panic(http.ErrAbortHandler)
	}
	_, _ = io.Copy(io.Discard, r.Body)
	slackFaults[n/2%len(slackFaults)](w)
}

// discard drops a response.
type discard struct{ http.ResponseWriter }

// WriteHeader does nothing.
func (discard) WriteHeader(int) {}

// Write reports success.
func (discard) Write(p []byte) (int, error) { return len(p), nil }

// digest is the title of a message about several failures.
var digest = regexp.MustCompile(`failed (\d+) times`)

// received returns the number of failures in the accepted messages, and the messages' texts.
func (s *slack) received() (failures int, texts string) {
	var all strings.Builder
	for _, m := range s.Taken() {
		n := 1
		if count := digest.FindStringSubmatch(m.Text); count != nil {
			n, _ = strconv.Atoi(count[1])
		}
		failures += n
		all.Write(m.Payload)
	}
	return failures, all.String()
}

// String returns the event as a line of a row's history.
func (e seen) String() string {
	return fmt.Sprintf("message %.8s %s, receive %d, hidden %s", e.MessageID, e.Kind, e.ReceiveCount,
		e.Visibility.Round(time.Second))
}
