package console_test

import (
	"flag"
	"os"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/browser"
	"matchbook/lambda/internal/must"

	"github.com/chromedp/chromedp"
)

var screenshots = flag.Bool("screenshots", false, "write the pictures of README.md anew")

// The pictures of the page are those of the sample documents.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	if !*screenshots {
		t.Skip("skipped without -screenshots: writes the pictures of README.md")
	}
	s := newSample(t)
	s.exec("UPDATE tenant SET name = CASE id WHEN $1 THEN 'Nimmerholz' ELSE 'Siebenschläfer' END", tenantA)
	s.exec("UPDATE document SET received_at = now() - (extract(day FROM received_at)::integer % 24) * interval '1 hour'")
	s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = 'model provider did not answer in time' WHERE id = $1", s.numbered("4500000102"))
	s.exec("INSERT INTO notification (tenant_id, document_id, kind, attempt, payload) VALUES ($1, $2, 'transient', 3, '{}')", tenantA, s.numbered("4500000102"))
	pair := "/pairs/" + s.numbered("4500000136").String() + "/" + s.numbered("26-0418").String()
	files := newDesk(t)
	files.exec("UPDATE tenant SET name = CASE id WHEN $1 THEN 'Nimmerholz' ELSE 'Siebenschläfer' END", tenantA)
	file := files.uploaded(files.as(everything(login.Operator)), "invoice.pdf")
	for name, shot := range map[string]struct {
		path   string
		width  int64
		height int64
		scheme string
	}{
		"overview": {"/", 1280, 900, "light"},
		"document": {"/documents/" + s.numbered("4500000101").String(), 1280, 860, "light"},
		"pair":     {pair, 1280, 1000, "dark"},
		"phone":    {"/documents", 390, 844, "light"},
		"desk":     {"/documents/" + file.String(), 1280, 900, "light"},
	} {
		from := s
		if name == "desk" {
			from = files
		}
		p := from.serve(everything(login.Operator)).open(shot.width)
		p.Run(chromedp.EmulateViewport(shot.width, shot.height), browser.Color(shot.scheme))
		p.visit(shot.path)
		if name == "desk" {
			p.Run(chromedp.Focus(`[name="value.total"]`), chromedp.ScrollIntoView("#desk"))
		}
		png := must.Get(chromedp.Run(p, chromedp.CaptureScreenshot()))(t)
		if len(png) > 150_000 {
			t.Errorf("%s has %d bytes", name, len(png))
		}
		must.OK(t, os.WriteFile("screenshots/"+name+".png", png, 0o644))
	}
}
