package web

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"errors"
	"html/template"
	"net/http"
	"strconv"

	"matchbook/lambda/failure"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// view is a review as shown to clients, in answers and events.
type view struct {
	record.Job
	Over        bool         `json:"over"`
	BudgetUSD   float64      `json:"budget_usd"`
	EstimateUSD float64      `json:"estimate_usd"`
	CostUSD     float64      `json:"cost_usd"`
	Card        *record.Card `json:"card,omitempty"` // once it's recorded
	// Unread are the gaps: each is a chunk, with the stage and reason of a question.
	Unread      []record.Chunk      `json:"unread,omitempty"`
	Certificate *report.Certificate `json:"certificate,omitempty"` // without Questions, since they may be thousands
}

func viewOf(j record.Job) view {
	return view{Job: j, Over: j.Status.Over(), BudgetUSD: j.Budget.Dollars(), EstimateUSD: j.Estimate.Dollars(),
		CostUSD: j.Cost.Dollars()}
}

func (h *handler) whole(r *http.Request, j record.Job) (view, error) {
	v := viewOf(j)
	chunks, err := h.Reviews.Chunks(r.Context(), j.ID)
	if err != nil {
		return v, err
	}
	asked, err := h.Reviews.Questions(r.Context(), j.ID)
	v.Unread = report.Gaps(j, chunks, asked)
	all := report.CertificateOf(report.Review{Job: j, Chunks: chunks, Questions: asked})
	all.Questions = nil
	v.Certificate = &all
	if err == nil {
		v.Card, _, err = h.Reviews.Card(r.Context(), j.ID)
	}
	return v, err
}

func (h *handler) certificate(w http.ResponseWriter, r *http.Request, j record.Job) {
	all, err := report.Read(r.Context(), h.Reviews, j.ID)
	if err != nil {
		h.fail(w, r, "read the certificate", err)
		return
	}
	writeJSON(w, http.StatusOK, report.CertificateOf(all))
}

func (h *handler) review(w http.ResponseWriter, r *http.Request, j record.Job) {
	w.Header().Set("Vary", "Accept")
	if wantsPage(r) {
		h.page(w, r, j)
		return
	}
	v, err := h.whole(r, j)
	if err != nil {
		h.fail(w, r, "read the chunks", err)
		return
	}
	writeJSON(w, http.StatusOK, v)
}

func (h *handler) text(w http.ResponseWriter, r *http.Request, j record.Job) {
	text, err := h.Reviews.Text(r.Context(), j.ID)
	if err != nil {
		h.fail(w, r, "read the text", err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text))
}

// reportPolicy permits the report's inline style; the report's own policy names its hash.
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'"

func (h *handler) report(w http.ResponseWriter, r *http.Request, j record.Job) {
	all, err := report.Read(r.Context(), h.Reviews, j.ID)
	var page []byte
	if err == nil {
		page, err = report.HTML(all)
	}
	if err != nil {
		h.fail(w, r, "report", err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", reportPolicy)
	_, _ = w.Write(page)
}

const someFindings = 200

var errAfter = errors.New("after: expected a finding's sequence number, 0 or more")

// after returns the sequence number of the last finding known to the client.
func after(r *http.Request) (int, error) {
	text := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32) // the store's width
	if err != nil || n < 0 {
		return 0, errAfter
	}
	return int(n), nil
}

type found struct {
	Status   record.Status    `json:"status"`
	Findings []report.Finding `json:"findings"` // if More, ask again after the last one
	More     bool             `json:"more"`
}

// findings answers with all selected findings, the heaviest first, or with the later ones after
// the client's last one.
func (h *handler) findings(w http.ResponseWriter, r *http.Request, j record.Job) {
	q := r.URL.Query()
	filter, wrong := report.NewFilter(q.Get("severity"), q.Get("analyst"), q.Get("state"))
	n, unread := after(r)
	chosen := q.Get("severity")+q.Get("analyst")+q.Get("state") != ""
	later := q.Has("after") || r.Header.Get("Last-Event-ID") != ""
	if chosen && later {
		wrong = errors.New("after: can't be combined with severity, analyst or state")
	}
	if err := cmp.Or(wrong, unread); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	answer := found{Status: j.Status}
	var err error
	if later {
		var list []record.Finding
		if list, err = h.Reviews.Findings(r.Context(), j.ID, n, someFindings); err == nil {
			answer.More = len(list) == someFindings
			answer.Findings, err = h.with(r, j, list)
		}
	} else if answer.Findings, err = h.all(r, j); err == nil {
		answer.Findings = append([]report.Finding{}, filter.Select(answer.Findings)...)
	}
	if err != nil {
		h.fail(w, r, "read the findings", err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

type changed struct {
	ID     uuid.UUID     `json:"id"`
	Status record.Status `json:"status"`
}

func (h *handler) cancel(w http.ResponseWriter, r *http.Request, j record.Job) {
	status, err := h.Control.Cancel(r.Context(), j.ID)
	if err != nil {
		h.fail(w, r, "cancel", err)
		return
	}
	writeJSON(w, http.StatusAccepted, changed{j.ID, status})
}

func (h *handler) retry(w http.ResponseWriter, r *http.Request, j record.Job) {
	messages, err := h.Control.Retry(r.Context(), j.ID)
	if err == nil && len(messages) > 0 {
		if unsent, err := h.Sender.Send(r.Context(), messages); err != nil {
			h.Log.Warn("enqueue failed; sweep will retry", "review", j.ID,
				"chunks", len(unsent), "reason", failure.Of(err).Text)
		}
	}
	if errors.Is(err, record.ErrStopping) {
		w.Header().Set("Retry-After", "5")
		writeError(w, http.StatusConflict, record.ErrStopping.Error())
		return
	}
	if err == nil {
		j, err = h.Reviews.Job(r.Context(), j.ID)
	}
	if err != nil {
		h.fail(w, r, "retry", err)
		return
	}
	writeJSON(w, http.StatusAccepted, changed{j.ID, j.Status})
}

// The page is a shell; its script fills it from the stream. It needs no build step.
var (
	//go:embed page.html
	shell string
	//go:embed page.js
	script []byte
	//go:embed page.css
	style []byte

	shellTemplate = template.Must(template.New("page").Parse(shell))
)

func (h *handler) page(w http.ResponseWriter, _ *http.Request, j record.Job) {
	var page bytes.Buffer
	if err := shellTemplate.Execute(&page, struct {
		record.Job
		Person string
	}{j, h.Person}); err != nil {
		h.Log.Error("render page failed", "reason", err.Error())
		writeError(w, http.StatusInternalServerError, "internal error; see Matchbook's log")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page.Bytes())
}

// asset serves a file of the page. It needs no token: the file is the same for all reviews.
func asset(contentType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(content)
	}
}
