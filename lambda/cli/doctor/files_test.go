package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/blob"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

func TestFileStoreRead(t *testing.T) {
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
			l.askFiles(t.Context(), &f, "ingest", variables(map[string]string{"BLOB_URL": "s3://bucket"}))
			report := examine(checks, f)
			tc.want.check(t, report)
			if strings.Contains(show(report), "hidden") {
				t.Error("the text of S3 is in the report")
			}
		})
	}
}

// This machine's settings of ingest are examined where it has a store of files.
func TestFileSettingsChecked(t *testing.T) {
	t.Parallel()
	folder := blob.FolderURL(t.TempDir())
	whole := map[string]string{"DATABASE_URL": "postgres://u@localhost/d", "QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/000000000000/ingest",
		"MATCH_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/000000000000/match", "MATCH_MODE": "rules", "BLOB_URL": folder, "RETRY_SCHEDULE": ""}
	for name, tc := range map[string]struct{ variable, value, want string }{
		"whole":          {"OCR", "none", ""},
		"no store":       {"BLOB_URL", "", "BLOB_URL is not set"},
		"no URL":         {"BLOB_URL", "bucket", "BLOB_URL: expected a URL like s3://bucket"},
		"no match queue": {"MATCH_QUEUE_URL", "", "MATCH_QUEUE_URL is not set"},
		"unknown OCR":    {"OCR", "magic", "OCR: expected one of documentai, tesseract, textract, none"},
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
			got := strings.Join(problems(variables(values), true, manifest.Ingest, manifest.Functions()), "\n")
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
