package roster

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// MaxBytes is the length of the longest profile, and of the longest preferences, kept in a
// roster.
const MaxBytes = 8 << 10

const (
	maxPast = 10_000   // answers of a user that a roster keeps
	maxLine = 64 << 20 // bytes of a user
)

// tooLong replaces anything longer.
var tooLong = json.RawMessage(`"too long"`)

// Freeze returns the roster as stored, whatever the order of the rows. Use the digest as its
// name: it is computed before compression, because the compressed bytes may differ between
// versions of the compressor.
func (r Roster) Freeze() (Frozen, error) {
	rows := slices.Clone(r.Rows)
	slices.SortFunc(rows, func(a, b Row) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	var content bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&content, gzip.BestSpeed)
	if err != nil {
		return Frozen{}, err
	}
	digest := sha256.New()
	if err := write(io.MultiWriter(digest, compressed), heading{r.Key, r.Settings}, rows); err != nil {
		return Frozen{}, err
	}
	if err := compressed.Close(); err != nil {
		return Frozen{}, err
	}
	return Frozen{Key: r.Key, Digest: [32]byte(digest.Sum(nil)), Users: len(rows), Content: content.Bytes()}, nil
}

func write(to io.Writer, first heading, rows []Row) error {
	buffered := bufio.NewWriterSize(to, 64<<10)
	lines := json.NewEncoder(buffered)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(first); err != nil {
		return err
	}
	for i, row := range rows {
		if i > 0 && row.ID == rows[i-1].ID {
			return failure.Permanently("duplicate user %s in the roster", row.ID)
		}
		row.Profile, row.Preferences = limited(row.Profile), limited(row.Preferences)
		row.Past = recent(row.Past)
		if err := lines.Encode(row); err != nil {
			return failure.Permanently("invalid JSON in the profile or preferences of user %s", row.ID)
		}
	}
	return buffered.Flush()
}

// recent returns the answers in a fixed order, without the oldest ones beyond the limit. It keeps
// all blocks and reports.
func recent(past []Past) []Past {
	if len(past) == 0 {
		return nil
	}
	past = slices.Clone(past)
	slices.SortFunc(past, func(a, b Past) int {
		return cmp.Or(cmp.Compare(a.passing(), b.passing()), cmp.Compare(b.On, a.On), bytes.Compare(a.With[:], b.With[:]))
	})
	for len(past) > maxPast && past[len(past)-1].passing() == 1 {
		past = past[:len(past)-1]
	}
	slices.SortFunc(past, func(a, b Past) int {
		return cmp.Or(bytes.Compare(a.With[:], b.With[:]), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.On, b.On))
	})
	return past
}

func limited(raw json.RawMessage) json.RawMessage {
	if len(raw) > MaxBytes {
		return tooLong
	}
	return raw
}

// Thaw returns the content of a stored roster. Its error is permanent, as the one of Each.
func (f Frozen) Thaw() (Roster, error) {
	rows := make([]Row, 0, min(max(f.Users, 0), 1<<20))
	r, err := f.Each(func(_ Roster, row Row) { rows = append(rows, row) })
	if err != nil {
		return Roster{}, err
	}
	r.Rows = rows
	return r, nil
}

// Each visits the users of a stored roster in the order of their ids, with the roster without users,
// which it returns. So you need not keep all profiles in memory. Forget the users if it returns an
// error, which is permanent, because a roster that differs from its digest is damaged, and stays so.
func (f Frozen) Each(visit func(of Roster, row Row)) (Roster, error) {
	r, err := f.read(visit)
	if err != nil {
		return Roster{}, failure.Permanently("roster of %s is damaged: %v", f.Date, err)
	}
	return r, nil
}

func (f Frozen) read(visit func(of Roster, row Row)) (r Roster, err error) {
	content, err := gzip.NewReader(bytes.NewReader(f.Content))
	if err != nil {
		return r, fmt.Errorf("decompress: %w", err)
	}
	digest := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(content, digest))
	lines.Buffer(make([]byte, 64<<10), maxLine)
	if lines.Scan() {
		var first heading
		if err := json.Unmarshal(lines.Bytes(), &first); err != nil {
			return r, fmt.Errorf("invalid key in the first line (%T)", err)
		}
		r.Key, r.Settings = first.Key, first.Settings
	}
	users, sorted, last := 0, true, uuid.UUID{}
	for ; lines.Scan(); users++ {
		var row Row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return r, fmt.Errorf("invalid user in line %d (%T)", users+2, err)
		}
		sorted = sorted && (users == 0 || bytes.Compare(last[:], row.ID[:]) <= 0)
		last = row.ID
		visit(r, row)
	}
	if err := lines.Err(); err != nil {
		return r, fmt.Errorf("decompress: %w", err)
	}
	switch {
	case [32]byte(digest.Sum(nil)) != f.Digest:
		return r, errors.New("content must match the digest")
	case r.Key != f.Key:
		return r, errors.New("unexpected tenant, date or algorithm")
	case users != f.Users:
		return r, fmt.Errorf("expected %d users, got %d", f.Users, users)
	case !sorted:
		return r, errors.New("users must be in the order of their ids")
	}
	return r, nil
}
