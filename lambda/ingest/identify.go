package ingest

import (
	"crypto/sha256"
	"slices"

	"github.com/google/uuid"
)

// namespace is the one of the ids that are derived from files.
var namespace = uuid.MustParse("9a4c1c0e-5d0b-5c53-8f5e-3d8a3f6b8b14")

// Identify derives the ids of a file's ingestion and of its first document from
// the tenant and the content: the same file of a tenant is the same ingestion,
// under whatever name and however often it arrives.
func Identify(tenant uuid.UUID, content []byte) (ingestion, document uuid.UUID) {
	hash := sha256.Sum256(content)
	id := func(kind string) uuid.UUID {
		return uuid.NewSHA1(namespace, slices.Concat([]byte(kind), tenant[:], hash[:]))
	}
	return id("ingestion"), id("document")
}
