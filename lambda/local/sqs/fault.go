package sqs

import (
	"errors"
	"maps"
	"math/rand/v2"
	"time"
)

// FaultKind is a rare behavior of Amazon SQS. Reports use it as text.
type FaultKind string

// The kinds of faults.
const (
	// DuplicateDelivery delivers a message again while it is in flight. It happens neither in
	// FIFO queues nor beyond maxReceiveCount.
	DuplicateDelivery FaultKind = "duplicate delivery"
	// LateDelivery keeps a copy of a deleted message, and delivers it after the visibility
	// timeout. It doesn't happen beyond maxReceiveCount.
	LateDelivery FaultKind = "late delivery"
	// EarlyExpiry makes a received message visible again at once, as if the work had outlasted
	// the visibility timeout. On its last receive, the message may go to the dead-letter queue
	// during the work.
	EarlyExpiry FaultKind = "early expiry"
	// EntryRefused returns an entry of a batch in Failed with InternalError.
	EntryRefused FaultKind = "entry refused"
	// EntryUnconfirmed does the same after processing the entry.
	EntryUnconfirmed FaultKind = "entry unconfirmed"
	// CallRefused refuses a call with status 500, the next one with 503.
	CallRefused FaultKind = "call refused"
	// CallLost closes the connection without processing the call.
	CallLost FaultKind = "call lost"
	// AnswerLost processes the call, then closes the connection.
	AnswerLost FaultKind = "answer lost"
)

// Fault requests a kind of fault; see Server.Order.
type Fault struct {
	Kind      FaultKind
	Operation string  // restricts it to one operation, such as "DeleteMessageBatch"; "" means all
	Rate      float64 // probability on each occasion, 0 to 1
	Times     int     // limit, 0 for none; without a Rate, the first occasions are hit
}

// orderedFault is an active Fault.
type orderedFault struct {
	Fault
	random *rand.Rand
	drawn  int
}

// Order replaces all active faults; without arguments it ends them. The seed and a fault's
// place in the list alone determine which of its occasions are hit.
func (s *Server) Order(seed uint64, faults ...Fault) {
	s.lock(nil)
	defer s.mu.Unlock()
	s.faults = nil
	for i, f := range faults {
		if f.Rate == 0 && f.Times > 0 {
			f.Rate = 1
		}
		s.faults = append(s.faults, &orderedFault{Fault: f, random: rand.New(rand.NewPCG(seed, uint64(i)))})
		s.injected[f.Kind] += 0 // so that Faults lists faults never hit
	}
}

// Faults counts the faults injected so far, for every kind ever ordered. A repeated delivery
// counts when it happens.
func (s *Server) Faults() map[FaultKind]int {
	s.lock(nil)
	defer s.mu.Unlock()
	return maps.Clone(s.injected)
}

// draw decides whether a fault hits this occasion. Use hit for a fault with an immediate
// effect.
func (s *Server) draw(kind FaultKind) bool {
	for _, f := range s.faults {
		here := f.Operation == "" || targetPrefix+f.Operation == s.request.Header.Get("X-Amz-Target")
		more := f.Times == 0 || f.drawn < f.Times
		if f.Kind == kind && here && more && f.random.Float64() < f.Rate {
			f.drawn++
			return true
		}
	}
	return false
}

// hit is draw for a fault with an immediate effect, so that it is counted at once.
func (s *Server) hit(kind FaultKind) bool {
	happens := s.draw(kind)
	if happens {
		s.injected[kind]++
	}
	return happens
}

// misdeliver applies the faults to a message being received, and returns its actual visibility
// timeout.
func (s *Server) misdeliver(m *message, visibility time.Duration) time.Duration {
	if m.fault == LateDelivery || m.fault == DuplicateDelivery && m.hidden(s.at) {
		s.injected[m.fault]++
	}
	m.fault = ""
	if s.draw(DuplicateDelivery) {
		m.fault = DuplicateDelivery
	}
	if s.hit(EarlyExpiry) {
		return 0
	}
	return visibility
}

// outlives reports whether m stays after its delete. No receipt handle opens it until it is
// received again.
func (s *Server) outlives(q *queue, m *message) bool {
	if s.deadLetterQueue(q, m) != nil || !s.draw(LateDelivery) {
		return false
	}
	m.handle, m.fault = "", LateDelivery
	return true
}

// faultyEntry processes one entry of a batch.
func (s *Server) faultyEntry(do entryOperation, q *queue, e entry) (entryResult, error) {
	if s.hit(EntryRefused) {
		return entryResult{}, errEntry
	}
	result, err := do(s, q, e)
	if err == nil && s.hit(EntryUnconfirmed) {
		err = errEntry
	}
	return result, err
}

// errLost closes the connection instead of responding.
var errLost = errors.New("response lost")

// faulty performs one call, with its faults.
func (s *Server) faulty(do operation, in input) (any, error) {
	if s.hit(CallRefused) {
		if s.injected[CallRefused]%2 == 1 {
			return nil, errInternal
		}
		return nil, errUnavailable
	}
	if s.hit(CallLost) {
		return nil, errLost
	}
	out, err := do(s, in)
	if err == nil && s.hit(AnswerLost) {
		return nil, errLost
	}
	return out, err
}
