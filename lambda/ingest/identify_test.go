package ingest_test

import (
	"testing"

	"matchbook/lambda/ingest"

	"github.com/google/uuid"
)

func TestTheSameFileOfATenantIsTheSameIngestion(t *testing.T) {
	t.Parallel()
	tenant, other := uuid.UUID{15: 1}, uuid.UUID{15: 2}
	ingestion, document := ingest.Identify(tenant, []byte("content"))
	// Rows of deployed systems have these ids: they never change.
	for got, want := range map[uuid.UUID]string{ingestion: "931b05c1-1994-5c70-a676-4c9fd9c95648", document: "e824c7f6-a5b8-5142-a407-1b5c488145f7"} {
		if got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for name, tc := range map[string]struct {
		tenant  uuid.UUID
		content string
	}{"another tenant": {other, "content"}, "another content": {tenant, "Content"}} {
		i, d := ingest.Identify(tc.tenant, []byte(tc.content))
		if i == ingestion || d == document || i == d {
			t.Errorf("%s: got %s and %s", name, i, d)
		}
	}
}
