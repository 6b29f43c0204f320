package ingestion_test

import (
	"crypto/sha256"
	"testing"

	"matchbook/lambda/ingest/ingestion"

	"github.com/google/uuid"
)

// The ids are in storage and in databases: another derivation would ingest every
// file once more. They were computed with Python's uuid.uuid5.
func TestIdentityIsStable(t *testing.T) {
	t.Parallel()
	tenant := uuid.MustParse("6f1c2b1e-0a52-4d8e-9d2f-3f0f6f2f8a11")
	got := ingestion.Identify(tenant, sha256.Sum256([]byte("an invoice")), "pdf")
	want := ingestion.Row{ID: uuid.MustParse("9296bdb1-db2c-59b8-86d3-3cfe060a1fc0"), TenantID: tenant,
		DocumentID: uuid.MustParse("d8e2a2c4-188e-5b48-a400-d375a6cc764c"), FilePath: "documents/d8e2a2c4-188e-5b48-a400-d375a6cc764c.pdf"}
	if got.ID != want.ID || got.TenantID != want.TenantID || got.DocumentID != want.DocumentID || got.FilePath != want.FilePath {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if other := ingestion.Identify(uuid.New(), sha256.Sum256([]byte("an invoice")), "pdf"); other.ID == got.ID || other.DocumentID == got.DocumentID {
		t.Error("two tenants share a document")
	}
}
