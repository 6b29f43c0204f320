package corpus

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// ReadDocuments reads one document a line:
// {"id","tenant_id","type","received_at","structured_data"}. Structured data must be a JSON
// object; its content is left to the matcher. The error contains the file, as given, and the
// line of the first malformed document.
func ReadDocuments(file string, r io.Reader) (docs []Document, err error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	first := make(map[uuid.UUID]int) // line
	for number := 1; ; number++ {
		line, tooLong, err := readLine(lines)
		last := errors.Is(err, io.EOF)
		switch {
		case tooLong:
			return nil, at(file, number, "too long: over %d bytes", maxRecord)
		case err != nil && !last:
			return nil, at(file, number, "%w", err)
		case len(bytes.TrimSpace(line)) > 0:
			d, err := readDocument(bytes.TrimRight(line, "\r\n"))
			if err != nil {
				return nil, at(file, number, "%w", err)
			}
			if line := first[d.ID]; line > 0 {
				return nil, at(file, number, "duplicate id %s, first in line %d", d.ID, line)
			}
			first[d.ID] = number
			docs = append(docs, d)
		}
		switch {
		case last && len(docs) == 0:
			return nil, at(file, 1, "expected at least one document")
		case last:
			return docs, nil
		}
	}
}

func at(file string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{file, line}, args...)...)
}

func readDocument(line []byte) (d Document, err error) {
	if !utf8.Valid(line) {
		return d, errors.New("invalid UTF-8")
	}
	var r struct {
		ID       string          `json:"id"`
		TenantID string          `json:"tenant_id"`
		Type     string          `json:"type"`
		Received string          `json:"received_at"`
		Data     json.RawMessage `json:"structured_data"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return d, strictProblem(err)
	}
	if d.ID, err = document.ParseID(r.ID); err != nil {
		return d, fmt.Errorf("invalid id: %w", err)
	}
	if d.TenantID, err = document.ParseID(r.TenantID); err != nil {
		return d, fmt.Errorf("invalid tenant_id: %w", err)
	}
	if d.Type, err = document.ParseType(r.Type); err != nil {
		return d, err
	}
	if d.Received, err = time.Parse(time.RFC3339, r.Received); err != nil {
		return d, errors.New("invalid received_at: expected a time such as 2026-03-02T09:00:00Z")
	}
	if len(r.Data) == 0 || r.Data[0] != '{' {
		return d, errors.New("invalid structured_data: expected an object")
	}
	d.Data = r.Data
	return d, nil
}

func strictProblem(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("invalid %s: expected a string", kind.Field)
	case errors.As(err, &kind):
		return errors.New("expected an object")
	case errors.As(err, &syntax):
		return fmt.Errorf("invalid JSON: %w at byte %d", syntax, syntax.Offset)
	}
	return errors.New("invalid JSON")
}

var linksHeader = []string{"a_id", "b_id"}

// ReadLinks reads the true links among docs. It must be CSV with the columns a_id and b_id, a_id
// < b_id. The error contains the file, as given, and the line of the first malformed link.
func ReadLinks(file string, r io.Reader, docs []Document) (links []Pair, err error) {
	tenants := make(map[uuid.UUID]uuid.UUID, len(docs))
	for _, d := range docs {
		tenants[d.ID] = d.TenantID
	}
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = -1 // readLink counts them, so that the error is in our words
	rows.ReuseRecord = true
	first := make(map[Pair]int) // line
	for header := true; ; header = false {
		row, err := rows.Read()
		if header && (errors.Is(err, io.EOF) || err == nil && strings.Join(row, ",") != strings.Join(linksHeader, ",")) {
			return nil, at(file, 1, "invalid first line: expected %s", strings.Join(linksHeader, ","))
		}
		if errors.Is(err, io.EOF) {
			return links, nil
		}
		if err != nil {
			return nil, csvProblem(file, err)
		}
		if header {
			continue
		}
		line, _ := rows.FieldPos(0)
		p, err := readLink(row, tenants)
		if err != nil {
			return nil, at(file, line, "%w", err)
		}
		if first[p] > 0 {
			return nil, at(file, line, "duplicate link, first in line %d", first[p])
		}
		first[p] = line
		links = append(links, p)
	}
}

func csvProblem(file string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return at(file, parse.Line, "invalid CSV: %w", parse.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

func readLink(row []string, tenants map[uuid.UUID]uuid.UUID) (p Pair, err error) {
	if len(row) != len(linksHeader) {
		return p, fmt.Errorf("expected %d columns, found %d", len(linksHeader), len(row))
	}
	var ids [2]uuid.UUID
	for i, text := range row {
		if ids[i], err = document.ParseID(text); err != nil {
			return p, fmt.Errorf("invalid %s: %w", linksHeader[i], err)
		}
		if _, ok := tenants[ids[i]]; !ok {
			return p, fmt.Errorf("%s %s not found among the documents", linksHeader[i], ids[i])
		}
	}
	switch p = PairOf(ids[0], ids[1]); {
	case ids[0] == ids[1]:
		return p, errors.New("document must not be linked with itself")
	case p.A != ids[0]:
		return p, errors.New("a_id must be less than b_id")
	case tenants[p.A] != tenants[p.B]:
		return p, errors.New("documents must belong to one tenant")
	}
	return p, nil
}
