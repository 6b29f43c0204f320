package console_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
)

// newDesk is a site that takes files.
func newDesk(t testing.TB) *site {
	t.Helper()
	s := newSite(t)
	s.exec("INSERT INTO tenant VALUES ($1, 'A'), ($2, 'B')", tenantA, tenantB)
	s.files = must.Get(blob.Open(t.Context(), "file://"+t.TempDir(), nil))(t)
	s.sent, s.reads = &outbox{}, &outbox{}
	return s
}

var parser = sync.OnceValues(func() (*pdf.Reader, error) {
	return pdf.New(pdf.Config{CacheDir: filepath.Join(os.TempDir(), "matchbook-pdfium"), Time: time.Hour, Total: time.Hour})
})

// read reads the files sent to be read, as the ingest function does.
func (s *site) read() {
	s.t.Helper()
	in := &ingest.Ingester{Store: ingestions.New(s.DB), Blobs: s.files, PDFs: must.Get(parser())(s.t), NoOCR: "OCR=none",
		Sender: s.sent, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC) }}
	for _, id := range s.reads.take() {
		claims := must.Get(ingestions.New(s.DB).Claim(s.t.Context(), []job.Delivery{{ID: uuid.MustParse(id)}}, time.Minute, false))(s.t)
		if err := in.Ingest(s.t.Context(), claims[0].Attempt); err != nil {
			s.exec("UPDATE ingestion SET job_status = 'failed', failed_at = now(), error = $2 WHERE id = $1", id, err.Error())
		}
	}
}

// take returns the ids sent so far, and forgets them.
func (o *outbox) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	ids := o.ids
	o.ids = nil
	return ids
}

// send uploads files, by name.
func (c *client) send(path string, files map[string]string) answer {
	c.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part := must.Get(w.CreateFormFile("file", name))(c.t)
		must.Get(io.WriteString(part, files[name]))(c.t)
	}
	must.OK(c.t, w.Close())
	r := must.Get(http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, &body))(c.t)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return c.answer(r, path)
}

func sample(t testing.TB, name string) string {
	t.Helper()
	return string(must.Get(os.ReadFile("../../testdata/files/" + name))(t))
}

// uploaded uploads a sample file, has it read, and returns its first document, for a person.
func (s *site) uploaded(c *client, name string) uuid.UUID {
	s.t.Helper()
	c.send("/files?tenant="+tenantA.String(), map[string]string{name: sample(s.t, name)})
	s.read()
	id := found[uuid.UUID](s, "SELECT i.document_id FROM ingestion AS i JOIN document AS d ON d.id = i.document_id WHERE file_name = $1 AND part_of IS NULL", name)
	s.exec("UPDATE ingestion SET needs_human_review = true, review_reasons = '{the date is unsure}' WHERE document_id = $1", id)
	return id
}

func manyFiles(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("%d.exe", i)] = "MZ\x00"
	}
	return files
}

// An upload is the same file as one in the inbox: named, known, refused with the remedy, and read.
func TestUpload(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	c := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator, tenantB: login.Viewer})
	to := "/files?tenant=" + tenantA.String()
	c.page("/documents?tenant="+tenantA.String()).want(t, "Upload files, or drop them here")
	files := map[string]string{"Müller 7.pdf": sample(t, "invoice.pdf"), "tool.exe": "MZ\x00\x01", "e.xml": sample(t, "order-4711.xml")}
	a := c.send(to, files)
	a.want(t, "2 new files", "Müller 7.pdf", "tool.exe not taken:")
	if len(s.reads.ids) != 2 {
		t.Errorf("sent %v", s.reads.ids)
	}
	again := c.send(to, files)
	again.want(t, "0 new files", "Müller 7.pdf known already")
	s.read()
	c.page("/documents?tenant="+tenantA.String()).want(t, "invoice BW-90017 Müller 7.pdf")
	id := s.numbered("BW-90017").String()
	image := c.get("/documents/" + id + "/pages/1")
	if image.code != http.StatusOK || !strings.HasPrefix(image.body, "\x89PNG") || image.kind != "image/png" {
		t.Errorf("the page's image: %d, %.20q", image.code, image.body)
	}
	if page := c.page("/documents/" + id); !strings.Contains(page.body, `<rect data-of="total"`) || len(page.body) > 100_000 {
		t.Errorf("no mark of the total, or too large: %d bytes", len(page.body))
	}
	compare(t, "upload", a, again, c.page("/documents?tenant="+tenantA.String()), c.page("/documents/"+id), c.page("/?tenant="+tenantA.String()).part(t, `class="drop"`, "</form>"), s.stored("file_action"))
	for what, tc := range map[string]struct {
		path  string
		files map[string]string
		code  int
		want  string
	}{
		"too large":      {to, map[string]string{"a.txt": strings.Repeat("x", 2<<20)}, http.StatusRequestEntityTooLarge, "You can upload 1 MB at once"},
		"too many":       {to, manyFiles(101), http.StatusBadRequest, "Choose between 1 and 100 files"},
		"none":           {to, nil, http.StatusBadRequest, "No file Choose between 1 and 100 files, and upload them again."},
		"viewer":         {"/files?tenant=" + tenantB.String(), files, http.StatusForbidden, "Not allowed"},
		"unknown tenant": {"/files?tenant=" + uuid.NewString(), files, http.StatusNotFound, "Not found"},
	} {
		if a := c.send(tc.path, tc.files); a.code != tc.code || !strings.Contains(a.text(), tc.want) {
			t.Errorf("%s: %d %s", what, a.code, a.text())
		}
	}
	if a := c.page("/documents?tenant=" + tenantB.String()); strings.Contains(a.text(), "Upload files") {
		t.Error("a viewer is offered an upload")
	}
	var both bytes.Buffer
	container := zip.NewWriter(&both)
	for _, name := range []string{"one.txt", "two.txt"} {
		must.Get(must.Get(container.Create(name))(t).Write([]byte("Invoice " + name)))(t)
	}
	must.OK(t, container.Close())
	c.send(to, map[string]string{"both.zip": both.String()}).want(t, "2 new files", "one.txt", "two.txt")
	stranger := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator})
	for _, path := range []string{"/documents/" + id + "/pages/1", "/documents/" + id + "/next"} {
		if a := stranger.get(path); a.code != http.StatusNotFound {
			t.Errorf("%s of another tenant: %d", path, a.code)
		}
	}
	for _, n := range []string{"0", "2", "-1", "x", "1.png"} {
		if a := c.get("/documents/" + id + "/pages/" + n); a.code != http.StatusNotFound {
			t.Errorf("page %s: %d", n, a.code)
		}
	}
	if strings.Contains(s.logs.String(), "Müller") {
		t.Errorf("logged a name: %s", &s.logs)
	}
}

// What a person types is checked as what was read is; what the page prints wrongly is kept on
// request. The invoice is over 1045.50 net, 198.65 tax, 1244.15.
func TestFinishDocument(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	c := s.as(everything(login.Operator))
	id := s.uploaded(c, "invoice.pdf")
	page := "/documents/" + id.String()
	if a := c.get(page + "/next"); !strings.HasPrefix(a.path, "/open?kind=file") {
		t.Errorf("the only file leads on to %s", a.path)
	}
	s.exec(`UPDATE document SET structured_data = jsonb_set(structured_data, '{line_items,1,description}', '"two\nlines"') WHERE id = $1`, id)
	must.OK(t, ingestions.New(s.DB).AddOwnCompany(t.Context(), tenantA, "Lampenwerk Nord GmbH", ""))
	shown := c.page(page)
	shown.want(t, "A person must look, because: the date is unsure", "1.244,15", "rate of tax 1", "amount of line 3")
	for _, input := range []string{`name="value.subtotal" value="1045.50"`, `name="value.line_items.3.amount" value=""`} {
		if !strings.Contains(shown.body, input) {
			t.Errorf("no input %s", input)
		}
	}
	form := shown.form(t, page+"/finish")
	form.Set("value.line_items.1.description", "two lines") // an input has one
	form.Set("value.number", " BW-90017 ")
	filled := func(values ...string) url.Values {
		f := maps.Clone(form)
		for i := 0; i < len(values); i += 2 {
			f.Set("value."+values[i], values[i+1])
		}
		return f
	}
	before := s.rows()
	for what, tc := range map[string]struct {
		form url.Values
		want string
	}{
		"sums":         {filled("total", "1.245,15", "tax", "198,65"), "add up to 1244.15, not to the total 1245.15"},
		"our own":      {filled("supplier.name", "Lampenwerk Nord"), "the supplier is our own company"},
		"check digits": {filled("supplier.iban", "DE89370400440532013001"), "check digits of the supplier's IBAN"},
		"missing":      {filled("number", ""), "number is missing"},
		"no amount":    {with(filled("total", "much"), "sure", "1"), "Nothing was saved yet"},
		"no field":     {with(filled("totals", "7"), "sure", "1"), "unknown field"},
		"no room":      {with(filled("line_items.99.amount", "7"), "sure", "1"), "fill the line before it first"},
		"a gap":        {with(filled("line_items.4.amount", "7"), "sure", "1"), "fill the line before it first"},
		"no type":      {with(filled("type", ""), "sure", "1"), "must not be empty"},
	} {
		if a := c.do(http.MethodPost, page+"/finish", tc.form); a.code != http.StatusUnprocessableEntity || !strings.Contains(a.text(), tc.want) {
			t.Errorf("%s: %d, %q is missing in %s", what, a.code, tc.want, a.text())
		}
	}
	var flaws []struct{ Field, Text string }
	checked := c.do(http.MethodPost, page+"/check", filled("total", "1.245,15"))
	if err := json.Unmarshal([]byte(checked.body), &flaws); err != nil || len(flaws) != 1 || flaws[0].Field != "total" {
		t.Errorf("checked: %s", checked.body)
	}
	flawed := c.do(http.MethodPost, page+"/finish", filled("total", "1.245,15", "line_items.0.amount", "x", "date", "1.1.2019"))
	if s.rows() != before {
		t.Error("a check changed something")
	}
	if a := c.do(http.MethodPost, page+"/check", filled(tenLines()...)); strings.Contains(a.body, "fill the line") {
		t.Errorf("ten lines at once: %s", a.body)
	}
	if a := c.do(http.MethodPost, page+"/check", filled()); strings.TrimSpace(a.body) != "[]" {
		t.Errorf("as it was: %s", a.body)
	}
	wrong := with(filled("total", "1.245,15", "line_items.0.description", "Lizenz"), "sure", "1")
	for range 2 { // a double click
		if a := c.do(http.MethodPost, page+"/finish", wrong); a.code != http.StatusOK || !strings.Contains(a.text(), "Saved: the document needs nobody any more.") {
			t.Fatalf("%d %s", a.code, a.text())
		}
	}
	if got := found[[]string](s, "SELECT array_agg(field || ' ' || (value #>> '{}') ORDER BY field) FROM document_correction"); !slices.Equal(got,
		[]string{"line_items.0.description Lizenz", "total 1245.15"}) {
		t.Errorf("corrections: %q", got)
	}
	c.page("/open?kind=file&tenant="+tenantA.String()).want(t, "Nothing is waiting")
	finished := c.page(page)
	finished.want(t, "Paula finished it")
	compare(t, "finish", shown, flawed, checked, finished, s.stored("document_correction", "file_action"))
	stale := with(filled("number", "B-8"), "form", uuid.NewString())
	if a := c.do(http.MethodPost, page+"/finish", stale); a.code != http.StatusConflict {
		t.Errorf("a stale page: %d %s", a.code, a.text())
	}
	if got := s.sent.take(); !slices.Contains(got, id.String()) {
		t.Errorf("sent to match: %v", got)
	}
}

// tenLines are descriptions of the lines up to the tenth.
func tenLines() (values []string) {
	for n := range 10 {
		values = append(values, fmt.Sprintf("line_items.%d.description", n+1), "Lizenz")
	}
	return values
}

// A page has thirty lines, and names the number of the others. Amounts have two decimals at least.
func TestDeskOfManyLines(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.as(everything(login.Operator))
	s.add(doc(1, tenantA, document.Invoice, `{"number":"7","subtotal":"5","tax":"1.2","total":"6.20","prepaid":"1","rounding":"0.001","amount_due":"5.2",
		"line_items":[{"quantity":"2","unit_price":"2.5","amount":"5","tax_rate":"19"}],"taxes":[{"rate":"19","base":"5","amount":"1"}]}`))
	amounts := c.page("/documents/" + doc(1, tenantA, "", "").ID.String()).body
	for path, want := range map[string]string{"number": "7", "subtotal": "5.00", "tax": "1.20", "total": "6.20", "prepaid": "1.00", "rounding": "0.001",
		"amount_due": "5.20", "line_items.0.quantity": "2", "line_items.0.unit_price": "2.50", "line_items.0.amount": "5.00", "line_items.0.tax_rate": "19",
		"taxes.0.rate": "19", "taxes.0.base": "5.00", "taxes.0.amount": "1.00"} {
		if !strings.Contains(amounts, `name="value.`+path+`" value="`+want+`"`) {
			t.Errorf("%s is not shown as %s", path, want)
		}
	}
	for n, want := range map[byte]string{30: "", 31: "and 1 more: use matchbook correct", 99: "and 69 more"} {
		lines := strings.Repeat(`{"description":"Lizenz"},`, int(n)-1) + `{"description":"Lizenz"}`
		s.add(doc(n, tenantA, document.Invoice, `{"number":"R-1","line_items":[`+lines+`]}`))
		shown := c.page("/documents/" + doc(n, tenantA, "", "").ID.String())
		shown.want(t, want)
		if n == 31 {
			compare(t, "many-lines", shown.part(t, `<tr><th scope="row">30</th>`, "</form>"))
		}
		most := 30
		if n == 30 {
			most = 31 // an empty one
		}
		if rows := strings.Count(shown.body, `.quantity" value=""`); rows != most {
			t.Errorf("%d lines: %d are shown", n, rows)
		}
	}
}

func TestFileActions(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	c := s.as(everything(login.Operator))
	id := s.uploaded(c, "two-invoices.pdf")
	page := "/documents/" + id.String()
	var answers []answer
	do := func(what string, form url.Values, want string) {
		t.Helper()
		for range 2 { // a double click
			a := c.do(http.MethodPost, page+"/"+what, form)
			if a.code != http.StatusOK || !strings.Contains(a.text(), want) {
				t.Fatalf("%s: %d %s", what, a.code, a.text())
			}
			answers = append(answers, answer{code: a.code, path: a.path, kind: a.kind})
		}
	}
	numbers := func() string {
		s.t.Helper()
		s.read()
		return found[string](s, "SELECT string_agg(structured_data ->> 'number', ' ' ORDER BY structured_data ->> 'number') FROM document")
	}
	do("divide", c.page(page).form(t, page+"/divide"), "one document from each part")
	if got := numbers(); got != "G-501" {
		t.Errorf("joined: %s", got)
	}
	joined := c.page(page)
	joined.want(t, "2 documents were found on these pages", "page 1 of 2", "page 2 of 2")
	if n := strings.Count(joined.body, `<rect data-of="total"`); n != 1 {
		t.Errorf("the total is marked on %d pages", n)
	}
	form := joined.form(t, page+"/divide")
	form["begin"] = []string{"2", "1", "2"} // page 1 begins one anyway
	do("divide", form, "one document from each part")
	s.exec("UPDATE ingestion SET extraction_model = 'einvoice'")
	if a := c.page(page); strings.Contains(a.body, "/divide") {
		t.Error("an e-invoice can be divided")
	}
	if a := c.do(http.MethodPost, page+"/divide", c.page(page).form(t, page+"/read")); a.code != http.StatusBadRequest {
		t.Errorf("an e-invoice is divided: %d", a.code)
	}
	if got := numbers(); got != "G-501 G-502" {
		t.Errorf("split: %s", got)
	}
	s.sent.take()
	do("dismiss", with(c.page(page).form(t, page+"/dismiss"), "reason", "an advert"), "matched with nothing")
	if got := s.sent.take(); !slices.Equal(got, []string{id.String()}) {
		t.Errorf("sent to match without it: %v", got)
	}
	if got := numbers(); got != "G-502" {
		t.Errorf("dismissed: %s", got)
	}
	c.page(page).want(t, "Paula found no business document: an advert")
	do("read", c.page(page).form(t, page+"/read"), "will be read again")
	if got := numbers(); got != "G-501 G-502" {
		t.Errorf("read again: %s", got)
	}
	compare(t, "file", append(answers, joined, c.page(page), s.stored("file_action"))...)
	form = c.page(page).form(t, page+"/divide")
	if a := c.do(http.MethodPost, page+"/divide", with(maps.Clone(form), "begin", "3")); a.code != http.StatusBadRequest {
		t.Errorf("a page that the file doesn't have: %d", a.code)
	}
	for _, what := range []string{"finish", "read", "dismiss", "divide"} {
		for lost, value := range map[string]string{"form": "x", "seen": ""} {
			bad := with(with(maps.Clone(form), "reason", "an advert"), lost, value)
			if a := c.do(http.MethodPost, page+"/"+what, bad); a.code != http.StatusBadRequest {
				t.Errorf("%s without %s: %d", what, lost, a.code)
			}
		}
	}
	if a := c.do(http.MethodPost, page+"/dismiss", c.page(page).form(t, page+"/dismiss")); a.code != http.StatusBadRequest || !strings.Contains(a.text(), "Enter a reason") {
		t.Errorf("without a reason: %d", a.code)
	}
	before := s.rows() + found[string](s, "SELECT count(*)::text FROM file_action")
	stranger, viewer := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator}), s.as(everything(login.Viewer))
	for _, what := range []string{"finish", "check", "read", "dismiss", "divide"} {
		f := with(c.page(page).form(t, page+"/divide"), "reason", "why not")
		if a := stranger.do(http.MethodPost, page+"/"+what, f); a.code != http.StatusNotFound {
			t.Errorf("%s of another tenant: %d", what, a.code)
		}
		if a := viewer.do(http.MethodPost, page+"/"+what, f); a.code != http.StatusForbidden {
			t.Errorf("%s by a viewer: %d", what, a.code)
		}
	}
	if s.rows()+found[string](s, "SELECT count(*)::text FROM file_action") != before {
		t.Error("something changed")
	}
}

// A file that failed offers to send it again, with the reason, and its values to type; matching
// can't help.
func TestFailedFileOffers(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	c := s.as(everything(login.Operator))
	id := s.uploaded(c, "scan.jpg")
	page := "/documents/" + id.String()
	shown := c.page(page)
	shown.want(t, "Its file was not read:", "OCR is off", "Send it again")
	if strings.Contains(shown.text(), "Match again") {
		t.Error("it offers to match what was not read")
	}
	if !strings.Contains(shown.body, `src="/documents/`+id.String()+`/pages/1"`) {
		t.Error("no page to type from")
	}
	form := shown.form(t, page+"/finish")
	if a := c.do(http.MethodPost, page+"/finish", with(maps.Clone(form), "sure", "1")); a.code != http.StatusUnprocessableEntity || !strings.Contains(a.text(), "Choose what it is.") {
		t.Errorf("without a type: %d %s", a.code, a.text())
	}
	for name, value := range map[string]string{"type": "invoice", "number": "4402", "date": "2026-03-20", "supplier.name": "Sommer", "total": "668,78", "currency": "EUR"} {
		form.Set("value."+name, value)
	}
	if a := c.do(http.MethodPost, page+"/finish", form); a.code != http.StatusOK {
		t.Fatalf("%d %s", a.code, a.text())
	}
	c.page("/open?kind=file&tenant="+tenantA.String()).want(t, "Nothing is waiting")
	c.page(page).want(t, "invoice 4402", "668.78")
	untyped := doc(9, tenantA, "", `{"number":"U-1"}`)
	s.exec("INSERT INTO document (id, tenant_id, structured_data) VALUES ($1, $2, $3)", untyped.ID, tenantA, untyped.Data)
	if a := c.page("/documents/" + untyped.ID.String()); strings.Contains(a.text(), "Match again") {
		t.Error("a document without a type can be matched")
	}
	compare(t, "failed-file", shown, c.page(page), s.stored("document_correction", "file_action"))
}
