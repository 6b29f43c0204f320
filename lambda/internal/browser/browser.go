// Package browser opens pages in headless Chromium, for tests, and finds what goes
// wrong in them.
package browser

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Step is done in a page.
type Step = chromedp.Action[chromedp.Void]

// Quit ends the browser of this process, if a test has opened a tab. TestMain calls it.
func Quit() { quit() }

var quit = func() {}

// chromium is started by the first test that needs it; each test has tabs of its own.
var chromium = sync.OnceValues(func() (context.Context, error) {
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

// patience bounds the time of a tab: a page that hangs fails its test, not all of them.
const patience = 5 * time.Minute

// Tab is a page of the browser, and what went wrong in it.
type Tab struct {
	context.Context
	t      testing.TB
	mu     sync.Mutex
	errors []string // uncaught, messages of the console, dialogs, and what the browser logs
	cut    bool     // requests may fail
}

// Open opens an empty tab of a size in pixels, until the test ends. The test is skipped
// without Chromium.
func Open(t testing.TB, width, height int64) *Tab {
	t.Helper()
	testenv.Program(t, "chromium", "apt-get install chromium")
	parent, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	p := &Tab{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	p.Run(chromedp.EmulateViewport(width, height))
	return p
}

func (p *Tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.errors = append(p.errors, fmt.Sprint("console: ", e.Type))
	case *log.EventEntryAdded:
		if !(p.cut && e.Entry.Source == log.EntrySourceNetwork) && !strings.Contains(e.Entry.URL, "/favicon.ico") {
			p.errors = append(p.errors, e.Entry.Text)
		}
	case *page.EventJavascriptDialogOpening:
		p.errors = append(p.errors, "a dialog: "+e.Message)
	}
}

// NoErrors fails the test if something went wrong in the page.
func (p *Tab) NoErrors() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.errors) > 0 {
		p.t.Errorf("in the browser: %q", p.errors)
	}
}

// RequestsMayFail makes it no error that a request of the page fails.
func (p *Tab) RequestsMayFail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
}

// Run does steps in the page; the test ends if one fails.
func (p *Tab) Run(steps ...Step) {
	p.t.Helper()
	if err := chromedp.Do(p, steps...); err != nil {
		p.t.Fatalf("%v; the page: %s", err, p.Text("body"))
	}
}

// Text returns the visible text of a part of the page; empty without the part.
func (p *Tab) Text(selector string) string {
	script := fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector)
	text, _ := chromedp.Run(p, chromedp.Evaluate[string](script)) // a page that is gone has no text
	return text
}

// Color lets the page believe that its reader prefers dark or light colours.
func Color(scheme string) Step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}
