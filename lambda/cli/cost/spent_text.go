package cost

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli/term"
)

var costColumns = []string{"day", "model", "calls", "unusable", "prompt", "completion", "embedded", "tokens",
	"USD ", "calls saved", "emb. saved", "USD saved "}

// Text returns the report for people.
func (r *Spent) Text() string {
	p := &term.Page{}
	if len(r.Days) == 0 {
		when := ""
		if r.Since != "" {
			when = " since " + r.Since
		}
		p.Line("Nothing was spent%s: no answer and no embedding was bought.", when)
		return p.String()
	}
	t := costTable{}
	days := r.Days
	for _, tenant := range r.Tenants {
		t = append(t, []string{"TENANT " + tenant.TenantID.String()}, costColumns)
		previous := ""
		for len(days) > 0 && *days[0].TenantID == *tenant.TenantID {
			day := days[0].Day
			if day == previous {
				day = ""
			}
			previous = days[0].Day
			t = append(t, days[0].row(day))
			days = days[1:]
		}
		t = append(t, tenant.row("sum"), nil)
	}
	if len(r.Tenants) > 1 || len(r.Models) > 1 {
		t = append(t, []string{"ALL"}, costColumns)
		for _, m := range r.Models {
			t = append(t, m.row(""))
		}
		t = append(t, r.Total.row("sum"), nil)
	}
	t.print(p)
	r.notes(p)
	return p.String()
}

func (r *Spent) notes(p *term.Page) {
	if len(r.WithoutPrice) > 0 {
		p.Line("- is an unknown amount; + marks a sum that leaves some out. Missing prices:")
		for _, m := range r.WithoutPrice {
			p.Line("  %s", term.Clean(m, term.MaxValue))
		}
	}
	from := "built in"
	if r.Prices.File != "" {
		from = term.Clean(r.Prices.File, term.MaxValue)
	}
	date, source := term.Clean(r.Prices.Date, term.MaxValue), term.Clean(r.Prices.Source, term.MaxText)
	p.Hang("Prices  ", fmt.Sprintf("%s, of %s: %s.", from, cmp.Or(date, "-"), cmp.Or(source, "-")))
	if r.Prices.File == "" {
		p.Hang("        ", "Discounts are not included, so the provider's bill counts. Use --prices FILE for your own prices.")
	}
	p.Hang("Saved   ", "is the price of reused answers and embeddings, on the day they were bought.")
}

// costTable has a cell per column in each row. A row with one cell is a title, an empty row
// an empty line.
type costTable [][]string

// print aligns the rows and leaves empty columns out.
func (t costTable) print(p *term.Page) {
	widths := make([]int, len(costColumns))
	used := make([]bool, len(costColumns))
	for _, row := range t {
		if len(row) != len(costColumns) {
			continue
		}
		for i, cell := range row {
			widths[i] = max(widths[i], term.Columns(cell))
			used[i] = used[i] || cell != "" && cell != costColumns[i]
		}
	}
	for _, row := range t {
		if len(row) != len(costColumns) {
			p.Line("%s", strings.Join(row, ""))
			continue
		}
		var line strings.Builder
		for i, cell := range row {
			switch {
			case !used[i]:
			case i < 2: // the day and the model
				line.WriteString("  " + term.Pad(cell, widths[i]))
			default:
				line.WriteString(strings.Repeat(" ", 2+widths[i]-term.Columns(cell)) + cell)
			}
		}
		p.Line("%s", line.String())
	}
}

func (b expense) row(day string) []string {
	calls := numbers(b.Calls > 0, b.Calls, b.Unusable, b.PromptTokens, b.CompletionTokens, b.CallsSaved)
	embeddings := numbers(b.Embeddings > 0, b.Embeddings, int(b.EmbeddingTokens+0.5), b.EmbeddingsSaved)
	return slices.Concat([]string{day, term.Clean(b.Model, term.MaxValue)}, calls[:4], embeddings[:2],
		[]string{money(b.USD, b.Incomplete), calls[4], embeddings[2], money(b.USDSaved, b.Incomplete)})
}

// numbers formats the numbers, or returns empty cells if they don't apply.
func numbers(apply bool, list ...int) (cells []string) {
	for _, n := range list {
		cell := ""
		if apply {
			cell = strconv.Itoa(n)
		}
		cells = append(cells, cell)
	}
	return cells
}

// money formats USD. A + means that unknown amounts come on top; otherwise a space keeps the
// columns aligned.
func money(usd *float64, incomplete bool) string {
	if usd == nil {
		return "- "
	}
	s := strconv.FormatFloat(*usd, 'f', 4, 64)
	if *usd > 0 && *usd < 0.0001 {
		s = "<0.0001"
	}
	if incomplete {
		return s + "+"
	}
	return s + " "
}
