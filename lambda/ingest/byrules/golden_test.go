package byrules

import (
	"fmt"
	"maps"
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
		golden.Exact(t, file+".txt", strings.Join(slices.Compact(p.read), "\n"))
		if slices.Sort(p.changed); len(p.changed) > 0 {
			golden.Exact(t, file+"-changed.txt", strings.Join(slices.Compact(p.changed), "\n"))
		}
	})
	return p
}

// extract reads a paper, also with its lines changed.
func (p *papers) extract(pages transcript.Transcription, own ...document.Party) []extraction.Extraction {
	p.changed = append(p.changed, changed(pages, own))
	return p.asIs(pages, own...)
}

// asIs reads a paper.
func (p *papers) asIs(pages transcript.Transcription, own ...document.Party) []extraction.Extraction {
	found := Extract(pages, own...)
	for _, e := range found {
		p.read = append(p.read, everything(e)+labels(pages, e))
	}
	return found
}

// everything shows everything that was read.
func everything(e extraction.Extraction) string {
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
	return out.String()
}

// labels is the meaning of the labels on an extraction's pages, for the judge of another reading; see Labels.
func labels(pages transcript.Transcription, e extraction.Extraction) string {
	var out strings.Builder
	l := LabelsOf(pages, e.Pages, e.Type)
	fmt.Fprintf(&out, "  labels: %s %s\n", l.Type, l.Doubt)
	for _, d := range l.Days {
		fmt.Fprintf(&out, "    day %v own %v other %v due %v named %v\n", d.Readings, d.Own, d.Other, d.Due, d.Named)
	}
	for _, a := range l.Totals {
		fmt.Fprintf(&out, "    total %s\n", a.Canonical())
	}
	for _, name := range []string{e.Data.Supplier.Name, e.Data.Buyer.Name} {
		fmt.Fprintf(&out, "    %q side %s bank %v issues %v\n", name, l.Side(name), l.Bank(name), l.Issues(name))
	}
	own, others := Named(pages, e.Pages, e.Type)
	total, proved := Total(pages, e.Pages)
	fmt.Fprintf(&out, "    numbers %v, others %v, total %s proved %v\n", own, others, total.Canonical(), proved)
	e.Fields, e.Data.Taxes = maps.Clone(e.Fields), slices.Clone(e.Data.Taxes)
	AddUp(&e, pages)
	fmt.Fprintf(&out, "    adds up with %s and %s, %d rates\n", e.Data.Subtotal.Canonical(), e.Data.Tax.Canonical(), len(e.Data.Taxes))
	return out.String()
}
