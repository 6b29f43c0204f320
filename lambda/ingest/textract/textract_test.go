package textract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // the other format of a page
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/textract"
)

const (
	secretKey  = "HiddenAccessKey"
	secretText = "Hidden <invoice> & 4711"
)

// client is a real one, of a server here.
func client(url string) *textract.Client {
	return textract.New(textract.Options{
		Region: "eu-central-1", BaseEndpoint: &url,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: secretKey, SecretAccessKey: secretKey}, nil
		}),
	})
}

// server is a strict Textract: a page's width is the text of its one line.
type server struct {
	t     *testing.T
	url   string
	serve http.HandlerFunc // instead of lines

	mutex   sync.Mutex
	formats []string
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

func (s *server) engine(change ...func(*Config)) *Engine {
	s.t.Helper()
	c := Config{Retry: llm.Retry{Tries: 1}}
	for _, f := range change {
		f(&c)
	}
	e, err := New(client(s.url), c)
	must.OK(s.t, err)
	return e
}

// ServeHTTP checks a call of the protocol AWS JSON 1.1.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct{ Document struct{ Bytes []byte } }
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&q)
	h := r.Header
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/" ||
		h.Get("X-Amz-Target") != "Textract.DetectDocumentText" ||
		h.Get("Content-Type") != "application/x-amz-json-1.1" ||
		!strings.Contains(h.Get("Authorization"), "/eu-central-1/textract/aws4_request") {
		s.t.Errorf("got %s %s, %v, %v", r.Method, r.URL, h, err)
	}
	m, format, err := image.Decode(bytes.NewReader(q.Document.Bytes))
	if err != nil || len(q.Document.Bytes) > 10<<20 {
		s.t.Errorf("got %d bytes: %v", len(q.Document.Bytes), err)
		return
	}
	s.mutex.Lock()
	s.formats = append(s.formats, format)
	s.mutex.Unlock()
	if s.serve != nil {
		s.serve(w, r)
		return
	}
	says(200, "", answer(line("1", fmt.Sprint(m.Bounds().Dx()), 0.1, 0.2, 0.4, 0.05, "")))(w, r)
}

// says makes a response like Textract's; code is the type of the error.
func says(status int, code, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		if code != "" {
			message, _ := json.Marshal(secretText)
			body = fmt.Sprintf(`{"__type":%q,"Message":%s}`, code, message)
		}
		_, _ = io.WriteString(w, body)
	}
}

func answer(blocks ...string) string {
	page := `{"BlockType":"PAGE","Id":"0","Geometry":{"BoundingBox":{"Width":1,"Height":1,"Left":0,"Top":0},` +
		`"Polygon":[]}}`
	return `{"DetectDocumentTextModelVersion":"1.0","DocumentMetadata":{"Pages":1},"Blocks":[` +
		strings.Join(append([]string{page}, blocks...), ",") + `]}`
}

// line is a LINE; rest is more of it.
func line(id, text string, left, top, width, height float64, rest string) string {
	return fmt.Sprintf(`{"BlockType":"LINE","Id":%q,"Text":%q,"Confidence":95.5,"Geometry":{"BoundingBox":`+
		`{"Left":%v,"Top":%v,"Width":%v,"Height":%v},"Polygon":[{"X":%[3]v,"Y":%[4]v}]}%[7]s}`,
		id, text, left, top, width, height, rest)
}

// word is a WORD that is turned.
func word(id string, angle int) string {
	return fmt.Sprintf(`{"BlockType":"WORD","Id":%q,"Text":"x","Confidence":99,"TextType":"PRINTED",`+
		`"Geometry":{"RotationAngle":%d}}`, id, angle)
}

// pages is a file of white pages of these widths, each with a black edge.
type pages []int

func (p pages) Pages() int { return len(p) }
func (p pages) Render(_ context.Context, page, _ int) (*image.Gray, error) {
	m := image.NewGray(image.Rect(0, 0, p[page-1], 400))
	for i := range m.Pix {
		if m.Pix[i] = 255; i%m.Stride < 10 {
			m.Pix[i] = 0
		}
	}
	return m, nil
}

func TestFortyPages(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var file pages
	for i := range 40 {
		file = append(file, 500+i)
	}
	got, err := s.engine(func(c *Config) { c.Calls = 4 }).Transcribe(t.Context(), file)
	if err != nil || got.Engine != "textract" || got.Version != "1.0" || len(got.Pages) != 40 {
		t.Fatalf("got %s %s, %d pages, %v", got.Engine, got.Version, len(got.Pages), err)
	}
	for i, p := range got.Pages {
		want := transcript.Line{Text: fmt.Sprint(500 + i), Confidence: 0.955,
			Box: transcript.Box{Left: 0.1, Top: 0.2, Right: 0.5, Bottom: 0.25}}
		if p.Number != i+1 || p.Quality != 0.955 || p.Defects != nil || len(p.Lines) != 1 || p.Lines[0] != want {
			t.Errorf("page %d: got %+v", i+1, p)
		}
	}
	if len(s.formats) != 40 || slices.Contains(s.formats, "jpeg") {
		t.Errorf("got %v", s.formats)
	}
}

func TestLinesRowByRow(t *testing.T) {
	t.Parallel()
	child := func(id string) string { return `,"Relationships":[{"Type":"CHILD","Ids":["` + id + `"]}]` }
	s := newServer(t)
	s.serve = says(200, "", answer(
		line("1", "Net", 0.1, 0.1, 0.1, 0.04, ""), line("2", "Total", 0.1, 0.2, 0.1, 0.04, ""),
		line("3", " 10,00\t", 0.7, 0.1, 0.1, 0.04, ""), line("4", "11,90", 0.7, 0.2, 0.1, 0.04, ""),
		line("5", "Paid", 0.95, 0.3, 0.03, 0.3, child("6")), word("6", 90), line("7", " ", 0, 0, 0, 0, ""),
	))
	got, err := s.engine().Transcribe(t.Context(), pages{1000})
	must.OK(t, err)
	var texts []string
	for _, l := range got.Pages[0].Lines {
		texts = append(texts, l.Text)
	}
	want := []string{"Net", "10,00", "Total", "11,90", "Paid"}
	if !slices.Equal(texts, want) || got.Pages[0].Defects != nil {
		t.Errorf("got %q, %v", texts, got.Pages[0].Defects)
	}
}

func TestDefectsAreMeasured(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		blocks []string
		want   []transcript.Defect
	}{
		"nothing": {nil, []transcript.Defect{transcript.NoText, transcript.Blank}},
		"low":     {[]string{line("1", "x", 0, 0, 0.1, 0.01, "")}, []transcript.Defect{transcript.SmallText}}, // four pixels
		"on the side": {[]string{
			line("1", "x", 0, 0, 0.1, 0.1, `,"Relationships":[{"Type":"CHILD","Ids":["2"]}]`), word("2", 270),
		}, []transcript.Defect{transcript.Orientation}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.serve = says(200, "", answer(tc.blocks...))
			got, err := s.engine().Transcribe(t.Context(), pages{1000})
			if err != nil || !slices.Equal(got.Pages[0].Defects, tc.want) {
				t.Errorf("got %+v, %v", got.Pages, err)
			}
		})
	}
}

func TestRepairedPageIsReadAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first := transcript.Transcription{Engine: "textract", Pages: []transcript.Page{
		{Number: 1, Quality: 0.9}, {Number: 2, Quality: 0.3, Defects: []transcript.Defect{transcript.SmallText}},
	}}
	got, err := s.engine().Repair(t.Context(), pages{700, 700}, first, 0.7)
	if err != nil || len(s.formats) != 1 || got.Transcription.Pages[1].Lines[0].Text != "1400" {
		t.Errorf("got %+v, %v", got.Transcription.Pages, err)
	}
}

func TestLargePageGoesAsJPEG(t *testing.T) {
	t.Parallel()
	noise := image.NewGray(image.Rect(0, 0, 300, 300))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(r.Uint32())
	}
	for limit, want := range map[int]string{100_000: "png", 80_000: "jpeg"} {
		content, err := encode(noise, limit)
		_, format, decodeErr := image.DecodeConfig(bytes.NewReader(content))
		if err != nil || decodeErr != nil || format != want || len(content) > limit {
			t.Errorf("limit %d: got %d bytes of %s, %v, %v", limit, len(content), format, err, decodeErr)
		}
	}
}

func TestLimitsBeforeCall(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		size  image.Point
		limit int
		want  string
	}{
		"side": {image.Pt(10_001, 9), maxBytes,
			"page image has 10001 x 9 pixels, Textract's limit is 10000 on a side; " +
				"scan it at fewer dots per inch"},
		"bytes": {image.Pt(9, 9), 3,
			"page image has 0 MB, Textract's limit is 0 MB; scan it at fewer dots per inch"},
		"no pixels": {image.Pt(0, 9), maxBytes, "page image is empty; scan it again"},
	} {
		_, err := encode(image.NewGray(image.Rectangle{Max: tc.size}), tc.limit)
		if f := failure.Of(err); f.Kind != failure.Permanent || f.Text != tc.want {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

func TestRetryAfterThrottling(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.serve = func(w http.ResponseWriter, r *http.Request) {
		s.serve = nil
		says(400, "ProvisionedThroughputExceededException", "", "Retry-After", "7")(w, r)
	}
	var waits []time.Duration
	e := s.engine(func(c *Config) {
		c.Retry = llm.Retry{Jitter: func() float64 { return 0 }, Sleep: func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}}
	})
	_, err := e.Transcribe(t.Context(), pages{500})
	if err != nil || !slices.Equal(waits, []time.Duration{7 * time.Second}) {
		t.Errorf("got %v, waits %v", err, waits)
	}
}

func TestNegativeConfig(t *testing.T) {
	t.Parallel()
	if _, err := New(client("http://localhost"), Config{Calls: -1}); err == nil {
		t.Error("accepted")
	}
}
