package bootstrap

import (
	"path/filepath"
	"strings"
	"testing"
)

// The first build of a clone announces minutes; later ones are silent.
func TestFirstBuildTells(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, tc := range []struct{ dir, want string }{
		{filepath.Join(empty, "bin"), "infra: compiling 1 functions for arm64, which takes minutes the first time\n"},
		{empty, ""},
	} {
		var told strings.Builder
		if _, err := BuildAll(t.Context(), tc.dir, "arm64", map[string]string{"none": "matchbook/infra/none"}, &told); err == nil {
			t.Fatal("built a missing package")
		}
		if told.String() != tc.want {
			t.Errorf("%s: got %q, want %q", tc.dir, told.String(), tc.want)
		}
	}
}
