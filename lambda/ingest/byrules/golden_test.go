package byrules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/golden"
)

// papers compares everything that is read from a test's papers, with quotes, pages and trust, with
// a file. Use -update if a rule changes what it reads, and read the difference.
type papers struct{ read, changed []string }

func newPapers(t *testing.T, file string) *papers {
	p := &papers{}
	t.Cleanup(func() {
		slices.Sort(p.read) // whatever their order
		golden.Compare(t, file+".txt", strings.Join(slices.Compact(p.read), "\n"))
		slices.Sort(p.changed)
		golden.Compare(t, file+"-changed.txt", strings.Join(slices.Compact(p.changed), "\n"))
	})
	return p
}

// extract reads a paper.
func (p *papers) extract(pages transcript.Transcription, own ...document.Party) []extraction.Extraction {
	found := Extract(pages, own...)
	p.changed = append(p.changed, changed(pages, own))
	for _, e := range found {
		var out strings.Builder
		fmt.Fprintf(&out, "%s %s confidence, pages %v, missing %v\n", e.Type, e.Confidence, e.Pages, e.Missing)
		for _, v := range extraction.Values(e.Data) {
			f := e.Fields[v.Path]
			fmt.Fprintf(&out, "  %s = %s (%s, page %d, %q)\n", v.Path, v.Text, f.Trust, f.Page, f.Quote)
		}
		for _, r := range e.Data.References {
			fmt.Fprintf(&out, "  cites %s %s\n", r.Type, r.Number)
		}
		for _, d := range e.Doubts {
			fmt.Fprintf(&out, "  doubt about %q: %s\n", d.Field, d.Text)
		}
		p.read = append(p.read, out.String())
	}
	return found
}
