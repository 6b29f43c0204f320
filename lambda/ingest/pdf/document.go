package pdf

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"matchbook/lambda/failure"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"
)

// Document is an open PDF. It is safe for concurrent use; its methods work one at a time.
type Document struct {
	config   Config
	instance pdfium.Pdfium
	module   api.Module

	mutex  sync.Mutex
	left   time.Duration // of Config.Total, since the others of a batch wait for the parser
	dead   error         // set once the parser did not survive an operation
	handle uint64
	pages  int
}

// Pages returns the number of pages.
func (d *Document) Pages() int { return d.pages }

// Close releases the document's memory.
func (d *Document) Close() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	_ = d.instance.Close() // fails only if a dead instance doesn't answer
}

func (d *Document) open(ctx context.Context, file io.Reader, size int64) error {
	return d.do(ctx, "open the PDF", func(c *calls) error {
		address := c.alloc(int(size))
		memory := c.view(address, int(size))
		if memory == nil {
			return c.err
		}
		if _, err := io.ReadFull(file, memory); err != nil {
			return failure.At("read the PDF", err)
		}
		d.handle = c.call("FPDF_LoadMemDocument", address, uint64(size), 0)
		if d.handle == 0 {
			return refused(c.number("FPDF_GetLastError"))
		}
		d.pages = c.number("FPDF_GetPageCount", d.handle)
		return d.checkPages()
	})
}

func (d *Document) checkPages() error {
	switch {
	case d.pages <= 0:
		return failure.Permanently("PDF without pages; send it again")
	case d.pages > d.config.Pages:
		return failure.Permanently("PDF has too many pages: %d, limit %d; split it", d.pages, d.config.Pages)
	}
	return nil
}

// refused returns the reason for not opening a file, by PDFium's code.
func refused(code int) error {
	const (
		badFormat   = 3
		password    = 4
		unsupported = 5
	)
	switch code {
	case badFormat:
		return failure.Permanently("PDF is damaged or incomplete; send it again, or print it to a new PDF")
	case password:
		return failure.Permanently("PDF is encrypted with a password; send a copy without one, or use matchbook ingest --password")
	case unsupported:
		return failure.Permanently("unsupported encryption of the PDF; send it without encryption")
	}
	return failure.Permanently("PDF cannot be opened (PDFium error %d); print it to a new PDF and send that", code)
}

// onPage loads a page and runs an operation on it.
func (d *Document) onPage(ctx context.Context, operation string, number int, work func(*calls, uint64) error) error {
	operation = fmt.Sprintf("%s of page %d", operation, number)
	return d.do(ctx, operation, func(c *calls) error {
		page := c.call("FPDF_LoadPage", d.handle, uint64(number-1))
		if page == 0 && c.err == nil {
			return failure.Permanently("%s: the page is damaged; print the PDF to a new one and send that", operation)
		}
		err := work(c, page)
		c.call("FPDF_ClosePage", page)
		return err
	})
}
