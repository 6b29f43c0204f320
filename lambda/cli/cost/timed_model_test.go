package cost

import (
	"encoding/json"
	"regexp"
	"strconv"
	"sync"
	"time"

	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"
)

// timedModel is a model whose answers take time on a clock of its own, which
// moves on to the next answer whenever every question that can be open is.
type timedModel struct {
	takes     []time.Duration // the answers of a batch, by the order of their questions
	documents []uuid.UUID     // by their numbers, all of which ask

	mu      sync.Mutex
	now     time.Duration
	open    int // documents of batches that have begun, or begin now, without an answer
	later   int // documents of further batches
	batches map[uuid.UUID]*timedBatch
	answers map[uuid.UUID]*timedAnswer
}

type timedBatch struct{ asked, answered int }

type timedAnswer struct {
	batch *timedBatch
	at    time.Duration
	given bool
	ready chan struct{}
}

// newTimedModel has each batch take its times from all over the latency, with
// the average longest one as the longest.
func newTimedModel(concurrency int, l Latency) *timedModel {
	m := &timedModel{
		documents: make([]uuid.UUID, concurrency*rounds*manifest.Match.BatchSize),
		open:      concurrency * manifest.Match.BatchSize,
		batches:   make(map[uuid.UUID]*timedBatch), answers: make(map[uuid.UUID]*timedAnswer),
	}
	m.later = len(m.documents) - m.open
	for i := range manifest.Match.BatchSize {
		m.takes = append(m.takes, l.Min+(l.Max-l.Min)*time.Duration(i+1)/time.Duration(manifest.Match.BatchSize+1))
	}
	return m
}

// begin begins a batch, the payload of an invocation.
func (m *timedModel) begin(payload []byte) {
	var event events.SQSEvent
	_ = json.Unmarshal(payload, &event) // of the mapping
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &timedBatch{}
	for _, r := range event.Records {
		m.batches[uuid.MustParse(r.Body)] = b
	}
}

// passed is how much time has passed.
func (m *timedModel) passed() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

var invoiceNumber = regexp.MustCompile(`(?m)^number: RE\d+-(\d+)$`)

// Answer finds no match, in its time.
func (m *timedModel) Answer(q scripted.Question) string {
	found := invoiceNumber.FindStringSubmatch(q.User)
	if found == nil {
		return "" // is refused
	}
	i, _ := strconv.Atoi(found[1])
	<-m.ask(i).ready
	return `{"matches":[]}`
}

// ask is the answer to the question of a document, the same if it is repeated.
func (m *timedModel) ask(document int) *timedAnswer {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := m.documents[document]
	a := m.answers[id]
	if a == nil {
		b := m.batches[id]
		a = &timedAnswer{batch: b, at: m.now + m.takes[b.asked], ready: make(chan struct{})}
		b.asked++
		m.answers[id] = a
		m.pass()
	}
	return a
}

// pass lets the time pass that all questions wait for. With the last answer of
// a batch the next one begins.
func (m *timedModel) pass() {
	for {
		var next *timedAnswer
		waiting := 0
		for _, a := range m.answers {
			if a.given {
				continue
			}
			waiting++
			if next == nil || a.at < next.at {
				next = a
			}
		}
		if next == nil || waiting < m.open {
			return
		}
		m.now, next.given = next.at, true
		close(next.ready)
		m.open--
		if next.batch.answered++; next.batch.answered == len(m.takes) && m.later > 0 {
			m.open += len(m.takes)
			m.later -= len(m.takes)
		}
	}
}
