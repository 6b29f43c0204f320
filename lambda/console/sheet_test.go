package console_test

import (
	"encoding/csv"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

// sheet reads a CSV file: its header and rows.
func (c *client) sheet(path string) [][]string {
	c.t.Helper()
	text, marked := strings.CutPrefix(c.page(path).body, "\ufeff")
	if !marked {
		c.t.Errorf("%s: no mark of UTF-8", path)
	}
	return must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())(c.t)
}

func TestListsAsCSV(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := doc(1, tenantA, document.Invoice, `{"number":"=1+1","date":"2026-03-02","currency":"EUR","total":"119.5","supplier":{"name":"@Übel, \"AG\""}}`)
	b := doc(2, tenantA, document.CreditNote, `{"number":"G-7","date":"2026-03-03","currency":"EUR","total":"-20","supplier":{"name":"-2 Nordlicht OHG"}}`)
	s.add(a, b, doc(3, tenantB, document.Invoice, `{"number":"SECRET","total":"1"}`))
	s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = '+out of time' WHERE tenant_id = $1", tenantA)
	c := s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer})
	got := c.sheet("/documents.csv?type=invoice&state=failed")
	if len(got) != 2 || !slices.Equal(slices.Delete(got[1], 6, 7), []string{"invoice", "'=1+1", `'@Übel, "AG"`, "2026-03-02", "119.50", "EUR", "failed",
		"'+out of time", "", a.ID.String()}) {
		t.Errorf("documents: %q", got)
	}
	if got := c.sheet("/documents.csv?q=G-7"); len(got) != 2 || got[1][2] != "'-2 Nordlicht OHG" || got[1][4] != "-20.00" {
		t.Errorf("a search: %q", got)
	}
	got = c.sheet("/open.csv?kind=failed")
	if len(got) != 3 || !slices.Equal(slices.Delete(got[1], 2, 3), []string{"failed", "119.50", "invoice", "'=1+1", `'@Übel, "AG"`, "", a.ID.String(),
		"", "", "", "", "'+out of time"}) {
		t.Errorf("what waits: %q", got)
	}
	compare(t, "sheets", c.page("/documents.csv"), c.page("/documents.csv?q=G-7"), c.page("/open.csv"), c.page("/documents?type=credit-note&state=failed"))
	// The file begins where the page does, and the page leads to it.
	page := c.page("/documents?state=failed")
	if !strings.Contains(page.body, `href="/documents.csv?state=failed&amp;tenant=`+tenantA.String()+`"`) {
		t.Errorf("no link in %s", page.body)
	}
	for list, filter := range map[string]string{"documents": "by=number&q=G-7&state=failed", "open": "all=1&assigned=Ben&kind=failed",
		"invoices": "of=matched&state=approved", "todo": "assigned=Ben&kind=failed"} {
		filter += "&tenant=" + tenantA.String()
		if a := c.page("/" + list + "?" + filter); !strings.Contains(html.UnescapeString(a.body), `href="/`+list+`.csv?`+filter+`"`) {
			t.Errorf("/%s: the filter %s is lost in %s", list, filter, a.body)
		}
	}
	for _, path := range []string{"/open.csv?kind=x", "/documents.csv?state=x", "/open.csv?after=x", "/open.csv?tenant=" + tenantB.String(),
		"/documents.csv?tenant=" + tenantB.String()} {
		if a := c.get(path); a.code != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.code)
		}
	}
}
