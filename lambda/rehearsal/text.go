package rehearsal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/term"

	"github.com/google/uuid"
)

// reportText writes a report for people.
type reportText struct {
	strings.Builder
	*Report
}

func (t *reportText) line(format string, args ...any) { fmt.Fprintf(&t.Builder, format+"\n", args...) }

func (t *reportText) problems() {
	for _, p := range t.Problems {
		t.line("MALFORMED %s: %s", p.Where(), p.What)
	}
	if len(t.Problems) > 0 {
		t.line("")
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
		t.line("TENANT %s", tenant)
		t.matches(tenant)
		t.open(tenant)
		t.clusters(tenant)
		t.threeWays(tenant)
		t.warnings(tenant)
		t.alone(tenant)
		t.unfinished(tenant)
		t.line("")
	}
}

func (t *reportText) matches(tenant uuid.UUID) {
	t.line("  Matches")
	for _, m := range t.Matches {
		if d := t.byID[m.A]; d == nil || d.TenantID != tenant {
			continue
		}
		t.line("    %.2f %-6s by %-5s  %s", m.Score, m.Confidence, m.DecidedBy, t.names(m.A, m.B))
		reasons := make([]string, len(m.Evidence))
		for i, e := range m.Evidence {
			reasons[i] = fmt.Sprintf("%+d %s", e.Points, term.Clean(e.Text, term.MaxText))
		}
		t.line("        %s", strings.Join(reasons, " "))
	}
}

// open shows the open questions, if there are any.
func (t *reportText) open(tenant uuid.UUID) {
	header := "  Open questions"
	for _, q := range t.Open {
		if d := t.byID[q.A]; d == nil || d.TenantID != tenant {
			continue
		}
		if header != "" {
			t.line("%s", header)
			header = ""
		}
		t.line("    %.2f  %s", q.Score, t.names(q.A, q.B))
		t.line("        %s", term.Clean(q.Why, term.MaxText))
	}
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
	t.line("  Clusters")
	for _, c := range t.Clusters {
		if d := t.byID[c.Documents[0]]; d.TenantID != tenant {
			continue
		}
		names := make([]string, len(c.Documents))
		for i, id := range c.Documents {
			names[i] = t.name(id)
		}
		t.line("    %s: %s", c.ID, strings.Join(names, ", "))
	}
}

func (t *reportText) alone(tenant uuid.UUID) {
	t.line("  Alone")
	for _, d := range t.Documents {
		if d.TenantID == tenant && d.AloneBecause != "" {
			t.line("    %s: %s", t.name(d.ID), d.AloneBecause)
		}
	}
}

func (t *reportText) unfinished(tenant uuid.UUID) {
	for _, d := range t.Documents {
		if d.TenantID == tenant && d.Status != "succeeded" {
			t.line("  %s %s after %d attempts: %s", strings.ToUpper(d.Status), t.name(d.ID), d.Attempts, d.Error)
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
	t.line("DELIVERIES")
	for _, settled := range slices.Sorted(maps.Keys(counts)) {
		t.line("  %4d %s", counts[settled], settled)
	}
	const most = 20
	for _, message := range messages[:min(most, len(messages))] {
		t.repeated(perMessage[message])
	}
	if more := len(messages) - most; more > 0 {
		t.line("  ... and %d more that took several deliveries (--json lists them all)", more)
	}
	t.line("")
}

// repeated shows the deliveries of one message.
func (t *reportText) repeated(list []delivery) {
	steps := make([]string, len(list))
	for i, d := range list {
		steps[i] = fmt.Sprintf("+%s %s", time.Duration(d.Seconds)*time.Second, d.Settled)
	}
	t.line("  %s: %s", t.name(list[0].Document), strings.Join(steps, ", "))
}

func (t *reportText) accounting() {
	a := t.Accounting
	if a.Kills > 0 {
		t.line("KILLS      the function's process was killed %d times (seed %d)", a.Kills, a.Seed)
	}
	t.line("ACCOUNTING published %d = succeeded %d + failed %d + pending %d + in the DLQ %d",
		a.Published, a.Succeeded, a.Failed, a.Pending, a.InDLQ)
	if a.Malformed > 0 {
		t.line("           and %d malformed, not published", a.Malformed)
	}
	if a.Resumed > 0 {
		t.line("           %d of them had succeeded in an earlier run (--again matches them again)", a.Resumed)
	}
	t.line("           %d matches, %d clusters, %.1f s", len(t.Matches), len(t.Clusters), a.Seconds)
	if a.Interrupted {
		t.line("           interrupted: with --keep the next run continues")
	}
}

func (t *reportText) model() {
	name := "MODEL"
	for _, line := range t.Model.Lines() {
		t.line("%-10s %s", name, line)
		name = ""
	}
}
