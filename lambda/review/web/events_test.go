package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
)

// event is a server-sent event, or a comment.
type event struct{ name, id, data, comment, retry string }

// reader reads a stream as a browser does.
type reader struct {
	t     *testing.T
	lines *bufio.Scanner
	body  io.Closer
}

func (s *site) open(query string, headers ...string) *reader {
	s.t.Helper()
	token := s.tokens.ForJob(tenantA, jobA)
	r, err := http.DefaultClient.Do(s.request(token, "GET", pathA+"/events"+query, "", headers...))
	must.OK(s.t, err)
	s.t.Cleanup(func() { r.Body.Close() })
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" ||
		!strings.Contains(r.Header.Get("Cache-Control"), "no-transform") || r.Header.Get("Content-Encoding") != "" {
		s.t.Fatalf("got %d, %v", r.StatusCode, r.Header)
	}
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	return &reader{s.t, lines, r.Body}
}

// next returns the next event; false at the end of the stream, also of one that
// was cut.
func (r *reader) next() (e event, ok bool) {
	for r.lines.Scan() {
		line := r.lines.Text()
		if line == "" {
			return e, true
		}
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "retry":
			e.retry = value
		case "":
			e.comment = value
		default:
			r.t.Errorf("unknown line %q", line)
		}
	}
	return e, false
}

// until reads to an event of this name.
func (r *reader) until(name string) event {
	r.t.Helper()
	for {
		e, ok := r.next()
		if !ok {
			r.t.Fatalf("the stream ended before %s", name)
		}
		if e.name == name {
			return e
		}
	}
}

func TestStreamEvents(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.open("")
	if e, _ := r.next(); e != (event{retry: "1"}) {
		t.Errorf("first: %v", e)
	}
	if e, _ := r.next(); e.name != "progress" || e.id != "" || !strings.Contains(e.data, `"chunks_open":4`) {
		t.Errorf("then: %v", e)
	}
	s.find("a\nb\r\n\ndata: x")
	e, _ := r.next()
	var f record.Finding
	if err := json.Unmarshal([]byte(e.data), &f); err != nil || e.name != "finding" || e.id != "1" || f != s.findings[0] {
		t.Errorf("got %v, %v", e, err)
	}
	r.until("progress")
	s.find("2", "3")
	s.end(record.CompletedWithGaps)
	var got []string
	for e, ok := r.next(); ok; e, ok = r.next() {
		got = append(got, e.name+e.id)
	}
	if fmt.Sprint(got) != "[finding2 finding3 end]" && fmt.Sprint(got) != "[finding2 finding3 progress end]" {
		t.Errorf("got %v", got)
	}
}

// A client that comes when all is over gets the same as one that was there.
func TestLateClientGetsAll(t *testing.T) {
	t.Parallel()
	for _, status := range []record.Status{record.Completed, record.CompletedWithGaps, record.Cancelled, record.Failed} {
		s := newSite(t)
		for i := range 450 {
			s.find(fmt.Sprint(i + 1))
		}
		s.change(func() {
			s.chunks = []record.Chunk{{Position: 2, Status: job.StatusFailed, Stage: "liability", Error: "HTTP 500"}}
		})
		s.end(status)
		r := s.open("?after=3")
		for want := 4; want <= 450; want++ {
			if e := r.until("finding"); e.id != fmt.Sprint(want) {
				t.Fatalf("got %s, want %d", e.id, want)
			}
		}
		e, _ := r.next()
		if e.name != "end" || e.id != "" || !strings.Contains(e.data, `"status":"`+string(status)+`"`) ||
			!strings.Contains(e.data, `"over":true`) ||
			!strings.Contains(e.data, `"stage":"liability","reason":"HTTP 500"`) {
			t.Errorf("%s: got %v", status, e)
		}
		if e, ok := r.next(); ok {
			t.Errorf("after the end: %v", e)
		}
	}
}

// Streams that are cut anywhere, again and again, deliver each finding once.
func TestCutStreamMissesNothing(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := newSite(t, func(c *Config) { c.Heartbeat = time.Millisecond }) // no read waits for long
	const all = 60
	var got []string
	last := ""
	for cuts := 0; ; cuts++ {
		var headers []string
		if last != "" {
			headers = []string{"Last-Event-ID", last}
		}
		r := s.open("?after=0", headers...) // the address stays as it was: the header is newer
		ended := false
		for range 1 + random.IntN(5) {
			if n := random.IntN(3); s.job.Findings+n <= all {
				for range n {
					s.find("f")
				}
			}
			if s.job.Findings >= all-1 {
				s.end(record.Completed)
			}
			e, ok := r.next()
			if !ok {
				break
			}
			if e.name == "finding" {
				got, last = append(got, e.id), e.id
			}
			ended = ended || e.name == "end"
		}
		r.body.Close()
		if ended {
			t.Logf("%d cuts", cuts)
			break
		}
	}
	var want []string
	for i := range s.findings {
		want = append(want, fmt.Sprint(i+1))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStreamForIsBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *Config) { c.StreamFor = time.Millisecond })
	r := s.open("")
	var last event
	for e, ok := r.next(); ok; e, ok = r.next() {
		last = e
	}
	if err := r.lines.Err(); err != nil || last.comment != "closed as planned" {
		t.Errorf("got %v, %v", last, err)
	}
}

func TestStreamHeartbeats(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *Config) { c.Heartbeat = time.Millisecond })
	r := s.open("")
	for beats := 0; beats < 3; {
		if e, ok := r.next(); !ok {
			t.Fatal("the stream ended")
		} else if e.comment != "" {
			beats++
		}
	}
}

func TestStreamLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *Config) { c.Streams = 2 })
	first, second := s.open(""), s.open("")
	first.until("progress")
	second.until("progress")
	r := s.do("GET", pathA+"/events")
	if got := s.body(r, 503); r.header.Get("Retry-After") != "5" || !strings.Contains(got, "too many open streams") {
		t.Errorf("got %s", got)
	}
	s.end(record.Completed)
	first.until("end")
	for _, ok := first.next(); ok; _, ok = first.next() {
		continue
	}
	s.open("").until("end")
}

// A client that goes away leaves nothing behind: its stream stops to read the store.
func TestGoneClientEndsStream(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	s := newSite(t)
	inner := s.server.Config.Handler
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		inner.ServeHTTP(w, r)
	})
	r := s.open("")
	r.until("progress")
	r.body.Close()
	<-done
	if log := s.log.String(); log != "" {
		t.Errorf("logged %s", log)
	}
}

func TestStoreErrorEndsStream(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.find("1")
	r := s.open("")
	r.until("progress")
	s.change(func() { s.err = fmt.Errorf("PLANTED") })
	for e, ok := r.next(); ok; e, ok = r.next() {
		if e.name == "end" {
			t.Error("a failure looks like the end of the review")
		}
	}
	s.change(func() { s.err = nil })
	s.find("2")
	s.end(record.Completed)
	if e := s.open("", "Last-Event-ID", "1").until("finding"); e.id != "2" {
		t.Errorf("got %v", e)
	}
	if log := s.log.String(); !strings.Contains(log, "stream broke off") || strings.Contains(log, "PLANTED") {
		t.Errorf("logged %s", log)
	}
}

// After a retry a new connection streams what follows, up to a new end.
func TestRetryStreamsAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.find("1")
	s.end(record.Cancelled)
	s.open("").until("end")
	s.body(s.do("POST", pathA+"/retry"), 202)
	r := s.open("", "Last-Event-ID", "1")
	r.until("progress")
	s.find("2")
	if e := r.until("finding"); e.id != "2" {
		t.Errorf("got %v", e)
	}
	s.end(record.Completed)
	if e := r.until("end"); !strings.Contains(e.data, `"status":"completed"`) {
		t.Errorf("got %v", e)
	}
}
