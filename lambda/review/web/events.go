package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"
)

// writeWithin bounds a write to an unresponsive client, if the server supports deadlines.
const writeWithin = 15 * time.Second

// errGone ends the stream when the client disconnects. It isn't a failure.
var errGone = errors.New("client disconnected")

type stream struct {
	w        http.ResponseWriter
	out      *http.ResponseController
	after    int    // last finding known to the client
	progress []byte // last sent
}

func (s *stream) write(format string, values ...any) error {
	_ = s.out.SetWriteDeadline(time.Now().Add(writeWithin)) // ignored: Lambda's writer supports no deadline and needs none
	if _, err := fmt.Fprintf(s.w, format, values...); err != nil {
		return errGone
	}
	_ = s.out.Flush() // ignored: Lambda's writer doesn't buffer
	return nil
}

func (s *stream) event(name string, data []byte) error {
	return s.write("event: %s\ndata: %s\n\n", name, data)
}

func (s *stream) finding(f report.Finding) error {
	data, err := json.Marshal(f) // on one line, because JSON escapes line ends
	if err != nil {
		return err
	}
	s.after = f.Seq
	return s.write("id: %d\nevent: finding\ndata: %s\n\n", f.Seq, data)
}

// events streams a review until it's over, the client disconnects, or StreamFor passes.
func (h *handler) events(w http.ResponseWriter, r *http.Request, j record.Job) {
	from, err := after(r)
	switch {
	case err != nil:
		writeError(w, http.StatusBadRequest, err.Error())
		return
	case r.Method != http.MethodGet: // otherwise HEAD would last as long as the stream
		w.WriteHeader(http.StatusOK)
		return
	}
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		w.Header().Set("Retry-After", "5")
		writeError(w, http.StatusServiceUnavailable, "too many open streams; retry later")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store, no-transform")
	w.Header().Set("X-Accel-Buffering", "no") // by proxies
	s := &stream{w: w, out: http.NewResponseController(w), after: from}
	if err := s.write("retry: %d\n\n", h.Reconnect.Milliseconds()); err != nil {
		return
	}
	if err := h.follow(r, s, j); err != nil && !errors.Is(err, errGone) && r.Context().Err() == nil {
		h.Log.Warn("stream broke off; client will reconnect", "review", j.ID, "reason", failure.Of(err).Text)
	}
}

// follow sends new events until the review is over.
func (h *handler) follow(r *http.Request, s *stream, j record.Job) error {
	poll, beat, full := time.NewTicker(h.Poll), time.NewTicker(h.Heartbeat), time.NewTimer(h.StreamFor)
	defer poll.Stop()
	defer beat.Stop()
	defer full.Stop()
	for {
		over, err := h.send(r, s, j)
		if over || err != nil {
			return err
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-full.C:
			return s.write(": closed as planned\n\n")
		case <-beat.C:
			err = s.write(": still there\n\n")
		case <-poll.C:
			j, err = h.Reviews.Job(r.Context(), j.ID)
		}
		if err != nil {
			return err
		}
	}
}

// send sends everything new, and reports whether the review is over. It relies on j being read
// first: once over, all findings are stored.
func (h *handler) send(r *http.Request, s *stream, j record.Job) (over bool, err error) {
	for s.after < j.Findings {
		list, err := h.Reviews.Findings(r.Context(), j.ID, s.after, someFindings)
		if err != nil {
			return false, err
		}
		shown, err := h.with(r, j, list)
		if err != nil {
			return false, err
		}
		for _, f := range shown {
			if err := s.finding(f); err != nil {
				return false, err
			}
		}
		if len(list) == 0 {
			break
		}
	}
	if j.Status.Over() {
		return true, h.end(r, s, j)
	}
	progress, err := json.Marshal(viewOf(j))
	if err != nil || bytes.Equal(progress, s.progress) {
		return false, err
	}
	s.progress = progress
	return false, s.event("progress", progress)
}

func (h *handler) end(r *http.Request, s *stream, j record.Job) error {
	v, err := h.whole(r, j)
	if err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.event("end", data)
}
