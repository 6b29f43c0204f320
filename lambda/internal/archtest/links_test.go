package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// parsers read bytes that strangers sent: decoders of files and images, and
// engines of OCR. A function that needs none links none. Nor does it link the
// client of S3 or the migrations, which make its start slower.
var parsers = []string{
	"blob", "postgres/schema",
	"document/docx", "ingest/documentai", "ingest/pdf", "ingest/scan", "ingest/tesseract", "ingest/textract",
	"github.com/aws/aws-sdk-go-v2/service/textract", "github.com/klippa-app/go-pdfium", "github.com/tetratelabs/wazero",
	"golang.org/x/image", "image/gif", "image/jpeg", "image/png",
}

// linked has the parsers of each deployed function. Those of ingest are the
// choice of its build: an engine of OCR is in it by its import in
// lambda/function/ingest/ocr.go.
var linked = map[string][]string{
	"cmd/match":    nil,
	"cmd/sweep":    nil,
	"cmd/migrate":  {"postgres/schema"},
	"cmd/inbox":    {"blob"},
	"cmd/web":      {"blob"},
	"cmd/console":  {"blob"},
	"cmd/review":   nil,
	"cmd/schedule": nil,
	"cmd/offer":    nil,
	"cmd/ingest": {
		"blob", "github.com/aws/aws-sdk-go-v2/service/textract", "github.com/klippa-app/go-pdfium", "github.com/tetratelabs/wazero",
		"golang.org/x/image", "image/jpeg", "image/png",
		"ingest/documentai", "ingest/pdf", "ingest/scan", "ingest/tesseract", "ingest/textract",
	},
}

func TestLinkedParsers(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	for _, s := range read(t, root) {
		for _, spec := range s.file.Imports {
			if to := imported(spec); !s.isTest() {
				imports[s.pkg()] = append(imports[s.pkg()], strings.TrimPrefix(to, modulePath+"/lambda/"))
			}
		}
	}
	for pkg := range imports {
		_, listed := linked[pkg]
		if strings.HasPrefix(pkg, "cmd/") && pkg != "cmd/matchbook" && pkg != "cmd/mbdev" && !listed {
			t.Errorf("%s is not in linked: add it, with its parsers", pkg)
		}
	}
	for function, want := range linked {
		got := reached(imports, function)
		for _, parser := range slices.Sorted(maps.Keys(got)) {
			if !slices.Contains(want, parser) {
				t.Errorf("%s links %s: %s", function, parser, got[parser])
			}
		}
		for _, parser := range want {
			if got[parser] == "" {
				t.Errorf("%s does not link %s: delete it from linked", function, parser)
			}
		}
	}
}

// reached returns the parsers that a package imports, directly or not, each
// with the way to it.
func reached(imports map[string][]string, from string) map[string]string {
	found, ways := map[string]string{}, map[string]string{from: from}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		pkg := next[0]
		for _, to := range imports[pkg] {
			if ways[to] != "" {
				continue
			}
			ways[to] = ways[pkg] + " -> " + to
			next = append(next, to)
			for _, parser := range parsers {
				if covers(parser, to) || covers(parser+"/...", to) {
					found[parser] = ways[to]
				}
			}
		}
	}
	return found
}
