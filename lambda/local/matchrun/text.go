package matchrun

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/match/threeway"
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

// Text returns the report for people: a summary of the documents, then a line per match, at
// most 80 columns wide. Use verbose to add the evidence.
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

// Text returns the matches with their evidence, the open questions, the clusters and the
// documents without matches.
func (f *Found) Text() string {
	t := &reportText{Page: term.Page{Width: columns}, Report: &Report{Found: *f}, verbose: true}
	t.tenants()
	return t.String()
}

func (t *reportText) accounting() {
	a := t.Accounting
	if a.Kills > 0 {
		t.summary("KILLS", "the function's process was killed %s (seed %d)", plural.Of(a.Kills, "time", "times"), a.Seed)
	}
	t.summary("ACCOUNTING", "published %d = succeeded %d + failed %d + pending %d + in the DLQ %d",
		a.Published, a.Succeeded, a.Failed, a.Pending, a.InDLQ)
	if a.Malformed > 0 {
		t.summary("", "and %d malformed, not published", a.Malformed)
	}
	if a.Resumed > 0 {
		t.summary("", "%d of them succeeded in an earlier run (use --again to match them again)", a.Resumed)
	}
	t.summary("", "%s, %s, %s, %s alone, %.1f s",
		plural.Of(len(t.Matches), "match", "matches"), plural.Of(len(t.Open), "open question", "open questions"),
		plural.Of(len(t.Clusters), "cluster", "clusters"), plural.Of(t.countAlone(), "document", "documents"), a.Seconds)
	if a.Interrupted {
		t.summary("", "interrupted: use --keep to let the next run continue")
	}
	if !t.verbose && len(t.Matches)+len(t.Open) > 0 {
		t.summary("", "use --verbose for the evidence of each match and open question")
	}
}

// summary prints a line of the summary and keeps its indentation.
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
	if t.Accounting.Failed > 0 && t.Model.Mode != scripted.ModeNone {
		t.summary("", "calls without an answer, such as refused ones, are not counted: see FAILED below")
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

// open prints the open questions, if any.
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

// has reports whether a document belongs to the tenant.
func (t *reportText) has(tenant, id uuid.UUID) bool {
	d := t.byID[id]
	return d != nil && d.TenantID == tenant
}

// names returns the names of two documents in business order.
func (t *reportText) names(a, b uuid.UUID) string {
	if t.order(b) < t.order(a) {
		a, b = b, a
	}
	return t.name(a) + " -- " + t.name(b)
}

// order ranks an order before its delivery, and a delivery before its invoice.
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
			t.Hang("  "+strings.ToUpper(d.Status)+" ", fmt.Sprintf("%s after %s: %s",
				t.name(d.ID), plural.Of(d.Attempts, "attempt", "attempts"), term.Clean(d.Error, term.MaxText)))
		}
	}
}

// deliveries counts the settlements, and lists messages with more than one delivery.
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
		t.Line("  ... and %d more with several deliveries (use --json for all)", more)
	}
	t.Line("")
}

// repeated prints the deliveries of one message.
func (t *reportText) repeated(list []delivery) {
	steps := make([]string, len(list))
	for i, d := range list {
		steps[i] = fmt.Sprintf("+%s %s", time.Duration(d.Seconds)*time.Second, d.Settled)
	}
	t.Hang("  - ", t.name(list[0].Document)+": "+strings.Join(steps, ", "))
}

// threeWays prints the comparison of the tenant's invoices with their orders and receipts: the
// number of full agreements, and each difference, with its lines if verbose.
func (t *reportText) threeWays(tenant uuid.UUID) {
	all, unreceived, differ := 0, 0, []report.ThreeWay{}
	for _, w := range t.ThreeWay {
		if !t.has(tenant, w.ID) {
			continue
		}
		if all++; !w.Verdict.Agrees() {
			differ = append(differ, w)
		}
		if w.Verdict == threeway.NotReceived && len(w.Receipts) == 0 {
			unreceived++
		}
	}
	if all == 0 {
		return
	}
	t.Line("Three-way match: %d of %d invoices agree with their orders and receipts", all-len(differ), all)
	if unreceived > 0 {
		t.Hang("  ", fmt.Sprintf("%d without any receipt; use matchbook tolerance set --needs-receipt=false if there are none", unreceived))
	}
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

// warnings prints the warnings about a tenant's documents, if any.
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
