package scripted

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"matchbook/lambda/llm"
)

// Options configure a Server. The zero value refuses every chat question with not_scripted,
// returns embeddings, and never fails.
type Options struct {
	Mind       Mind          // decides the answers
	Faults     *Faults       // decides the faults; may be nil. See Server.Order
	Key        string        // the only accepted bearer token; "" accepts any
	RetryAfter time.Duration // used in Retry-After, rounded up to seconds; 2 s when 0
	Latency    Latency       // of a response
	KeepText   bool          // keeps the texts of questions and answers in Calls
	MaxTokens  int           // the model's limit of an answer, whatever the request's is; 0: none

	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// Observe is called with every call once decided, before any of the response is sent, even
	// if it hangs. It must be safe for concurrent use; may be nil.
	Observe func(Call)
}

// Latency is the time until a response, from Min to Max, drawn by seed, question and its N.
// Leave Max at zero for a fixed latency.
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

// Server is a scripted model server. Use Start, or New for an http.Handler.
type Server struct {
	options  Options
	url      string
	listener net.Listener // nil without Start, like http
	http     *http.Server
	stop     chan struct{}
	detach   func() bool
	handlers sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	closed bool
	faults *Faults
	journal
}

// New returns a server for use as an http.Handler.
func New(options Options) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	options.RetryAfter = cmp.Or(options.RetryAfter, 2*time.Second)
	s := &Server{options: options, stop: make(chan struct{}), journal: newJournal()}
	s.Order(options.Faults)
	return s
}

// Start starts a server on a free port of 127.0.0.1. It stops on Close, or when ctx ends.
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

// URL returns the API's base URL for clients, such as http://127.0.0.1:40001/v1; "" without
// Start.
func (s *Server) URL() string { return s.url }

// Close ends hanging calls and the connections, and returns when all calls have ended. You can
// still read the record.
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
		_ = s.http.Close()     // can't fail otherwise
	}
}

// enter admits a call unless the server is closed. Close waits for admitted calls.
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
			s.happened[kind] += 0 // so that Faults shows it even if it never happens
		}
	}
}

// ServeHTTP handles one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler) // makes net/http close the connection
	}
	defer s.handlers.Done()
	at := s.options.Now()
	asked, refused := s.read(r)
	if refused != nil {
		s.refuse(w, r, at, refused)
		return
	}
	if most := s.options.MaxTokens; most > 0 && (asked.completion == 0 || asked.completion > most) {
		asked.completion = most
	}
	asked.question.Path = r.URL.Path
	call, kind := s.arrive(at, &asked.question)
	if s.options.KeepText {
		q := asked.question
		call.UserText = q.User
		call.Prompt = llm.Question{Name: q.Name, System: q.System, User: llm.First(q.User), Schema: q.Schema}.Hash()
	}
	if s.delayed(r.Context(), asked.question) {
		s.settle(call, reply{ending: closed})
		panic(http.ErrAbortHandler) // the client or the server is gone
	}
	answer := s.decide(asked, kind)
	s.settle(call, answer)
	answer.write(w, r, s.options.Now(), s.stop)
}

// refuse refuses an invalid request.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, at time.Time, refused *refusal) {
	answer := refused.reply()
	s.settle(Call{At: at, Path: r.URL.Path, Refused: refused.Message}, answer)
	answer.write(w, r, at, s.stop)
}

// delayed waits for the latency, and reports whether client or server is gone meanwhile.
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

// decide returns the reply to a question.
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
