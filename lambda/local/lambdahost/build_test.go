package lambdahost

import (
	"context"
	"debug/buildinfo"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/executable"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/internal/gatetest"
)

func TestBootstrapBuildFlags(t *testing.T) {
	t.Parallel()
	built := must.Get(buildinfo.ReadFile(gatetest.Bootstrap(t)))(t)
	self, _ := debug.ReadBuildInfo()
	for _, key := range []string{"-race", "-trimpath", "-tags", "CGO_ENABLED", "GOAMD64", "GOARM64"} {
		if got, want := buildSetting(built, key), buildSetting(self, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func buildSetting(info *debug.BuildInfo, key string) string {
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == key })
	if i < 0 {
		return ""
	}
	return info.Settings[i].Value
}

// beside is the place beside this program, which is taken by one test at a time.
var beside sync.Mutex

func TestBootstrapProgress(t *testing.T) {
	t.Parallel()
	beside.Lock()
	defer beside.Unlock()
	var steps []string
	dir := t.TempDir()
	file := must.Get(Bootstrap(t.Context(), dir, gatetest.Function, func(s string) { steps = append(steps, s) }))(t)
	if want := filepath.Join(dir, "testfunction"); file != want ||
		!slices.Equal(steps, []string{"building " + gatetest.Function}) {
		t.Errorf("%s, steps %v; want %s", file, steps, want)
	}
}

// To link a bootstrap takes seconds of processor time: each program of
// these flags is linked once, for every caller, and as long as its source is
// the same.
func TestBootstrapLinksOnce(t *testing.T) {
	gatetest.Bootstrap(t)
	commands := filepath.Join(t.TempDir(), "commands")
	t.Setenv("PATH", shim(t, "go", `command=$1; shift; exec "$program" "$command" -x "$@" 2>>`+commands)+":"+
		os.Getenv("PATH"))
	file := must.Get(Bootstrap(t.Context(), t.TempDir(), gatetest.Function, nil))(t)
	must.Get(buildinfo.ReadFile(file))(t)
	output, err := os.ReadFile(commands)
	if err != nil || len(output) == 0 || strings.Contains(string(output), "/link -o") {
		t.Errorf("it is linked again, %v:\n%s", err, output)
	}
}

// shim is a folder with a script by the name of a program, which it has as
// $program.
func shim(t *testing.T, name, script string) string {
	t.Helper()
	program := must.Get(exec.LookPath(name))(t)
	dir := t.TempDir()
	executable.Script(t, filepath.Join(dir, name), "#!/bin/sh\nprogram="+program+"\n"+script+"\n")
	return dir
}

func TestInstalledBootstrap(t *testing.T) {
	t.Parallel()
	built := gatetest.Bootstrap(t)
	self := must.Get(os.Executable())(t)
	beside.Lock()
	defer beside.Unlock()
	program := filepath.Join(filepath.Dir(self), "testfunction")
	defer os.Remove(program)

	must.OK(t, os.WriteFile(program, []byte("another program of this name"), 0o700))
	if got := installed(gatetest.Function); got != "" {
		t.Errorf("took %s, which was not built from %s", got, gatetest.Function)
	}
	os.Remove(program)
	if err := os.Link(built, program); err != nil {
		t.Skipf("needs TMPDIR and GOTMPDIR on one file system: %v", err)
	}
	got, err := Bootstrap(t.Context(), t.TempDir(), gatetest.Function, nil)
	if err != nil || filepath.Base(got) != "testfunction" || filepath.Dir(got) != realPath(t, filepath.Dir(self)) {
		t.Errorf("got %s, %v; want %s", got, err, program)
	}
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real := must.Get(filepath.EvalSymlinks(path))(t)
	return real
}

func TestBootstrapErrorHints(t *testing.T) {
	t.Run("outside the module", func(t *testing.T) {
		t.Chdir(t.TempDir())
		_, err := Bootstrap(t.Context(), t.TempDir(), "matchbook/lambda/cmd/other", nil)
		checkBuildError(t, err, "outside its module", "go install matchbook/lambda/cmd/other")
	})
	t.Run("missing go command", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := Bootstrap(t.Context(), t.TempDir(), "matchbook/lambda/cmd/other", nil)
		checkBuildError(t, err, "missing go command", "install Go")
	})
	t.Run("compile error", func(t *testing.T) {
		_, err := Bootstrap(t.Context(), t.TempDir(), "matchbook/lambda/cmd/nosuchfunction", nil)
		checkBuildError(t, err, "build matchbook/lambda/cmd/nosuchfunction", "nosuchfunction")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Bootstrap(ctx, t.TempDir(), gatetest.Function, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

// A program that was copied alone names all functions that it lacks.
func TestMissingFunctions(t *testing.T) {
	if err := Missing(t.Context(), gatetest.Function, "matchbook/lambda/cmd/match"); err != nil {
		t.Errorf("in the repository: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	err := Missing(t.Context(), "matchbook/lambda/cmd/other", "matchbook/lambda/cmd/match")
	checkBuildError(t, err, "missing functions", "other, match;", "go install matchbook/lambda/cmd/other matchbook/lambda/cmd/match\n")
}

func checkBuildError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %q", err, part)
		}
	}
}
