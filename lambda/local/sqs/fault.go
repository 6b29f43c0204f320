package sqs

import (
	"errors"
	"maps"
	"math/rand/v2"
	"time"
)

// FaultKind is a rare behaviour of Amazon SQS, by the name under which a report counts it.
type FaultKind string

// The kinds of faults, and the occasions on which they happen.
const (
	// DuplicateDelivery: a message that is received is handed out once more
	// while it is in flight. Not in a FIFO queue, and not beyond maxReceiveCount.
	DuplicateDelivery FaultKind = "duplicate delivery"
	// LateDelivery: of a message that is deleted a copy stays, and is handed
	// out when the visibility timeout has passed. Not beyond maxReceiveCount.
	LateDelivery FaultKind = "late delivery"
	// EarlyExpiry: a message that is received is visible again at once, as if
	// the work on it had outlasted the visibility timeout. On its last receive
	// it can go to the dead-letter queue while it is worked on.
	EarlyExpiry FaultKind = "early expiry"
	// EntryRefused: an entry of a batch is in Failed with InternalError.
	EntryRefused FaultKind = "entry refused"
	// EntryUnconfirmed: an entry that was done is in Failed with InternalError.
	EntryUnconfirmed FaultKind = "entry unconfirmed"
	// CallRefused: a call does nothing and is answered 500, the next one 503.
	CallRefused FaultKind = "call refused"
	// CallLost: a call does not arrive, its connection closes.
	CallLost FaultKind = "call lost"
	// AnswerLost: a call that is done is not answered, its connection closes.
	AnswerLost FaultKind = "answer lost"
)

// Fault orders a kind of fault.
type Fault struct {
	Kind      FaultKind
	Operation string  // only in calls of this one, such as "DeleteMessageBatch"; in all when ""
	Rate      float64 // the chance on each occasion, 0 to 1
	Times     int     // the limit, none when 0; without a Rate the fault happens on the first occasions
}

// orderedFault is a Fault that was ordered.
type orderedFault struct {
	Fault
	random *rand.Rand
	drawn  int
}

// Order makes these faults happen from now on, in place of the ones before;
// without arguments it ends all faults. Whether the first occasion of a fault is hit, the
// second and so on follows from the seed and its place among the faults alone.
func (s *Server) Order(seed uint64, faults ...Fault) {
	s.lock(nil)
	defer s.mu.Unlock()
	s.faults = nil
	for i, f := range faults {
		if f.Rate == 0 && f.Times > 0 {
			f.Rate = 1
		}
		s.faults = append(s.faults, &orderedFault{Fault: f, random: rand.New(rand.NewPCG(seed, uint64(i)))})
		s.injected[f.Kind] += 0 // a fault that never happens is seen in Faults
	}
}

// Faults counts what has happened of every kind that was ever ordered. A
// message that is to be delivered once more counts when it is.
func (s *Server) Faults() map[FaultKind]int {
	s.lock(nil)
	defer s.mu.Unlock()
	return maps.Clone(s.injected)
}

// draw decides whether a fault is to happen on this occasion.
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

// hit is a draw of a fault that happens at once.
func (s *Server) hit(kind FaultKind) bool {
	happens := s.draw(kind)
	if happens {
		s.injected[kind]++
	}
	return happens
}

// misdeliver applies the faults to a message that is being handed out, and
// returns for how long the message will really be hidden.
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

// outlives reports whether m stays although it is deleted; no handle opens it
// until it is received again.
func (s *Server) outlives(q *queue, m *message) bool {
	if s.deadLetterQueue(q, m) != nil || !s.draw(LateDelivery) {
		return false
	}
	m.handle, m.fault = "", LateDelivery
	return true
}

// faultyEntry does one entry of a batch.
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

// errLost closes the connection instead of answering.
var errLost = errors.New("the answer is lost")

// faulty does one call.
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
