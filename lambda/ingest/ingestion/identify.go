package ingestion

import (
	"crypto/sha256"

	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Digest is the SHA-256 of a file's content.
type Digest = [sha256.Size]byte

// Identify names the ingestion of a file by its tenant and its content: the
// same file again is the same document, whatever its name. The extension is
// that of its type.
func Identify(tenant uuid.UUID, content Digest, extension string) Row {
	document := uuid.NewSHA1(tenant, content[:])
	return Row{ID: uuid.NewSHA1(document, []byte("ingestion")), TenantID: tenant, DocumentID: document,
		FilePath: manifest.FolderDocuments + document.String() + "." + extension}
}
