package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"

	"github.com/google/uuid"
)

type record struct {
	ID       string          `json:"id"`
	TenantID string          `json:"tenant_id"`
	Type     string          `json:"type"`
	Received time.Time       `json:"received_at"`
	Data     json.RawMessage `json:"structured_data"`
}

// readRecord makes a document of its JSON, using tenant if the JSON lacks one. On an error,
// offset is its place.
func readRecord(raw []byte, tenant uuid.UUID) (doc Document, offset int64, err error) {
	if len(raw) > maxRecord {
		return doc, 0, fmt.Errorf("too long: over %d bytes", maxRecord)
	}
	if !utf8.Valid(raw) {
		return doc, firstInvalid(raw), errors.New("invalid UTF-8")
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return doc, errorOffset(err, raw), errors.New(jsonProblem(err))
	}
	if doc.Type, err = parseType(r.Type); err != nil {
		return doc, 0, err
	}
	if len(r.Data) == 0 || string(r.Data) == "null" {
		return doc, 0, errors.New("missing structured_data")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, r.Data); err != nil {
		return doc, 0, errors.New("invalid JSON in structured_data")
	}
	doc.Data, doc.Received = compact.Bytes(), r.Received
	if _, err := document.Parse(doc.Data); err != nil {
		return doc, 0, fmt.Errorf("structured_data: %w", err)
	}
	if doc.TenantID, err = idOr(r.TenantID, tenant); err != nil {
		return doc, 0, fmt.Errorf("invalid tenant_id: %w", err)
	}
	if doc.TenantID == uuid.Nil {
		return doc, 0, errors.New("missing tenant_id; add it, or use --tenant")
	}
	content := strings.Join([]string{doc.TenantID.String(), string(doc.Type), compact.String()}, "\n")
	if doc.ID, err = idOr(r.ID, uuid.NewSHA1(contentSpace, []byte(content))); err != nil {
		return doc, 0, fmt.Errorf("invalid id: %w", err)
	}
	return doc, 0, nil
}

// parseType also accepts other words for a type: PO, Bestellung, purchase_order.
func parseType(text string) (document.Type, error) {
	if t := reference.Type(text); t != "" {
		return document.Type(t), nil
	}
	return document.ParseType(text)
}

func idOr(text string, missing uuid.UUID) (uuid.UUID, error) {
	if text == "" {
		return missing, nil
	}
	return document.ParseID(text)
}

func firstInvalid(raw []byte) (offset int64) {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size <= 1 {
			return offset
		}
		raw, offset = raw[size:], offset+int64(size)
	}
	return offset
}

func errorOffset(err error, raw []byte) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		return int64(len(raw))
	}
	return 0
}

func jsonProblem(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		return fmt.Sprintf("invalid %q: unexpected type", kind.Field)
	case errors.As(err, &syntax):
		return "invalid JSON: " + syntax.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "invalid JSON: unexpected end"
	}
	var when *time.ParseError
	if errors.As(err, &when) {
		return "invalid received_at: expected a time such as 2026-03-02T09:00:00Z"
	}
	return "invalid JSON"
}
