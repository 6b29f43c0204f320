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

// Bootstrap returns the path of an executable of the function with main package pkg, such as
// "matchbook/lambda/cmd/match". An installed program has its functions in its own directory;
// if that has an executable with the package's base name, built from pkg, Bootstrap returns
// it. Otherwise it builds one in dir.
//
// It builds with the flags of the running program, because other flags (-race, -trimpath,
// CGO_ENABLED ...) use another build cache and would recompile everything. progress is called
// before a long step; it may be nil.
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
	// Absolute, because the executable is started in another directory.
	file, err := filepath.Abs(filepath.Join(dir, path.Base(pkg)))
	if err != nil {
		return "", fmt.Errorf("build %s: %w", pkg, err)
	}
	flags, env := buildFlags()
	// Go caches the link step of `go run` but not of `go build`, so the "run" here is a copy.
	// VCS stamping is off because a temporary bootstrap doesn't need it, and it would fail in
	// a repository git does not trust.
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

// Missing returns an error if Bootstrap can provide none of these functions: neither are they
// installed, nor can they be built. Call it before anything that takes long.
func Missing(ctx context.Context, pkgs ...string) error {
	absent := slices.DeleteFunc(slices.Clone(pkgs), func(pkg string) bool { return installed(pkg) != "" })
	if len(absent) == 0 {
		return nil
	}
	if err := canBuild(ctx, absent[0]); err == nil || ctx.Err() != nil {
		return err
	}
	names := make([]string, len(absent))
	for i, pkg := range absent {
		names[i] = path.Base(pkg)
	}
	self, _ := os.Executable()
	return fmt.Errorf("missing functions of this program in its folder %s: %s; in the repository, run\n  GOBIN=FOLDER go install %s\n"+
		"and copy them from FOLDER, or run `go run ./lambda/cmd/matchbook` there",
		filepath.Dir(self), strings.Join(names, ", "), strings.Join(absent, " "))
}

// installed returns the executable in this program's directory, or "". It reads the main
// package from the file, since a program of the same name may be anything.
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

// canBuild returns an error with a hint if there's no go command, or if the working directory
// is outside pkg's module.
func canBuild(ctx context.Context, pkg string) error {
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("missing executable of %s, and missing go command to build it: "+
			"install Go, or run `go install %s` elsewhere and copy the result into this program's directory", pkg, pkg)
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
		return fmt.Errorf("missing executable of %s, and the working directory is outside its module: "+
			"run this inside the repository, or run `go install %s` there and copy the result into this program's directory",
			pkg, pkg)
	}
	return nil
}

// buildFlags returns the flags and variables of the running program's build, as far as they
// affect the compiler's output. `go run` and `go test` record them too.
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
