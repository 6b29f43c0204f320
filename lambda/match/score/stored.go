package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// Raw is a document as the store has it.
type Raw struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Type     document.Type
	Data     string // structured data as JSON; empty if larger than document.MaxBytes
	Received time.Time
	Vector   string // embedding of its text, hexadecimal; may be empty
	Known    string // identities of its supplier's name, its taught articles, labels and habits, one a line; may be empty
}

// Read parses and normalises a document. See document.Parse for its errors.
func Read(raw Raw) (Document, error) {
	if raw.Data == "" {
		return Document{}, fmt.Errorf("must be at most %d bytes", document.MaxBytes)
	}
	data, err := document.Parse([]byte(raw.Data))
	if err != nil {
		return Document{}, err
	}
	d := normalise(raw.ID, raw.TenantID, raw.Type, data)
	if !raw.Received.IsZero() {
		d.received = raw.Received.UnixMicro()
		d.readDate(document.DateOf(raw.Received))
	}
	d.embedding = embeddingOf(raw.Vector)
	d.Know(raw.Known)
	return d, nil
}

// Pairs scores a document with its candidates and returns the pairs to keep. It skips
// unreadable candidates, because their own attempts fail.
func (d Document) Pairs(candidates []Raw) (pairs []Pair) {
	for _, raw := range candidates {
		if !mayMatch(d.Type, raw.Type) {
			continue
		}
		c, err := lately.read(raw)
		if err != nil {
			continue
		}
		if p := d.Score(c); p.Counts() {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// lately keeps candidates, because the documents of a batch have most of them in common, and
// reading one takes longer than scoring it.
var lately = recent{docs: map[Raw]Document{}}

// recent keeps documents that nobody changes, up to maxRecent bytes of structured data.
type recent struct {
	mu    sync.Mutex
	docs  map[Raw]Document
	bytes int
}

const maxRecent = 1 << 20

// read is Read.
func (r *recent) read(raw Raw) (Document, error) {
	r.mu.Lock()
	d, known := r.docs[raw]
	r.mu.Unlock()
	if known {
		return d, nil
	}
	d, err := Read(raw)
	if err != nil || len(raw.Data) > maxRecent/16 {
		return d, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes += len(raw.Data); r.bytes > maxRecent {
		clear(r.docs)
		r.bytes = len(raw.Data)
	}
	r.docs[raw] = d
	return d, nil
}

// Of scores two documents as the store has them. Use it for a single pair; Pairs reads the
// document only once.
func Of(a, b Raw) (Pair, error) {
	x, errX := Read(a)
	y, errY := Read(b)
	if err := cmp.Or(errX, errY); err != nil {
		return Pair{}, err
	}
	return x.Score(y), nil
}

// CommonKeys lists the keys that make two documents candidates of each other, each number
// once. It returns nil if they aren't. Use it to explain why two documents were compared.
func CommonKeys(a, b Raw) (common []string, err error) {
	x, errX := Read(a)
	y, errY := Read(b)
	if err := cmp.Or(errX, errY); err != nil || !mayMatch(a.Type, b.Type) {
		return nil, err
	}
	keys, _ := x.keys()
	_, lookup := y.keys()
	for _, key := range keys {
		if _, ok := slices.BinarySearch(lookup, key); ok && !ofCitation(key) {
			common = append(common, key)
		}
	}
	return common, nil
}

// ofCitation reports whether a key is one of a citation. Ignore these as common keys, since
// all documents with a number also have its forms under "ref".
func ofCitation(key string) bool {
	_, kind, _ := strings.Cut(key, "|")
	return strings.HasPrefix(kind, "own|") || strings.HasPrefix(kind, "cit|")
}
