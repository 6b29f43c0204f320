// Package browser opens pages in headless Chromium for tests, and reports their errors.
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

// Step is an action in a page.
type Step = chromedp.Action[chromedp.Void]

// Quit ends this process's browser, if a test has opened a tab. You must call it in TestMain.
func Quit() { quit() }

var quit = func() {}

// chromium is started by the first test that needs it. Each test must open separate tabs.
var chromium = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, // there's none for root
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

// patience limits the time of a tab, so that a hanging page fails only its test.
const patience = 5 * time.Minute

// Tab is a page of the browser, with the errors so far.
type Tab struct {
	context.Context
	t      testing.TB
	mu     sync.Mutex
	errors []string // uncaught errors, console messages, dialogs, and the browser's log
	cut    bool     // requests may fail
}

// Open opens an empty tab of this size in pixels, until the test ends. It skips the test
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

// NoErrors fails the test if there were errors in the page.
func (p *Tab) NoErrors() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.errors) > 0 {
		p.t.Errorf("errors in the browser: %q", p.errors)
	}
}

// RequestsMayFail allows requests of the page to fail.
func (p *Tab) RequestsMayFail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
}

// Run performs steps in the page, and ends the test if one fails.
func (p *Tab) Run(steps ...Step) {
	p.t.Helper()
	if err := chromedp.Do(p, steps...); err != nil {
		p.t.Fatalf("%v; the page: %s", err, p.Text("body"))
	}
}

// Text returns the visible text of a part of the page; empty if the part is missing.
func (p *Tab) Text(selector string) string {
	script := fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector)
	text, _ := chromedp.Run(p, chromedp.Evaluate[string](script)) // ignore the error of a closed page
	return text
}

// Color sets the preferred color scheme, dark or light.
func Color(scheme string) Step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}

// Place sets the locale and the time zone of pages opened later.
func Place(locale, zone string) Step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone})
		if err == nil {
			_, err = cdp.Call(ctx, t, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: locale})
		}
		return err
	})
}
