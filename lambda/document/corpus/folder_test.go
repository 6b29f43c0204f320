package corpus

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

const oneInvoice = `{"type":"invoice","structured_data":{"number":"1"}}`

// What cannot be read is named, and the rest goes on. A FIFO is not opened:
// that would wait for ever.
func TestUnreadableFilesAreSkipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.OK(t, os.WriteFile(in("good.json"), []byte(oneInvoice), 0o600))
	must.OK(t, syscall.Mkfifo(in("fifo.jsonl"), 0o600))
	must.OK(t, os.Symlink("nowhere", in("dangling.json")))
	must.OK(t, os.Symlink("loop.json", in("loop.json")))
	must.OK(t, os.Mkdir(in("folder"), 0o700))
	must.OK(t, os.Symlink("folder", in("folder.json")))
	want := []string{"dangling.json: cannot be read: dangling link", "fifo.jsonl: cannot be read: not a regular file",
		"folder.json: cannot be read: not a regular file", "loop.json: cannot be read: too many levels of symbolic links"}
	if runtime.GOOS == "linux" { // a regular file, of which nothing can be read
		must.OK(t, os.Symlink("/proc/self/mem", in("memory.json")))
		want = append(want, "memory.json: cannot be read: input/output error")
	}
	if os.Geteuid() != 0 { // root may read everything
		must.OK(t, os.WriteFile(in("private.json"), []byte(oneInvoice), 0))
		must.OK(t, os.Mkdir(in("closed"), 0))
		want = append(want, "closed: cannot be read: permission denied", "private.json: cannot be read: permission denied")
	}
	read := make(chan *Input, 1)
	go func() {
		got, err := ReadFolder(dir)
		if err != nil {
			t.Error(err)
			got = &Input{}
		}
		read <- got
	}()
	select {
	case got := <-read:
		var problems []string
		for _, p := range got.Problems {
			problems = append(problems, filepath.Base(p.Where())+": "+p.What)
		}
		slices.Sort(problems)
		slices.Sort(want)
		if len(got.Documents) != 1 || !slices.Equal(problems, want) {
			t.Errorf("read %d documents, and\n%s\nwant 1, and\n%s", len(got.Documents), strings.Join(problems, "\n"), strings.Join(want, "\n"))
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for a FIFO")
	}
}

func TestMissingIDComesFromContent(t *testing.T) {
	t.Parallel()
	one, _, err := readRecord([]byte(`{"type":"invoice","structured_data":{"number": "1"}}`), DefaultTenant)
	must.OK(t, err)
	same, _, _ := readRecord([]byte(`{"structured_data":{"number":"1"},  "type":"invoice"}`), DefaultTenant)
	other, _, _ := readRecord([]byte(`{"type":"invoice","structured_data":{"number":"2"}}`), DefaultTenant)
	if one.ID != same.ID || one.ID == other.ID || one.ID.Version() != 5 || one.TenantID != DefaultTenant {
		t.Errorf("got %s, %s and %s", one.ID, same.ID, other.ID)
	}
}

func TestDuplicateIsAProblem(t *testing.T) {
	t.Parallel()
	in := newInput(&Reader{Tenant: DefaultTenant})
	const id = "10000000-0000-4000-8000-000000000777"
	must.OK(t, in.values().readWhole("f.json", strings.NewReader(strings.ReplaceAll(`[
{"id":"ID","type":"invoice","structured_data":{"number":"1"}},
{"id":"ID","type":"invoice","structured_data":{"number": "1"}},
{"id":"ID","type":"invoice","structured_data":{"number":"2"}}]`, "ID", id))))
	want := []Problem{{"f.json", 3, "duplicate of the document in f.json:2"},
		{"f.json", 4, "duplicate id " + id + ", with other content than in f.json:2; only the first is used"}}
	if len(in.Documents) != 1 || !slices.Equal(in.Problems, want) {
		t.Errorf("got %d documents and %+v", len(in.Documents), in.Problems)
	}
}

func TestLongLineIsNotBuffered(t *testing.T) {
	t.Parallel()
	in := newInput(&Reader{Tenant: DefaultTenant})
	good := `{"type":"invoice","structured_data":{}}`
	must.OK(t, in.values().readLines("f.jsonl", strings.NewReader(strings.Repeat("x", maxRecord+1)+"\n"+good)))
	if len(in.Documents) != 1 || len(in.Problems) != 1 || in.Problems[0].Line != 1 {
		t.Errorf("got %d documents and %+v", len(in.Documents), in.Problems)
	}
}

// Files as they come: with a byte order mark, of the extension .ndjson, with other
// words for a type, with fields that matching does not know.
func TestOrdinaryVariations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.json":   "\uFEFF" + `[{"type":"PO","structured_data":{"number":"1"}}]`,
		"b.ndjson": "\uFEFF" + `{"type":"Bestellung","structured_data":{"number":"2","po_number":"1","lines":[{"qty":"1"}]}}` + "\n" + oneInvoice,
		"c.jsonl":  `{"type":"purchase_order","structured_data":{"number":"3","lines":[]}}`,
		"d.csv":    "number", "e.PDF": "", "f.csv": "", "g": "",
	} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	in, err := ReadFolder(dir)
	must.OK(t, err)
	var types []string
	for _, d := range in.Documents {
		types = append(types, string(d.Type))
	}
	if want := []string{"purchase-order", "purchase-order", "invoice", "purchase-order"}; !slices.Equal(types, want) || len(in.Problems) > 0 {
		t.Errorf("types %v, want %v; problems %v", types, want, in.Problems)
	}
	if want := "1 without an extension, 2 .csv, 1 .pdf"; in.Skipped.String() != want {
		t.Errorf("skipped %q, want %q", in.Skipped, want)
	}
	const want = "unknown fields lines (2 times), po_number; run `matchbook check` for suggestions"
	if len(in.Remarks) != 1 || in.Remarks[0].What != want || filepath.Base(in.Remarks[0].Where()) != "b.ndjson:1" {
		t.Errorf("remarks %v, want %q", in.Remarks, want)
	}
	if in.DepartureCount != 6 { // three types, two fields of b and one of c
		t.Errorf("%d departures: %v", in.DepartureCount, in.Departures)
	}
}
