package doctor

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/doctor/template"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// value is an environment of plain values.
func valuesOf(values map[string]string) variables {
	env := variables{}
	for name, v := range values {
		env[name] = template.Value{Text: v}
	}
	return env
}

func TestStoreOfFilesIsRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code   string
		status int
		want   provoked
	}{
		"readable": {"NoSuchKey", 404, provoked{"files", OK, "can be read"}},
		"denied":   {"AccessDenied", 403, provoked{"files", Error, "S3 denies access"}},
		"gone":     {"NoSuchBucket", 404, provoked{"files", Error, "the bucket does not exist"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte("<Error><Code>" + tc.code + "</Code><Message>hidden-message</Message></Error>"))
			}))
			defer server.Close()
			l := &look{Options: Options{Progress: func(string) {}}, cloud: &cloud{aws.Config{Region: region, BaseEndpoint: &server.URL,
				RetryMaxAttempts: 1, Credentials: credentials.NewStaticCredentialsProvider("x", "x", "")}}}
			var f facts
			l.askFiles(t.Context(), &f, "ingest", valuesOf(map[string]string{"BLOB_URL": "s3://bucket"}))
			report := examine(checks, f)
			tc.want.check(t, report)
			if strings.Contains(show(report), "hidden") {
				t.Error("the text of S3 is in the report")
			}
		})
	}
}

// This machine's settings of ingest are examined where it has a store of files.
func TestSettingsOfFilesAreChecked(t *testing.T) {
	t.Parallel()
	folder := blob.FolderURL(t.TempDir())
	whole := map[string]string{"DATABASE_URL": "postgres://u@localhost/d", "QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/000000000000/ingest",
		"MATCH_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/000000000000/match", "MATCH_MODE": "rules", "BLOB_URL": folder, "RETRY_SCHEDULE": ""}
	for name, tc := range map[string]struct{ variable, value, want string }{
		"whole":          {"OCR", "none", ""},
		"no store":       {"BLOB_URL", "", "BLOB_URL is not set"},
		"no URL":         {"BLOB_URL", "bucket", "BLOB_URL: not a URL such as s3://bucket"},
		"no match queue": {"MATCH_QUEUE_URL", "", "MATCH_QUEUE_URL is not set"},
		"unknown OCR":    {"OCR", "magic", "OCR: not one of documentai, tesseract, textract, none"},
		"no key":         {"OCR", "documentai", "DOCUMENTAI_KEY is not set"},
		"no processor":   {"OCR", "documentai", "DOCUMENTAI_PROCESSOR is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := map[string]string{}
			for k, v := range whole {
				values[k] = v
			}
			values[tc.variable] = tc.value
			got := strings.Join(problems(valuesOf(values), true, manifest.Ingest, manifest.Functions()), "\n")
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The deployed template has all parts of files; each one that is missing is found.
func TestEachHarmToTheInboxIsFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path string
		to   any
		want provoked
	}{
		"whole":              {"", nil, provoked{"inbox", OK, "sends its events"}},
		"no notification":    {"Files.NotificationConfiguration", nil, provoked{"inbox", Error, "no bucket sends"}},
		"no bucket":          {"Files", nil, provoked{"inbox", Error, "no bucket sends"}},
		"other queue":        {"Files.NotificationConfiguration", m{"QueueConfigurations": []any{m{"Queue": m{"Fn::GetAtt": []any{"MatchQueue", "Arn"}}}}}, provoked{"inbox", Error, "no bucket sends"}},
		"no store":           {"IngestFunction" + env + "BLOB_URL", "", provoked{"configuration", Error, "BLOB_URL is not set"}},
		"unknown OCR":        {"IngestFunction" + env + "OCR", "magic", provoked{"configuration", Error, "OCR: not one of documentai, tesseract, textract, none"}},
		"other match queue":  {"IngestFunction" + env + "MATCH_QUEUE_URL", m{"Ref": "IngestQueue"}, provoked{"queue-url", Error, "IngestFunction publishes to IngestQueue"}},
		"other ingest queue": {"InboxFunction" + env + "INGEST_QUEUE_URL", m{"Ref": "MatchQueue"}, provoked{"queue-url", Error, "InboxFunction publishes to MatchQueue"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var deployed map[string]any
			if err := json.Unmarshal(readFile(t, deployedTemplate), &deployed); err != nil {
				t.Fatal(err)
			}
			if tc.path != "" {
				edit(t, deployed, tc.path, tc.to)
			}
			raw, err := json.Marshal(deployed)
			if err != nil {
				t.Fatal(err)
			}
			report, err := Examine(t.Context(), Options{Template: raw, Connections: 100, Env: func(string) string { return "" }})
			if err != nil {
				t.Fatal(err)
			}
			tc.want.check(t, report)
			if tc.path == "" && report.Errors > 0 {
				t.Errorf("errors in\n%s", show(report))
			}
		})
	}
}
