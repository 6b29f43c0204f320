// Package clitest runs a command-line program in tests and compares its output with the
// pages of the repository.
package clitest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Main must be called by the TestMain of a program.
func Main(m *testing.M) {
	postgrestest.Parallel("6")
	code := m.Run()
	postgrestest.Quit()
	for _, file := range functions {
		_ = os.Remove(file)
	}
	os.Exit(code)
}

// Run runs the program against the database at url. It adds --database for match, ingest
// and invoke, because they use a private one otherwise.
func Run(t testing.TB, program cli.Program, url string, args ...string) (code int, out, errOut string) {
	t.Helper()
	if url != "" && slices.Contains([]string{"match", "ingest", "invoke"}, args[0]) {
		args = append(slices.Clone(args), "--database")
	}
	return RunIn(t.Context(), program, map[string]string{variable.DatabaseURL: url}, args...)
}

// RunIn runs the program with these variables.
func RunIn(ctx context.Context, program cli.Program, env map[string]string, args ...string) (code int, out, errOut string) {
	if slices.Contains([]string{"match", "ingest", "invoke", "eval", "drill", "plan"}, args[0]) {
		BuildFunctions()
	}
	var stdout, stderr bytes.Buffer
	code = program(ctx, args, func(name string) string { return env[name] }, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// Refusals are refused arguments, each with a part of its error.
type Refusals []struct {
	Args []string
	Want string
}

// WantRefused fails the test unless run ends with ExitError and the wanted error for each of
// these arguments, and prints nothing else.
func WantRefused(t *testing.T, run func(args ...string) (code int, out, errOut string), list Refusals) {
	t.Helper()
	for _, r := range list {
		code, out, errOut := run(r.Args...)
		if code != cli.ExitError || out != "" || !strings.Contains(errOut, r.Want) {
			t.Errorf("%q: exit status %d, %q and %q, want %d and %q", r.Args, code, out, errOut, cli.ExitError, r.Want)
		}
	}
}

var functions []string

// BuildFunctions builds the functions next to the test binary, as in an installation, so
// that dozens of tests needn't build them. A command builds a missing function itself.
var BuildFunctions = sync.OnceFunc(func() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	next := filepath.Dir(self)
	dir, err := os.MkdirTemp(next, "functions")
	if err != nil {
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, pkg := range []string{manifest.Match.Package, manifest.Ingest.Package, manifest.Sweep.Package} {
		file, err := lambdahost.Bootstrap(context.Background(), dir, pkg, nil)
		if err != nil {
			continue
		}
		// Renamed, so that a command never finds half an executable.
		if place := filepath.Join(next, filepath.Base(file)); os.Rename(file, place) == nil {
			functions = append(functions, place)
		}
	}
})

// Receive receives up to ten messages of a queue and returns their bodies.
func Receive(t *testing.T, client *sqs.Client, url string) (bodies []string) {
	t.Helper()
	out, err := client.ReceiveMessage(context.Background(), &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range out.Messages {
		bodies = append(bodies, *m.Body)
	}
	return bodies
}
