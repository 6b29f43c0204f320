package documentai

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
)

const (
	secretToken    = "ya29.HiddenToken"
	secretDocument = "Hidden Invoice 4711"
	secretResponse = "Hidden response"
	account        = "hidden-robot@example.iam.gserviceaccount.com"
	resource       = "projects/acme/locations/eu/processors/0123456789abcdef"
)

// private is the key of the service account, made once for all tests.
var private = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

// keyFile is the JSON that the console gives for a service account's key.
func keyFile(endpoint string) string {
	der, err := x509.MarshalPKCS8PrivateKey(private())
	if err != nil {
		panic(err)
	}
	file, _ := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "acme", "private_key_id": "k1", "client_email": account,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": endpoint,
		"client_id": "1", "auth_uri": "https://accounts.google.com/o/oauth2/auth", "universe_domain": "googleapis.com",
	})
	return string(file)
}

// secrets are the texts that nothing may print.
func secrets() []string {
	der, _ := x509.MarshalPKCS8PrivateKey(private())
	encoded := base64.StdEncoding.EncodeToString(der)
	return []string{secretToken, secretDocument, secretResponse, account, encoded[:60], private().D.String()[:40]}
}

// request is a ProcessRequest, with the members of its documentation that the
// adapter uses, and no other.
type request struct {
	RawDocument struct {
		MIMEType string `json:"mimeType"`
		Content  []byte `json:"content"`
	} `json:"rawDocument"`
	FieldMask      string `json:"fieldMask"`
	ProcessOptions struct {
		OCRConfig struct {
			EnableImageQualityScores bool `json:"enableImageQualityScores"`
			EnableNativePDFParsing   bool `json:"enableNativePdfParsing"`
		} `json:"ocrConfig"`
		IndividualPageSelector *struct {
			Pages []int `json:"pages"`
		} `json:"individualPageSelector"`
	} `json:"processOptions"`
}

// google is a strict server of tokens and of Document AI. It serves PDFs of this
// test: %PDF and a number of pages.
type google struct {
	t     *testing.T
	url   string
	now   func() time.Time
	serve http.HandlerFunc // instead of the processor
	grant http.HandlerFunc // instead of the server of tokens

	pageLimitCounts bool // the pages of the whole file, not the selected ones

	mutex    sync.Mutex
	tokens   int
	requests []request
	valid    string // the token
}

func newGoogle(t *testing.T) *google {
	t.Helper()
	g := &google{t: t, now: time.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", g.serveToken)
	mux.HandleFunc("POST /v1/"+resource+":process", g.serveProcess)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("unknown address: %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func (g *google) config() Config {
	return Config{Key: keyFile(g.url + "/token"), Processor: resource, BaseURL: g.url, Retry: llm.Retry{Tries: 1}}
}

func (g *google) engine(change ...func(*Config)) *Engine {
	g.t.Helper()
	c := g.config()
	for _, f := range change {
		f(&c)
	}
	e, err := New(c)
	must.OK(g.t, err)
	return e
}

func (g *google) serveToken(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		g.t.Error(err)
	}
	g.mutex.Lock()
	g.tokens++
	g.valid = fmt.Sprintf("%s%d", secretToken, g.tokens)
	token := g.valid
	g.mutex.Unlock()
	if r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || len(r.PostForm) != 2 {
		g.t.Errorf("got the form %v", r.PostForm)
	}
	g.checkAssertion(r.PostForm.Get("assertion"))
	if g.grant != nil {
		g.grant(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_, _ = fmt.Fprintf(w, `{"access_token":%q,"expires_in":3599,"token_type":"Bearer"}`, token)
}

// checkAssertion checks the parts of a JWT, which have no padding.
func (g *google) checkAssertion(assertion string) {
	parts := strings.Split(assertion, ".")
	if len(parts) != 3 {
		g.t.Errorf("the assertion has %d parts", len(parts))
		return
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || rsa.VerifyPKCS1v15(&private().PublicKey, crypto.SHA256, digest[:], signature) != nil {
		g.t.Errorf("the signature is wrong (%v)", err)
	}
	var header struct{ Alg, Typ, Kid string }
	var claims struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	strict(g.t, decoded(parts[0]), &header)
	strict(g.t, decoded(parts[1]), &claims)
	if header.Alg != "RS256" || header.Typ != "JWT" || header.Kid != "k1" {
		g.t.Errorf("got the header %+v", header)
	}
	if claims.Iss != account || claims.Scope != "https://www.googleapis.com/auth/cloud-platform" ||
		claims.Aud != g.url+"/token" || claims.Exp-claims.Iat > 3600 || claims.Exp <= g.now().Unix() ||
		claims.Iat > g.now().Unix() {
		g.t.Errorf("got the claims %+v", claims)
	}
}

func decoded(part string) []byte {
	b, _ := base64.RawURLEncoding.DecodeString(part)
	return b
}

func strict(t *testing.T, text []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil || d.More() {
		t.Errorf("%.200s: %v", text, err)
	}
}

func (g *google) serveProcess(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the engine gave up, because another part of the file failed
	}
	kind := r.Header.Get("Content-Type")
	if r.ContentLength != int64(len(body)) || !strings.HasPrefix(kind, "application/json") {
		g.t.Errorf("got %d bytes of %d, %s", len(body), r.ContentLength, kind)
	}
	if g.serve != nil {
		g.serve(w, r)
		return
	}
	var q request
	strict(g.t, body, &q)
	g.mutex.Lock()
	g.requests = append(g.requests, q)
	valid := g.valid
	g.mutex.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+valid {
		refuse(w, 401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED")
		return
	}
	g.answer(w, q)
}

// answer serves a page's number as its text.
func (g *google) answer(w http.ResponseWriter, q request) {
	total := g.count(q)
	numbers := make([]int, 0, total)
	for i := range total {
		numbers = append(numbers, i+1)
	}
	if s := q.ProcessOptions.IndividualPageSelector; s != nil {
		if len(s.Pages) == 0 || !slices.IsSorted(s.Pages) || s.Pages[0] < 1 || s.Pages[len(s.Pages)-1] > total {
			g.t.Errorf("pages %v of %d were selected", s.Pages, total)
		}
		if numbers = s.Pages; g.pageLimitCounts {
			numbers = make([]int, total)
		}
	}
	if len(numbers) > 15 {
		refuse(w, 400, "INVALID_ARGUMENT", "PAGE_LIMIT_EXCEEDED")
		return
	}
	text, pages := "", []string{}
	for _, n := range numbers {
		line := fmt.Sprintf("Größe von Seite %d\n", n) // the index counts characters
		start := len([]rune(text))
		text += line
		pages = append(pages, fmt.Sprintf(`{"pageNumber":%d,"dimension":{"width":1240,"height":1754,"unit":"pixels"},`+
			`"lines":[{"layout":{"textAnchor":{"textSegments":[{%s"endIndex":"%d"}]},"confidence":0.9,`+
			`"boundingPoly":{"normalizedVertices":[{"x":0.1,"y":0.2},{"x":0.5,"y":0.2},{"x":0.5,"y":0.25},`+
			`{"x":0.1,"y":0.25}]},`+
			`"orientation":"PAGE_UP"}}],"imageQualityScores":{"qualityScore":0.875}}`, n, startIndex(start),
			start+len([]rune(line))))
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	quoted, _ := json.Marshal(text)
	_, _ = fmt.Fprintf(w, `{"document":{"text":%s,"pages":[%s],"shardInfo":{"shardCount":"1"}},"humanReviewStatus":{}}`,
		quoted, strings.Join(pages, ","))
}

// startIndex is left out where it is zero, as in all JSON of Google.
func startIndex(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(`"startIndex":"%d",`, n)
}

// count checks the document of a request, and returns its pages.
func (g *google) count(q request) (pages int) {
	o := q.ProcessOptions.OCRConfig
	if !o.EnableImageQualityScores || o.EnableNativePDFParsing != (q.RawDocument.MIMEType == "application/pdf") ||
		q.FieldMask != "text,pages.pageNumber,pages.dimension,pages.lines,pages.imageQualityScores" {
		g.t.Errorf("got the options %+v, fields %s", o, q.FieldMask)
	}
	switch q.RawDocument.MIMEType {
	case "application/pdf":
		if _, err := fmt.Sscanf(string(q.RawDocument.Content), "%%PDF %d", &pages); err != nil {
			g.t.Errorf("got the PDF %.20q: %v", q.RawDocument.Content, err)
		}
		return pages
	case "image/png":
		if _, err := png.Decode(bytes.NewReader(q.RawDocument.Content)); err != nil {
			g.t.Error(err)
		}
		return 1
	}
	g.t.Errorf("got a document of the type %s", q.RawDocument.MIMEType)
	return 1
}

// refuse makes an error as Google does.
func refuse(w http.ResponseWriter, status int, code, reason string, headers ...string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	for i := 0; i < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, errorBody(status, code, reason))
}

func errorBody(status int, code, reason string) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q,"details":[`+
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo",`+
		`"reason":%q,"domain":"googleapis.com","metadata":{"consumer":%[2]q}},`+
		`{"@type":"type.googleapis.com/google.rpc.BadRequest",`+
		`"fieldViolations":[{"field":"raw_document.content","description":%[2]q}]}]}}`,
		status, secretResponse, code, reason)
}

// pdf is a PDF of this test, of that many pages, with its images.
type pdf struct {
	pages, total int
	numbers      []int
	rendered     *sync.Map
}

func newPDF(pages int) pdf { return pdf{pages: pages, total: pages, rendered: &sync.Map{}} }

func (p pdf) Pages() int { return p.pages }
func (p pdf) Render(_ context.Context, page, _ int) (*image.Gray, error) {
	p.rendered.Store(page, true)
	return image.NewGray(image.Rect(0, 0, 20, 10)), nil
}
func (p pdf) Original() transcript.Original {
	content := fmt.Sprintf("%%PDF %d %s", p.total, secretDocument)
	return transcript.Original{Content: []byte(content), MIMEType: "application/pdf", Pages: p.numbers}
}

// images has images only.
type images struct{ pdf }

func (images) Original() {}
