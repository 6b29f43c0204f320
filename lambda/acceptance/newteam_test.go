package acceptance_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/browser"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/manifest/variable"

	"github.com/chromedp/chromedp"
)

// manyDocuments goes on behind the first program of INTEGRATE.md: orders, each with an
// invoice that cites it, an order that two invoices fit equally well, an invoice that comes
// twice, and one with a total that is no number.
const manyDocuments = `
for n in range(%d):
    number, supplier = f"45{n:08d}", {"name": f"Supplier {n} GmbH"}
    insert(tenant, "purchase-order", {"number": number, "supplier": supplier, "total": f"{n}.50"})
    insert(tenant, "invoice", {"number": "RE-" + number, "supplier": supplier, "total": f"{n}.50",
                               "references": [{"type": "purchase-order", "number": number}]})

lamps = {"supplier": {"name": "Lampenhaus Wittmann"}, "line_items": [{"sku": "L-20", "quantity": "20"}]}
insert(tenant, "purchase-order", {"number": "4600000107", "date": "2026-03-02", **lamps})
insert(tenant, "invoice", {"number": "RE-2026-0881", "date": "2026-03-12", **lamps})
insert(tenant, "invoice", {"number": "RE-2026-0893", "date": "2026-03-12", **lamps})

for copy in range(2):
    insert(tenant, "invoice", {"number": "RE-9", "date": "2026-03-13", "supplier": {"name": "Copy Shop GmbH"}, "total": "17.00"})
insert(tenant, "invoice", {"number": "RE-BAD", "supplier": {"name": "Acme GmbH"}, "total": {"amount": 1}})
`

// team is a team with its own database, a folder for files, and a receiver of events. It uses
// Matchbook by the process of serve, the browser, and its own SQL.
type team struct {
	*line   // without a stack
	process *exec.Cmd
	inbox   string
	data    string
	env     []string
	address string
	page    *browser.Tab
}

func newTeam(t *testing.T, webhook string) *team {
	t.Helper()
	x := &team{line: newStage(t), inbox: t.TempDir(), data: t.TempDir(), address: "127.0.0.1:" + freePort(t)}
	x.env = append(os.Environ(), variable.DatabaseURL+"="+x.url(), variable.EventsWebhookURL+"="+webhook,
		variable.EventsWebhookSecret+"="+hookSecret)
	return x
}

// serve starts the process, which ends with the test.
func (x *team) serve() {
	x.t.Helper()
	x.process = exec.CommandContext(x.t.Context(), must.Get(command())(x.t), "serve", "--data", x.data, "--addr", x.address,
		"--watch", x.inbox, "--review-contracts", "--every", "200ms", "--by", "Paula")
	x.process.Env, x.process.Stderr = x.env, x.output()
	must.OK(x.t, x.process.Start())
	process := x.process
	x.t.Cleanup(func() { kill(process) })
}

// inserts runs the page's program in Python, with more behind it.
func (x *team) inserts(program string) {
	x.t.Helper()
	cmd := exec.CommandContext(x.t.Context(), "python3", "-c", pageExample(x.t, "python")+program)
	cmd.Env = x.env
	if out, err := cmd.CombinedOutput(); err != nil {
		x.t.Fatalf("%v\n%s", err, out)
	}
}

// lays lays the sample's files, two contracts and more orders into the watched folder.
func (x *team) lays(orders int) (files int) {
	x.t.Helper()
	lay := func(name, content string) {
		must.OK(x.t, os.WriteFile(filepath.Join(x.inbox, name), []byte(content), 0o600))
		files++
	}
	for _, entry := range must.Get(os.ReadDir("../../testdata/files"))(x.t) {
		lay(entry.Name(), sampleFile(x.t, entry.Name()))
	}
	for _, name := range []string{"wartungsvertrag.txt", "software-licence.md"} {
		lay(name, testdata(x.t, "contracts/"+name))
	}
	for n := range orders {
		number := fmt.Sprint("PO-2026-5", n)
		lay(number+".xml", strings.ReplaceAll(sampleFile(x.t, "order-4731.xml"), "PO-2026-4731", number))
	}
	return files
}

// until waits until a query counts so many.
func (x *team) until(what, sql string, want int) {
	x.t.Helper()
	waitFor(x.t, what, func() bool { return query[int](x.line, sql) == want })
}

const (
	rowsOpen  = "SELECT count(*) FROM matchbook_document_state WHERE status IN ('pending', 'in-progress')"
	filesOpen = "SELECT count(*) FROM ingestion WHERE status NOT IN ('completed', 'failed')"
	jobsOpen  = "SELECT count(*) FROM review_job WHERE status NOT IN ('completed', 'completed-with-gaps', 'failed')"
	setsOpen  = "SELECT count(*) FROM matchmaking_job WHERE status IN ('pending', 'running')"
	eventsDue = "SELECT count(*) FROM event WHERE delivered_at IS NULL"
)

// settles waits until everything is done, and all events have arrived.
func (x *team) settles() {
	x.t.Helper()
	for _, sql := range []string{filesOpen, rowsOpen, jobsOpen, setsOpen, eventsDue} {
		x.until("nothing is left of: "+sql, sql, 0)
	}
}

// logsIn opens the console with the link in the data folder.
func (x *team) logsIn() {
	x.t.Helper()
	x.page = browser.Open(x.t, 1000, 700)
	link := string(must.Get(os.ReadFile(filepath.Join(x.data, "console-link")))(x.t))
	x.page.Run(chromedp.Navigate(strings.TrimSpace(link)), chromedp.WaitVisible("h1"))
}

// goes opens a page of the console, and does something there.
func (x *team) goes(path, done string, steps ...browser.Step) {
	x.t.Helper()
	x.page.Run(chromedp.Navigate("http://" + x.address + path))
	x.decides(done, steps...)
}

// decides takes steps in a page, which must confirm them with these words.
func (x *team) decides(done string, steps ...browser.Step) {
	x.t.Helper()
	x.page.Run(append(steps, chromedp.WaitVisible(".done"))...)
	if text := x.page.Text("main"); !strings.Contains(text, done) {
		x.t.Errorf("the page lacks %q and shows %q", done, text)
	}
}

// A team that has read INTEGRATE.md and no line of Go runs everything in one process: its
// program in Python inserts documents, files come into a folder, its receiver has exactly the
// matches of the view, and whatever needs a person is finished in the browser. The process is
// killed twice meanwhile. .ci/new-team runs it with 1,000 documents.
func TestNewTeam(t *testing.T) {
	testenv.OnlyThorough(t, "is what .ci/new-team runs")
	t.Parallel()
	for _, program := range []string{"python3", "psql", "chromium", "tesseract"} {
		testenv.Program(t, program, "apt-get install python3 postgresql-client chromium tesseract-ocr")
	}
	const pairs = 496
	port, matches := receiverOfPage(t)
	x := newTeam(t, "http://127.0.0.1:"+port)
	x.serve()
	files := x.lays(9)
	x.until("half of the files are read", "SELECT (count(*) > 10)::int FROM ingestion WHERE status = 'completed'", 1)
	kill(x.process)
	x.serve()
	inserted := make(chan struct{})
	go func() { defer close(inserted); x.inserts(fmt.Sprintf(manyDocuments, pairs)) }()
	x.until("some rows are matched", "SELECT (count(*) > 200)::int FROM document WHERE matching_status = 'succeeded'", 1)
	kill(x.process)
	x.players() // while no process runs, because it schedules offers when it starts
	x.serve()
	<-inserted
	x.settles()

	const byFiles = 8 // four invoices with their orders, and two receipts of goods with both
	x.holds(matches, 1+pairs+byFiles)
	check(t, "rows inserted by the program", query[int](x.line, "SELECT count(*) FROM document WHERE file_path IS NULL"), 1000)
	check(t, "open questions", query[int](x.line, "SELECT count(*) FROM matchbook_open_question"), 2)
	check(t, "failed rows", query[string](x.line, `SELECT string_agg(structured_data ->> 'number', ', ') FROM document WHERE matching_status = 'failed'`), "RE-BAD")
	x.until("each player has a job", "SELECT count(*) FROM matchmaking_job WHERE status IN ('completed', 'failed')", 3)
	check(t, "files in the folder", x.folder("*"), 2) // done and failed
	check(t, "files done and failed", x.folder("done/*")+x.folder("failed/*.pdf"), files)
	x.finishes()

	x.settles()
	x.holds(matches, 1+pairs+byFiles+1)
	check(t, "decisions", query[string](x.line, "SELECT string_agg(verdict || ' by ' || decided_by || ', ' || origin, '; ') FROM matchbook_decision"),
		"confirmed by Paula, console")
	check(t, "decisions that arrived", query[int](x.line, "SELECT count(*) FROM event WHERE kind = 'decision.made' AND delivered_at IS NOT NULL"), 1)
	check(t, "invoices settled", query[string](x.line, `SELECT string_agg(m.number || ' ' || t.state || ': ' || a.reason || ', ' || a.acted_by, '; ')
		FROM invoice_action AS a JOIN three_way_match AS t USING (document_id) JOIN matchbook_three_way AS m USING (document_id)`),
		"RE-4500000001 approved: the goods are here, Paula")
	check(t, "their events", query[string](x.line, "SELECT string_agg(data ->> 'state', ', ') FROM event WHERE kind = 'invoice.settled' AND delivered_at IS NOT NULL"), "approved")
	check(t, "jobs of offers", query[string](x.line, "SELECT string_agg(status || ' ' || jsonb_array_length(offers), ', ' ORDER BY jsonb_array_length(offers)) FROM matchmaking_job"),
		"completed 1, completed 1, completed 2") // the other two don't meet the third before the next roster
	check(t, "failed rows left", query[int](x.line, "SELECT count(*) FROM document WHERE matching_status = 'failed'"), 0)
}

// players inserts three users of match offers for whom it is noon. The profile of one is
// unreadable.
func (x *team) players() {
	x.t.Helper()
	x.exec(`INSERT INTO offer_user (id, tenant_id, timezone, created_at, profile)
		SELECT gen_random_uuid(), tenant.id, 'Etc/GMT' || to_char(extract(hour FROM now() AT TIME ZONE 'UTC') - 12, 'FMSG90'),
			now() - interval '2 days', profile
		FROM tenant, unnest(ARRAY['{"interests": ["chess"]}', '{"interests": ["chess"]}', '{"born": "long ago", "interests": ["chess"]}']::jsonb[]) AS profile WHERE tenant.name = 'Example'`)
}

// folder counts the files that fit a pattern in the watched folder.
func (x *team) folder(pattern string) int {
	x.t.Helper()
	return len(must.Get(filepath.Glob(filepath.Join(x.inbox, pattern)))(x.t))
}

// finishes does what needs a person in the browser.
func (x *team) finishes() {
	x.t.Helper()
	x.logsIn()
	document := func(condition string) string {
		return "/documents/" + query[string](x.line, "SELECT coalesce(min(id::text), $1) FROM document WHERE "+condition, "none has "+condition)
	}
	x.page.Run(chromedp.Navigate("http://"+x.address+"/open?kind=question"), chromedp.Click(".items a.button"))
	x.decides("a person confirmed it", chromedp.Click(`button[value="confirmed"]`))

	x.goes(document("file_name = 'invoice.pdf'"), "Saved: the document needs nobody any more.", // its date is unsure
		chromedp.WaitVisible(".sheets img"), chromedp.Focus(`[name="value.date"]`), chromedp.Click("#values button.main"))

	const copied = "structured_data ->> 'number' = 'RE-9' AND id IN (SELECT document_id FROM document_warning)"
	const settle = `form[action*="/settle/"] `
	x.goes(document(copied), "settled", chromedp.SendKeys(settle+"[name=verdict]", "is a copy"),
		chromedp.SendKeys(settle+"[name=reason]", "the post brought it twice"), chromedp.Click(settle+"button"))

	x.goes(document("structured_data ->> 'number' = 'WV-2026-031'"), "Accepted by Paula",
		chromedp.Click(`.finding [value=accept]`))

	x.exec(`UPDATE document SET structured_data = jsonb_set(structured_data, '{total}', '"1.00"') WHERE structured_data ->> 'number' = 'RE-BAD'`)
	x.goes(document("structured_data ->> 'number' = 'RE-BAD'"), "again", chromedp.SendKeys("#reason", "its total was corrected"),
		chromedp.Click(`form[action$="/match"] button`))

	x.goes(document("structured_data ->> 'number' = 'RE-4500000001'"), "Approved.", chromedp.SendKeys("form[action$='/invoice'] [name=reason]", "the goods are here"),
		chromedp.Click("form[action$='/invoice'] [value=approve]"))

	x.exec(`UPDATE offer_user SET profile = profile - 'born'`)
	x.goes("/offers", "Done: 1.", chromedp.Click(`[name="tick"]`), chromedp.SendKeys("#many [name=reason]", "the year of birth is gone"),
		chromedp.Click("#many [value=refreeze]"))
	x.page.NoErrors()
}
