package einvoice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/internal/testenv"
)

// Whatever the bytes, Read returns what document.Parse accepts, or a refusal.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.xml"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(raw[:len(raw)/2])
		f.Add(bytes.ReplaceAll(raw, []byte("ID>"), []byte("Amount>")))
	}
	f.Add([]byte("\xff\xfe<\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := einvoice.Read(bytes.NewReader(raw))
		var refused *einvoice.Refused
		if err != nil {
			if !errors.As(err, &refused) {
				t.Errorf("not refused: %v", err)
			}
			return
		}
		text, err := json.Marshal(d.Data)
		testenv.Must(t, err)
		if _, err := document.Parse(text); err != nil {
			t.Errorf("document.Parse: %v", err)
		}
		if _, err := document.ParseType(string(d.Type)); err != nil {
			t.Error(err)
		}
		if format, ok := einvoice.Detect(raw); !ok || format != d.Format {
			t.Errorf("detected as %q, read as %q", format, d.Format)
		}
	})
}
