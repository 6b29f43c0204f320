package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/review"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Starter starts reviews; review.Starter is one.
type Starter interface {
	Start(ctx context.Context, q review.Request) (uuid.UUID, error)
}

// Texts reads the texts of documents; review.Texts is one.
type Texts interface {
	// ContractText returns the text of a document, as chunk.Clean does. An unknown
	// document of the tenant is job.ErrNotFound; one without a text is a permanent
	// failure, which says what to do.
	ContractText(ctx context.Context, tenantID, documentID uuid.UUID) (string, error)
}

const (
	maxBody   = 6 << 20 // bytes, as a function URL allows
	maxBudget = 10_000  // USD
)

// asked is the body of POST /reviews.
type asked struct {
	TenantID   string          `json:"tenant_id"`   // may be left out: the token has it
	DocumentID string          `json:"document_id"` // may be left out: it is derived from the text
	Name       string          `json:"name"`
	Text       string          `json:"text"`       // may be left out with a document_id: it is the document's
	BudgetUSD  float64         `json:"budget_usd"` // 0: none
	Playbook   json.RawMessage `json:"playbook"`   // may be left out: that of the tenant, or else the default
}

// started is the answer to it.
type started struct {
	ID      uuid.UUID `json:"id"`
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"` // the token
	Page    string    `json:"page"`    // its path, with the token
}

// refusal is an answer to a request that is wrong.
type refusal struct {
	status   int
	sentence string
}

// Error returns the sentence for the client.
func (e *refusal) Error() string { return e.sentence }

func wrong(sentence string) error { return &refusal{http.StatusUnprocessableEntity, sentence} }

func (h *handler) start(w http.ResponseWriter, r *http.Request) {
	granted, err := h.Tokens.of(r)
	switch {
	case h.Starter == nil:
		writeError(w, http.StatusForbidden, "no review is started at this address: it only shows reviews")
		return
	case err != nil:
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeError(w, http.StatusUnauthorized, "no valid token of the tenant: matchbook review token makes one")
		return
	case granted.job != uuid.Nil:
		writeError(w, http.StatusForbidden, "the token is for one review: to start one needs a token of the tenant")
		return
	}
	q, err := h.readRequest(w, r, granted.tenant)
	var id uuid.UUID
	if err == nil {
		id, err = h.Starter.Start(r.Context(), q)
	}
	var refused *refusal
	var failed *failure.Error
	switch {
	case errors.As(err, &refused):
		writeError(w, refused.status, refused.sentence)
	case errors.As(err, &failed) && failed.Kind == failure.Permanent:
		writeError(w, http.StatusUnprocessableEntity, failed.Sentence)
	case err != nil:
		h.fail(w, r, "start a review", err)
	default:
		token := h.Tokens.ForJob(q.TenantID, id)
		path := "/reviews/" + id.String()
		w.Header().Set("Location", path)
		writeJSON(w, http.StatusAccepted, started{id, token, h.Tokens.now().Add(TokenLife).UTC().Truncate(time.Second),
			path + "/page?token=" + token})
	}
}

// readRequest reads the body strictly. With the header Idempotency-Key the same
// request starts one review however often it comes.
func (h *handler) readRequest(w http.ResponseWriter, r *http.Request, tenant uuid.UUID) (q review.Request, err error) {
	var a asked
	if err := decode(w, r, &a); err != nil {
		return q, err
	}
	q = review.Request{TenantID: tenant, Name: strings.TrimSpace(a.Name), Budget: record.USD(math.Round(a.BudgetUSD * 1e6))}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		q.ID = uuid.NewSHA1(tenant, []byte("review "+key))
	}
	if a.TenantID != "" && !strings.EqualFold(a.TenantID, tenant.String()) {
		return q, wrong("tenant_id: the token is for another tenant")
	}
	if a.DocumentID != "" {
		if q.DocumentID, err = uuid.Parse(a.DocumentID); err != nil {
			return q, wrong("document_id: not a UUID")
		}
	}
	if !(a.BudgetUSD >= 0 && a.BudgetUSD <= maxBudget) {
		return q, wrong("budget_usd: not between 0 and 10000")
	}
	q.Name = cmp.Or(q.Name, "Contract")
	if len(a.Playbook) > 0 && string(a.Playbook) != "null" {
		if _, err := playbook.Parse(a.Playbook); err != nil {
			return q, wrong("playbook: " + err.Error())
		}
		q.Playbook = a.Playbook
	}
	if a.Text == "" && q.DocumentID != uuid.Nil {
		q.Text, err = h.textOf(r.Context(), tenant, q.DocumentID)
		return q, err
	}
	if q.Text, err = chunk.Clean([]byte(a.Text)); err != nil {
		return q, wrong("text: " + err.Error())
	}
	return q, nil
}

// textOf returns the text of a document that was ingested.
func (h *handler) textOf(ctx context.Context, tenant, document uuid.UUID) (string, error) {
	if h.Texts == nil {
		return "", wrong("text: is missing, and there is no store of files (BLOB_URL) with that of the document")
	}
	text, err := h.Texts.ContractText(ctx, tenant, document)
	var failed *failure.Error
	switch {
	case errors.Is(err, job.ErrNotFound):
		return "", &refusal{http.StatusNotFound, "document_id: the tenant has no such document"}
	case errors.As(err, &failed) && failed.Kind == failure.Permanent:
		return "", wrong("document_id: " + failed.Sentence)
	}
	return text, err
}

// decode reads one JSON object with known fields only.
func decode(w http.ResponseWriter, r *http.Request, to any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &refusal{http.StatusUnsupportedMediaType, "the Content-Type is not application/json"}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("more than one JSON value")
		}
	}
	var large *http.MaxBytesError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return &refusal{http.StatusRequestEntityTooLarge, "the request is larger than 6 MB"}
	case errors.As(err, &kind):
		return wrong(kind.Field + ": not of the right type: " + kind.Type.String())
	}
	return &refusal{http.StatusBadRequest, "the body is not a JSON object as expected: " + strings.TrimPrefix(err.Error(), "json: ")}
}
