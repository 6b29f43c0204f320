package console_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/skip"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// quit ends the browser, if one was started.
var quit = func() {}

// browser is started by the first test that needs it; each test has tabs of its own.
var browser = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, // as root there is none
		chromedp.Flag("disable-dev-shm-usage", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	quit = func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		stop()
	}
	return ctx, chromedp.Do(ctx)
})

// tab is a page of the browser, and what went wrong in it.
type tab struct {
	context.Context
	t      testing.TB
	base   string
	mu     sync.Mutex
	loads  chan struct{} // pages that were loaded
	errors []string      // messages of the console, refusals of the policy, dialogs
}

// open logs a tab of a width in.
func (c *client) open(width int64) *tab {
	c.t.Helper()
	skip.Without(c.t, "chromium", "apt-get install chromium")
	parent, err := browser()
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	c.t.Cleanup(cancel)
	p := &tab{Context: ctx, t: c.t, base: c.base, loads: make(chan struct{}, 100)}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		c.t.Fatal(err)
	}
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, log.Enable, cdp.Empty{})
		return err
	}), chromedp.EmulateViewport(width, 900), chromedp.Navigate(c.link))
	return p
}

func (p *tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *page.EventLoadEventFired:
		p.loads <- struct{}{}
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.errors = append(p.errors, fmt.Sprint("console: ", e.Type))
	case *log.EventEntryAdded:
		if !strings.Contains(e.Entry.URL, "/favicon.ico") {
			p.errors = append(p.errors, e.Entry.Text)
		}
	case *page.EventJavascriptDialogOpening:
		p.errors = append(p.errors, "a dialog: "+e.Message)
	}
}

func (p *tab) noErrors() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.errors) > 0 {
		p.t.Errorf("in the browser: %q", p.errors)
	}
}

func (p *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p, steps...); err != nil {
		p.t.Fatalf("%v; the page: %s", err, p.text())
	}
}

func (p *tab) text() string {
	text, _ := chromedp.Run(p, chromedp.Evaluate[string]("document.body?.innerText ?? ''")) // a page that is gone has no text
	return strings.Join(strings.Fields(text), " ")
}

// visit opens a page.
func (p *tab) visit(path string) { p.run(chromedp.Navigate(p.base + path)) }

// press clicks an element, which leads to another page.
func (p *tab) press(selector string) {
	p.t.Helper()
	for len(p.loads) > 0 {
		<-p.loads
	}
	p.run(chromedp.Click(selector))
	select {
	case <-p.loads:
	case <-time.After(time.Minute):
		p.t.Fatalf("%s leads nowhere; the page: %s", selector, p.text())
	}
}

// holds fails the test unless a condition in JavaScript holds.
func (p *tab) holds(condition string) {
	p.t.Helper()
	if ok, err := chromedp.Run(p, chromedp.Evaluate[bool](condition)); err != nil || !ok {
		p.t.Errorf("%s: %v, %v; the page: %s", condition, ok, err, p.text())
	}
}

func (p *tab) want(texts ...string) {
	p.t.Helper()
	shown := p.text()
	for _, want := range texts {
		if !strings.Contains(shown, want) {
			p.t.Errorf("%q is missing in: %s", want, shown)
		}
	}
}

// color lets the page believe that its reader prefers dark or light colours.
func color(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}

// axeCore is npm's package of this name and version, which finds barriers in a page.
// .ci/run fetches it before the tests.
const axeCore = "axe-core@4.14.1"

var axe = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "axe")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", dir, axeCore).CombinedOutput(); err != nil { //nolint:gosec // a constant
		return "", fmt.Errorf("%s is not in npm's cache: npm cache add %s: %.300s", axeCore, axeCore, out)
	}
	script, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(script), err
})

// barriers fails the test if axe finds a serious barrier in the page, light or dark.
func (p *tab) barriers() {
	p.t.Helper()
	script, err := axe()
	if err != nil {
		skip.Missing(p.t, err.Error())
	}
	for _, scheme := range []string{"light", "dark"} {
		p.run(color(scheme))
		if _, err := chromedp.Run(p, chromedp.Evaluate[int](script+";0")); err != nil {
			p.t.Fatal(err)
		}
		const look = `axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
			.map((v) => v.id + ': ' + v.nodes.map((n) => n.html.slice(0, 150) + ' ' + n.failureSummary).join(' | ')))`
		found, err := chromedp.Run(p, chromedp.Evaluate[[]string](look, chromedp.EvalAwaitPromise))
		if err != nil {
			p.t.Fatal(err)
		}
		for _, barrier := range found {
			p.t.Errorf("%s: %s", scheme, barrier)
		}
	}
	p.holds("document.documentElement.scrollWidth <= innerWidth")
}

var widths = []int64{1280, 390}

func TestABrowserClicksThroughEveryAction(t *testing.T) {
	t.Parallel()
	skip.Without(t, "npm", "apt-get install nodejs npm")
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			s.t = t
			order := s.numbered("4500000136")
			s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = 'out of time' WHERE id = $1", s.numbered("4500000101"))
			p := s.serve(everything(login.Operator)).open(width)
			p.want("Documents by state", "33 succeeded")
			p.barriers()
			p.press(`header nav a[href^="/documents"]`)
			p.want("purchase order 4500000101", "out of time")
			p.barriers()
			p.run(chromedp.SendKeys("#q", "4500000136"))
			p.press(".search button")
			p.want("Found by number")
			p.press("table a")
			p.want("purchase order 4500000136", "Undecided: it needs 7 more points")
			p.barriers()
			p.press(".pairs a")
			p.barriers()
			p.run(chromedp.SendKeys("#note", "by phone"))
			p.press(`button[value="confirmed"]`)
			p.want("Confirmed: the two belong together.", "a person confirmed it")
			p.barriers()
			p.press(`button[value="rejected"]`)
			p.want("No match: a person rejected it.")
			p.press(`button[value="withdrawn"]`)
			p.want("Undecided: it needs 7 more points")
			p.press(`form.act a.button`) // to another question
			p.holds(`location.pathname.startsWith("/pairs/") && !location.pathname.includes("` + order.String() + `")`)
			p.visit("/open")
			p.want("Waiting for people", "question 0.71")
			p.barriers()
			p.press(".items a.button")
			p.press(`button[value="confirmed"]`)
			p.press(".done a") // the next question
			p.want("Undecided")
			p.visit("/documents/" + s.numbered("4500000101").String())
			p.want("out of time")
			p.run(chromedp.SendKeys("#reason", "the model is back"))
			p.press(".act button")
			p.want("Published: the document will be matched again.", "had it matched again: the model is back")
			p.barriers()
			p.visit("/documents/" + order.String())
			p.want("confirmed the match with", "by phone")
			// By the keyboard: the first key leads to the content.
			p.run(chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
			p.holds("document.activeElement.id === 'main'")
			p.press(".person button")
			p.want("You are logged out")
			p.noErrors()
		})
	}
}

func TestScriptsInDocumentsDoNotRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	text := strings.ReplaceAll(fmt.Sprintf("%q", hostile), `\a`, `\u0007`)
	data := fmt.Sprintf(`{"number":%s,"currency":%s,"supplier":{"name":%s,"vat_id":%s},"references":[{"type":%s,"number":"4711-08"}],
		"total":"119.00","line_items":[{"sku":"L-20","description":%s,"quantity":"2","unit_price":"50"}],"notes":%s}`, text, text, text, text, text, text, text)
	order, invoice := doc(1, tenantA, document.PurchaseOrder, data), doc(2, tenantA, document.Invoice, data)
	s.add(order, invoice)
	s.exec("UPDATE tenant SET name = $1", hostile)
	s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = $2 WHERE id = $1", order.ID, hostile)
	s.exec("INSERT INTO document_warning VALUES ($1, $2, 'billed-twice', $3, $4)", tenantA, invoice.ID, order.ID, hostile)
	p := s.serve(everything(login.Operator)).open(390)
	for _, path := range []string{"/", "/documents", "/open", "/documents/" + order.ID.String(), "/documents/" + invoice.ID.String(),
		"/pairs/" + order.ID.String() + "/" + invoice.ID.String(), "/documents?q=%3Cscript%3Ealert(1)%3C/script%3E"} {
		p.visit(path)
		p.want("alert(1)")
		p.holds("document.documentElement.scrollWidth <= innerWidth")
		if n, err := chromedp.Run(p, chromedp.Evaluate[int]("document.querySelectorAll('script, img, [onerror]').length")); err != nil || n > 0 {
			t.Errorf("%s has %d elements of a document, %v", path, n, err)
		}
	}
	p.noErrors()
}
