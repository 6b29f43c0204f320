package ingestrun

import (
	"fmt"
	"regexp"
	"strings"

	"matchbook/lambda/ingest/gate"
)

// person returns what a person must look at in a file, and splits the lines of its documents
// from their other fields.
func (v *fileView) person() (list []task) {
	if v.Error != "" {
		list = append(list, task{v.ID, v.File + " was not read", []reason{{v.ID, v.Error}}})
	}
	for i := range v.Documents {
		d := &v.Documents[i]
		if d.Review {
			t := task{ID: d.ID, Name: d.called(v.File)}
			for _, text := range d.Reasons {
				t.Reasons = append(t.Reasons, reason{v.placeOf(d, text), text})
			}
			list = append(list, t)
		}
		d.Lines, d.Fields = split(d.Fields)
	}
	return list
}

var pageNumber = regexp.MustCompile(`\bpage (\d+)\b`)

// placeOf returns the id of the mark of the field that a reason names, otherwise of the page
// that it names, otherwise of the document.
func (v *fileView) placeOf(d *documentView, text string) string {
	id, longest := "", 0
	for _, f := range d.Fields {
		named := gate.Words(f.Path)
		if f.Marked && len(named) > longest && strings.Contains(text, "the "+named) {
			id, longest = f.ID, len(named)
		}
	}
	if id != "" {
		return id
	}
	if m := pageNumber.FindStringSubmatch(text); m != nil {
		for _, s := range v.Sheets {
			if fmt.Sprint(s.Number) == m[1] {
				return s.ID
			}
		}
	}
	return d.ID
}
