package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"reflect"
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

// Starter starts reviews. See review.Starter.
type Starter interface {
	Start(ctx context.Context, q review.Request) (uuid.UUID, error)
}

// Texts reads the texts of documents. See review.Texts.
type Texts interface {
	// ContractText returns a document's text, cleaned as by chunk.Clean. It returns
	// job.ErrNotFound for a document unknown to the tenant, and a permanent failure with the
	// remedy for one without a text.
	ContractText(ctx context.Context, tenantID, documentID uuid.UUID) (string, error)
}

const (
	maxBody   = 6 << 20 // bytes, a function URL's limit
	maxBudget = 10_000  // USD
)

// asked is the body of POST /reviews.
type asked struct {
	TenantID   string          `json:"tenant_id"`   // optional: the token has it
	DocumentID string          `json:"document_id"` // optional: derived from the text
	Name       string          `json:"name"`
	Text       string          `json:"text"`       // optional with a document_id: the document's text
	BudgetUSD  float64         `json:"budget_usd"` // 0: none
	Playbook   json.RawMessage `json:"playbook"`   // optional: the tenant's, else the default
}

// started is the answer to POST /reviews.
type started struct {
	ID      uuid.UUID `json:"id"`
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"` // of the token
	Page    string    `json:"page"`    // its path, with the token
}

// refusal is an error about an invalid request.
type refusal struct {
	status   int
	sentence string
}

// Error returns the text for the client.
func (e *refusal) Error() string { return e.sentence }

func wrong(sentence string) error { return &refusal{http.StatusUnprocessableEntity, sentence} }

func (h *handler) start(w http.ResponseWriter, r *http.Request) {
	granted, err := h.Tokens.of(r)
	switch {
	case h.Starter == nil:
		writeError(w, http.StatusForbidden, "cannot start reviews here: this address only shows them")
		return
	case err != nil && !errors.Is(err, errToken):
		h.fail(w, r, "check a token", err)
		return
	case err != nil:
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeError(w, http.StatusUnauthorized, "missing or invalid tenant token; run matchbook review token to make one")
		return
	case granted.job != uuid.Nil:
		writeError(w, http.StatusForbidden, "token is for a single review; use a tenant token to start one")
		return
	}
	q, err := h.readRequest(w, r, granted.tenant)
	var id uuid.UUID
	if err == nil {
		err = h.room(r.Context(), granted.tenant)
	}
	if err == nil {
		id, err = h.Starter.Start(r.Context(), q)
	}
	var refused *refusal
	var failed *failure.Error
	switch {
	case errors.As(err, &refused):
		if refused.status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "60")
		}
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

// room returns an error if the tenant has enough reviews.
func (h *handler) room(ctx context.Context, tenant uuid.UUID) error {
	if h.Quota == nil {
		return nil
	}
	open, err := h.Quota.OpenReviews(ctx, tenant)
	if err == nil && open >= mostOpen {
		return &refusal{http.StatusTooManyRequests,
			fmt.Sprintf("too many reviews in progress: at most %d of a tenant; try again when some have ended", mostOpen)}
	}
	return err
}

// readRequest reads the body strictly. Requests with one Idempotency-Key start one review.
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
		return q, wrong("tenant_id: token is for another tenant")
	}
	if a.DocumentID != "" {
		if q.DocumentID, err = uuid.Parse(a.DocumentID); err != nil {
			return q, wrong("document_id: expected a UUID")
		}
	}
	if !(a.BudgetUSD >= 0 && a.BudgetUSD <= maxBudget) {
		return q, wrong("budget_usd: must be between 0 and 10000")
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

func (h *handler) textOf(ctx context.Context, tenant, document uuid.UUID) (string, error) {
	if h.Texts == nil {
		return "", wrong("text: missing; to use the document's text, the server must have a BLOB_URL")
	}
	text, err := h.Texts.ContractText(ctx, tenant, document)
	var failed *failure.Error
	switch {
	case errors.Is(err, job.ErrNotFound):
		return "", &refusal{http.StatusNotFound, "document_id: document not found"}
	case errors.As(err, &failed) && failed.Kind == failure.Permanent:
		return "", wrong("document_id: " + failed.Sentence)
	}
	return text, err
}

// jsonTypes has the words of JSON for Go's types; others are objects.
var jsonTypes = map[reflect.Kind]string{reflect.String: "string", reflect.Float64: "number", reflect.Int: "number", reflect.Bool: "bool",
	reflect.Slice: "array"}

// decode reads one JSON object. Unknown fields are errors.
func decode(w http.ResponseWriter, r *http.Request, to any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &refusal{http.StatusUnsupportedMediaType, "Content-Type must be application/json"}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("expected a single JSON value")
		}
	}
	var large *http.MaxBytesError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return &refusal{http.StatusRequestEntityTooLarge, "request too large: at most 6 MB"}
	case errors.As(err, &kind):
		got, _, _ := strings.Cut(kind.Value, " ") // without the number
		return wrong(fmt.Sprintf("%s: expected %s, got %s", cmp.Or(kind.Field, "body"), cmp.Or(jsonTypes[kind.Type.Kind()], "object"), got))
	}
	return &refusal{http.StatusBadRequest, "invalid JSON body: " + strings.TrimPrefix(err.Error(), "json: ")}
}
