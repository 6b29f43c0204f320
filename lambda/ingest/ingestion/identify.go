package ingestion

import (
	"crypto/sha256"

	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Digest is the SHA-256 of a file's content.
type Digest = [sha256.Size]byte

// Identify returns the row of a file. Its ids derive from the tenant and the content, so the
// same file is the same document, whatever its name. Use the extension of the file's type.
func Identify(tenant uuid.UUID, content Digest, extension string) Row {
	document := uuid.NewSHA1(tenant, content[:])
	return Row{ID: uuid.NewSHA1(document, []byte("ingestion")), TenantID: tenant, DocumentID: document,
		FilePath: manifest.FolderDocuments + document.String() + "." + extension}
}
