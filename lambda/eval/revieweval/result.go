package revieweval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/review/record"
)

// Result compares the findings with the labels.
type Result struct {
	Dir        string      `json:"dir"`
	Model      string      `json:"model"`
	Contracts  int         `json:"contracts"`
	Chunks     int         `json:"chunks"`
	Calls      int         `json:"calls"`
	Findings   int         `json:"findings"`
	Unverified int         `json:"unverified"` // findings and marks without their quote at their place
	Gaps       int         `json:"gaps"`       // incompletely read chunks
	Reasons    []string    `json:"reasons"`    // of the first gaps
	Lost       []string    `json:"lost"`       // labels missing from their contract
	Critical   Share       `json:"critical"`   // contracts with a critical finding exactly if liability is labelled uncapped
	Categories []*Category `json:"categories"`
	All        *Category   `json:"all"`
}

// Category is the comparison for one category. A contract truly has it if there is a label,
// and is predicted to have it if there is a mark.
type Category struct {
	Name      record.Category `json:"category"`
	TP        int             `json:"tp"` // contracts
	FP        int             `json:"fp"`
	FN        int             `json:"fn"`
	Recall    Share           `json:"recall"`    // of contracts
	Precision Share           `json:"precision"` // of contracts
	Spans     Share           `json:"spans"`     // labels overlapping a mark
	Marks     Share           `json:"marks"`     // marks overlapping a label
}

// Share is the fraction Count/Of.
type Share struct{ Count, Of int }

// String returns the share, from 0 to 1, or "-" if undefined.
func (s Share) String() string {
	if s.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(s.Count)/float64(s.Of))
}

// below reports whether the share is below a bar, or undefined.
func (s Share) below(bar float64) bool { return s.Of == 0 || float64(s.Count) < bar*float64(s.Of) }

// MarshalJSON adds the quotient, or null if undefined.
func (s Share) MarshalJSON() ([]byte, error) {
	out := struct {
		Count int      `json:"count"`
		Of    int      `json:"of"`
		Share *float64 `json:"share"`
	}{s.Count, s.Of, nil}
	if s.Of > 0 {
		quotient := float64(s.Count) / float64(s.Of)
		out.Share = &quotient
	}
	return json.Marshal(out)
}

func newResult(model string) *Result {
	r := &Result{Model: model, All: &Category{Name: "all"}, Reasons: []string{}, Lost: []string{}}
	for _, c := range record.All() {
		r.Categories = append(r.Categories, &Category{Name: c})
	}
	return r
}

// maxReasons is the maximum number of gaps listed with their reason.
const maxReasons = 5

// add adds a contract's readings.
func (r *Result) add(c Contract, chunks []chunkRead) {
	r.Contracts++
	r.Chunks += len(chunks)
	for _, lost := range c.Lost {
		r.Lost = append(r.Lost, c.Name+": "+lost)
	}
	var marks []record.Mark
	critical := false
	for i, chunk := range chunks {
		r.Calls += chunk.calls
		r.Findings += len(chunk.findings)
		marks = append(marks, chunk.marks...)
		for _, f := range chunk.findings {
			critical = critical || f.Severity == record.Critical
			r.verify(c, f.Quote, f.Start, f.End)
		}
		if chunk.gap == "" {
			continue
		}
		if r.Gaps++; len(r.Reasons) < maxReasons {
			r.Reasons = append(r.Reasons, fmt.Sprintf("%s, chunk %d: %s", c.Name, i+1, chunk.gap))
		}
	}
	uncapped := slices.ContainsFunc(c.Spans, func(s Span) bool { return s.Category == record.UncappedLiability })
	if r.Critical.Of++; critical == uncapped {
		r.Critical.Count++
	}
	for _, m := range marks {
		r.verify(c, m.Quote, m.Start, m.End)
	}
	for _, category := range r.Categories {
		category.add(c.Spans, marks)
	}
}

func (r *Result) verify(c Contract, quote string, start, end int) {
	if start < 0 || end > len(c.Text) || start >= end || c.Text[start:end] != quote {
		r.Unverified++
	}
}

// add compares one contract by the union of its chunks' marks.
func (c *Category) add(spans []Span, marks []record.Mark) {
	labelled, marked := 0, 0
	overlap := func(s Span, m record.Mark) bool {
		return m.Category == c.Name && s.Category == c.Name && s.Start < m.End && m.Start < s.End
	}
	for _, s := range spans {
		if s.Category != c.Name {
			continue
		}
		labelled++
		for _, m := range marks {
			if overlap(s, m) {
				c.Spans.Count++
				break
			}
		}
	}
	for _, m := range marks {
		if m.Category != c.Name {
			continue
		}
		marked++
		for _, s := range spans {
			if overlap(s, m) {
				c.Marks.Count++
				break
			}
		}
	}
	c.Spans.Of += labelled
	c.Marks.Of += marked
	switch {
	case labelled > 0 && marked > 0:
		c.TP++
	case labelled > 0:
		c.FN++
	case marked > 0:
		c.FP++
	}
}

// close computes the shares and the sums.
func (r *Result) close() {
	for _, c := range r.Categories {
		c.rate()
		r.All.TP += c.TP
		r.All.FP += c.FP
		r.All.FN += c.FN
		r.All.Spans = Share{r.All.Spans.Count + c.Spans.Count, r.All.Spans.Of + c.Spans.Of}
		r.All.Marks = Share{r.All.Marks.Count + c.Marks.Count, r.All.Marks.Of + c.Marks.Of}
	}
	r.All.rate()
}

func (c *Category) rate() { c.Recall, c.Precision = Share{c.TP, c.TP + c.FN}, Share{c.TP, c.TP + c.FP} }

// Text returns the result for people. Use JSON for programs.
func (r *Result) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("CONTRACTS %s, --model %s", r.Dir, r.Model)
	line("  contracts   %d in %s, %s, %s", r.Contracts, plural.Of(r.Chunks, "chunk", "chunks"),
		plural.Of(r.Calls, "model call", "model calls"), plural.Of(r.Findings, "finding", "findings"))
	if r.Unverified == 0 {
		line("  quotes      all found at their place")
	} else {
		line("  UNVERIFIED  %s", plural.Of(r.Unverified, "quote isn't at its place", "quotes aren't at their place"))
	}
	line("  critical    right in %d of %s", r.Critical.Count, plural.Of(r.Critical.Of, "contract", "contracts"))
	if r.Gaps > 0 {
		line("  GAPS        %s not read:", plural.Of(r.Gaps, "chunk", "chunks"))
		for _, reason := range r.Reasons {
			line("    %s", term.Clean(reason, term.MaxText))
		}
	}
	const columns = "  %-28s %4v %4v %4v %8s %10s   %-14s %s"
	line("")
	line(columns, "", "tp", "fp", "fn", "recall", "precision", "labels marked", "marks labelled")
	for _, c := range append(r.Categories, r.All) {
		line(columns, c.Name, c.TP, c.FP, c.FN, c.Recall, c.Precision,
			fmt.Sprintf("%d of %d", c.Spans.Count, c.Spans.Of), fmt.Sprintf("%d of %d", c.Marks.Count, c.Marks.Of))
	}
	if len(r.Lost) > 0 {
		line("")
		line("  %s not found in the contract and not counted", plural.Of(len(r.Lost), "label", "labels"))
	}
	return b.String()
}
