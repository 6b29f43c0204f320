package ingest_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// reviewer prepares reviews, and is the queue of their chunks.
type reviewer struct {
	err   error
	asked []string
	sent  []job.Stamped
}

func (r *reviewer) PrepareIngested(
	_ context.Context, tenantID, documentID uuid.UUID, name string, pages []transcript.Page,
) (record.New, error) {
	r.asked = append(r.asked, name)
	return record.New{TenantID: tenantID, DocumentID: documentID, Name: name, Text: pages[0].Text()}, r.err
}

func (r *reviewer) Send(_ context.Context, chunks []job.Stamped) ([]uuid.UUID, error) {
	r.sent = append(r.sent, chunks...)
	return nil, nil
}

const contractText = "Mietvertrag\nVertragsnummer: V-7\nDatum: 01.03.2026\nDie Miete ist am Ersten fällig.\n"

func TestContractBeginsWithItsReview(t *testing.T) {
	t.Parallel()
	r, by := newRigWith(t, []byte(contractText)), &reviewer{}
	r.Reviewer, r.Chunks = by, by
	r.store.chunks = []job.Stamped{{ID: uuid.UUID{9}}}
	testenv.Must(t, r.ingest(t))
	got := r.store.documents[0].Review
	if got == nil || got.DocumentID != r.store.row.DocumentID || got.Name != "Contract V-7" || got.Text != contractText {
		t.Fatalf("got %+v of %s", got, text(r.store.documents))
	}
	if len(by.sent) != 1 || by.sent[0].ID != (uuid.UUID{9}) {
		t.Errorf("sent %v", by.sent)
	}
}

func TestContractThatCannotBeReviewedIsForAPerson(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, []byte(contractText))
	r.Reviewer = &reviewer{err: failure.Permanently("it is too long")}
	testenv.Must(t, r.ingest(t))
	d := r.store.documents[0]
	if d.Valid || d.Review != nil || !strings.Contains(strings.Join(d.Reasons, "; "), "no review of the contract was started: it is too long") {
		t.Errorf("got %s", text(r.store.documents))
	}
	r = newRigWith(t, []byte(contractText))
	r.Reviewer = &reviewer{err: errors.New("the database is away")}
	if err := r.ingest(t); failure.Of(err).Kind != failure.Transient || r.store.documents != nil {
		t.Errorf("without a database: %v, %d documents", err, len(r.store.documents))
	}
}

func TestOnlyContractsAreReviewed(t *testing.T) {
	t.Parallel()
	r, by := newRig(t, "two-invoices.pdf"), &reviewer{}
	r.Reviewer, r.Chunks, r.Log = by, by, slog.New(slog.DiscardHandler)
	if err := r.ingest(t); err != nil || len(by.asked) > 0 || len(by.sent) > 0 {
		t.Errorf("%v, asked for %v, sent %v", err, by.asked, by.sent)
	}
}
