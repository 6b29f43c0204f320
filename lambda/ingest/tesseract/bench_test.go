package tesseract

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// The benchmarks read a page each round. process-MB and process-ms are the memory
// and the processor time of one tesseract, for the page that needs most; as many
// run at once as there are cores.

// BenchmarkOCRReceipt reads the shared receipts.
func BenchmarkOCRReceipt(b *testing.B) {
	var files []transcript.Images
	for _, path := range receipts(b) {
		files = append(files, openImage(b, path))
	}
	benchmark(b, files)
}

// BenchmarkOCRInvoice reads a small invoice drawn in 300 dots per inch.
func BenchmarkOCRInvoice(b *testing.B) {
	benchmark(b, []transcript.Images{one{drawn(b, 300)}})
}

// BenchmarkOCRPage reads a page of A4 in 300 dots per inch.
func BenchmarkOCRPage(b *testing.B) {
	page, part := image.NewGray(image.Rect(0, 0, 2480, 3508)), drawn(b, 300)
	for y := range page.Rect.Dy() {
		for x := range page.Rect.Dx() {
			page.SetGray(x, y, part.GrayAt(x%part.Rect.Dx(), y%part.Rect.Dy()))
		}
	}
	benchmark(b, []transcript.Images{one{page}})
}

func benchmark(b *testing.B, files []transcript.Images) {
	e := installed(b)
	for i := 0; b.Loop(); i++ {
		must.Get(e.Transcribe(b.Context(), files[i%len(files)]))(b)
	}
	peak, busy := 0.0, 0.0
	for _, file := range files {
		mb, ms := usage(b, file)
		peak, busy = max(peak, mb), max(busy, ms)
	}
	b.ReportMetric(peak, "process-MB")
	b.ReportMetric(busy, "process-ms")
}

// usage measures a process that reads the first page of a file.
func usage(b *testing.B, file transcript.Images) (mb, ms float64) {
	const dpi, perMB = 300, 1 << 10 // Linux counts in KB
	drawn, err := file.Render(b.Context(), 1, dpi)
	must.OK(b, err)
	// Linux counts the peak of this process as one of those that it starts.
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Log("process-MB is perhaps that of the benchmark: ", err)
	}
	r := &reader{Config: Config{Program: "tesseract", Languages: "deu+eng"}}
	cmd := r.command(b.Context(), pgm(drawn), r.arguments()...)
	must.OK(b, cmd.Run())
	state := cmd.ProcessState
	return float64(state.SysUsage().(*syscall.Rusage).Maxrss) / perMB,
		float64((state.UserTime() + state.SystemTime()).Milliseconds())
}

// receipts returns the images of the shared receipts.
func receipts(t testing.TB) []string {
	t.Helper()
	images, _ := filepath.Glob(filepath.Join(testenv.Shared(t, "eval/ingestion/receipts/img"), "*.jpg"))
	if len(images) == 0 {
		t.Fatal("the folder of receipts is empty")
	}
	return images
}

func openImage(t testing.TB, path string) *scan.File {
	t.Helper()
	content, err := os.ReadFile(path)
	must.OK(t, err)
	f, err := scan.Open(bytes.NewReader(content), int64(len(content)))
	must.OK(t, err, path)
	return f
}
