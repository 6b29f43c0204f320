package scripted

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"
)

// Usage counts tokens as defined in the package comment.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

func (u Usage) plus(other Usage) Usage {
	return Usage{u.PromptTokens + other.PromptTokens, u.CompletionTokens + other.CompletionTokens,
		u.TotalTokens + other.TotalTokens}
}

// Call is the record of one call.
type Call struct {
	At       time.Time // arrival
	Path     string    // of the request
	Question string    // hash; "" for a refused request
	N        int       // number of earlier calls for the question
	Fault    Fault     // intended fault, or NoFault
	Status   int       // HTTP status; 0 if none was sent
	Billed   bool      // whether a provider would charge for it
	Usage    Usage     // tokens to be charged; zero if not billed
	Answer   string    // hash of the model's answer, even if not sent; "" if there was none
	Refused  string    // why the request was refused, or ""

	UserText, AnswerText string            // set with Options.KeepText only
	Prompt               [sha256.Size]byte // likewise: the question's key in an answer vault, as of its first try
}

// Violation is a call before the Retry-After of an earlier call for the same question.
type Violation struct {
	Question  string // hash
	At        time.Time
	NotBefore time.Time
}

// journal is the server's record. Its methods must run under the lock.
type journal struct {
	calls      []Call
	happened   map[Fault]int
	asked      map[string]int       // by question
	notBefore  map[string]time.Time // by question
	violations []Violation
	inFlight   int
	busiest    int
	usage      Usage
}

func newJournal() journal {
	return journal{happened: map[Fault]int{}, asked: map[string]int{}, notBefore: map[string]time.Time{}}
}

// arrive records a question and sets its N. The faults active now apply to it.
func (s *Server) arrive(at time.Time, q *Question) (Call, Fault) {
	key := q.key()
	s.mu.Lock()
	q.N = s.asked[key]
	s.asked[key]++
	if early := s.notBefore[key]; at.Before(early) {
		s.violations = append(s.violations, Violation{key, at, early})
	}
	s.inFlight++
	s.busiest = max(s.busiest, s.inFlight)
	faults := s.faults
	s.mu.Unlock()
	kind := faults.Fault(*q)
	if rowOf(kind).chat && q.Schema == nil {
		kind = NoFault // the fault doesn't apply to embeddings
	}
	return Call{At: at, Path: q.Path, Question: key, N: q.N}, kind
}

// settle records the end of a call, before the client can see it.
func (s *Server) settle(call Call, r reply) {
	call.Fault, call.Billed = r.fault, r.billed
	if r.billed {
		call.Usage = r.usage
	}
	if r.ending != hang && r.ending != reset && r.ending != closed {
		call.Status = r.status
	}
	if r.content != "" {
		call.Answer = hash(r.content)
	}
	if s.options.KeepText {
		call.AnswerText = r.content
	}
	s.mu.Lock()
	s.calls = append(s.calls, call)
	if r.fault != NoFault {
		s.happened[r.fault]++
	}
	if call.Question != "" {
		s.inFlight--
	}
	if r.notBefore.After(s.notBefore[call.Question]) {
		s.notBefore[call.Question] = r.notBefore
	}
	s.usage = s.usage.plus(call.Usage)
	s.mu.Unlock()
	if s.options.Observe != nil {
		s.options.Observe(call)
	}
}

// Calls returns the calls in the order of their decision. A call is recorded before its client
// sees any of the response.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Faults counts the faults so far, with a zero for ordered ones that haven't happened.
func (s *Server) Faults() map[Fault]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.happened)
}

// Violations returns the calls made before their Retry-After.
func (s *Server) Violations() []Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Usage returns the sum over the billed calls.
func (s *Server) Usage() Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

// Busiest returns the maximum number of concurrent questions. A call counts from when it is
// read until its answer is decided: without a Latency calls hardly overlap, and a hanging call
// no longer counts. So the number never exceeds the client's calls in flight.
func (s *Server) Busiest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busiest
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
