package pdf

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"matchbook/lambda/failure"

	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
)

// Decrypt returns a copy of a PDF without encryption, opened by the first password that fits. ok is
// false if the PDF needs no password, or none fits. Use it for files of your own: unlike Open, it
// has no limits.
func (r *Reader) Decrypt(ctx context.Context, data []byte, passwords []string) (plain []byte, ok bool, err error) {
	pool, err := r.parser(ctx)
	if err != nil {
		return nil, false, failure.At("compile the PDF parser", err)
	}
	for i, password := range append([]string{""}, passwords...) {
		// A new instance each time, so that the copy depends on nothing but the file: ids of files
		// derive from the content.
		instance, err := pool.GetInstanceWithContext(ctx)
		if err != nil {
			return nil, false, failure.At("wait for a PDF parser", cmp.Or(ctx.Err(), err))
		}
		open := requests.OpenDocument{File: &data}
		if i > 0 {
			open.Password = &password
		}
		doc, err := instance.OpenDocument(&open)
		var copied bytes.Buffer
		if err == nil && i > 0 {
			_, err = instance.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{Document: doc.Document,
				Flags: requests.SaveFlagRemoveSecurity, FileWriter: &copied})
		}
		_ = instance.Close() // it is not used again
		switch {
		case errors.Is(err, pdfiumerrors.ErrPassword):
			continue
		case err != nil || i == 0:
			return nil, false, nil // opening it names the reason
		}
		return copied.Bytes(), true, nil
	}
	return nil, false, nil
}
