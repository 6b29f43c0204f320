package cost

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"matchbook/lambda/cli/term"
)

// Page returns the report for people.
func (r *Forecast) Page() *term.Sheet {
	s := &term.Sheet{}
	s.Say(fmt.Sprintf("The cost of a month, in USD, where rules leave %s in 100 documents open "+
		"and %s is asked about those:",
		short(100*r.load.Questions), term.Clean(r.Model, term.MaxValue)))
	s.Table(r.parts())
	s.Say("The lever is the share that rules decide. In all, and for the model alone:")
	s.Table(r.lever())
	s.Say(fmt.Sprintf("At %s documents a month:", grouped(r.largest().Documents)))
	s.Chart(r.chart()...)
	if len(r.Others) > 0 {
		sayCosts(s, r.Others)
	}
	s.Say(r.assumptions())
	s.Say(r.sources())
	return s
}

func (r *Forecast) largest() Bill {
	best := r.Bills[0]
	for _, b := range r.Bills {
		if b.Documents > best.Documents {
			best = b
		}
	}
	return best
}

// parts is a table with a line for each part of the bill.
func (r *Forecast) parts() [][]string {
	line := func(name string, value func(Bill) string) (cells []string) {
		cells = []string{name}
		for _, b := range r.Bills {
			cells = append(cells, value(b))
		}
		return cells
	}
	rows := [][]string{line("documents a month", func(b Bill) string { return grouped(b.Documents) })}
	for _, part := range parts {
		rows = append(rows, line(r.described(part), func(b Bill) string { return usd(b.Part(part)) }))
	}
	rows = append(rows, line("sum", func(b Bill) string { return usd(b.USD) }),
		line("of it without any document", func(b Bill) string { return usd(b.Fixed()) }))
	if r.load.Aurora {
		rows = append(rows, line("sum with a database that is paid for anyway", func(b Bill) string {
			return usd(b.USD - b.Part(partDatabase) - b.Part(partNetwork))
		}))
	}
	return append(rows, line("sum per 1,000 documents", func(b Bill) string {
		if b.Documents == 0 {
			return "-"
		}
		return usd(b.USD / b.Documents * 1000)
	}))
}

func (r *Forecast) described(part string) string {
	switch {
	case part == partDatabase && r.load.Aurora:
		return "Database (Aurora Serverless v2)"
	case part == partDatabase:
		return "Database (paid for anyway)"
	case part == partNetwork:
		return "NAT gateway of its VPC"
	case part == partWatch:
		return "CloudWatch (logs, metrics, alarms)"
	case part == partSecrets:
		return "Secrets, keys, schedule"
	case part == partModel && r.load.Embeddings:
		return "Model, embeddings"
	}
	return part
}

// lever is a table with a line for each share of questions.
func (r *Forecast) lever() [][]string {
	head := []string{"questions per document"}
	for _, b := range r.Bills {
		head = append(head, grouped(b.Documents), "model alone")
	}
	rows := [][]string{head}
	for _, bills := range r.Lever {
		share := bills[0].Questions
		row := []string{fmt.Sprintf("%.2f, rules decide %s of 100", share, short(100*max(1-share, 0)))}
		for _, b := range bills {
			row = append(row, usd(b.USD), usd(b.Part(partModel)))
		}
		rows = append(rows, row)
	}
	return rows
}

const barColumns = 50

// chart is a bar for each share of questions, at the largest number of
// documents.
func (r *Forecast) chart() (lines []string) {
	var list []Bill
	most := 0.0
	for _, bills := range r.Lever {
		for _, b := range bills {
			if b.Documents == r.largest().Documents {
				list, most = append(list, b), max(most, b.USD)
				break
			}
		}
	}
	for _, b := range list {
		model := b.Part(partModel)
		whole := scaled(b.USD, most)
		filled := min(scaled(model, most), whole)
		bar := strings.Repeat("█", filled) + strings.Repeat("░", whole-filled)
		lines = append(lines, fmt.Sprintf("%5.2f  %s %s", b.Questions, bar, usd(b.USD)))
	}
	return append(lines, "       █ model   ░ everything else")
}

func scaled(v, most float64) int {
	if most == 0 {
		return 0
	}
	return int(math.Round(v / most * barColumns))
}

// short is a number without zeros at its end.
func short(v float64) string { return fmt.Sprintf("%g", math.Round(v*100)/100) }

// assumptions lists those with the largest influence.
func (r *Forecast) assumptions() string {
	l, m := r.load, r.Measured
	s := fmt.Sprintf("Assumed: list prices without free tiers in %s; a model that takes %s for an answer; "+
		"%s in an invocation of %d MB, which then takes %s on average",
		l.Prices.Region, latencyText(l.Latency), documentsText(l.BatchSize), l.MemoryMB, l.Batch(l.BatchSize).Round(1e6))
	if l.Aurora {
		l.Documents = r.largest().Documents
		idle, busy := l.ACUs()
		s += fmt.Sprintf("; all documents in %g hours a month, so that Aurora has %g ACU at least "+
			"and %g while it is busy with %s documents; documents kept for %g months",
			m.BusyHours.Value, idle, busy, grouped(r.largest().Documents), l.MonthsKept)
	}
	return s + fmt.Sprintf(". %s tokens for a question and %s for its answer, counted at 4 bytes a token "+
		"with an oracle for a model: a real one needs more.",
		short(m.PromptTokens.Value), short(m.AnswerTokens.Value))
}

func latencyText(l Latency) string {
	if l.Max == l.Min {
		return l.Min.String()
	}
	return l.Min.String() + " to " + l.Max.String()
}

func documentsText(n int) string {
	if n == 1 {
		return "one document"
	}
	return fmt.Sprintf("%d documents", n)
}

// sources names the origin of prices and measurements.
func (r *Forecast) sources() string {
	models := "built in"
	if r.ModelPrices.File != "" {
		models = term.Clean(r.ModelPrices.File, term.MaxValue)
	}
	note, date := term.Clean(r.Prices.Note, term.MaxText), term.Clean(r.ModelPrices.Date, term.MaxValue)
	return fmt.Sprintf("Prices of AWS: %s. Each has its date and source in lambda/cli/cost/prices.json. "+
		"Prices of models: %s, of %s. The needs of a document were measured (%s) on a machine that is not Lambda; "+
		"lambda/cli/cost/measured.json has the method of each figure, or states that it is assumed.",
		strings.TrimRight(note, "."), models, orDash(date), term.Clean(r.Measured.Date, term.MaxValue))
}

// usd is money for people: cents below 100, whole dollars above.
func usd(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.005:
		return "<0.01"
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return grouped(v)
}

// grouped is a whole number with commas.
func grouped(v float64) string {
	digits := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func orDash(s string) string { return cmp.Or(s, "-") }
