package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// builder stands in for go: it notes what is built, and for what, and writes a line instead.
const builder = `#!/bin/sh
echo "CGO=$CGO_ENABLED $GOOS/$GOARCH go $*" | sed "s|$TMPDIR[^ ]*/|TMP/|g" >>"$NOTES"
out=
for arg; do
	[ "$last" = -o ] || [ "$last" = -output ] && out=$arg
	last=$arg
done
case $out in
*/) for arg; do case $arg in ./lambda/cmd/*) echo built >"$out${arg##*/}"; chmod 755 "$out${arg##*/}" ;; esac; done ;;
?*) echo built >"$out" ;;
*) echo '{}' ;;
esac
`

// A release has an archive for each platform with the command, the functions and all pages, a zip of each
// function, the contract, the SBOM and the checksums; built twice, it has the same bytes.
func TestRelease(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "git", "zip"} {
		testenv.Program(t, program, "apt-get install "+program)
	}
	if _, err := os.Stat(filepath.Join(clitest.Root, ".git")); err != nil {
		t.Skip("skipped without the repository: a release is built from what git tracks")
	}
	tmp := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(tmp, "go"), []byte(builder), 0o755))
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), ".ci/release", args...)
		cmd.Dir, cmd.Env = clitest.Root, append(os.Environ(), "PATH="+tmp+":"+os.Getenv("PATH"), "TMPDIR="+tmp, "NOTES="+filepath.Join(tmp, "notes"))
		out, err := cmd.CombinedOutput()
		code := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		return fmt.Sprintf("$ .ci/release\n%sexit status %d\n", out, code)
	}
	var got strings.Builder
	got.WriteString(run("--version") + run())
	first, second := filepath.Join(tmp, "first"), filepath.Join(tmp, "second")
	got.WriteString(run(first))
	got.Write(must.Get(os.ReadFile(filepath.Join(tmp, "notes")))(t))
	for _, line := range strings.Split(string(must.Get(os.ReadFile(filepath.Join(first, "SHA256SUMS")))(t)), "\n") {
		_, name, _ := strings.Cut(line, "  ")
		fmt.Fprintln(&got, name)
	}
	names := archived(t, filepath.Join(first, "matchbook_"+release+"_linux_arm64.tar.gz"))
	for _, name := range []string{"README.md", "LICENSE", "lambda/SERVE.md", "infra/serve/matchbook.service", "testdata/files/invoice.pdf", "testdata/contracts/software-licence.md", "testdata/documents"} {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "matchbook_"+release+"_linux_arm64/"+name) }) {
			t.Errorf("%s is not in the archive", name)
		}
	}
	for _, name := range names {
		if strings.Contains(name, "/bin/") {
			fmt.Fprintln(&got, name)
		}
	}
	function := must.Get(zip.OpenReader(filepath.Join(first, "matchbook_"+release+"_lambda_arm64_match.zip")))(t)
	defer function.Close()
	for _, f := range function.File {
		fmt.Fprintln(&got, f.Name, f.Mode())
	}
	golden.Compare(t, "release.txt", strings.ReplaceAll(got.String(), tmp, "TMP"))
	run(second)
	sums := func(dir string) string { return string(must.Get(os.ReadFile(filepath.Join(dir, "SHA256SUMS")))(t)) }
	if sums(first) != sums(second) {
		t.Errorf("built twice:\n%s\n%s", sums(first), sums(second))
	}
}

// archived lists the files of an archive.
func archived(t *testing.T, path string) (names []string) {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	for r := tar.NewReader(must.Get(gzip.NewReader(file))(t)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		must.OK(t, err)
		names = append(names, h.Name)
	}
}
