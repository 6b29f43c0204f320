package matchrun

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/local/sqs"

	"github.com/google/uuid"
)

// delivery is one receive of a message and how it ended.
type delivery struct {
	Document uuid.UUID `json:"document"`
	Message  string    `json:"message_id"`
	Delivery int       `json:"delivery"`             // ApproximateReceiveCount
	Seconds  int       `json:"at_seconds"`           // on the stack's clock, since the message was sent
	Settled  string    `json:"settled"`              // acknowledged, retry, dead-letter or interrupted
	Wait     int       `json:"visible_in,omitempty"` // seconds until it is delivered again; retry only
}

// journal records the deliveries of messages.
type journal struct {
	mu         sync.Mutex
	sent       map[string]time.Time // by message id
	deliveries []delivery
	open       map[string]int // message id -> its latest delivery
	inDLQ      map[uuid.UUID]bool
}

// newJournal returns an empty journal.
func newJournal() *journal {
	return &journal{sent: make(map[string]time.Time), open: make(map[string]int), inDLQ: make(map[uuid.UUID]bool)}
}

// add records an event of any queue.
func (j *journal) add(e sqs.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	id, err := uuid.Parse(e.Body)
	if err != nil {
		return
	}
	switch e.Kind {
	case sqs.Sent:
		j.sent[e.MessageID] = e.At
	case sqs.Received:
		j.open[e.MessageID] = len(j.deliveries)
		j.deliveries = append(j.deliveries, delivery{Document: id, Message: e.MessageID, Delivery: e.ReceiveCount,
			Seconds: int(e.At.Sub(j.sent[e.MessageID]).Round(time.Second).Seconds()), Settled: "interrupted"})
	case sqs.VisibilityChanged:
		j.settle(e, "retry", int(e.Visibility.Seconds()))
	case sqs.Deleted:
		j.settle(e, "acknowledged", 0)
	case sqs.MovedToDLQ:
		j.inDLQ[id] = true
		j.settle(e, "dead-letter", 0)
	}
}

// settle notes how the latest delivery of the message ended, if there was one.
func (j *journal) settle(e sqs.Event, how string, wait int) {
	if latest, delivered := j.open[e.MessageID]; delivered {
		j.deliveries[latest].Settled, j.deliveries[latest].Wait = how, wait
	}
}

// all returns the deliveries, by document, message and number. A document has
// several messages when it is published again, the earlier one first.
func (j *journal) all() []delivery {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := slices.Clone(j.deliveries)
	slices.SortStableFunc(list, func(a, b delivery) int {
		return cmp.Or(slices.Compare(a.Document[:], b.Document[:]), j.sent[a.Message].Compare(j.sent[b.Message]),
			a.Delivery-b.Delivery)
	})
	return list
}

func (j *journal) deadLettered(id uuid.UUID) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.inDLQ[id]
}
