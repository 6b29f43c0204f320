package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

// asMain makes the test binary the command, for tests that kill it.
const asMain = "MATCHBOOK_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
	}
	postgrestest.Parallel("6")
	code := m.Run()
	postgrestest.Quit()
	for _, file := range functions {
		_ = os.Remove(file)
	}
	os.Exit(code)
}

// functions are the executables beside the test binary.
var functions []string

// buildFunctions puts the functions beside the test binary, where the commands
// find them, as in an installation: dozens of tests need not build them. A
// command whose function is not there builds it itself.
var buildFunctions = sync.OnceFunc(func() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	beside := filepath.Dir(self)
	dir, err := os.MkdirTemp(beside, "functions")
	if err != nil {
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, pkg := range []string{manifest.Match.Package, manifest.Ingest.Package, manifest.Sweep.Package} {
		file, err := lambdahost.Bootstrap(context.Background(), dir, pkg, nil)
		if err != nil {
			continue
		}
		// Renamed: half an executable is never taken for one.
		if place := filepath.Join(beside, filepath.Base(file)); os.Rename(file, place) == nil {
			functions = append(functions, place)
		}
	}
})
