package web

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"matchbook/lambda/internal/browser"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/record"

	"github.com/chromedp/chromedp"
)

func TestMain(m *testing.M) {
	postgrestest.Parallel("4") // most tests wait for a browser
	code := m.Run()
	browser.Quit()
	os.Exit(code)
}

// tab is a page of a review.
type tab struct {
	*browser.Tab
	t *testing.T
}

func newTab(t *testing.T) *tab {
	t.Helper()
	return &tab{browser.Open(t, 1000, 700), t}
}

// wait waits for a condition in JavaScript: the page evaluates it at each frame.
func (p *tab) wait(condition string) {
	p.t.Helper()
	script := fmt.Sprintf(`new Promise((done) => {
		const look = () => { if (%s) { done(true); } else { requestAnimationFrame(look); } };
		look();
	})`, condition)
	if _, err := chromedp.Run(p, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise)); err != nil {
		p.t.Fatalf("%s: %v; the page: %s", condition, err, p.Text("body"))
	}
}

// list returns an expression of JavaScript for each element.
func (p *tab) list(selector, expression string) []string {
	p.t.Helper()
	script := fmt.Sprintf("Array.from(document.querySelectorAll(%q), (e) => String(%s))", selector, expression)
	return must.Get(chromedp.Run(p, chromedp.Evaluate[[]string](script)))(p.t)
}

// link is the address of the page of jobA, with a token.
func (s *site) link() string {
	return s.server.URL + pathA + "/page?token=" + s.tokens.ForJob(tenantA, jobA)
}

// sequence is 1 to n, as the page shows it.
func sequence(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(i+1))
	}
	return strings.Join(all, " ")
}

func (p *tab) sequence() string { return strings.Join(p.list("#findings > li", "e.dataset.seq"), " ") }

const ended = "document.body.dataset.ended"

func TestPageShowsFindings(t *testing.T) {
	t.Parallel()
	p, s := newTab(t), newSite(t)
	s.change(func() {
		s.text = strings.Repeat("§ Ä\n", 3) + strings.Repeat("filler\n", 500) + "It renews. It renews again.\n"
	})
	at := strings.Index(s.text, "It renews")
	p.Run(chromedp.Navigate(s.link()))
	p.wait("document.getElementById('counts').textContent.startsWith('0 of 4 chunks')")
	s.find("Renews for ever", "About nothing")
	s.change(func() {
		s.findings[0].Start, s.findings[0].End, s.findings[0].Quote = at, at+10, "It renews."
		s.findings[1].Start, s.findings[1].End, s.findings[1].Quote = at+3, at+26, "renews. It renews again."
	})
	p.wait("document.querySelectorAll('mark').length === 3") // two quotes that overlap
	if got := p.list("mark", "e.textContent"); fmt.Sprint(got) != "[It  renews.  It renews again]" {
		t.Errorf("marked %q", got)
	}
	if got := strings.ReplaceAll(p.Text("#findings li"), "\n\n", "\n"); !strings.HasPrefix(got, "HIGH Renews for ever\n1 · renewal · renewal-trap\n"+
		"Because.\nIt renews.\nAcceptable: It ends.\nAccept") {
		t.Errorf("the first finding: %q", got)
	}
	// By the keyboard: from the tenth button on, whatever is before it.
	p.Run(chromedp.Focus("#findings button"), chromedp.KeyEvent("\r"))
	p.wait("document.querySelectorAll('mark.current').length === 2")
	const visible = `(() => { const r = document.querySelector('mark.current').getBoundingClientRect();
		return r.top >= 0 && r.bottom <= innerHeight })()`
	p.wait(visible)
	if text := p.list("#text", "e.textContent"); text[0] != s.text {
		t.Error("the contract reads otherwise than it is")
	}
	s.change(func() {
		s.job.ChunksOpen, s.job.Calls, s.job.Cost = 1, 31, 123_456
	})
	p.wait("document.getElementById('counts').textContent === '3 of 4 chunks, 2 findings, " +
		"31 calls of scripted, $0.1235 of at most $2.0000'")
	s.change(func() {
		s.findings[1].Repeats, s.findings[1].Withdrawn = 1, true
		s.job.Gaps, s.job.Error = 1, "a chunk is not read"
		s.chunks = []record.Chunk{{Position: 1, Kind: record.Text, Heading: "Term", Status: job.StatusFailed,
			Stage: "liability", Error: "HTTP 500"}}
	})
	s.end(record.CompletedWithGaps)
	p.wait(ended)
	if got := p.Text("#status") + ", " + p.Text("#gaps summary") + ": " + strings.Join(p.list("#gaps li", "e.textContent"), ""); got !=
		"completed-with-gaps, Not read: 1: chunk 2 · Term · liability · HTTP 500" {
		t.Errorf("at the end: %s", got)
	}
	if got := p.list("#findings li.repeats .kind", "e.textContent"); len(got) != 1 || !strings.Contains(got[0], "repeats finding 1") {
		t.Errorf("repeated: %q", got)
	}
	struck := p.list("#findings li.withdrawn .name", "e.textContent + getComputedStyle(e).textDecorationLine")
	if got := p.list("#findings li.withdrawn .kind", "e.textContent"); fmt.Sprint(struck) != "[About nothingline-through]" ||
		!strings.HasSuffix(got[0], "withdrawn: no longer holds") {
		t.Errorf("withdrawn: %q, %q", struck, got)
	}
	if hidden := p.list("#cancel, #retry, #report", "e.id + e.hidden"); fmt.Sprint(hidden) != "[canceltrue retryfalse reportfalse]" {
		t.Errorf("hidden: %v", hidden)
	}
	p.Run(chromedp.Navigate(p.list("#report", "e.href")[0]))
	p.wait("document.title.includes('lease.txt') && getComputedStyle(document.body).maxWidth !== 'none'") // with its style
	p.NoErrors()
}

// cutter breaks connections of streams off after some events.
func cutter(next http.Handler, after int, cuts *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/events") {
			next.ServeHTTP(w, r)
			return
		}
		c := &cut{ResponseWriter: w, left: after}
		next.ServeHTTP(c, r)
		if c.left <= 0 {
			cuts.Add(1)
			panic(http.ErrAbortHandler)
		}
	})
}

type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cut) Write(b []byte) (int, error) {
	if c.left--; c.left < 0 {
		return 0, http.ErrAbortHandler
	}
	return c.ResponseWriter.Write(b)
}

// Through cuts, reloads and late arrival the page shows every finding once, in
// order.
func TestPageSurvivesCuts(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "opens a browser once more")
	p, late, s := newTab(t), newTab(t), newSite(t)
	p.RequestsMayFail()
	late.RequestsMayFail()
	var cuts atomic.Int64
	s.server.Config.Handler = cutter(s.server.Config.Handler, 6, &cuts)
	p.Run(chromedp.Navigate(s.link()))
	const all = 40
	for i := range all {
		s.find(fmt.Sprint("Finding ", i+1))
		if i%10 == 5 {
			p.wait(fmt.Sprintf("document.querySelectorAll('#findings > li').length === %d", i+1))
			p.Run(chromedp.Reload())
		}
	}
	p.wait(fmt.Sprintf("document.querySelectorAll('#findings > li').length === %d", all))
	s.end(record.Completed)
	p.wait(ended)
	late.Run(chromedp.Navigate(s.link()))
	late.wait(ended)
	for name, p := range map[string]*tab{"that saw it": p, "that came late": late} {
		if got := p.sequence(); got != sequence(all) {
			t.Errorf("the page %s shows %s", name, got)
		}
		p.NoErrors()
	}
	if cuts.Load() < 10 {
		t.Errorf("only %d cuts", cuts.Load())
	}
}

func TestPageCancelsAndRetries(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "opens a browser once more")
	p, s := newTab(t), newSite(t)
	s.find("1")
	p.Run(chromedp.Navigate(s.link()), chromedp.WaitVisible("#cancel"), chromedp.Click("#cancel"))
	p.wait("document.getElementById('status').textContent === 'cancelling' && document.getElementById('cancel').disabled")
	s.change(func() {
		s.chunks = []record.Chunk{{Position: 2, Kind: record.Text, Status: job.StatusCancelled, Stage: "cancelled-at-stage-3"}}
	})
	s.end(record.Cancelled)
	p.wait(ended + " === 'cancelled'")
	if got := p.list("#gaps li", "e.textContent"); fmt.Sprint(got) != "[chunk 3 · cancelled-at-stage-3]" {
		t.Errorf("gaps: %q", got)
	}
	p.Run(chromedp.WaitVisible("#retry"), chromedp.Click("#retry"))
	p.wait("document.getElementById('status').textContent === 'running'")
	s.change(func() { s.chunks = nil })
	s.find("2")
	s.end(record.Completed)
	p.wait(ended + " === 'completed'")
	if got := p.sequence(); got != "1 2" || len(s.sent) != 1 {
		t.Errorf("shows %s, sent %v", got, s.sent)
	}
	p.NoErrors()
}

// A script in any field is text.
func TestContractScriptNeverRuns(t *testing.T) {
	t.Parallel()
	p, s := newTab(t), newSite(t)
	const script = `</pre></script><script>document.title='PLANTED'</script><img src=x onerror="document.title='PLANTED'">` +
		`<svg onload="document.title='PLANTED'">"'` + "`" + `onfocus=document.title='PLANTED' autofocus ${document.title='PLANTED'}`
	s.find("x")
	s.change(func() {
		s.text = script + script
		s.job.Name, s.job.Error, s.job.Model, s.job.Gaps = script, script, script, 1
		s.findings[0] = record.Finding{Seq: 1, Analyst: script, Category: script, Severity: script, Title: script,
			Explanation: script, Quote: script, Start: len(script), End: 2 * len(script), Fallback: script, Repeats: 1,
			Second: script, SecondEnd: len(script)}
		s.chunks = []record.Chunk{{Kind: record.Text, Heading: script, Status: job.StatusFailed, Stage: script, Error: script}}
		for _, kind := range []record.ActionKind{record.Reject, record.Assign, record.Comment} {
			s.actions = append(s.actions, record.Action{Seq: 1, Kind: kind, Text: script, By: script})
		}
	})
	s.end(record.CompletedWithGaps)
	p.Run(chromedp.Navigate(s.link()))
	p.wait(ended)
	p.wait("document.querySelectorAll('mark').length === 2")
	p.Run(chromedp.Click("#findings .title"), chromedp.Click("#gaps summary"))
	if foreign := p.list("img, svg, script:not([src]), [onerror], [onfocus]", "e.outerHTML"); len(foreign) > 0 {
		t.Errorf("elements of the contract: %q", foreign)
	}
	if title := p.list("title", "e.textContent"); title[0] != "Review: "+script {
		t.Errorf("the title is %q", title)
	}
	if got := p.list(".history", "e.textContent"); strings.Count(got[0], script) != 6 {
		t.Errorf("history: %q", got)
	}
	for _, selector := range []string{"mark", ".name", ".explanation", ".quote", ".second", "h1 bdi"} {
		if got := p.list(selector, "e.textContent"); len(got) == 0 || got[0] != script || got[len(got)-1] != script {
			t.Errorf("%s: got %q", selector, got)
		}
	}
	p.NoErrors()
}

func TestPageDarkAndOnPhone(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "opens a browser once more")
	p, s := newTab(t), newSite(t)
	s.find(strings.Repeat("W", 300))
	s.end(record.Completed)
	p.Run(chromedp.EmulateViewport(360, 640), chromedp.Navigate(s.link()))
	p.wait(ended)
	p.wait("document.documentElement.scrollWidth <= innerWidth")
	if colors := p.list("body", "getComputedStyle(e).backgroundColor"); colors[0] != "rgb(255, 255, 255)" {
		t.Errorf("light: %v", colors)
	}
	p.Run(browser.Color("dark"))
	if colors := p.list("body", "getComputedStyle(e).backgroundColor"); colors[0] != "rgb(22, 22, 26)" {
		t.Errorf("dark: %v", colors)
	}
	p.Barriers()
}

func TestExpiredLinkOnPage(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "opens a browser once more")
	p, s := newTab(t), newSite(t)
	p.Run(chromedp.Navigate(s.link()))
	p.wait("document.getElementById('counts').textContent !== ''")
	s.change(func() { s.job.TenantID = tenantB }) // as if the token were no longer valid
	s.server.CloseClientConnections()
	p.wait("document.getElementById('note').textContent === 'This link has expired. Ask for a new one.'")
}
