// Package documentai reads files by Google Document AI, its processor of the
// type Enterprise Document OCR, through the REST API.
//
// A PDF or an image goes as it is, so that the processor uses a PDF's own text
// where there is some; more pages than a request may have go in several
// requests, each with its page numbers, and are joined. Without the file itself,
// and for repaired pages, each image of a page is a request. What the service
// reports about the quality of a page becomes its quality and its defects.
//
// The service account's key is the secret: it signs a request for a token, which
// is kept until shortly before its end. Nothing of a request or a response gets
// into an error but the HTTP status and an error code that we know, and no
// printed Config or Engine contains the key.
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

// Config describes the processor. The zero value of a field that is not
// required is a default.
type Config struct {
	// Key is the JSON of a service account's key. Required.
	Key string `json:"-"`
	// Processor is the resource name of an OCR processor, or of one version of it:
	// projects/P/locations/eu/processors/ID. Required.
	Processor string
	BaseURL   string        // https://LOCATION-documentai.googleapis.com
	DPI       int           // at which pages are drawn: 300
	Calls     int           // at once: 4, of the 600 a minute that a project has
	Pages     int           // of a request: 15, the limit of online processing
	Timeout   time.Duration // of a request, to the end of the answer: 2 min
	Retry     llm.Retry     // of a request: three tries
}

// Format keeps the key out of every way to print a Config.
func (c Config) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "documentai.Config of "+c.Processor)
}

// Engine transcribes files. It may be used concurrently.
type Engine struct {
	*ocr.Engine
	client *client
	pages  int
}

// Format keeps the key out of every way to print an Engine.
func (*Engine) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "documentai.Engine") }

var processor = regexp.MustCompile(
	`^projects/[\w.:-]+/locations/([\w-]+)/processors/[\w-]+(?:/processorVersions/([\w.-]+))?$`)

// New checks the configuration, without a request; the error lists all its
// faults, and none of its values.
func New(c Config) (*Engine, error) {
	parts := processor.FindStringSubmatch(c.Processor)
	var problems []error
	if parts == nil {
		problems = append(problems, errors.New(
			"the processor is not projects/PROJECT/locations/LOCATION/processors/ID, "+
				"with or without /processorVersions/VERSION"))
		parts = make([]string, 3)
	}
	key, err := parseKey(c.Key)
	if err != nil {
		problems = append(problems, err)
	}
	base, err := address(cmp.Or(c.BaseURL, "https://"+parts[1]+"-documentai.googleapis.com"))
	if err != nil {
		problems = append(problems, fmt.Errorf("the address of Document AI %w", err))
	}
	if c.Timeout < 0 || c.DPI < 0 || c.Calls < 0 || c.Pages < 0 {
		problems = append(problems, errors.New("a number of Document AI's configuration is negative"))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	web := &http.Client{
		Timeout:       cmp.Or(c.Timeout, defaultTimeout),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// A connection for each request: a kept one may have died while the function
		// was frozen. No Proxy: the environment's proxy is not used.
		Transport: &http.Transport{DisableKeepAlives: true},
	}
	reader := &client{
		web: web, method: base + "/v1/" + c.Processor + ":process", version: cmp.Or(parts[2], "default"),
		tokens: newTokens(web, key), retry: c.Retry,
	}
	engine := ocr.New(reader, name, cmp.Or(c.DPI, 300), cmp.Or(c.Calls, 4))
	return &Engine{engine, reader, cmp.Or(c.Pages, maxPages)}, nil
}

// Check has Google accept the key, which costs nothing. Whether the processor
// is there is not looked at: a key that may use one may not describe it.
func (e *Engine) Check(ctx context.Context) error {
	if _, failed := e.client.tokens.get(ctx); failed != nil {
		return table.Classify(failed)
	}
	return nil
}

// address checks that a URL keeps the key on its way: https, except on this
// machine.
func address(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("is not an https URL") // without err, which quotes it
	case u.Scheme != "https" && (u.Scheme != "http" || !isLocal(u.Hostname())):
		return "", errors.New("is not https: the key would be readable on its way")
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// isLocal reports whether the host is this machine, where a server for tests may
// listen.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Version returns the version of the processor, default if the processor
// chooses it.
func (c *client) Version() string { return c.version }

var _ ocr.Reader = (*client)(nil)
