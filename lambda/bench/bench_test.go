package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const output = `
goos: linux
BenchmarkTenant/10000/candidates/even-2   	     200	         0 ns/op	         2.000 p50-ms	         5.000 p99-cpu-ms
BenchmarkTenant/10000/candidates/even-2   	     200	         0 ns/op	         3.000 p50-ms	         7.000 p99-cpu-ms
BenchmarkTenant/10000/candidates/even-2   	     200	         0 ns/op	         1.000 p50-ms	         6.000 p99-cpu-ms
BenchmarkTenant/1000000/candidates/even-2 	     200	         0 ns/op	         4.000 p50-ms	        10.00 p99-cpu-ms
BenchmarkStart/match-2                    	      25	  20000000 ns/op	         9.000 cpu-ms
PASS
`

func TestResultsBecomeATableAndADrawing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const page = "# B\n\n## Tenant\n\nWords.\n\n| old |\n|---|\n| 1 |\n\nMore.\n\n## Start\n\n| old |\n|---|\n\n## Other\n\n| kept |\n|---|\n\nThe end.\n"
	const want = "# B\n\n## Tenant\n\nWords.\n\n" +
		"| | p50-ms | p99-cpu-ms |\n|---|---|---|\n| 10000/candidates/even | 2 (1 to 3) | 6 (5 to 7) |\n| 1000000/candidates/even | 4 | 10 |\n\n" +
		"More.\n\n## Start\n\n| | cpu-ms |\n|---|---|\n| match | 9 |\n\n## Other\n\n| kept |\n|---|\n\nThe end.\n"
	write(t, dir, "README.md", page)
	write(t, dir, "results.json", `{"Tenant/10000/candidates/even":{"p99-cpu-ms":[100]}}`)
	for range 2 { // again, with the same results
		if err := run(dir, strings.NewReader(output)); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, dir, "README.md"); got != want {
			t.Fatalf("the page is\n%s\nwant\n%s", got, want)
		}
	}
	if got, want := readFile(t, dir, "growth.svg"), `<polyline points="44.0,178.1 340.0,163.3"`; !strings.Contains(got, want) {
		t.Errorf("the drawing has no %s:\n%s", want, got)
	}
}

// The page and the drawing show what results.json has.
func TestThePageShowsTheResults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"README.md", "results.json"} {
		write(t, dir, name, readFile(t, ".", name))
	}
	if err := run(dir, strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "results.json", "growth.svg"} {
		if readFile(t, dir, name) != readFile(t, ".", name) {
			t.Errorf("%s is not as the results: go run ./lambda/bench </dev/null", name)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
