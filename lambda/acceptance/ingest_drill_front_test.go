package acceptance_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/local/scripted"
)

// front stands before the model server and the queues. It knows the process of
// each call by its path, counts the questions, and holds calls.
type front struct {
	drill  *ingestDrill
	url    string
	model  *scripted.Server
	queues http.Handler
	mu     sync.Mutex
	asked  []question
}

// question is a call of the model.
type question struct {
	paper, pid int
	id         string // of its text
	stored     bool   // a usable answer was in the vault when it came
}

func questionID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "question " + hex.EncodeToString(sum[:8])
}

func newFront(t *testing.T, d *ingestDrill) *front {
	t.Helper()
	f := &front{drill: d, model: scripted.New(scripted.Options{Mind: d.mind, Key: modelKey})}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// serve passes calls of the queues on to that URL.
func (f *front) serve(endpoint string) {
	to, err := url.Parse(endpoint)
	if err != nil {
		panic(err) // it comes from a listener
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		if held, ok := r.Request.Context().Value(heldCall{}).(heldCall); ok {
			f.drill.hold(held.n, sent, held.pid)
		}
		return nil
	}
	f.queues = proxy
}

// heldCall is a call that sends the match message of a paper.
type heldCall struct{ n, pid int }

// ServeHTTP takes calls of /model/PID/ and /sqs/PID.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	number, path, _ := strings.Cut(rest, "/")
	pid, err := strconv.Atoi(number)
	body, readErr := io.ReadAll(r.Body)
	if err != nil || readErr != nil {
		panic(http.ErrAbortHandler)
	}
	r.URL.Path, r.Body = "/"+path, io.NopCloser(bytes.NewReader(body))
	if kind == "model" {
		f.ask(body, pid)
		f.model.ServeHTTP(w, r)
		return
	}
	f.send(w, r, body, pid)
}

func (f *front) ask(body []byte, pid int) {
	var call struct {
		Messages []struct{ Role, Content string }
	}
	if json.Unmarshal(body, &call) != nil || len(call.Messages) == 0 {
		return
	}
	text := call.Messages[len(call.Messages)-1].Content
	q := question{paper: numberIn(text), pid: pid, id: questionID(text)}
	err := f.drill.pool.QueryRow(context.Background(), `SELECT EXISTS (SELECT FROM model_answer
		WHERE unusable = '' AND strpos(answer, $1) > 0)`, q.id).Scan(&q.stored)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	f.mu.Lock()
	f.asked = append(f.asked, q)
	f.mu.Unlock()
	at := asked
	if strings.Contains(text, gateFailed) {
		at = askedAgain
	}
	f.drill.hold(q.paper, at, pid)
}

// send holds a call that sends the match message of a paper, before the queue
// gets it or after.
func (f *front) send(w http.ResponseWriter, r *http.Request, body []byte, pid int) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".SendMessageBatch") {
		for n, p := range f.drill.papers {
			if !bytes.Contains(body, []byte(p.DocumentID.String())) {
				continue
			}
			if f.drill.isArmed(n, completed) {
				f.drill.hold(n, completed, pid)
				panic(http.ErrAbortHandler) // its process is dead
			}
			r = r.WithContext(context.WithValue(r.Context(), heldCall{}, heldCall{n, pid}))
		}
	}
	f.queues.ServeHTTP(w, r)
}

// mind answers for the file whose number is in the question, and names the
// question.
func (d *ingestDrill) mind(q scripted.Question) string {
	p := d.papers[numberIn(q.User)]
	if p == nil {
		return ""
	}
	invoice := newPrintedInvoice(p.number())
	if p.twice && !strings.Contains(q.User, gateFailed) {
		invoice = invoice.with("total", "100.00", "Zwischensumme 100,00")
	}
	return invoice.answer(d.t, questionID(q.User))
}

// numberIn finds the number of a paper in a text; 0 where it has none.
func numberIn(text string) int {
	_, after, _ := strings.Cut(text, "RE-")
	n, _ := strconv.Atoi(after[:min(4, len(after))])
	return n
}
