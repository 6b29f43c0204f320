package roster

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"matchbook/lambda/failure"
)

// MaxBytes is the length of the longest profile, and of the longest preferences,
// that a roster keeps.
const MaxBytes = 8 << 10

// tooLong stands for what is longer.
var tooLong = json.RawMessage(`"too long"`)

// Freeze returns the roster as it is stored, whatever the order of the rows. Only
// the digest, which is that of the content before compression, names a roster: the
// compressed bytes may differ between versions of the compressor.
func (r Roster) Freeze() (Frozen, error) {
	rows := slices.Clone(r.Rows)
	slices.SortFunc(rows, func(a, b Row) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	var content bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&content, gzip.BestSpeed)
	if err != nil {
		return Frozen{}, err
	}
	digest := sha256.New()
	if err := write(io.MultiWriter(digest, compressed), r.Key, rows); err != nil {
		return Frozen{}, err
	}
	if err := compressed.Close(); err != nil {
		return Frozen{}, err
	}
	return Frozen{Key: r.Key, Digest: [32]byte(digest.Sum(nil)), Users: len(rows), Content: content.Bytes()}, nil
}

func write(to io.Writer, key Key, rows []Row) error {
	buffered := bufio.NewWriterSize(to, 64<<10)
	lines := json.NewEncoder(buffered)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(key); err != nil {
		return err
	}
	for i, row := range rows {
		if i > 0 && row.ID == rows[i-1].ID {
			return failure.Permanently("user %s is in the roster twice", row.ID)
		}
		row.Profile, row.Preferences = limited(row.Profile), limited(row.Preferences)
		if err := lines.Encode(row); err != nil {
			return failure.Permanently("user %s has a profile or preferences that are no JSON", row.ID)
		}
	}
	return buffered.Flush()
}

func limited(raw json.RawMessage) json.RawMessage {
	if len(raw) > MaxBytes {
		return tooLong
	}
	return raw
}

// Thaw returns the content of a stored roster. Its error is permanent: a roster
// that differs from its name is damaged, and stays so.
func (f Frozen) Thaw() (Roster, error) {
	r, err := f.read()
	if err != nil {
		return Roster{}, failure.Permanently("the roster of %s is damaged: %v", f.Date, err)
	}
	return r, nil
}

func (f Frozen) read() (Roster, error) {
	content, err := gzip.NewReader(bytes.NewReader(f.Content))
	if err != nil {
		return Roster{}, fmt.Errorf("decompress: %w", err)
	}
	digest := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(content, digest))
	lines.Buffer(make([]byte, 64<<10), 2*MaxBytes+1<<10)
	r := Roster{Rows: make([]Row, 0, min(max(f.Users, 0), 1<<20))}
	if lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &r.Key); err != nil {
			return Roster{}, fmt.Errorf("its first line is no key (%T)", err)
		}
	}
	for lines.Scan() {
		var row Row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return Roster{}, fmt.Errorf("line %d is no user (%T)", len(r.Rows)+2, err)
		}
		r.Rows = append(r.Rows, row)
	}
	if err := lines.Err(); err != nil {
		return Roster{}, fmt.Errorf("decompress: %w", err)
	}
	return r, f.check(r, [32]byte(digest.Sum(nil)))
}

func (f Frozen) check(r Roster, digest [32]byte) error {
	sorted := slices.IsSortedFunc(r.Rows, func(a, b Row) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	switch {
	case digest != f.Digest:
		return fmt.Errorf("its content is not the one that its digest names")
	case r.Key != f.Key:
		return fmt.Errorf("it is of another tenant, date or algorithm")
	case len(r.Rows) != f.Users:
		return fmt.Errorf("it has %d users instead of %d", len(r.Rows), f.Users)
	case !sorted:
		return fmt.Errorf("its users are not in the order of their ids")
	}
	return nil
}
