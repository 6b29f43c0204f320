package inbox_test

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/metric"
)

// merged joins the records of events, as S3 may send several.
func merged(t *testing.T, events ...string) string {
	t.Helper()
	var all struct{ Records []json.RawMessage }
	for _, event := range events {
		var one struct{ Records []json.RawMessage }
		must.OK(t, json.Unmarshal([]byte(event), &one))
		all.Records = append(all.Records, one.Records...)
	}
	return string(must.Get(json.Marshal(all))(t))
}

// Each file of an event is taken. A malformed key counts first, then a new file; what is logged of a key is its folder.
func TestEventsOfSeveralFiles(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	fresh := func(name string) string { return o.lay(key(name), name) }
	known := fresh("known.txt")
	o.take(known, metric.Succeeded)
	bad := o.lay("inbox/acme/secret salary.pdf", "x")
	long := o.lay("inbox/"+strings.Repeat("x", 100)+"/a.pdf", "x")
	o.take(merged(t, known, fresh("a.txt")), metric.Succeeded)
	o.take(merged(t, fresh("b.txt"), known), metric.Succeeded)
	o.take(merged(t, bad, fresh("c.txt"), known), metric.Malformed)
	o.take(merged(t, fresh("d.txt"), long), metric.Malformed)
	o.take(merged(t, known, known), metric.Skipped)
	if got := o.paths(); len(got) != 5 || len(o.sent.ids) != 5 {
		t.Errorf("ingestions: %q, sent %d", got, len(o.sent.ids))
	}
	logged := o.logged.String()
	for text, want := range map[string]bool{"key=inbox/acme/...": true, "salary": false, "key=inbox/" + strings.Repeat("x", 74): true, strings.Repeat("x", 75): false, "known file skipped": true, "ingestion published": true} {
		if strings.Contains(logged, text) != want {
			t.Errorf("the log has %q: %v; want %v", text, !want, want)
		}
	}
}

// A program's file is taken as one in the folder is, unless no ingestion can read it.
func TestFileOfAProgram(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	put := func(name, content string) string {
		taken, err := o.Put(t.Context(), tenant, name, []byte(content))
		out := ""
		for _, f := range taken {
			out += fmt.Sprintf("%s %v %s; ", path.Ext(f.FilePath), f.New, o.content(f.FilePath))
		}
		if err != nil {
			out += "refused"
		}
		return out
	}
	mail := "From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\n%PDF-1.7 a\r\n--b\r\nContent-Type: text/xml; name=e.xml\r\n\r\n<E/>\r\n--b--\r\n"
	for _, test := range [][3]string{
		{"a.pdf", "%PDF-1.7 a", ".pdf true %PDF-1.7 a; "}, {"b.pdf", "%PDF-1.7 a", ".pdf false %PDF-1.7 a; "},
		{"m.eml", mail, ".pdf false %PDF-1.7 a; .xml true <E/>; "}, {"m.eml", mail, ".pdf false %PDF-1.7 a; .xml false <E/>; "},
		{"empty.pdf", "", "refused"}, {"a.exe", "MZ\x00\x01", "refused"},
	} {
		if got := put(test[0], test[1]); got != test[2] {
			t.Errorf("%s: got %q, want %q", test[0], got, test[2])
		}
	}
	if got, want := o.names(), []string{"a.pdf", "m.eml: e.xml"}; !slices.Equal(got, want) || len(o.sent.ids) != 2 {
		t.Errorf("names: %q, want %q; sent %d", got, want, len(o.sent.ids))
	}
}
