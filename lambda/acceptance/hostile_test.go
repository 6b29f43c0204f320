package acceptance_test

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// verdict is the state of a file as a person sees it.
const verdict = `SELECT CASE WHEN i.status = 'failed' AND d.needs_human_review THEN 'failed: ' || i.error
	WHEN i.status = 'completed' AND i.needs_human_review AND d.needs_human_review
	THEN 'for review: ' || array_to_string(review_reasons, '; ')
	WHEN i.status = 'completed' AND i.valid_structured_data THEN 'valid'
	ELSE i.status || ' without a reason: ' || coalesce(i.error, '') END
	|| CASE WHEN i.attempts > 1 THEN ', several attempts' ELSE '' END
	FROM ingestion AS i JOIN document AS d ON d.id = i.document_id WHERE i.id = $1`

// hostileOffice is an office with one process for all files, which is watched.
type hostileOffice struct {
	*office
	badge     string
	processes map[string]bool
}

func newHostileOffice(t *testing.T) *hostileOffice {
	t.Helper()
	engine := newOCR(t)
	engine.write("page.tsv", "level\tpage_num\t\n") // no word on any page
	h := &hostileOffice{badge: "MATCHBOOK_TEST_BADGE=" + uuid.NewString(), processes: map[string]bool{}}
	h.office = newOfficeWith(t, func(c *local.FunctionConfig) {
		c.Env, c.Concurrency = append(append(c.Env, h.badge), engine.env()...), 1
		c.OnInvocation = func(i eventsource.Invocation) {
			if i.Err != nil {
				t.Errorf("a batch failed as a whole: %v", i.Err)
			}
			if len(i.MessageIDs) > 0 {
				h.processes[processWith(t, h.badge)] = true
				t.Logf("%d files in %v", len(i.MessageIDs), i.Took)
			}
		}
	})
	return h
}

// change lets a file change as its content says, when its message is received.
func (h *hostileOffice) change(id uuid.UUID, path, content string) {
	h.t.Helper()
	path = filepath.Join(h.files, filepath.FromSlash(path))
	if strings.HasSuffix(content, cutLater) {
		h.onReceive = func(body string) {
			if body != id.String() {
				return
			}
			if err := os.Truncate(path, 200); err != nil {
				h.t.Error(err)
			}
		}
	}
}

// storeAll stores all kinds, with a healthy file before each three.
func (h *hostileOffice) storeAll(files map[string]hostileFile) (kinds map[string]uuid.UUID, healthy []uuid.UUID, all []job.Stamped) {
	h.t.Helper()
	invoice := []byte(sampleFile(h.t, "invoice.pdf"))
	kinds = map[string]uuid.UUID{}
	for i, kind := range slices.Sorted(maps.Keys(files)) {
		if i%3 == 0 {
			in, stamped := h.keep("invoice.pdf", invoice)
			healthy, all = append(healthy, in.ID), append(all, stamped...)
		}
		content := files[kind].content()
		in, stamped := h.keep(files[kind].name, []byte(content))
		h.change(in.ID, in.FilePath, content)
		kinds[kind], all = in.ID, append(all, stamped...)
	}
	return kinds, healthy, all
}

// All kinds of hostile files at once, each beside a healthy one, through the real
// function: each ends at its first delivery with the verdict that was written
// down for it, the healthy files are read, one process does it all and stays
// below the memory of its manifest row, and no text of a file is in the log.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "reads fifty kinds of files")
	if runtime.GOOS != "linux" {
		t.Skip("reads the peak memory of a process from /proc, which only Linux has")
	}
	h, files := newHostileOffice(t), hostileFiles()
	kinds, healthy, all := h.storeAll(files)
	must.Get(h.ingest.Queue.Send(t.Context(), all))(t)
	h.finish()
	for kind, id := range kinds {
		document := query[string](h.line, "SELECT document_id::text FROM ingestion WHERE id = $1", id)
		got, want := query[string](h.line, verdict, id), strings.ReplaceAll(files[kind].want, "{id}", document)
		if got != want && got != strings.Replace(want, noMemory, noTime, 1) { // a slow machine has no time first
			t.Errorf("%s:\ngot  %s\nwant %s", kind, got, want)
		}
	}
	for _, id := range healthy {
		check(t, "healthy file", query[string](h.line, verdict, id), "valid")
	}
	h.watched(len(kinds))
}

// A PDF of a plan may need longer than others: the time is a setting.
func TestPDFTimeoutSetting(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "PDF_TIME=1ns")
	id := o.lay("invoice.pdf", []byte(sampleFile(t, "invoice.pdf"))).ID
	o.finish()
	if got := query[string](o.line, verdict, id); !strings.HasPrefix(got, "failed: open the PDF: PDF parser did not finish within 1ns") {
		t.Errorf("got %s", got)
	}
}

// watched checks the process, its memory and its log.
func (h *hostileOffice) watched(kinds int) {
	h.t.Helper()
	peak := peakMemory(h.t, h.badge)
	h.t.Logf("%d kinds, peak memory %d MB", kinds, peak>>20)
	if peak > manifest.Ingest.MemoryMB<<20 {
		h.t.Errorf("the function took %d MB, it has %d MB", peak>>20, manifest.Ingest.MemoryMB)
	}
	if kinds < 50 || len(h.processes) != 1 {
		h.t.Errorf("%d kinds were read by %d processes; want 50 or more by one", kinds, len(h.processes))
	}
	for _, text := range []string{"Bytewerk", "BW-7", "BW-9", marker} {
		if strings.Contains(h.text.String(), text) {
			h.t.Errorf("%q, text of a file, is in the log", text)
		}
	}
}
