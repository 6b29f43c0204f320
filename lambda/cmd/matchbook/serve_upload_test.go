package main

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
)

// A file uploaded to the console of serve is read, and its page is shown.
func TestServeUpload(t *testing.T) {
	t.Parallel()
	s := startServe(t)
	postgrestest.Exec(t, s.conn, "INSERT INTO tenant (id, name) VALUES ($1, 'Example')", oneTenant)
	browser := &http.Client{Jar: must.Get(cookiejar.New(nil))(t)}
	link := strings.TrimSpace(string(must.Get(os.ReadFile(filepath.Join(s.data, "console-link")))(t)))
	s.get(browser, strings.TrimPrefix(link, s.url))
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part := must.Get(form.CreateFormFile("file", "March.pdf"))(t)
	must.Get(part.Write(must.Get(os.ReadFile("../../../testdata/files/invoice.pdf"))(t)))(t)
	must.OK(t, form.Close())
	response, err := browser.Post(s.url+"/files?tenant="+oneTenant, form.FormDataContentType(), &body)
	must.OK(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d", response.StatusCode)
	}
	var id string
	eventually(t, "the file is read", func() bool {
		id = postgrestest.Value[string](t, s.conn, `SELECT coalesce(max(id::text), '') FROM document
			WHERE file_name = 'March.pdf' AND structured_data ->> 'number' = 'BW-90017'`)
		return id != ""
	})
	if code, image := s.get(browser, "/documents/"+id+"/pages/1"); code != http.StatusOK || !strings.HasPrefix(image, "\x89PNG") {
		t.Errorf("its page: status %d, %.10q", code, image)
	}
	if logs := s.errors.String(); strings.Contains(logs, `"level":"WARN"`) || strings.Contains(logs, `"level":"ERROR"`) {
		t.Errorf("something went wrong on the way: %s", logs)
	}
}
