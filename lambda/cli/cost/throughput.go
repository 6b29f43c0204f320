package cost

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
)

// Throughput is the report of capacity.
type Throughput struct {
	Capacity
	Table  []capacityCell `json:"table"`
	Others []PieceRate    `json:"others"` // pieces of each other workload an hour
	system System
}

// capacityCell is the capacity of the same system with another concurrency
// and latency.
type capacityCell struct {
	Concurrency int     `json:"concurrency"`
	Latency     string  `json:"latency"`
	Documents   float64 `json:"documents_per_hour"`
	Binding     string  `json:"binding"`
}

// The rows and columns of the table, beside the given ones.
var (
	tableConcurrency = []int{2, 8, 18, 50}
	tableLatency     = []Latency{
		{Min: 500 * time.Millisecond, Max: time.Second},
		{Min: time.Second, Max: 4 * time.Second},
		{Min: 5 * time.Second, Max: 20 * time.Second},
	}
)

// Throughput calculates the capacity, and the table: the capacity of the system
// with other concurrencies and latencies.
func (s System) Throughput() *Throughput {
	r := &Throughput{Capacity: s.Capacity(), system: s}
	if r.Problems == nil {
		r.Problems = []string{}
	}
	for _, concurrency := range r.concurrencies() {
		for _, latency := range r.latencies() {
			s.Concurrency, s.Latency = concurrency, latency
			c := s.Capacity()
			r.Table = append(r.Table, capacityCell{concurrency, latencyText(latency), c.Documents, c.Binding})
		}
	}
	return r
}

func (r *Throughput) concurrencies() []int {
	list := append(slices.Clone(tableConcurrency), r.system.Concurrency)
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *Throughput) latencies() []Latency {
	list := append(slices.Clone(tableLatency), r.system.Latency)
	slices.SortFunc(list, func(a, b Latency) int { return int(a.Min + a.Max - b.Min - b.Max) })
	return slices.Compact(list)
}

// Page returns the report for people.
func (r *Throughput) Page() *term.Sheet {
	s := &term.Sheet{}
	s.Say(r.summary())
	for _, p := range r.Problems {
		s.Say("It cannot work: " + p + ".")
	}
	rows := [][]string{{"limit", "documents an hour"}}
	for _, l := range r.Limits {
		rows = append(rows, []string{l.Name, grouped(l.Documents)})
	}
	s.Table(rows)
	for _, l := range r.Limits[:min(2, len(r.Limits))] {
		s.Say(fmt.Sprintf("%s: %s. To change it, %s.", capital(l.Name), l.Why, l.Change))
	}
	s.Say("Documents an hour, and the limit, with other invocations at a time and other answers of the model:")
	s.Table(r.table())
	if len(r.Others) > 0 {
		sayRates(s, r.Others)
	}
	return s
}

func (r *Throughput) summary() string {
	y := r.system
	text := fmt.Sprintf("%s documents an hour, with MaximumConcurrency %d, %g questions per document, "+
		"answers that take %s, and %d tenants. Limited by: %s.",
		grouped(r.Documents), y.Concurrency, y.Questions, latencyText(y.Latency), y.Tenants, r.Binding)
	if r.Concurrency < y.Concurrency {
		text += fmt.Sprintf(" MaximumConcurrency %d is enough for that; "+
			"with more, invocations wait or the provider refuses calls.", r.Concurrency)
	}
	return text
}

func (r *Throughput) table() [][]string {
	head := []string{"MaximumConcurrency"}
	for _, l := range r.latencies() {
		head = append(head, latencyText(l))
	}
	rows := [][]string{head}
	width := len(head) - 1
	for i, c := range r.Table {
		if i%width == 0 {
			rows = append(rows, []string{fmt.Sprint(c.Concurrency)})
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], grouped(c.Documents)+" ("+c.Binding+")")
	}
	return rows
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
