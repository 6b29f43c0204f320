package acceptance_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"
)

// reception is the console's bootstrap behind an HTTP API.
type reception struct {
	t        *testing.T
	function *lambdahost.Function
}

// get returns the answer of the API, and its body.
func (r reception) get(path string, cookies ...string) (events.APIGatewayV2HTTPResponse, string) {
	r.t.Helper()
	e := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: path, Cookies: cookies, Headers: map[string]string{"accept": "text/html"}}
	e.RequestContext.DomainName, e.RequestContext.HTTP.Method = "console.example", http.MethodGet
	payload := must.Get(json.Marshal(e))(r.t)
	answer := must.Get(r.function.Invoke(r.t.Context(), payload))(r.t)
	var response events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(answer, &response); err != nil {
		r.t.Fatalf("%v: %s", err, answer)
	}
	body := must.Get(base64.StdEncoding.DecodeString(response.Body))(r.t)
	return response, string(body)
}

// The bootstrap shows pages to a person with a session in the database, and the login
// to anyone else; its issuer is away.
func TestConsoleOverHTTPAPI(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	must.Get(conn.Exec(t.Context(), "INSERT INTO tenant VALUES ($1, 'Testers & Sons')", testTenant))(t)
	person := must.Get(json.Marshal(login.Person{ID: "ada", Name: "Ada", Roles: map[uuid.UUID]login.Role{testTenant: login.Viewer}}))(t)
	db := postgrestest.Open(t, url)
	must.OK(t, db.BeginSession(t.Context(), sha256.Sum256([]byte("cookie")), person, time.Hour))
	f := lambdahost.New(lambdahost.Config{Name: manifest.Console.Name, Bootstrap: bootstrap(t, manifest.Console.Package),
		Env: []string{variable.DatabaseURL + "=" + url, variable.MatchQueueURL + "=http://127.0.0.1:1/000000000000/matchbook",
			variable.OIDCIssuer + "=https://127.0.0.1:1", variable.OIDCClientID + "=console",
			variable.AdminBaseURL + "=https://console.example", "AWS_REGION=eu-central-1",
			"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x"},
		Timeout: manifest.Console.Timeout, MaxConcurrency: 1, Logs: testLog{t}})
	t.Cleanup(func() { _ = f.Close() })
	r := reception{t, f}
	if got, body := r.get("/documents"); got.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "/login?return=") ||
		!strings.Contains(got.Headers["Content-Security-Policy"], "default-src 'none'") {
		t.Errorf("without a session: got %d %v %s", got.StatusCode, got.Headers, body)
	}
	if got, body := r.get("/", "__Host-matchbook=other"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("with another cookie: got %d %s", got.StatusCode, body)
	}
	for _, path := range []string{"/", "/documents", "/console.css"} {
		if got, body := r.get(path, "a=b", "__Host-matchbook=cookie"); got.StatusCode != http.StatusOK || body == "" {
			t.Errorf("%s: got %d %s", path, got.StatusCode, body)
		}
	}
	if got, body := r.get("/login"); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "try again later") {
		t.Errorf("while the issuer is away: got %d %s", got.StatusCode, body)
	}
}
