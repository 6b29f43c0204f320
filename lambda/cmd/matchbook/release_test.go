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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
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
		cmd.Dir, cmd.Env = clitest.Root, append(os.Environ(), "PATH="+tmp+":"+os.Getenv("PATH"), "TMPDIR="+tmp, "NOTES="+filepath.Join(tmp, "notes"), "CGO_ENABLED=")
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

// tried stands in for the command of the archive: it notes how it is called, and serves until it is ended.
const tried = `#!/bin/sh
note() { echo "$*" | sed "s|/[^ ]*/stranger|STRANGER|g" >>NOTES; }
note "HOME=$HOME PATH=$PATH LC_ALL=$LC_ALL AWS=$AWS_PROFILE in $PWD: $*"
case $1 in
--version) echo "matchbook VERSION, of a test" ;;
match) echo "ACCOUNTING  published 63 = succeeded SUCCEEDED + failed 0"; echo "30 matches, 2 questions"; echo "more" ;;
serve)
	note pid $$
	trap 'note ended; exit 0' TERM
	echo "it served" >&2
	[ ! -e DIES ] || exit 1
	echo "Matchbook serves http://127.0.0.1:1"
	until [ -e inbox/invoice-with-xml.pdf ]; do sleep 0.01; done
	DONE
	echo >moved
	while :; do sleep 0.01; done ;;
explain) echo "ORDER PO-2026-4711"; echo "MATCHED"; echo "  invoice"; echo "more" ;;
esac
`

// The archive is tried in an empty folder, without the environment of the repository. Whatever happens, nothing
// is left: no folder, and no process.
func TestReleaseTried(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(clitest.Root, ".git")); err != nil {
		t.Skip("skipped without the repository: a release is built from what git tracks")
	}
	var got strings.Builder
	for _, tc := range []struct{ name, succeeded, done, dies string }{
		{"as it should be", "63", "mkdir inbox/done; mv inbox/*.* inbox/done", "/nowhere"},
		{"lost documents", "62", "", "/nowhere"},
		{"serve dies", "63", "", "."},
		{"files stay", "63", ":", "/nowhere"},
	} {
		tmp, programs := t.TempDir(), t.TempDir()
		notes := filepath.Join(programs, "notes")
		script := strings.NewReplacer("VERSION", release, "SUCCEEDED", tc.succeeded, "DONE", tc.done, "DIES", tc.dies, "NOTES", notes).Replace(tried)
		for name, text := range map[string]string{
			"tried": script,
			"go":    "#!/bin/sh\ncase $* in\n'env GOHOSTOS') echo linux ;;\n'env GOHOSTARCH') echo amd64 ;;\n*) cp " + programs + "/tried \"$5matchbook\" ;;\nesac\n",
			"curl":  "#!/bin/sh\n[ -e moved ] || exit 0\necho \"$*\" >>" + notes + "\necho 'matchbook_succeeded_total{function=\"ingest\"} 7'\necho 'matchbook_succeeded_total{function=\"match\"} 2'\n",
		} {
			must.OK(t, os.WriteFile(filepath.Join(programs, name), []byte(text), 0o755))
		}
		cmd := exec.CommandContext(t.Context(), ".ci/release", "--try")
		cmd.Dir, cmd.Env = clitest.Root, append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "TMPDIR="+tmp, "AWS_PROFILE=ours", "LC_ALL=C")
		out, _ := cmd.CombinedOutput()
		text := string(must.Get(os.ReadFile(notes))(t))
		fmt.Fprintf(&got, "== %s\n%sexit status %d\n%s", tc.name, out, cmd.ProcessState.ExitCode(), regexp.MustCompile("pid .*\n").ReplaceAllString(text, ""))
		if left := must.Get(os.ReadDir(tmp))(t); len(left) > 0 {
			t.Errorf("%s: %s is left", tc.name, left[0].Name())
		}
		if _, pid, ok := strings.Cut(text, "pid "); ok {
			pid, _, _ = strings.Cut(pid, "\n")
			if process := must.Get(os.FindProcess(must.Get(strconv.Atoi(pid))(t)))(t); process.Signal(syscall.Signal(0)) == nil {
				t.Errorf("%s: serve is left", tc.name)
			}
		}
	}
	golden.Compare(t, "release-tried.txt", got.String())
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
