package filetype_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/internal/must"
)

// A file that streams by has the type of the same file in memory.
func TestSampleEqualsFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Invoice 1, ", 20_000)
	for name, content := range map[string]string{
		"empty": "", "text": "Invoice 1", "PDF": "%PDF-1.7\n" + long, "ZIP": "PK\x03\x04", "XML": "<Invoice/>",
		"PDF and ZIP": "%PDF-1.7\n" + long + "PK\x05\x06" + strings.Repeat("\x00", 18), "long text": long,
		"too large": strings.Repeat("x", filetype.MaxBytes+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, wantErr := filetype.Of(strings.NewReader(content), int64(len(content)))
			readers := []io.Reader{strings.NewReader(content)}
			if len(content) < filetype.MaxBytes {
				readers = append(readers, iotest.OneByteReader(bytes.NewReader([]byte(content))))
			}
			for _, r := range readers {
				var s filetype.Sample
				must.Get(io.Copy(&s, r))(t)
				got, err := s.Type()
				if got != want || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
					t.Errorf("got %q, %v; want %q, %v", got, err, want, wantErr)
				}
			}
		})
	}
}
