package pdf

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

// The benchmarks read the pages of the shared invoices. parser-MB is the memory
// of the parser for the largest of them, process-MB the peak of the process, and
// cpu-ms the processor time of a round.

func BenchmarkTextLayer(b *testing.B) {
	pages(b, func(d *Document, page int) error {
		_, err := d.Text(context.Background(), page)
		return err
	})
}

func BenchmarkRender200(b *testing.B) { benchmarkRender(b, 200) }

func BenchmarkRender300(b *testing.B) { benchmarkRender(b, 300) }

func benchmarkRender(b *testing.B, dpi int) {
	pages(b, func(d *Document, page int) error {
		_, err := d.Render(context.Background(), page, dpi)
		return err
	})
}

// pages works on a page each round, of one file after the other.
func pages(b *testing.B, work func(*Document, int) error) {
	b.Helper()
	reader, files := open(b, Config{}), invoiceFiles(b)
	file, page, largest := 0, 1, uint32(0)
	d := openFile(b, reader, files[0])
	measured(b, func() {
		if page > d.Pages() {
			d.Close()
			file, page = (file+1)%len(files), 1
			d = openFile(b, reader, files[file])
		}
		must.OK(b, work(d, page))
		page++
		largest = max(largest, d.module.Memory().Size())
	})
	d.Close()
	b.ReportMetric(float64(largest>>20), "parser-MB")
}

func BenchmarkOpen(b *testing.B) {
	reader, path := open(b, Config{}), invoiceFiles(b)[0]
	measured(b, func() { openFile(b, reader, path).Close() })
}

// BenchmarkFirstPDF opens the first file of a function: it compiles the parser,
// or finds the compiled one on disk.
func BenchmarkFirstPDF(b *testing.B) {
	content := []byte(onePage("", show(50, 700, "Invoice")))
	for name, dir := range map[string]string{"compiled": "", "on-disk": b.TempDir()} {
		b.Run(name, func(b *testing.B) {
			first := func() {
				r, err := New(Config{CacheDir: dir})
				must.OK(b, err)
				d, err := r.Open(context.Background(), bytes.NewReader(content), int64(len(content)))
				must.OK(b, err)
				d.Close()
				must.OK(b, r.Close())
			}
			if dir != "" {
				first()
			}
			measured(b, first)
		})
	}
}

// measured reports the memory and the processor time of the rounds.
func measured(b *testing.B, round func()) {
	b.Helper()
	debug.FreeOSMemory()
	// The peak of the rounds, not the one before; Linux only.
	err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	before := processorTime(b)
	for b.Loop() {
		round()
	}
	b.ReportMetric(float64((processorTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms")
	status, _ := os.ReadFile("/proc/self/status")
	if found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status); found != nil && err == nil {
		kb, _ := strconv.Atoi(string(found[1]))
		b.ReportMetric(float64(kb>>10), "process-MB")
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	must.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
