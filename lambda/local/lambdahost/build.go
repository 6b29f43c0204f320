package lambdahost

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// Bootstrap returns the path of an executable of the function whose main
// package is pkg ("matchbook/lambda/cmd/match"): the file of the package's
// base name beside the running executable, if there is one that was built from
// pkg (an installed program), else one that go builds in dir.
//
// It is built with the flags of the running program, because other flags
// (-race, -trimpath, CGO_ENABLED ...) mean another build cache and compiling
// everything anew. progress, which may be nil, is called before a long step.
func Bootstrap(ctx context.Context, dir, pkg string, progress func(string)) (string, error) {
	if file := installed(pkg); file != "" {
		return file, nil
	}
	if err := canBuild(ctx, pkg); err != nil {
		return "", err
	}
	if progress != nil {
		progress("building " + pkg)
	}
	// Absolute, because an executable is started in a folder of its own.
	file, err := filepath.Abs(filepath.Join(dir, path.Base(pkg)))
	if err != nil {
		return "", fmt.Errorf("build %s: %w", pkg, err)
	}
	flags, env := buildFlags()
	// Go caches the link of `go run` and not that of `go build`: here the "run"
	// is a copy. A bootstrap in a temporary folder needs no commit, and a
	// repository that git does not trust would fail the build.
	args := append([]string{"run", "-buildvcs=false", "-exec=cp -f"}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, pkg, file)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("build %s: %w", pkg, ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, bytes.TrimSpace(out))
	}
	return file, nil
}

// installed finds the executable beside the running one. Its main
// package is read from the file: a program of the same name may be anything.
func installed(pkg string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	file := filepath.Join(filepath.Dir(self), path.Base(pkg))
	info, err := buildinfo.ReadFile(file)
	if err != nil || info.Path != pkg {
		return ""
	}
	return file
}

// canBuild returns an error with advice without a go command, or in a working
// directory outside the module of pkg.
func canBuild(ctx context.Context, pkg string) error {
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("no executable of %s: none lies beside this program, and no go command is on the PATH to "+
			"build it; install Go, or run `go install %s` where it is and put the result beside this program", pkg, pkg)
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-m")
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return fmt.Errorf("build %s: %w", pkg, ctx.Err())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("build %s: %w", pkg, err)
	}
	inModule := func(module string) bool { return strings.HasPrefix(pkg+"/", module+"/") }
	if !slices.ContainsFunc(strings.Fields(string(out)), inModule) {
		return fmt.Errorf("no executable of %s: none lies beside this program, and the working directory is not "+
			"inside its module; run this inside the repository, or run `go install %s` there and put the result beside this program",
			pkg, pkg)
	}
	return nil
}

// buildFlags returns the flags and variables that the running program was built
// with, as far as they decide what the compiler makes. Programs of `go run` and
// `go test` record them too.
func buildFlags() (flags, env []string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, nil
	}
	for _, s := range info.Settings {
		switch {
		case slices.Contains([]string{"-race", "-msan", "-asan", "-trimpath", "-tags", "-gcflags", "-asmflags"}, s.Key):
			flags = append(flags, s.Key+"="+s.Value)
		case slices.Contains([]string{"CGO_ENABLED", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GOFIPS140"}, s.Key):
			env = append(env, s.Key+"="+s.Value)
		}
	}
	return flags, env
}
