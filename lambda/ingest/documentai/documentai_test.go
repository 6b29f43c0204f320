package documentai

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
)

// checkPages checks that each page has the text of that page of the file.
func checkPages(t *testing.T, got transcript.Transcription, numbers []int) {
	t.Helper()
	if got.Engine != "documentai" || got.Version != "default" || len(got.Pages) != len(numbers) {
		t.Fatalf("got engine %s, version %s, %d pages", got.Engine, got.Version, len(got.Pages))
	}
	for i, p := range got.Pages {
		want := transcript.Line{Text: fmt.Sprintf("Größe von Seite %d", numbers[i]), Confidence: 0.9,
			Box: transcript.Box{Left: 0.1, Top: 0.2, Right: 0.5, Bottom: 0.25}}
		if p.Number != i+1 || p.Quality != 0.875 || p.Defects != nil || len(p.Lines) != 1 || p.Lines[0] != want {
			t.Errorf("page %d: got %+v", i+1, p)
		}
	}
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

func TestSplitAndJoin(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	got := must.Get(g.engine().Transcribe(t.Context(), newPDF(40)))(t)
	checkPages(t, got, upTo(40))
	var selected []string
	for _, q := range g.requests {
		p := q.ProcessOptions.IndividualPageSelector.Pages
		selected = append(selected, fmt.Sprintf("%d-%d", p[0], p[len(p)-1]))
	}
	slices.Sort(selected)
	if want := []string{"1-15", "16-30", "31-40"}; !slices.Equal(selected, want) {
		t.Errorf("got requests for %v, want %v", selected, want)
	}
	if g.tokens != 1 {
		t.Errorf("%d tokens were requested", g.tokens)
	}
}

func TestSmallFileGoesWhole(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	file := newPDF(15)
	got := must.Get(g.engine().Transcribe(t.Context(), file))(t)
	checkPages(t, got, upTo(15))
	if len(g.requests) != 1 || g.requests[0].ProcessOptions.IndividualPageSelector != nil {
		t.Errorf("got %d requests", len(g.requests))
	}
	if string(g.requests[0].RawDocument.Content) != "%PDF 15 "+secretDocument {
		t.Error("the file was changed")
	}
	if _, drawn := file.rendered.Load(1); drawn {
		t.Error("a page was drawn")
	}
}

// An ingestion reads only the pages without a text layer.
func TestSelectedPagesKeepOrder(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	file := newPDF(3)
	file.total, file.numbers = 90, []int{2, 50, 90}
	got := must.Get(g.engine().Transcribe(t.Context(), file))(t)
	checkPages(t, got, file.numbers)
}

func TestImagesGoPageByPage(t *testing.T) {
	t.Parallel()
	other := newPDF(2)
	other.numbers = []int{1} // of two images: it is unknown which page the other shows
	for name, file := range map[string]transcript.Images{"no original": images{newPDF(2)}, "unknown pages": other} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGoogle(t)
			got, err := g.engine().Transcribe(t.Context(), file)
			if err != nil || len(g.requests) != 2 {
				t.Fatalf("got %d requests, %v", len(g.requests), err)
			}
			checkPages(t, got, []int{1, 1})
		})
	}
}

// The documentation does not state whether the limit counts the selected pages.
func TestPageLimitFallsBack(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	g.pageLimitCounts = true
	got := must.Get(g.engine().Transcribe(t.Context(), newPDF(40)))(t)
	checkPages(t, got, slices.Repeat([]int{1}, 40))
}

func TestRepairedPageGoesAsImage(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	first := transcript.Transcription{Engine: "documentai", Pages: []transcript.Page{
		{Number: 1, Quality: 0.9}, {Number: 2, Quality: 0.3, Defects: []transcript.Defect{transcript.SmallText}},
	}}
	got, err := g.engine().Repair(t.Context(), newPDF(2), first, 0.7)
	if err != nil || len(g.requests) != 1 || got.Images[2].Rect != image.Rect(0, 0, 40, 20) {
		t.Fatalf("got %v, %v", got.Images, err)
	}
	if p := got.Transcription.Pages[1]; p.Number != 2 || p.Quality != 0.875 {
		t.Errorf("got %+v", p)
	}
}

// sized is a file with one image of that size, drawn or as it is.
type sized struct {
	width, height int
	original      transcript.Original
}

func (sized) Pages() int { return 1 }
func (s sized) Render(context.Context, int, int) (*image.Gray, error) {
	return image.NewGray(image.Rect(0, 0, s.width, s.height)), nil
}
func (s sized) Original() transcript.Original { return s.original }

func TestLimitsBeforeCall(t *testing.T) {
	t.Parallel()
	huge := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x27\x10\x00\x00\x27\x10\x08\x00\x00\x00\x00\x9f\x25\x3d\xfb"
	for name, tc := range map[string]struct {
		file sized
		want string
	}{
		"an image as it is": {sized{1, 1, transcript.Original{Content: []byte(huge), MIMEType: "image/png"}},
			"image of page 1 has 10000 x 10000 pixels, limit 40 million; scan it at fewer dots per inch"},
		"a drawn page": {sized{8001, 5000, transcript.Original{MIMEType: "image/webp"}},
			"page image has 8001 x 5000 pixels, Document AI's limit is 40 million; " +
				"scan it at fewer dots per inch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGoogle(t)
			_, err := g.engine().Transcribe(t.Context(), tc.file)
			if f := failure.Of(err); f.Kind != failure.Permanent || f.Text != tc.want || g.tokens != 0 {
				t.Errorf("got %+v after %d calls", f, g.tokens)
			}
		})
	}
}

func TestLargeFileGoesAsImages(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	large := sized{9, 9, transcript.Original{Content: make([]byte, 40<<20+1), MIMEType: "application/pdf"}}
	got := must.Get(g.engine().Transcribe(t.Context(), large))(t)
	checkPages(t, got, []int{1})
}

func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	e := g.engine()
	start := time.Now()
	e.client.tokens.now = func() time.Time { return g.now() }
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{0, 1}, {54 * time.Minute, 1}, {56 * time.Minute, 2}} {
		g.now = func() time.Time { return start.Add(step.later) }
		if _, err := e.Transcribe(t.Context(), newPDF(1)); err != nil || g.tokens != step.want {
			t.Errorf("after %v: %d tokens, %v", step.later, g.tokens, err)
		}
	}
}

func TestRevokedToken(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	e := g.engine()
	for want := range 2 {
		if _, err := e.Transcribe(t.Context(), newPDF(1)); err != nil || g.tokens != want+1 {
			t.Fatalf("got %d tokens, %v", g.tokens, err)
		}
		g.valid = "revoked"
	}
	g.grant = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"access_token":"other","expires_in":3599,"token_type":"Bearer"}`)
	}
	_, err := e.Transcribe(t.Context(), newPDF(1))
	if f := failure.Of(err); !f.Refused || f.Kind != failure.Permanent || g.tokens != 3 {
		t.Errorf("got %+v after %d tokens", f, g.tokens)
	}
}

func TestRetryAfterBusy(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	busy := true
	g.serve = func(w http.ResponseWriter, _ *http.Request) {
		busy, g.serve = false, nil
		refuse(w, 429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "Retry-After", "7")
	}
	var waits []time.Duration
	e := g.engine(func(c *Config) {
		c.Retry = llm.Retry{Jitter: func() float64 { return 0 }, Sleep: func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}}
	})
	if _, err := e.Transcribe(t.Context(), newPDF(1)); err != nil || busy ||
		!slices.Equal(waits, []time.Duration{7 * time.Second}) {
		t.Errorf("got %v, waits %v", err, waits)
	}
}

func TestLinesRowByRow(t *testing.T) {
	t.Parallel()
	const box = `"boundingPoly":{"normalizedVertices":[{"x":%v,"y":%v},{"x":%v,"y":%[2]v},{"x":%[3]v,"y":%v},` +
		`{"x":%[1]v,"y":%[4]v}]}`
	line := func(start, end int, orientation string, left, top, right, bottom float64) string {
		return fmt.Sprintf(`{"layout":{"textAnchor":{"textSegments":[{"startIndex":"%d","endIndex":"%d"}]},`+
			`"confidence":0.5,%s,"orientation":%q}}`,
			start, end, fmt.Sprintf(box, left, top, right, bottom), orientation)
	}
	// In the order of blocks: two labels, then their two amounts, then a note on its side.
	body := `{"document":{"text":"Net\nTotal\n10,00\n11,90\nPaid on time\n","pages":[{"pageNumber":1,` +
		`"dimension":{"width":1000,"height":2000},"lines":[` + strings.Join([]string{
		line(0, 4, "PAGE_UP", 0.1, 0.1, 0.2, 0.11), line(4, 10, "PAGE_UP", 0.1, 0.2, 0.2, 0.21),
		line(10, 16, "PAGE_UP", 0.7, 0.1, 0.8, 0.11), line(16, 22, "PAGE_UP", 0.7, 0.2, 0.8, 0.21),
		line(22, 35, "PAGE_RIGHT", 0.95, 0.3, 0.97, 0.6),
	}, ",") + `],"imageQualityScores":{"qualityScore":0.3,"detectedDefects":[` +
		`{"type":"quality/defect_text_too_small","confidence":0.9},{"type":"quality/defect_faint","confidence":0.8},` +
		`{"type":"quality/defect_dark","confidence":0.7},{"type":"quality/defect_glare","confidence":0.5},` +
		`{"type":"quality/new","confidence":1}]}}]}}`
	got, err := decode([]byte(body), []int{1})
	must.OK(t, err)
	var texts []string
	for _, l := range got[0].Lines {
		texts = append(texts, l.Text)
	}
	if want := []string{"Net", "10,00", "Total", "11,90", "Paid on time"}; !slices.Equal(texts, want) {
		t.Errorf("got %q", texts)
	}
	if want := []transcript.Defect{transcript.SmallText, transcript.Contrast}; !slices.Equal(got[0].Defects, want) ||
		got[0].Quality != 0.3 {
		t.Errorf("got quality %v, %v", got[0].Quality, got[0].Defects)
	}
	if b := got[0].Lines[1].Box; math.Abs(b.Left-0.7) > 1e-9 || math.Abs(b.Bottom-0.11) > 1e-9 {
		t.Errorf("got the place %+v", b)
	}
	sideways := strings.ReplaceAll(body, "PAGE_UP", "PAGE_LEFT")
	got, err = decode([]byte(sideways), []int{1})
	if err != nil || !slices.Contains(got[0].Defects, transcript.Orientation) {
		t.Errorf("got %v, %v", got[0].Defects, err)
	}
}

func TestEmptyPageQuality(t *testing.T) {
	t.Parallel()
	body := `{"document":{"pages":[{"pageNumber":1,"imageQualityScores":{"qualityScore":1}}]}}`
	got, err := decode([]byte(body), []int{1})
	if err != nil || got[0].Quality != 0 || !slices.Equal(got[0].Defects, []transcript.Defect{transcript.NoText}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestDuplicatePage(t *testing.T) {
	t.Parallel()
	_, err := decode([]byte(`{"document":{"pages":[{"pageNumber":1},{"pageNumber":1}]}}`), []int{1, 2})
	if !errors.Is(err, otherPages) {
		t.Errorf("got %v", err)
	}
}

func TestConfigErrorsHideValues(t *testing.T) {
	t.Parallel()
	const version = "pretrained-ocr-v2.1-2024-08-07"
	good := Config{Key: keyFile("https://oauth2.googleapis.com/token"),
		Processor: resource + "/processorVersions/" + version}
	e, err := New(good)
	if err != nil || e.client.method != "https://eu-documentai.googleapis.com/v1/"+good.Processor+":process" ||
		e.client.version != version {
		t.Fatalf("got %+v, %v", e.client, err)
	}
	const noKey = "invalid key of Document AI: expected the JSON of a service account's key"
	for name, tc := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"processor": {func(c *Config) { c.Processor = "0123456789abcdef" }, "invalid Document AI processor: must be projects/PROJECT/"},
		"path": {func(c *Config) { c.Processor = "projects/a/locations/eu/processors/../x" },
			"invalid Document AI processor"},
		"no key": {func(c *Config) { c.Key = secretDocument }, noKey},
		"user's": {func(c *Config) { c.Key = strings.Replace(c.Key, "service_account", "authorized_user", 1) },
			noKey},
		"no PEM": {func(c *Config) { c.Key = strings.Replace(c.Key, "-----BEGIN", "-----", 1) }, "must be PEM"},
		"no RSA": {func(c *Config) { c.Key = strings.Replace(c.Key, "KEY-----\\n", "KEY-----\\nAAAA", 1) },
			"must be an RSA key"},
		"open token": {func(c *Config) { c.Key = keyFile("http://example.com/token") },
			"token_uri of Document AI's key must be https, otherwise the key is readable in transit"},
		"open service": {func(c *Config) { c.BaseURL = "http://example.com" },
			"address of Document AI must be https"},
		"no URL": {func(c *Config) { c.BaseURL = "https://u:p@example.com" },
			"address of Document AI must be an https URL"},
		"negative": {func(c *Config) { c.Calls = -1 }, "timeout, DPI, calls and pages of Document AI must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := good
			tc.change(&c)
			_, err := New(c)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			if found := failuretest.Leaks(secrets(), c, &c, err); len(found) > 0 {
				t.Errorf("found %q", found)
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	g := newGoogle(t)
	e := g.engine()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := e.Transcribe(t.Context(), newPDF(16)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if g.tokens != 1 || len(g.requests) != 16 {
		t.Errorf("%d tokens, %d requests", g.tokens, len(g.requests))
	}
}
