package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/browser"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// tab is a page of the console.
type tab struct {
	*browser.Tab
	t     testing.TB
	base  string
	loads chan struct{} // pages that were loaded
}

// open logs a tab of a width in.
func (c *client) open(width int64) *tab {
	c.t.Helper()
	p := &tab{browser.Open(c.t, width, 900), c.t, c.base, make(chan struct{}, 100)}
	must.OK(c.t, chromedp.Listen(p, func(event any) {
		if _, ok := event.(*page.EventLoadEventFired); ok {
			p.loads <- struct{}{}
		}
	}))
	p.Run(chromedp.Navigate(c.link))
	return p
}

func (p *tab) text() string { return strings.Join(strings.Fields(p.Text("body")), " ") }

// visit opens a page.
func (p *tab) visit(path string) { p.Run(chromedp.Navigate(p.base + path)) }

// press clicks an element, which leads to another page.
func (p *tab) press(selector string) {
	p.t.Helper()
	p.leads(selector, chromedp.Click(selector))
}

// leads takes a step that leads to another page.
func (p *tab) leads(what string, step browser.Step) {
	p.t.Helper()
	for len(p.loads) > 0 {
		<-p.loads
	}
	p.Run(step)
	select {
	case <-p.loads:
	case <-time.After(time.Minute):
		p.t.Fatalf("%s leads nowhere; the page: %s", what, p.text())
	}
}

// holds fails the test unless a condition in JavaScript holds.
func (p *tab) holds(condition string) {
	p.t.Helper()
	if ok, err := chromedp.Run(p, chromedp.Evaluate[bool](condition)); err != nil || !ok {
		p.t.Errorf("%s: %v, %v; the page: %s", condition, ok, err, p.text())
	}
}

// fits reports a page that is wider than the window.
func (p *tab) fits() {
	p.t.Helper()
	p.holds("document.documentElement.scrollWidth <= innerWidth")
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

// atWidths runs a test on a phone's width, too, with -thorough.
func atWidths(t *testing.T, do func(t *testing.T, width int64)) {
	for _, width := range []int64{1280, 390}[:testenv.Size(1, 2)] {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			do(t, width)
		})
	}
}

func TestBrowserClicksActions(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s := newSample(t)
		s.t = t
		order := s.numbered("4500000136")
		s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = 'out of time' WHERE id = $1", s.numbered("4500000101"))
		p := s.serve(everything(login.Operator)).open(width)
		p.want("Documents by state", "33 succeeded")
		p.Barriers()
		p.press(`header nav a[href^="/documents"]`)
		p.want("purchase order 4500000101", "out of time")
		p.Barriers()
		p.Run(chromedp.SendKeys("#q", "4500000136"))
		p.press(".search button")
		p.want("Found by number")
		p.press("table a")
		p.want("purchase order 4500000136", "Undecided: it needs 7 more points")
		p.Barriers()
		p.press(".pairs a")
		p.Barriers()
		p.Run(chromedp.SendKeys("#note", "by phone"))
		p.press(`button[value="confirmed"]`)
		p.want("Confirmed: the two belong together.", "a person confirmed it")
		p.Barriers()
		p.press(`button[value="rejected"]`)
		p.want("No match: a person rejected it.")
		p.press(`button[value="withdrawn"]`)
		p.want("Undecided: it needs 7 more points")
		p.press(`form.act a.button`) // to another question
		p.holds(`location.pathname.startsWith("/pairs/") && !location.pathname.includes("` + order.String() + `")`)
		p.visit("/open")
		p.want("Waiting for people", "question 0.61")
		p.Barriers()
		p.press(".items a.button")
		p.press(`button[value="confirmed"]`)
		p.press(".done a") // the next question
		p.want("Undecided")
		p.visit("/documents/" + s.numbered("4500000101").String())
		p.want("out of time")
		p.Run(chromedp.SendKeys("#reason", "the model is back"))
		p.press(".act button")
		p.want("Published: the document will be matched again.", "had it matched again: the model is back")
		p.Barriers()
		p.visit("/documents/" + order.String())
		p.want("confirmed the match with", "by phone")
		// By the keyboard: the first key leads to the content.
		p.Run(chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
		p.holds("document.activeElement.id === 'main'")
		p.press(".person button")
		p.want("You are logged out")
		p.NoErrors()
	})
}

func TestDocumentScriptsNeverRun(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "opens a browser once more")
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
		p.fits()
		if n, err := chromedp.Run(p, chromedp.Evaluate[int](`document.querySelectorAll('script:not([src="/console.js"]), img, [onerror]').length`)); err != nil || n > 0 {
			t.Errorf("%s has %d elements of a document, %v", path, n, err)
		}
	}
	p.NoErrors()
}
