package csvfile

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// Row is a document of a file, as JSON, and the line of its first row.
type Row struct {
	Line int
	JSON []byte
}

// Problem is an error in a file. Line is 0 if it concerns the whole file.
type Problem struct {
	Line int
	What string
}

// Result is the content of a file.
type Result struct {
	Rows     []Row
	Problems []Problem // of refused rows
	Unknown  []string  // columns without a field
}

const maxBytes = 1 << 30

// Read reads a file. Its error is about the file as a whole; see Result.Problems for rows.
func (s *Sheet) Read(r io.Reader) (*Result, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxBytes:
		return nil, fmt.Errorf("file too large: over %d bytes", maxBytes)
	}
	text, err := decode(raw)
	if err != nil {
		return nil, err
	}
	rows, header, err := open(text, s.Fields)
	if err != nil {
		return nil, err
	}
	t := &table{sheet: s, columns: make([]int, len(s.Fields)), documents: map[string]*draft{}, Result: &Result{}}
	if err := t.find(header); err != nil {
		return nil, err
	}
	if err := t.read(rows); err != nil {
		return nil, err
	}
	return t.Result, t.write()
}

type table struct {
	*Result
	sheet     *Sheet
	columns   []int // of the fields
	cells     []cells
	documents map[string]*draft
	order     []*draft
}

// cells are the values of a row, by field.
type cells struct {
	line   int
	values []string
}

func (t *table) find(header []string) error {
	var missing []string
	used := map[int]bool{}
	for i, f := range t.sheet.Fields {
		t.columns[i] = columnOf(header, f.Column)
		if used[t.columns[i]] = true; t.columns[i] < 0 {
			missing = append(missing, fmt.Sprintf("%.60q", f.Column))
		}
	}
	for i, name := range header {
		if !used[i] {
			t.Unknown = append(t.Unknown, fmt.Sprintf("%.60q", strings.TrimSpace(name)))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing column %s; columns without a field: %s", strings.Join(missing, ", "), strings.Join(t.Unknown, ", "))
	}
	return nil
}

// read reads the rows. It stops at a row that isn't CSV.
func (t *table) read(rows *csv.Reader) error {
	for {
		row, err := rows.Read()
		var parse *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &parse):
			t.Problems = append(t.Problems, Problem{parse.Line, "invalid CSV: " + parse.Err.Error()})
			return nil
		case err != nil:
			return err
		}
		line, _ := rows.FieldPos(0)
		c := cells{line, make([]string, len(t.columns))}
		for i, column := range t.columns {
			if column < len(row) {
				c.values[i] = strings.TrimSpace(row[column])
			}
		}
		if strings.Join(c.values, "") != "" {
			t.cells = append(t.cells, c)
		}
	}
}

func (t *table) write() (err error) {
	decimal := t.sheet.Decimal
	if decimal == "" {
		if decimal, err = decimalOf(t.amounts()); err != nil {
			return err
		}
	}
	var last *draft
	for _, c := range t.cells {
		last = t.draftOf(c, last)
		if err := last.add(t.sheet, c, decimal); err != nil && last.fault == nil {
			last.fault = &Problem{c.line, err.Error()}
		}
	}
	for _, d := range t.order {
		if d.fault != nil {
			t.Problems = append(t.Problems, *d.fault)
			continue
		}
		raw, err := json.Marshal(d.record(t.sheet))
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, Row{d.line, raw})
	}
	return nil
}

func (t *table) amounts() (list []string) {
	for i, f := range t.sheet.Fields {
		if kind, err := document.FieldKind(numbered(f.Path)); err != nil || kind != document.Number {
			continue
		}
		for _, c := range t.cells {
			list = append(list, c.values[i])
		}
	}
	return list
}

// identity are the fields that distinguish documents.
var identity = []string{"id", "tenant_id", "type", "number", "supplier.name", "supplier.vat_id"}

// draftOf returns the document of a row: the one with the same number and supplier, the last
// one if the row lacks a number, or else a new one. Without line items each row is a document.
func (t *table) draftOf(c cells, last *draft) *draft {
	var key []string
	numbered, lined := false, false
	for i, f := range t.sheet.Fields {
		lined = lined || strings.HasPrefix(f.Path, "line_items.")
		if slices.Contains(identity, f.Path) {
			key = append(key, c.values[i])
			numbered = numbered || c.values[i] != "" && (f.Path == "number" || f.Path == "id")
		}
	}
	if lined && !numbered && last != nil {
		return last
	}
	name := strings.Join(key, "\x00")
	if d := t.documents[name]; d != nil && lined {
		return d
	}
	d := &draft{line: c.line, head: map[string]any{}, data: map[string]any{}}
	t.documents[name] = d
	t.order = append(t.order, d)
	return d
}

type draft struct {
	line  int // of its first row
	head  map[string]any
	data  map[string]any
	lines []any
	fault *Problem
}

// add adds the cells of a row. A field must not change between rows of a document.
func (d *draft) add(s *Sheet, c cells, decimal string) error {
	item := map[string]any{}
	for i, f := range s.Fields {
		if c.values[i] == "" {
			continue
		}
		v, err := s.value(f.Path, c.values[i], decimal)
		if err != nil {
			return fmt.Errorf("column %.60q: %w", f.Column, err)
		}
		if !d.put(f.Path, v, item) {
			return fmt.Errorf("column %.60q: value must be the same in all rows of a document", f.Column)
		}
	}
	if len(item) > 0 {
		d.lines = append(d.lines, item)
	}
	return nil
}

// put puts a value in its place, and returns false if another one is there.
func (d *draft) put(path string, v any, item map[string]any) bool {
	first, rest, nested := strings.Cut(path, ".")
	switch t, cites := cited(path); {
	case slices.Contains(outside, path) || path == "type":
		return set(d.head, path, v)
	case first == "line_items":
		return set(item, rest, v)
	case cites:
		list, _ := d.data["references"].([]any)
		reference := map[string]any{"type": t, "number": v}
		if !slices.ContainsFunc(list, func(r any) bool { return reflect.DeepEqual(r, reference) }) {
			d.data["references"] = append(list, reference)
		}
		return true
	case slices.Contains(lists, first):
		return set(d.in(first, true), rest, v)
	case nested:
		return set(d.in(first, false), rest, v)
	}
	return set(d.data, path, v)
}

// in returns the object of a field, or the first item of a list.
func (d *draft) in(name string, list bool) map[string]any {
	if d.data[name] == nil && list {
		d.data[name] = []any{map[string]any{}}
	} else if d.data[name] == nil {
		d.data[name] = map[string]any{}
	}
	if items, ok := d.data[name].([]any); ok {
		return items[0].(map[string]any)
	}
	return d.data[name].(map[string]any)
}

func set(in map[string]any, name string, v any) bool {
	if was, ok := in[name]; ok {
		return reflect.DeepEqual(was, v)
	}
	in[name] = v
	return true
}

// idSpace is the UUIDv5 name space for ids that aren't UUIDs. Don't change it, since the same
// text must keep its id.
var idSpace = uuid.MustParse("3f0c3a5e-8a52-4c8e-9a53-0d9f6c1e2b7a")

// record returns the document as in a JSON file. An id that isn't a UUID becomes one, the same
// for the same text, type and tenant.
func (d *draft) record(s *Sheet) map[string]any {
	r := maps.Clone(d.head)
	if len(d.lines) > 0 {
		d.data["line_items"] = d.lines
	}
	r["structured_data"] = d.data
	if r["type"] == nil {
		r["type"] = s.Type
	}
	if r["tenant_id"] == nil && s.Tenant != uuid.Nil {
		r["tenant_id"] = s.Tenant.String()
	}
	if id, ok := r["id"].(string); ok {
		if _, err := document.ParseID(id); err != nil {
			r["id"] = uuid.NewSHA1(idSpace, fmt.Appendf(nil, "%v\n%v\n%s", r["tenant_id"], r["type"], id)).String()
		}
	}
	return r
}
