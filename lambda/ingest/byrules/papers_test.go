package byrules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
)

// Whole papers of many kinds and languages, as programs print them; see layout for their form. Files keep what
// is read of each, of each with a line changed, and of its families.
func TestPapers(t *testing.T) {
	t.Parallel()
	for _, file := range must.Get(filepath.Glob("testdata/papers/*.txt"))(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			name := strings.TrimSuffix(filepath.Base(file), ".txt")
			seen := newPapers(t, filepath.Join("read", name))
			text := string(must.Get(os.ReadFile(file))(t))
			seen.extract(layout(text))
			golden.Exact(t, filepath.Join("read", name+"-related.txt"), related(text))
		})
	}
}
