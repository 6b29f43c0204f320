package lambdahost

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// urlResponseType is the content type of a streamed response: a JSON head, eight zero bytes,
// and the body.
const urlResponseType = "application/vnd.awslambda.http-integration-response"

// maxHead bounds the head of a streamed response, in bytes.
const maxHead = 1 << 20

// URL serves requests like the function URL in RESPONSE_STREAM mode: each request is one
// invocation, and its response is passed on as the function writes it. The invocation
// continues even if the client disconnects.
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
func (f *Function) URL() http.Handler { return http.HandlerFunc(f.serveURL) }

func (f *Function) serveURL(w http.ResponseWriter, r *http.Request) {
	payload, err := urlEvent(w, r)
	if err != nil {
		writeJSON(w, http.StatusRequestEntityTooLarge, map[string]string{"Message": "Request Too Long"})
		return
	}
	e, err := f.acquire()
	if err != nil {
		writeJSON(w, http.StatusTooManyRequests, map[string]string{"Message": "Rate Exceeded."})
		return
	}
	response, answer := io.Pipe()
	defer response.Close() // the rest of the response is read and dropped
	go func() {
		_, err := e.invoke(payload, answer)
		answer.CloseWithError(err) // EOF without an error; the environment is free again
	}()
	head, err := readHead(response)
	if err != nil {
		writeJSON(w, http.StatusBadGateway, map[string]string{"Message": "Internal Server Error"})
		return
	}
	for name, value := range head.Headers {
		w.Header().Set(name, value)
	}
	for _, cookie := range head.Cookies {
		w.Header().Add("Set-Cookie", cookie)
	}
	w.WriteHeader(head.StatusCode)
	if err := pass(w, response); err != nil {
		panic(http.ErrAbortHandler) // so that the client notices the truncated response
	}
}

// urlEvent converts a request into an event in payload format 2.0.
func urlEvent(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	if err != nil {
		return nil, err
	}
	headers := map[string]string{"host": r.Host, "x-forwarded-proto": "http"}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	parameters := map[string]string{}
	for name, values := range r.URL.Query() {
		parameters[name] = strings.Join(values, ",")
	}
	source, _, _ := net.SplitHostPort(r.RemoteAddr)
	now := time.Now()
	event := map[string]any{
		"version": "2.0", "routeKey": "$default", "rawPath": r.URL.EscapedPath(), "rawQueryString": r.URL.RawQuery,
		"headers": headers, "queryStringParameters": parameters,
		"requestContext": map[string]any{"accountId": "anonymous", "apiId": "local", "domainName": r.Host,
			"domainPrefix": "local", "requestId": uuid.NewString(), "routeKey": "$default", "stage": "$default",
			"time": now.UTC().Format("02/Jan/2006:15:04:05 +0000"), "timeEpoch": now.UnixMilli(),
			"http": map[string]string{"method": r.Method, "path": r.URL.Path, "protocol": r.Proto,
				"sourceIp": source, "userAgent": r.UserAgent()}},
		"isBase64Encoded": !isText(r.Header.Get("Content-Type")),
	}
	switch {
	case len(body) == 0:
		event["isBase64Encoded"] = false
	case isText(r.Header.Get("Content-Type")):
		event["body"] = string(body)
	default:
		event["body"] = base64.StdEncoding.EncodeToString(body)
	}
	return json.Marshal(event)
}

// isText reports whether Lambda passes a body of this type as text.
func isText(contentType string) bool {
	return strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "application/json") ||
		strings.HasPrefix(contentType, "application/xml") || strings.HasPrefix(contentType, "application/javascript")
}

// head is the beginning of a streamed response.
type head struct {
	StatusCode int               `json:"statusCode"`
	Headers    map[string]string `json:"headers"`
	Cookies    []string          `json:"cookies"`
}

var errHead = errors.New("invalid streamed response: missing head")

// readHead reads the head and nothing beyond it.
func readHead(r io.Reader) (h head, err error) {
	var text []byte
	one := make([]byte, 1)
	for zeros := 0; zeros < 8; {
		if _, err := io.ReadFull(r, one); err != nil {
			return h, err
		}
		if zeros++; one[0] != 0 {
			zeros = 0
		}
		if text = append(text, one[0]); len(text) > maxHead {
			return h, errHead
		}
	}
	if json.Unmarshal(text[:len(text)-8], &h) != nil || h.StatusCode < 100 || h.StatusCode > 999 {
		return h, errHead
	}
	return h, nil
}

// pass copies a response as it arrives. It fails if the function failed, but not if the client
// is gone.
func pass(w http.ResponseWriter, response io.Reader) error {
	out := http.NewResponseController(w)
	buffer := make([]byte, 32<<10)
	for {
		n, err := response.Read(buffer)
		if n > 0 {
			if _, gone := w.Write(buffer[:n]); gone != nil {
				return nil //nolint:nilerr // the client has gone
			}
			_ = out.Flush()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
