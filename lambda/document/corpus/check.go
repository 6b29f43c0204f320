package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
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
		if p.Unknown {
			in.unknown[p.Path[strings.LastIndexByte(p.Path, '.')+1:]]++
		}
		if in.DepartureCount++; len(in.Departures) < maxDepartures {
			in.Departures = append(in.Departures, Departure{file, line, p})
		}
	}
}

// remarkUnknown adds one remark about all fields unknown to matching, the most frequent first.
func (in *Input) remarkUnknown() {
	i := slices.IndexFunc(in.Departures, func(d Departure) bool { return d.Unknown })
	if i < 0 {
		return
	}
	const most = 8
	first, names := in.Departures[i], slices.SortedFunc(maps.Keys(in.unknown), func(a, b string) int {
		return cmp.Or(cmp.Compare(in.unknown[b], in.unknown[a]), cmp.Compare(a, b))
	})
	shown := slices.Clone(names[:min(len(names), most)])
	for i, name := range shown {
		if n := in.unknown[name]; n > 1 {
			shown[i] = fmt.Sprintf("%s (%d times)", name, n)
		}
	}
	list := strings.Join(shown, ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	in.Remarks = append(in.Remarks, Problem{first.File, first.Line,
		"unknown fields " + list + "; run `matchbook check` for suggestions"})
}
