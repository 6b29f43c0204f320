package blob

import (
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/failure"
)

// checked refuses keys that name no file, or another one than they seem to: a bucket would
// simplify them, and so read the files of another tenant. Programs write keys into rows.
type checked struct{ Store }

// Read implements Store.
func (c checked) Read(ctx context.Context, key string, most int64) ([]byte, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	return c.Store.Read(ctx, key, most)
}

// Write implements Store.
func (c checked) Write(ctx context.Context, key string, file io.ReadSeeker) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	return c.Store.Write(ctx, key, file)
}

// Open implements Store.
func (c checked) Open(ctx context.Context, key, version string) (io.ReadCloser, int64, error) {
	if err := CheckKey(key); err != nil {
		return nil, 0, err
	}
	return c.Store.Open(ctx, key, version)
}

// Copy implements Store.
func (c checked) Copy(ctx context.Context, key, version, to string) error {
	for _, k := range []string{key, to} {
		if err := CheckKey(k); err != nil {
			return err
		}
	}
	return c.Store.Copy(ctx, key, version, to)
}

// CheckKey returns a permanent failure, with the key, for one that no store has.
func CheckKey(key string) error {
	parts := strings.Split(key, "/")
	if !strings.Contains(key, "\x00") && utf8.ValidString(key) && !slices.Contains(parts, "..") && !slices.Contains(parts, ".") &&
		!slices.Contains(parts, "") {
		return nil
	}
	return failure.Permanently("invalid key %.200q: "+
		"must not be empty or have NUL, bytes other than UTF-8, or a part that is empty, . or ..", key)
}
