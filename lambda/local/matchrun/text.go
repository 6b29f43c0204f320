package matchrun

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// columns is the width of a report.
const columns = 80

// reportText writes a report for people.
type reportText struct {
	term.Page
	*Report
	verbose bool // with the evidence
}

// Text is the report for people: what became of the documents in all, then a line for
// each match, in lines of at most 80 columns. Verbose adds the evidence.
func (rep *Report) Text(verbose bool) string {
	t := &reportText{Page: term.Page{Width: columns}, Report: rep, verbose: verbose}
	t.accounting()
	t.model()
	t.problems()
	t.tenants()
	t.deliveries()
	t.notified()
	return t.String()
}

// Text shows the matches with their evidence, the open questions, the clusters and the
// documents that are alone.
func (f *Found) Text() string {
	t := &reportText{Page: term.Page{Width: columns}, Report: &Report{Found: *f}, verbose: true}
	t.tenants()
	return t.String()
}

func (t *reportText) accounting() {
	a := t.Accounting
	if a.Kills > 0 {
		t.summary("KILLS", "the function's process was killed %d times (seed %d)", a.Kills, a.Seed)
	}
	t.summary("ACCOUNTING", "published %d = succeeded %d + failed %d + pending %d + in the DLQ %d",
		a.Published, a.Succeeded, a.Failed, a.Pending, a.InDLQ)
	if a.Malformed > 0 {
		t.summary("", "and %d malformed, not published", a.Malformed)
	}
	if a.Resumed > 0 {
		t.summary("", "%d of them had succeeded in an earlier run (--again matches them again)", a.Resumed)
	}
	t.summary("", "%d matches, %d open questions, %d clusters, %d documents alone, %.1f s",
		len(t.Matches), len(t.Open), len(t.Clusters), t.countAlone(), a.Seconds)
	if a.Interrupted {
		t.summary("", "interrupted: with --keep the next run continues")
	}
	if !t.verbose && len(t.Matches)+len(t.Open) > 0 {
		t.summary("", "--verbose adds the evidence of each match and open question")
	}
}

// summary prints a line of the summary; a text that is indented stays so.
func (t *reportText) summary(head, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	text := strings.TrimLeft(line, " ")
	t.Hang(fmt.Sprintf("%-10s %s", head, line[:len(line)-len(text)]), text)
}

func (t *reportText) countAlone() (n int) {
	for _, d := range t.Documents {
		if d.AloneBecause != "" {
			n++
		}
	}
	return n
}

func (t *reportText) model() {
	head := "MODEL"
	for _, line := range t.Model.Lines() {
		t.summary(head, "%s", line)
		head = ""
	}
	t.Line("")
}

func (t *reportText) problems() {
	for _, p := range t.Problems {
		t.Hang("MALFORMED ", term.Clean(p.Where()+": "+p.What, term.MaxText))
	}
	if len(t.Problems) > 0 {
		t.Line("")
	}
}

func (t *reportText) tenants() {
	var tenants []uuid.UUID
	for _, d := range t.Documents {
		if !slices.Contains(tenants, d.TenantID) {
			tenants = append(tenants, d.TenantID)
		}
	}
	for _, tenant := range tenants {
		t.Line("TENANT %s", tenant)
		t.matches(tenant)
		t.open(tenant)
		t.clusters(tenant)
		t.threeWays(tenant)
		t.warnings(tenant)
		t.alone(tenant)
		t.unfinished(tenant)
		t.Line("")
	}
}

func (t *reportText) matches(tenant uuid.UUID) {
	t.Line("Matches")
	for _, m := range t.Matches {
		if !t.has(tenant, m.A) {
			continue
		}
		t.Hang(fmt.Sprintf("  %.2f %-6s %-6s  ", m.Score, m.Confidence, m.DecidedBy), t.names(m.A, m.B))
		if !t.verbose {
			continue
		}
		for _, e := range m.Evidence {
			t.Hang(fmt.Sprintf("      %+4d  ", e.Points), term.Clean(e.Text, term.MaxText))
		}
	}
}

// open shows the open questions, if there are any.
func (t *reportText) open(tenant uuid.UUID) {
	header := "Open questions\n"
	for _, q := range t.Open {
		if !t.has(tenant, q.A) {
			continue
		}
		t.WriteString(header)
		header = ""
		t.Hang(fmt.Sprintf("  %.2f  ", q.Score), t.names(q.A, q.B))
		if t.verbose {
			t.Hang("        ", term.Clean(q.Why, term.MaxText))
		}
	}
}

// has reports whether a document is the tenant's.
func (t *reportText) has(tenant, id uuid.UUID) bool {
	d := t.byID[id]
	return d != nil && d.TenantID == tenant
}

// names names two documents, the one that comes first in business first.
func (t *reportText) names(a, b uuid.UUID) string {
	if t.order(b) < t.order(a) {
		a, b = b, a
	}
	return t.name(a) + " -- " + t.name(b)
}

// order puts the order before the delivery, and that before the invoice.
func (t *reportText) order(id uuid.UUID) int {
	if d := t.byID[id]; d != nil {
		return slices.Index(document.Types, d.Type)
	}
	return len(document.Types)
}

func (t *reportText) clusters(tenant uuid.UUID) {
	t.Line("Clusters")
	for _, c := range t.Clusters {
		if !t.has(tenant, c.Documents[0]) {
			continue
		}
		names := make([]string, len(c.Documents))
		for i, id := range c.Documents {
			names[i] = t.name(id)
		}
		t.Hang("  - ", strings.Join(names, ", "))
	}
}

func (t *reportText) alone(tenant uuid.UUID) {
	t.Line("Alone")
	for _, d := range t.Documents {
		if d.TenantID == tenant && d.AloneBecause != "" {
			t.Hang("  - ", t.name(d.ID)+": "+d.AloneBecause)
		}
	}
}

func (t *reportText) unfinished(tenant uuid.UUID) {
	for _, d := range t.Documents {
		if d.TenantID == tenant && d.Status != "succeeded" {
			t.Hang("  "+strings.ToUpper(d.Status)+" ", fmt.Sprintf("%s after %d attempts: %s",
				t.name(d.ID), d.Attempts, term.Clean(d.Error, term.MaxText)))
		}
	}
}

// deliveries counts how messages were settled, and lists those that took more
// than one delivery.
func (t *reportText) deliveries() {
	counts := make(map[string]int)
	perMessage := make(map[string][]delivery)
	var messages []string
	for _, d := range t.Deliveries {
		counts[fmt.Sprintf("%s on delivery %d", d.Settled, d.Delivery)]++
		if perMessage[d.Message] = append(perMessage[d.Message], d); len(perMessage[d.Message]) == 2 {
			messages = append(messages, d.Message)
		}
	}
	t.Line("DELIVERIES")
	for _, settled := range slices.Sorted(maps.Keys(counts)) {
		t.Line("  %4d %s", counts[settled], settled)
	}
	const most = 20
	for _, message := range messages[:min(most, len(messages))] {
		t.repeated(perMessage[message])
	}
	if more := len(messages) - most; more > 0 {
		t.Line("  ... and %d more that took several deliveries (--json lists them all)", more)
	}
	t.Line("")
}

// repeated shows the deliveries of one message.
func (t *reportText) repeated(list []delivery) {
	steps := make([]string, len(list))
	for i, d := range list {
		steps[i] = fmt.Sprintf("+%s %s", time.Duration(d.Seconds)*time.Second, d.Settled)
	}
	t.Hang("  - ", t.name(list[0].Document)+": "+strings.Join(steps, ", "))
}

// threeWays shows the comparison of the tenant's invoices with their orders and
// receipts: the number that are matched in every line, and each that is not, with its
// lines if verbose.
func (t *reportText) threeWays(tenant uuid.UUID) {
	all, differ := 0, []report.ThreeWay{}
	for _, w := range t.ThreeWay {
		if !t.has(tenant, w.ID) {
			continue
		}
		if all++; w.Verdict != "matched" {
			differ = append(differ, w)
		}
	}
	if all == 0 {
		return
	}
	t.Line("Three-way match: %d of %d invoices agree with their orders and receipts", all-len(differ), all)
	for _, w := range differ {
		sentences := w.Sentences(t.name)
		t.Hang("  - ", t.name(w.ID)+": "+term.Clean(sentences[0], term.MaxText))
		for _, s := range sentences[1:] {
			if t.verbose {
				t.Hang("    - ", term.Clean(s, term.MaxText))
			}
		}
	}
}

// warnings shows the warnings about the documents of a tenant, if there are any.
func (t *reportText) warnings(tenant uuid.UUID) {
	header := "Warnings\n"
	for _, w := range t.Warnings {
		if !t.has(tenant, w.Document) {
			continue
		}
		t.WriteString(header)
		header = ""
		t.Hang("  - ", fmt.Sprintf("%s  %s -- %s", w.Kind, t.name(w.Document), t.name(w.Other)))
		t.Hang("    ", term.Clean(w.Words, term.MaxText))
	}
}
