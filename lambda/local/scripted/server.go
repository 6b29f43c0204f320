package scripted

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Options configure a Server. The zero value refuses every chat question with
// not_scripted, embeds, and never fails.
type Options struct {
	Mind       Mind          // decides the answers
	Faults     *Faults       // decides the faults; nil: none. See Server.Order
	Key        string        // the only bearer token that is accepted; "": any
	RetryAfter time.Duration // the wait that the faults with a Retry-After ask for, rounded up to seconds; 0 is 2 s
	Latency    Latency       // of an answer
	KeepText   bool          // the texts of questions and answers are kept in Calls

	// Now is the time; nil is time.Now.
	Now func() time.Time
	// Observe is called with every call when it is decided, before any of the
	// answer is sent; also with one that hangs. It may be called concurrently.
	Observe func(Call)
}

// Latency is the time until an answer: from Min to Max, drawn by the seed, the
// question, and the number of times that it was asked before. A fixed one has
// no Max.
type Latency struct {
	Min, Max time.Duration
	Seed     uint64
}

func (l Latency) of(q Question) time.Duration {
	if l.Max <= l.Min {
		return l.Min
	}
	return l.Min + time.Duration(draw(l.Seed, "latency", q.key(), strconv.Itoa(q.N)).Int64N(int64(l.Max-l.Min)+1))
}

// Server is a scripted model server. No model is behind it.
type Server struct {
	options  Options
	url      string
	listener net.Listener // nil without Start, as is http
	http     *http.Server
	stop     chan struct{}
	detach   func() bool
	handlers sync.WaitGroup

	mu     sync.Mutex // of the fields below
	closed bool
	faults *Faults
	journal
}

// New returns a server that listens nowhere: an http.Handler.
func New(options Options) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	options.RetryAfter = cmp.Or(options.RetryAfter, 2*time.Second)
	s := &Server{options: options, stop: make(chan struct{}), journal: newJournal()}
	s.Order(options.Faults)
	return s
}

// Start starts a server on a free port of 127.0.0.1. It ends with the
// context, or by Close.
func Start(ctx context.Context, options Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := New(options)
	s.url = "http://" + listener.Addr().String() + "/v1"
	s.listener = listener
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.detach = context.AfterFunc(ctx, s.end)
	go s.http.Serve(listener)
	return s, nil
}

// URL returns the base URL of the API for a client, such as
// http://127.0.0.1:40001/v1; "" for a server of New.
func (s *Server) URL() string { return s.url }

// Close ends the calls that hang and the connections, and returns when all calls
// have ended. The record can still be read.
func (s *Server) Close() {
	if s.detach != nil {
		s.detach()
	}
	s.end()
	s.handlers.Wait()
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.stop)
	if s.http != nil {
		_ = s.listener.Close() // http may not serve it yet
		_ = s.http.Close()     // nothing else of it can fail
	}
}

// enter admits a call, unless the server is closed. Close waits for the admitted
// calls.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.handlers.Add(1)
	}
	return !s.closed
}

// Order replaces the faults from now on; nil ends them.
func (s *Server) Order(faults *Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults
	if faults == nil {
		return
	}
	for _, kind := range faults.kinds {
		if kind != NoFault {
			s.happened[kind] += 0 // Faults shows one that never happens
		}
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	defer s.handlers.Done()
	at := s.options.Now()
	asked, refused := s.read(r)
	if refused != nil {
		s.refuse(w, r, at, refused)
		return
	}
	asked.question.Path = r.URL.Path
	call, kind := s.arrive(at, &asked.question)
	if s.options.KeepText {
		call.UserText = asked.question.User
	}
	if s.delayed(r.Context(), asked.question) {
		s.settle(call, reply{ending: closed})
		panic(http.ErrAbortHandler) // the client has gone
	}
	answer := s.decide(asked, kind)
	s.settle(call, answer)
	answer.write(w, r, s.options.Now(), s.stop)
}

// refuse answers a request that is not a question.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, at time.Time, refused *refusal) {
	answer := refused.reply()
	s.settle(Call{At: at, Path: r.URL.Path, Refused: refused.Message}, answer)
	answer.write(w, r, at, s.stop)
}

// delayed waits for the latency, and reports whether the client or the server
// has gone meanwhile.
func (s *Server) delayed(ctx context.Context, q Question) bool {
	wait := s.options.Latency.of(q)
	if wait <= 0 {
		return false
	}
	select {
	case <-time.After(wait):
		return false
	case <-ctx.Done():
	case <-s.stop:
	}
	return true
}

// decide makes the reply to a question.
func (s *Server) decide(asked request, f Fault) reply {
	x := exchange{request: asked, at: s.options.Now(), retryAfter: s.options.RetryAfter}
	how := rowOf(f)
	if how.billed && !asked.embeddings {
		if s.options.Mind != nil {
			x.answer = s.options.Mind(asked.question)
		}
		if x.answer == "" {
			return errNotScripted.reply()
		}
	}
	out := how.show(x)
	out.fault, out.billed = f, how.billed
	return out
}
