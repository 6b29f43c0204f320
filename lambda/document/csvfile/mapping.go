// Package csvfile reads documents from CSV files. Use ParseMap to map columns to the fields of
// a document, and Sheet.Read to read a file.
package csvfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"

	"github.com/google/uuid"
)

// Sheet describes how to read CSV files.
type Sheet struct {
	Fields  []Field
	Type    document.Type // of documents without a column for it
	Tenant  uuid.UUID     // of documents without a column for it
	Decimal string        // "." or ","; empty: found by the amounts of a file
	Layout  string        // of dates, for time.Parse; empty: ISO
}

// Field maps a column to a field of a document.
type Field struct {
	Path   string // see document.ParseField, but without numbers of items: line_items.sku; or id, tenant_id, received_at
	Column string
}

// ParseMap reads the fields of --map: number="Invoice No",supplier.name=Vendor; or the name of
// a file with one such field a line.
func ParseMap(text string) (fields []Field, err error) {
	var parts []string
	if strings.Contains(text, "=") {
		r := csv.NewReader(strings.NewReader(text))
		r.LazyQuotes = true
		if parts, err = r.Read(); err != nil {
			return nil, errors.New("invalid --map: expected PATH=COLUMN,PATH=COLUMN")
		}
	} else {
		raw, err := os.ReadFile(text)
		if err != nil {
			return nil, fmt.Errorf("--map: %w", err)
		}
		parts = strings.Split(strings.TrimPrefix(string(raw), byteOrderMark), "\n")
	}
	for _, part := range parts {
		if part = strings.TrimSpace(part); part == "" || strings.HasPrefix(part, "#") {
			continue
		}
		f, err := parseField(part)
		if err != nil {
			return nil, fmt.Errorf("--map %.60q: %w", part, err)
		}
		if slices.ContainsFunc(fields, func(g Field) bool { return g.Path == f.Path }) {
			return nil, fmt.Errorf("duplicate field %s in --map", f.Path)
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		return nil, errors.New("missing fields in --map")
	}
	return fields, nil
}

func parseField(text string) (f Field, err error) {
	path, column, found := strings.Cut(text, "=")
	f = Field{strings.TrimSpace(path), strings.Trim(strings.TrimSpace(column), `"`)}
	if !found || f.Column == "" {
		return f, errors.New("expected PATH=COLUMN, such as number=\"Invoice No\"")
	}
	if !slices.Contains(outside, f.Path) {
		_, err = document.FieldKind(numbered(f.Path))
	}
	return f, err
}

// outside are the text fields outside the structured data.
var outside = []string{"id", "tenant_id", "received_at"}

// numbered returns a path for package document, with the number of the first item.
func numbered(path string) string {
	if t, ok := cited(path); ok && t != "" {
		return "references.0.number"
	}
	if first, rest, ok := strings.Cut(path, "."); ok && slices.Contains(lists, first) {
		return first + ".0." + rest
	}
	return path
}

// lists are the fields with items. Only line items can have several.
var lists = []string{"line_items", "references", "taxes", "charges"}

// cited returns the type of the document cited by a column: references.purchase-order.
func cited(path string) (t string, ok bool) {
	rest, ok := strings.CutPrefix(path, "references.")
	if !ok || rest == "number" || rest == "type" {
		return "", false
	}
	return reference.Type(rest), true
}

// ParseLayout converts a form of dates such as DD.MM.YYYY to a layout of package time. An
// empty form gives an empty layout.
func ParseLayout(form string) (string, error) {
	if form == "" {
		return "", nil
	}
	layout := strings.NewReplacer("YYYY", "2006", "YY", "06", "MM", "01", "DD", "02", "M", "1", "D", "2").Replace(form)
	for _, part := range []string{"06", "1", "2"} {
		if !strings.Contains(layout, part) {
			return "", fmt.Errorf("invalid --date-format %.40q: expected a form such as DD.MM.YYYY", form)
		}
	}
	return layout, nil
}
