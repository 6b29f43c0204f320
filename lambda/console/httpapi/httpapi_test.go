package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"

	"github.com/aws/aws-lambda-go/events"
)

// event is one of payload format 2.0, in the form of AWS's documentation:
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
const event = `{"version": "2.0", "routeKey": "$default", "rawPath": "/documents/a%20b", "rawQueryString": "state=x&state=y%26z",
"cookies": ["a=1", "b=2"], "headers": {"host": "other.example", "content-type": "application/x-www-form-urlencoded",
"sec-fetch-site": "same-origin", "x-forwarded-for": "192.0.2.1"}, "queryStringParameters": {"state": "x,y&z"},
"requestContext": {"apiId": "api", "domainName": "api.execute-api.eu-central-1.amazonaws.com", "stage": "$default",
"http": {"method": "POST", "path": "/documents/a b", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "agent"}},
"body": "cmVhc29uPWElMkJi", "isBase64Encoded": true}`

// serve returns what h answers to the event with these changes.
func serve(t *testing.T, h http.HandlerFunc, changes ...func(*events.APIGatewayV2HTTPRequest)) (events.APIGatewayV2HTTPResponse, string) {
	t.Helper()
	var e events.APIGatewayV2HTTPRequest
	must.OK(t, json.Unmarshal([]byte(event), &e))
	for _, change := range changes {
		change(&e)
	}
	answer := must.Get(Wrap(h)(t.Context(), e))(t)
	body, err := base64.StdEncoding.DecodeString(answer.Body)
	if err != nil || !answer.IsBase64Encoded {
		t.Errorf("got %+v, %v", answer, err)
	}
	return answer, string(body)
}

func TestRequestMatchesBrowser(t *testing.T) {
	t.Parallel()
	_, body := serve(t, func(w http.ResponseWriter, r *http.Request) {
		a, _ := r.Cookie("a")
		b, _ := r.Cookie("b")
		fmt.Fprintln(w, r.Method, r.URL, r.Host, r.URL.Path, r.RequestURI, r.RemoteAddr, r.FormValue("state"), r.URL.Query()["state"],
			r.FormValue("reason"), a, b, r.Header.Get("Sec-Fetch-Site"))
	})
	want := "POST https://api.execute-api.eu-central-1.amazonaws.com/documents/a%20b?state=x&state=y%26z " +
		"api.execute-api.eu-central-1.amazonaws.com /documents/a b /documents/a%20b?state=x&state=y%26z 192.0.2.1 x [x y&z] a+b " +
		"a=1 b=2 same-origin\n"
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

func TestRequestCookies(t *testing.T) {
	t.Parallel()
	for _, cookies := range [][]string{nil, {"a=1"}, {"a=1", "b=2"}} {
		_, got := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Cookies()) },
			func(e *events.APIGatewayV2HTTPRequest) { e.Cookies = cookies })
		if want := fmt.Sprint(cookies); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestPathsAndBodies(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprint(w, r.URL.Path, " ", string(body), " ", err)
	}
	for _, tc := range []struct {
		path, body string
		encoded    bool
		want       string
	}{
		{"/", "ä", false, "/ ä <nil>"},
		{"/a b", "", false, "/a b  <nil>"},
		{"/100%", "", false, "/100%  <nil>"},
		{"//evil.example/x", "", false, "//evil.example/x  <nil>"},
		{"/x", "!", true, "/x  unexpected EOF"},
	} {
		_, got := serve(t, echo, func(e *events.APIGatewayV2HTTPRequest) {
			e.RawPath, e.Body, e.IsBase64Encoded = tc.path, tc.body, tc.encoded
		})
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.path, got, tc.want)
		}
	}
	if _, err := Wrap(http.HandlerFunc(echo))(t.Context(), events.APIGatewayV2HTTPRequest{RawPath: "/",
		RequestContext: events.APIGatewayV2HTTPRequestContext{DomainName: "a b"}}); err == nil {
		t.Error("an event of nothing is served")
	}
}

func TestResponseIsWhole(t *testing.T) {
	t.Parallel()
	answer, body := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
		w.Header().Add("Vary", "a")
		w.Header().Add("Vary", "b")
		w.Header().Set("Content-Type", "image/png")
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("Late", "x")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "\x89PNG")
		_, _ = io.WriteString(w, "\xff")
	})
	if answer.StatusCode != http.StatusTeapot || body != "\x89PNG\xff" || !slices.Equal(answer.Cookies, []string{"a=1", "b=2"}) ||
		fmt.Sprint(answer.Headers) != "map[Content-Type:image/png Vary:a,b]" {
		t.Errorf("got %+v %q", answer, body)
	}
	answer, body = serve(t, func(http.ResponseWriter, *http.Request) {})
	if answer.StatusCode != http.StatusOK || body != "" {
		t.Errorf("of an empty one: got %+v", answer)
	}
	answer, _ = serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>") })
	if !strings.HasPrefix(answer.Headers["Content-Type"], "text/") {
		t.Errorf("got %+v", answer)
	}
}

func TestRequestDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Context().Err() == nil {
			t.Error("the request outlives the invocation")
		}
	}))(ctx, events.APIGatewayV2HTTPRequest{RawPath: "/"})
}
