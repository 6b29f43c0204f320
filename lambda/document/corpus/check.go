package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document/format"
)

const maxDepartures = 10_000

// Departure is a departure of a document from the form of package format.
type Departure struct {
	File string `json:"file"`
	Line int    `json:"line"` // where the document begins
	format.Problem
}

func (in *Input) check(file string, line int, raw []byte) {
	for _, p := range format.Check(bytes.TrimSpace(raw)) {
		if in.DepartureCount++; len(in.Departures) < maxDepartures {
			in.Departures = append(in.Departures, Departure{file, line, p})
		}
	}
}

// remarkUnknown adds one remark about all fields unknown to matching.
func (in *Input) remarkUnknown() {
	var first *Departure
	var names []string
	for i := range in.Departures {
		d := &in.Departures[i]
		if !d.Unknown {
			continue
		}
		if first == nil {
			first = d
		}
		if name := d.Path[strings.LastIndexByte(d.Path, '.')+1:]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if first == nil {
		return
	}
	const most = 8
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	in.Remarks = append(in.Remarks, Problem{first.File, first.Line,
		"unknown fields " + list + "; run `matchbook check` for suggestions"})
}
