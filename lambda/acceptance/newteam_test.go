package acceptance_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/console"
	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/browser"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

// manyDocuments goes on behind the first program of INTEGRATE.md: orders, each with an
// invoice that cites it, and an order that two invoices fit equally well.
const manyDocuments = `
for n in range(%d):
    number, supplier = f"45{n:%s}", {"name": f"Supplier {n} GmbH"}
    insert(tenant, "purchase-order", {"number": number, "supplier": supplier, "total": f"{n}.50"})
    insert(tenant, "invoice", {"number": "RE-" + number, "supplier": supplier, "total": f"{n}.50",
                               "references": [{"type": "purchase-order", "number": number}]})

lamps = {"supplier": {"name": "Lampenhaus Wittmann"}, "line_items": [{"sku": "L-20", "quantity": "20"}]}
insert(tenant, "purchase-order", {"number": "4600000107", "date": "2026-03-02", **lamps})
insert(tenant, "invoice", {"number": "RE-2026-0881", "date": "2026-03-12", **lamps})
insert(tenant, "invoice", {"number": "RE-2026-0893", "date": "2026-03-12", **lamps})
`

// A team that has read INTEGRATE.md and no line of Go: its program in Python inserts
// documents, the functions match them, its receiver has exactly the matches of the view,
// a person confirms in the browser what was left open, and the receiver has that, too.
// .ci/new-team runs it with 1,000 documents.
func TestNewTeam(t *testing.T) {
	testenv.OnlyThorough(t, "is what .ci/new-team runs")
	t.Parallel()
	for _, program := range []string{"python3", "psql", "chromium"} {
		testenv.Program(t, program, "apt-get install python3 postgresql-client chromium")
	}
	const pairs = 498
	documents := 2 + 2*pairs + 3
	port, matches := receiverOfPage(t)
	l := newLineAt(t, time.Time{}, 4, func(c *local.FunctionConfig) {
		c.Env = append(c.Env, variable.EventsWebhookURL+"=http://127.0.0.1:"+port, variable.EventsWebhookSecret+"="+hookSecret)
	})
	insert := exec.CommandContext(t.Context(), "python3", "-c", pageExample(t, "python")+fmt.Sprintf(manyDocuments, pairs, "08d"))
	insert.Env = append(os.Environ(), "DATABASE_URL="+l.conn.Config().ConnString())
	if out, err := insert.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l.settles(t, documents)
	l.receives(t, matches, 1+pairs)
	if n := query[int](l, "SELECT count(*) FROM matchbook_open_question"); n != 2 {
		t.Fatalf("%d open questions, want those of the two invoices over lamps", n)
	}

	l.confirms(t)
	if got := query[string](l, "SELECT verdict || ' by ' || decided_by || ', ' || origin FROM matchbook_decision"); got != "confirmed by Paula, console" {
		t.Errorf("the decision is %q", got)
	}
	l.settles(t, documents)
	l.receives(t, matches, 1+pairs+1)
	if n := query[int](l, "SELECT count(*) FROM event WHERE kind = 'decision.made' AND delivered_at IS NOT NULL"); n != 1 {
		t.Errorf("%d decisions arrived at the receiver, want 1", n)
	}
}

// settles sweeps until all documents have succeeded.
func (l *line) settles(t *testing.T, documents int) {
	t.Helper()
	waitFor(t, "all documents succeed", func() bool {
		if query[int](l, "SELECT count(*) FROM matchbook_document_state WHERE status = 'succeeded'") == documents {
			return true
		}
		must.OK(t, l.Advance(t.Context(), time.Minute+time.Second))
		l.sweepFunction()
		return false
	})
}

// confirms opens the console in a browser, and confirms the first open question.
func (l *line) confirms(t *testing.T) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(testLog{t}, nil))
	pages := must.Get(console.New(console.Config{DB: postgrestest.Open(t, l.conn.Config().ConnString()), Log: log}))(t)
	local := login.NewLocal(login.Person{ID: "paula", Name: "Paula", Roles: map[uuid.UUID]login.Role{uuid.Nil: login.Operator}})
	server := httptest.NewServer(local.Handler(log, pages))
	t.Cleanup(server.Close)
	p := browser.Open(t, 1000, 700)
	p.Run(chromedp.Navigate(server.URL+local.Link()), chromedp.Navigate(server.URL+"/open"),
		chromedp.Click(".items a.button"), chromedp.Click(`button[value="confirmed"]`), chromedp.WaitVisible(".done"))
	if text := p.Text("body"); !strings.Contains(text, "a person confirmed it") {
		t.Errorf("the page shows %q", text)
	}
}
