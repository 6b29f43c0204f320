package csvfile

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

const byteOrderMark = "\uFEFF"

// decode returns the text of a file: UTF-8, or else Windows-1252.
func decode(raw []byte) (string, error) {
	if !utf8.Valid(raw) {
		var err error
		if raw, err = charmap.Windows1252.NewDecoder().Bytes(raw); err != nil {
			return "", fmt.Errorf("expected UTF-8 or Windows-1252: %w", err)
		}
	}
	return strings.TrimPrefix(string(raw), byteOrderMark), nil
}

// open finds the delimiter that gives the header most of the wanted columns, and returns a
// reader after the header.
func open(text string, fields []Field) (rows *csv.Reader, header []string, err error) {
	most := -1
	for _, delimiter := range ",;\t" {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = delimiter, -1, true
		names, readErr := r.Read()
		if readErr != nil {
			err = fmt.Errorf("invalid CSV header: %w", readErr)
			continue
		}
		found := 0
		for _, f := range fields {
			if columnOf(names, f.Column) >= 0 {
				found++
			}
		}
		if found > most || found == most && len(names) > len(header) {
			most, rows, header = found, r, slices.Clone(names)
		}
	}
	if rows == nil {
		return nil, nil, err
	}
	return rows, header, nil
}

// columnOf returns the index of a column, or -1. Case and surrounding space are ignored.
func columnOf(header []string, name string) int {
	return slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), strings.TrimSpace(name)) })
}
