package matchrun

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/local/sqs"

	"github.com/google/uuid"
)

// delivery is one receive of a message and its settlement.
type delivery struct {
	Document uuid.UUID `json:"document"`
	Message  string    `json:"message_id"`
	Delivery int       `json:"delivery"`             // ApproximateReceiveCount
	Seconds  int       `json:"at_seconds"`           // since the send, on the stack's clock
	Settled  string    `json:"settled"`              // acknowledged, retry, dead-letter or interrupted
	Wait     int       `json:"visible_in,omitempty"` // seconds until redelivery; retry only
}

// journal records the deliveries of messages. It is safe for concurrent use.
type journal struct {
	mu         sync.Mutex
	sent       map[string]time.Time // by message id
	deliveries []delivery
	open       map[string]int // message id -> latest delivery
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

// settle records the settlement of the message's latest delivery, if any.
func (j *journal) settle(e sqs.Event, how string, wait int) {
	if latest, delivered := j.open[e.MessageID]; delivered {
		j.deliveries[latest].Settled, j.deliveries[latest].Wait = how, wait
	}
}

// all returns the deliveries, sorted by document, message and number. A republished document
// has several messages, oldest first.
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
