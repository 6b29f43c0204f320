package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"matchbook/lambda/internal/testenv"

	"github.com/chromedp/chromedp"
)

// axeCore is an npm package, with its version, for finding accessibility barriers. .ci/run
// fetches it before the tests.
const axeCore = "axe-core@4.14.1"

var axe = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "axe")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", dir, axeCore)
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s missing in npm's cache; run npm cache add %s: %.300s", axeCore, axeCore, out)
	}
	script, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(script), err
})

// Barriers fails the test if the page is wider than its tab or, with -thorough, if axe finds a
// serious barrier in it, light or dark. With -thorough it skips the test if npm or axe is
// missing.
func (p *Tab) Barriers() {
	p.t.Helper()
	if fits, err := chromedp.Run(p, chromedp.Evaluate[bool]("document.documentElement.scrollWidth <= innerWidth")); err != nil || !fits {
		p.t.Errorf("page must not be wider than its tab: %v", err)
	}
	if !testenv.Thorough() {
		return
	}
	testenv.Program(p.t, "npm", "apt-get install nodejs npm")
	script, err := axe()
	if err != nil {
		testenv.Missing(p.t, err.Error())
	}
	for _, scheme := range []string{"light", "dark"} {
		p.Run(Color(scheme))
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
}
