package acceptance_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"matchbook/lambda/local/drill"
	"matchbook/lambda/local/scripted"
)

// ServeHTTP is the queues with a gate: it holds a call that sends the match message
// of a paper, before the queue gets it or after.
func (d *ingestDrill) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".SendMessageBatch") {
		for n, p := range d.papers {
			if bytes.Contains(body, []byte(p.DocumentID.String())) {
				d.send(w, r, n)
				return
			}
		}
	}
	d.SQS.ServeHTTP(w, r)
}

func (d *ingestDrill) send(w http.ResponseWriter, r *http.Request, n int) {
	pid := processOf(r.URL.Path)
	if d.isArmed(n, completed) {
		d.hold(n, completed, pid)
		panic(http.ErrAbortHandler) // its process is dead
	}
	answer := httptest.NewRecorder()
	d.SQS.ServeHTTP(answer, r)
	d.hold(n, sent, pid)
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // a process that is dead misses it
}

func processOf(path string) int {
	pid, err := strconv.Atoi(drill.Process(path))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return pid
}

// mind answers for the file whose number is in the question, and holds the call.
func (d *ingestDrill) mind(q scripted.Question) string {
	d.bought.note(q)
	n, at := numberIn(q.User), asked
	if strings.Contains(q.User, gateFailed) {
		at = askedAgain
	}
	d.hold(n, at, processOf(q.Path))
	p := d.papers[n]
	if p == nil {
		return ""
	}
	invoice := newPrintedInvoice(p.number())
	if p.twice && at == asked {
		invoice = invoice.with("total", "100.00", "Zwischensumme 100,00")
	}
	return invoice.answer(d.t, "")
}

// numberIn finds the number of a paper in a text; 0 where it has none.
func numberIn(text string) int {
	_, after, _ := strings.Cut(text, "RE-")
	n, _ := strconv.Atoi(after[:min(4, len(after))])
	return n
}
