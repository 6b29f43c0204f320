package web

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// acted is the body of POST /reviews/{id}/findings/{finding}.
type acted struct {
	Action   string `json:"action"`   // accept, reject, reopen, comment or assign
	Reason   string `json:"reason"`   // of a decision; required to reject
	Comment  string `json:"comment"`  // of comment
	Assignee string `json:"assignee"` // of assign; empty: nobody
	By       string `json:"by"`       // the person, as the client names them
	Version  *int64 `json:"version"`  // of the finding that the person saw; optional
}

// conflict is the answer to an action that came too late.
type conflict struct {
	Error   string          `json:"error"`
	Finding *report.Finding `json:"finding"` // as it is now
}

func (h *handler) act(w http.ResponseWriter, r *http.Request, j record.Job) {
	ref, err := record.ParseRef(r.PathValue("finding"))
	if err != nil {
		writeError(w, http.StatusNotFound, err.Error())
		return
	}
	q, err := h.readAction(w, r, j)
	if err == nil {
		_, err = h.Control.Act(r.Context(), j.ID, ref, q)
	}
	late := errors.Is(err, record.ErrChanged) || errors.Is(err, record.ErrObsolete)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		writeError(w, refused.status, refused.sentence)
		return
	case errors.Is(err, job.ErrNotFound):
		writeError(w, http.StatusNotFound, "unknown finding of the review")
		return
	case err != nil && !late:
		h.fail(w, r, "act on a finding", err)
		return
	}
	now, readErr := h.finding(r, j, ref)
	switch {
	case readErr != nil:
		h.fail(w, r, "read a finding", readErr)
	case late:
		writeJSON(w, http.StatusConflict, conflict{err.Error(), now})
	default:
		writeJSON(w, http.StatusOK, now)
	}
}

// readAction reads the body strictly. Requests with one Idempotency-Key act once.
func (h *handler) readAction(w http.ResponseWriter, r *http.Request, j record.Job) (q record.Request, err error) {
	var a acted
	if err := decode(w, r, &a); err != nil {
		return q, err
	}
	q = record.Request{Form: uuid.New(), Seen: a.Version}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		q.Form = uuid.NewSHA1(j.ID, []byte("action "+r.PathValue("finding")+" "+key))
	}
	q.Action = record.Action{Kind: record.ActionKind(a.Action), Origin: record.OriginPage, Text: a.Reason,
		By: cmp.Or(strings.TrimSpace(a.By), "holder of the token")}
	unused := map[string]string{"comment": a.Comment, "assignee": a.Assignee}
	switch q.Kind {
	case record.Comment:
		q.Text, unused = a.Comment, map[string]string{"reason": a.Reason, "assignee": a.Assignee}
	case record.Assign:
		q.Text, unused = a.Assignee, map[string]string{"reason": a.Reason, "comment": a.Comment}
	}
	for name, text := range unused {
		if text != "" {
			return q, wrong(name + ": invalid for this action")
		}
	}
	q.Text = strings.TrimSpace(q.Text)
	if err := q.Check(); err != nil {
		return q, wrong(err.Error())
	}
	return q, nil
}

// finding reads a finding as it is now.
func (h *handler) finding(r *http.Request, j record.Job, ref record.Ref) (*report.Finding, error) {
	all, err := h.all(r, j)
	for _, f := range all {
		if f.Seq == ref.Seq || ref.Number > 0 && f.Number == ref.Number {
			return &f, err
		}
	}
	return nil, cmp.Or(err, job.ErrNotFound)
}

// all reads the review's findings with their dispositions.
func (h *handler) all(r *http.Request, j record.Job) ([]report.Finding, error) {
	findings, err := report.Findings(r.Context(), h.Reviews, j.ID)
	if err != nil {
		return nil, err
	}
	return h.with(r, j, findings)
}

func (h *handler) with(r *http.Request, j record.Job, findings []record.Finding) ([]report.Finding, error) {
	actions, err := h.Reviews.Actions(r.Context(), j.ID)
	return report.With(findings, actions), err
}
