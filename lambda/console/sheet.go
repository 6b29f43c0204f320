package console

import (
	"encoding/csv"
	"regexp"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
)

// sheetRows bounds a CSV file.
const sheetRows = 1000

// sheet answers with the rows as a CSV file, in UTF-8 with a mark so that Excel knows it.
func (v *visit) sheet(name string, rows [][]string) error {
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	_, _ = v.w.Write([]byte("\ufeff")) // ignored: the client is gone
	out := csv.NewWriter(v.w)
	for _, row := range rows {
		for i := range row {
			row[i] = cell(term.Clean(row[i], term.MaxText))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return nil
}

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// amount returns an amount with at least two decimals; other texts stay.
func amount(s string) string {
	if !decimal.MatchString(s) {
		return s
	}
	return twoDecimals(s)
}

// cell keeps a program from taking a document's text for a formula.
func cell(s string) string {
	if strings.ContainsAny(s[:min(len(s), 1)], "=+-@\t\r") && !decimal.MatchString(s) {
		return "'" + s
	}
	return s
}

// openSheet writes what waits, from the place shown on.
func (h *handler) openSheet(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	f, err := v.filter()
	if err != nil {
		return err
	}
	w, err := h.reader(v).Waiting(f, sheetRows)
	if err != nil {
		return err
	}
	rows := [][]string{{"kind", "value", "since", "type", "number", "supplier", "file", "id",
		"other_type", "other_number", "other_supplier", "other_id", "why"}}
	for _, i := range w.Items {
		value, d := "", i.Document
		if i.Value != nil {
			value = amount(*i.Value)
		}
		row := []string{i.Kind, value, i.Since.UTC().Format(time.RFC3339), string(d.Type), d.Number, d.Supplier, d.FileName, d.ID.String(),
			"", "", "", "", i.Why}
		if o := i.Other; o != nil {
			copy(row[8:], []string{string(o.Type), o.Number, o.Supplier, o.ID.String()})
		}
		rows = append(rows, row)
	}
	return v.sheet("open", rows)
}

// documentSheet writes the documents of a list, from the place shown on.
func (h *handler) documentSheet(v *visit) error {
	l, after, err := h.readList(v)
	if err != nil {
		return err
	}
	l.size = sheetRows
	if l.Search == "" {
		err = h.list(v, &l, after)
	} else {
		err = h.search(v, &l, after)
	}
	if err != nil {
		return err
	}
	rows := [][]string{{"type", "number", "supplier", "date", "total", "currency", "received", "state", "error", "file", "id"}}
	for _, d := range l.Documents[:min(len(l.Documents), sheetRows)] {
		rows = append(rows, []string{string(d.Type), d.Number, d.Supplier, d.Date, amount(d.Total), d.Currency,
			d.Received.UTC().Format(time.RFC3339), d.Status, d.Error, d.FileName, d.ID.String()})
	}
	return v.sheet("documents", rows)
}
