package einvoice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/internal/must"
)

// result is the content of a file as the expectations in testdata write it.
// They were written by hand, from the XML.
type result struct {
	Format   einvoice.Format `json:"format"`
	Profile  string          `json:"profile,omitempty"`
	Type     document.Type   `json:"type"`
	Data     document.Data   `json:"structured_data"`
	Problems []string        `json:"problems,omitempty"`
}

func resultOf(d einvoice.Document) result {
	r := result{Format: d.Format, Profile: d.Profile, Type: d.Type, Data: d.Data}
	for _, p := range d.Problems {
		r.Problems = append(r.Problems, p.String())
	}
	return r
}

func TestGoldenFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.xml"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		raw := must.Get(os.ReadFile(strings.TrimSuffix(file, ".xml") + ".json"))(t)
		var want result
		must.OK(t, json.Unmarshal(raw, &want), file)
		d, err := einvoice.Read(open(t, file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := resultOf(d); !equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, indented(t, got), indented(t, want))
		}
	}
}

func open(t *testing.T, file string) *os.File {
	t.Helper()
	f := must.Get(os.Open(file))(t)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func indented(t *testing.T, v any) string {
	t.Helper()
	raw := must.Get(json.MarshalIndent(v, "", "  "))(t)
	return string(raw)
}

// equal compares as JSON: equal amounts may differ inside.
func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// Whatever the bytes, Read returns what document.Parse accepts, or a refusal.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.xml"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		raw := must.Get(os.ReadFile(file))(f)
		f.Add(raw)
		f.Add(raw[:len(raw)/2])
		f.Add(bytes.ReplaceAll(raw, []byte("ID>"), []byte("Amount>")))
	}
	f.Add([]byte("\xff\xfe<\x00"))
	f.Add([]byte(fattura(corpo("TD01", "1", "<DatiRitenuta/>", [][]string{{"a", "1", "h", "2", "2", "22"}}, [][]string{{"22", "2", "0.44"}}, pagamento("1", "")))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := einvoice.Read(bytes.NewReader(raw))
		var refused *einvoice.Refused
		if err != nil {
			if !errors.As(err, &refused) {
				t.Errorf("not refused: %v", err)
			}
			return
		}
		text := must.Get(json.Marshal(d.Data))(t)
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
