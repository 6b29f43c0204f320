// Package golden compares a whole output with a file, so that a test sees every fault in it, also
// the one nobody thought of. Use -update to write the files, and read the difference.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

// differing matches what differs from run to run: ids, versions and times.
var differing = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}|1[78][0-9]{14}|` +
	`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|\+00:00)?)?|[0-9hms]+ ago|\(in [0-9hms]+\)`)

// Compare fails the test unless a file in the folder testdata has this text. An id is its number
// in the text, and a time of the test is "now".
func Compare(t testing.TB, file, text string) {
	t.Helper()
	ids := map[string]string{}
	Exact(t, file, differing.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case strings.HasSuffix(s, " ago"):
			return "a moment ago"
		case strings.HasPrefix(s, "(in "):
			return "(in a while)"
		}
		if at, err := time.Parse(time.DateOnly, s[:min(len(s), len(time.DateOnly))]); err == nil {
			if time.Since(at).Abs() < 48*time.Hour {
				return "now"
			}
			return s
		}
		if ids[s] == "" {
			ids[s] = fmt.Sprintf("id-%d", len(ids)+1)
		}
		return ids[s]
	}))
}

// Exact is Compare for a text that is the same in each run: its dates are of the test's data, also on the
// day itself.
func Exact(t testing.TB, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := string(must.Get(os.ReadFile(path))(t))
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s, line %d: got\n%s\nwant\n%s", path, i+1, a[i], b[i])
			return
		}
	}
	t.Errorf("%s: got %d lines, want %d", path, len(a), len(b))
}
