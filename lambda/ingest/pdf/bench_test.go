package pdf

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// The benchmarks read the pages of the shared invoices. memory-MB is what the
// parser holds for the largest of them; the process needs about 90 MB beside.

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
	for b.Loop() {
		if page > d.Pages() {
			d.Close()
			file, page = (file+1)%len(files), 1
			d = openFile(b, reader, files[file])
		}
		if err := work(d, page); err != nil {
			b.Fatal(err)
		}
		page++
		largest = max(largest, d.module.Memory().Size())
	}
	d.Close()
	b.ReportMetric(float64(largest>>20), "memory-MB")
}

func BenchmarkOpen(b *testing.B) {
	reader := open(b, Config{})
	content, err := os.ReadFile(invoiceFiles(b)[0])
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d, err := reader.Open(context.Background(), bytes.NewReader(content), int64(len(content)))
		if err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

// BenchmarkStart measures New with the compiled parser on disk.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		r, err := New(Config{CacheDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
