package doctor

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
)

func quiet(ask bool) *look { return &look{Options: Options{Ask: ask, Progress: func(string) {}}} }

func TestMissingOCREngine(t *testing.T) {
	env := variables(map[string]string{"OCR": "tesseract"})
	t.Setenv("PATH", t.TempDir())
	report := examine(checks, facts{ocr: quiet(false).engineHere(t.Context(), env)})
	provoked{"ocr", Error, ""}.check(t, report)
	report = examine(checks, facts{ocr: quiet(false).engineHere(t.Context(), variables(nil))})
	provoked{"ocr", Skipped, "OCR is none"}.check(t, report)
}

// keyOf is the JSON of a service account's key whose tokens that server gives
// out.
func keyOf(t *testing.T, tokens string) string {
	t.Helper()
	private := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	der := must.Get(x509.MarshalPKCS8PrivateKey(private))(t)
	file, _ := json.Marshal(map[string]string{"type": "service_account", "private_key_id": "k1", "client_email": "hidden-robot@example.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": tokens})
	return string(file)
}

// With --ask Google is asked for a token: a key that it refuses is found.
func TestDocumentAIKeyTried(t *testing.T) {
	t.Parallel()
	status, answer := http.StatusOK, `{"access_token":"hidden-token","token_type":"Bearer","expires_in":3600}`
	google := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(google.Close)
	whole := map[string]string{"OCR": "documentai", "DOCUMENTAI_PROCESSOR": "projects/p/locations/eu/processors/1f",
		"DOCUMENTAI_KEY": keyOf(t, google.URL)}
	try := func(ask bool, values map[string]string, want provoked) {
		t.Helper()
		report := examine(checks, facts{ocr: quiet(ask).engineAway(t.Context(), variables(values))})
		want.check(t, report)
		if strings.Contains(show(report), "hidden") {
			t.Error("a secret is in the report")
		}
	}
	try(true, whole, provoked{"ocr", OK, "can be used"})
	try(false, whole, provoked{"ocr", Skipped, notAsked})
	try(true, map[string]string{"OCR": "documentai"}, provoked{"ocr", Skipped, "unknown DOCUMENTAI_KEY on this machine"})
	try(true, map[string]string{"OCR": "textract"}, provoked{"ocr", Skipped, "the role's permissions are not checked"})
	status, answer = http.StatusBadRequest, `{"error":"invalid_grant","error_description":"hidden-text"}`
	try(true, whole, provoked{"ocr", Error, "Google rejected the service account's key"})
}

// A key that is known is looked at before it is used.
func TestDocumentAIKeyChecked(t *testing.T) {
	t.Parallel()
	const queue = "https://sqs.us-east-1.amazonaws.com/000000000000/"
	values := map[string]string{"DATABASE_URL": "postgres://u@localhost/d", "QUEUE_URL": queue + "ingest", "MATCH_QUEUE_URL": queue + "match",
		"MATCH_MODE": "rules", "BLOB_URL": "s3://files", "OCR": "documentai", "DOCUMENTAI_PROCESSOR": "projects/p/locations/eu/processors/1f"}
	for key, want := range map[string]string{
		"":                         "DOCUMENTAI_KEY is not set",
		`{"type":"hidden"}`:        "OCR: invalid key of Document AI: expected the JSON of a service account's key",
		keyOf(t, "http://a.com/t"): "OCR: token_uri of Document AI's key must be https",
		keyOf(t, "https://a.com"):  "",
	} {
		values["DOCUMENTAI_KEY"] = key
		got := strings.Join(problems(variables(values), true, manifest.Ingest, manifest.Functions()), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "hidden") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEverySecretReadable(t *testing.T) {
	t.Parallel()
	for _, name := range manifest.Secrets {
		if readers[name] == nil || standIn(name) == "" {
			t.Errorf("%s is read by no row, or has no stand-in", name)
		}
	}
}
