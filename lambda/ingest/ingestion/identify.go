package ingestion

import (
	"crypto/sha256"
	"fmt"
	"strings"

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

// extensionRefused marks the file of a reason; see Refuse.
const extensionRefused = "refused"

// Refuse returns the row of a file that was not taken out of its container, and the content of
// its stored file: the reason with which the ingestion will fail. number counts the files of the
// container from 1, because the names of files may name persons.
func Refuse(tenant uuid.UUID, container Digest, number int, reason string) (r Row, content []byte) {
	content = fmt.Appendf(nil, "file %d of its container: %s", number, reason)
	return Identify(tenant, sha256.Sum256(append(container[:], content...)), extensionRefused), content
}

// maxName bounds the name of a file, in characters.
const maxName = 255

// Named returns the row with a file's name: the last part of a path, or several names from a
// container to the file in it.
func (r Row) Named(path string, inside ...string) Row {
	names := append([]string{path[strings.LastIndexAny(path, `/\\`)+1:]}, inside...)
	name := strings.ReplaceAll(strings.ToValidUTF8(strings.Join(names, ": "), "\uFFFD"), "\x00", "")
	if letters := []rune(name); len(letters) > maxName {
		name = string(letters[:maxName])
	}
	r.Name = name
	return r
}

// Refused reports whether the stored file is the reason of a refusal.
func (r Row) Refused() bool { return strings.HasSuffix(r.FilePath, "."+extensionRefused) }
