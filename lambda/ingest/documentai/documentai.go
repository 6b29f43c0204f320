// Package documentai reads files with Google Document AI, a processor of type Enterprise
// Document OCR, through its REST API.
//
// A PDF or an image is sent as it is, so that the processor uses a PDF's text layer if there
// is one. A file with too many pages for a request is sent in several, each with its page
// numbers, and the answers are joined. Without the file, and for repaired pages, each image of
// a page is a request. The quality and the defects of a page come from the service.
//
// The service account's key is the secret. It signs a request for a token, and the token is
// kept until shortly before it expires. Errors contain nothing of a request or a response but
// the HTTP status and a known error code. You can print a Config or an Engine, because neither
// shows the key.
package documentai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"matchbook/lambda/ingest/ocr"
	"matchbook/lambda/llm"
)

const (
	name           = "documentai" // of the engine, in a transcription
	defaultTimeout = 2 * time.Minute
)

// Config describes the processor. A zero optional field means its default.
type Config struct {
	// Key is the JSON of a service account's key. Required.
	Key string `json:"-"`
	// Processor is the resource name of an OCR processor, or of one version of it:
	// projects/P/locations/eu/processors/ID. Required.
	Processor string
	BaseURL   string        // default https://LOCATION-documentai.googleapis.com
	DPI       int           // for drawing pages; default 300
	Calls     int           // at once; default 4, of a project's 600 a minute
	Pages     int           // of a request; default 15, the limit of online processing
	Timeout   time.Duration // of a request, to the end of the answer; default 2 min
	Retry     llm.Retry     // of a request; default three tries
}

// Format keeps the key out of every way to print a Config.
func (c Config) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "documentai.Config of "+c.Processor)
}

// Engine transcribes files. It is safe for concurrent use.
type Engine struct {
	*ocr.Engine
	client *client
	pages  int
}

// Format keeps the key out of every way to print an Engine.
func (*Engine) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "documentai.Engine") }

var processor = regexp.MustCompile(
	`^projects/[\w.:-]+/locations/([\w-]+)/processors/[\w-]+(?:/processorVersions/([\w.-]+))?$`)

// New checks the configuration. It makes no request. Its error lists all faults and shows no
// values.
func New(c Config) (*Engine, error) {
	parts := processor.FindStringSubmatch(c.Processor)
	var problems []error
	if parts == nil {
		problems = append(problems, errors.New(
			"invalid Document AI processor: must be projects/PROJECT/locations/LOCATION/processors/ID, "+
				"optionally with /processorVersions/VERSION"))
		parts = make([]string, 3)
	}
	key, err := parseKey(c.Key)
	if err != nil {
		problems = append(problems, err)
	}
	base, err := address(cmp.Or(c.BaseURL, "https://"+parts[1]+"-documentai.googleapis.com"))
	if err != nil {
		problems = append(problems, fmt.Errorf("address of Document AI %w", err))
	}
	if c.Timeout < 0 || c.DPI < 0 || c.Calls < 0 || c.Pages < 0 {
		problems = append(problems, errors.New("timeout, DPI, calls and pages of Document AI must not be negative"))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	web := &http.Client{
		Timeout:       cmp.Or(c.Timeout, defaultTimeout),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// Use a new connection for each request, because a kept one may have died while the
		// function was frozen. Proxy is nil, so that the environment's proxy isn't used.
		Transport: &http.Transport{DisableKeepAlives: true},
	}
	reader := &client{
		web: web, method: base + "/v1/" + c.Processor + ":process", version: cmp.Or(parts[2], "default"),
		tokens: newTokens(web, key), retry: c.Retry,
	}
	engine := ocr.New(reader, name, cmp.Or(c.DPI, 300), cmp.Or(c.Calls, 4))
	return &Engine{engine, reader, cmp.Or(c.Pages, maxPages)}, nil
}

// Check asks Google to verify the key, which costs nothing. It doesn't look for the processor,
// because a key may use a processor without the right to describe it.
func (e *Engine) Check(ctx context.Context) error {
	if _, failed := e.client.tokens.get(ctx); failed != nil {
		return table.Classify(failed)
	}
	return nil
}

// address checks that a URL protects the key: it must be https, except on this machine.
func address(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("must be an https URL") // without err, because err quotes it
	case u.Scheme != "https" && (u.Scheme != "http" || !isLocal(u.Hostname())):
		return "", errors.New("must be https, otherwise the key is readable in transit")
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// isLocal reports whether the host is this machine, as for test servers.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Version returns the version of the processor; "default" leaves the choice to the processor.
func (c *client) Version() string { return c.version }

var _ ocr.Reader = (*client)(nil)
