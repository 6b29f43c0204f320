package console_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/browser"
	"matchbook/lambda/internal/must"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.Bool("screenshots", false, "write the pictures of README.md anew")

// mostPictures bounds all pictures of the page, in bytes.
const mostPictures = 600_000

// nimmerholz names the tenants of the sample documents.
func (s *site) nimmerholz() {
	s.exec("UPDATE tenant SET name = CASE id WHEN $1 THEN 'Nimmerholz' ELSE 'Siebenschläfer' END", tenantA)
}

// The pictures of the page are those of the repository's own samples.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	if !*screenshots {
		t.Skip("skipped without -screenshots: writes the pictures of README.md")
	}
	s := newSample(t)
	s.nimmerholz()
	s.waits()
	s.exec("UPDATE document SET received_at = now() - (extract(day FROM received_at)::integer % 24) * interval '1 hour'")
	s.exec("UPDATE document SET matching_error = 'model provider did not answer in time' WHERE matching_status = 'failed'")
	s.exec("INSERT INTO notification (tenant_id, document_id, kind, attempt, payload) VALUES ($1, $2, 'transient', 3, '{}')", tenantA, s.numbered("4500000102"))
	s.exec("INSERT INTO desk_assignment SELECT id, tenant_id, 'Paula' FROM document WHERE structured_data ->> 'number' = '4500000101'")
	files, lamps, reviews := newDesk(t), newSite(t), newSite(t)
	files.nimmerholz()
	file := "/documents/" + files.uploaded(files.as(everything(login.Operator)), "invoice.pdf").String()
	lamps.lamps()
	lamps.nimmerholz()
	reviews.review(contract, lease)
	offers, jobs := hobbies(t)
	for name, shot := range map[string]struct {
		*site
		path   string
		scheme string
		height int64
		steps  []browser.Step
	}{
		"overview":   {s, "/", "light", 900, nil},
		"document":   {s, "/documents/" + s.numbered("4500000101").String(), "light", 860, nil},
		"pair":       {s, "/pairs/" + s.numbered("4500000136").String() + "/" + s.numbered("26-0418").String(), "dark", 1000, nil},
		"phone":      {s, "/documents", "light", 844, nil},
		"todo":       {s, "/todo", "light", 420, nil},
		"bulk":       {s, "/open?kind=warning", "light", 620, nil},
		"desk":       {files, file, "light", 900, []browser.Step{chromedp.Focus(`[name="value.total"]`), chromedp.ScrollIntoView("#desk")}},
		"file":       {files, file, "light", 420, []browser.Step{chromedp.ScrollIntoView(`[action$="/dismiss"]`)}},
		"upload":     {files, "/documents", "light", 420, nil},
		"invoices":   {lamps, "/invoices", "light", 480, nil},
		"threeway":   {lamps, "/documents/" + lamps.numbered("R-2").String(), "light", 560, []browser.Step{chromedp.ScrollIntoView(`[action$="/invoice"]`)}},
		"tolerances": {lamps, "/tolerances?supplier=DE811907980", "light", 900, nil},
		"review":     {reviews, "/documents/" + contract.String(), "light", 700, []browser.Step{chromedp.ScrollIntoView(".finding")}},
		"offers":     {offers, "/offers", "light", 620, nil},
		"offer":      {offers, "/offers/" + jobs["Ada"].String(), "light", 700, nil},
	} {
		width := int64(1280)
		if name == "phone" {
			width = 390
		}
		p := shot.serve(everything(login.Operator)).open(width)
		p.Run(chromedp.EmulateViewport(width, shot.height), browser.Color(shot.scheme))
		p.visit(shot.path)
		p.Run(shot.steps...)
		must.OK(t, os.WriteFile("screenshots/"+name+".webp", must.Get(chromedp.Run(p, webp))(t), 0o644))
	}
	total := int64(0)
	for _, f := range must.Get(os.ReadDir("screenshots"))(t) {
		total += must.Get(f.Info())(t).Size()
	}
	if t.Logf("%d bytes", total); total > mostPictures {
		t.Errorf("the pictures have %d bytes", total)
	}
}

// webp takes a picture with a third of the bytes of a PNG.
func webp(ctx context.Context, t *chromedp.Target) ([]byte, error) {
	r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: new(int64(60))})
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}
