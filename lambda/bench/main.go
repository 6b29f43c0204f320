// Command bench keeps the results of the benchmarks: it reads the output of go
// test -bench, several runs or one, and writes results.json, and from it the tables
// of the page beside it and growth.svg.
//
//	go test ./lambda/postgres -run '^$' -bench Workers -benchtime 1x -count 5 | go run ./lambda/bench
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const folder = "lambda/bench"

func main() {
	if err := run(folder, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// results has the values of each run, by benchmark and by unit.
type results map[string]map[string][]float64

// run replaces the results of the benchmarks in the output, and keeps the others.
func run(dir string, output io.Reader) error {
	kept, err := load(dir)
	if err != nil {
		return err
	}
	measured, err := read(output)
	if err != nil {
		return err
	}
	maps.Copy(kept, measured)
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		"results.json": kept.json(), "README.md": withTables(string(page), kept), "growth.svg": growth(kept),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func load(dir string) (r results, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(raw, &r)
}

// json has a line for each benchmark.
func (r results) json() string {
	var lines []string
	for _, name := range slices.SortedFunc(maps.Keys(r), bySize) {
		values, err := json.Marshal(r[name])
		if err != nil {
			panic(err) // they are numbers, by names
		}
		lines = append(lines, fmt.Sprintf("%q: %s", name, values))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n}\n"
}

// read reads lines such as
//
//	BenchmarkTenant/10000/candidates/even-2   200   1.25 p50-ms   3.5 p99-cpu-ms
func read(output io.Reader) (results, error) {
	r := results{}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if i := strings.LastIndex(name, "-"); i > 0 { // the number of processors
			name = name[:i]
		}
		if r[name] == nil {
			r[name] = map[string][]float64{}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", lines.Text(), err)
			}
			if unit := fields[i+1]; unit != "ns/op" { // benchmarks report what they measure in units of their own
				r[name][unit] = append(r[name][unit], value)
			}
		}
	}
	return r, lines.Err()
}

// median returns the middle, and the smallest and the largest value, of which there
// is one at least.
func median(values []float64) (middle, least, most float64) {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1]
}

// withTables replaces the first table below each heading that names a benchmark.
func withTables(page string, r results) string {
	var out strings.Builder
	table, written := "", false
	for line := range strings.Lines(page) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			table, written = tableOf(r, strings.TrimSpace(name)), false
		}
		switch {
		case table == "" || !written && line[0] != '|':
			out.WriteString(line)
		case !written:
			out.WriteString(table)
			written = true
		case line[0] != '|': // behind the table
			table = ""
			out.WriteString(line)
		}
	}
	return out.String()
}

// tableOf has a row for each part of a benchmark, and a column for each unit: the
// median, and the range of several runs.
func tableOf(r results, benchmark string) string {
	names := slices.SortedFunc(maps.Keys(r), bySize)
	names = slices.DeleteFunc(names, func(n string) bool { return n != benchmark && !strings.HasPrefix(n, benchmark+"/") })
	if len(names) == 0 {
		return ""
	}
	all := map[string]bool{}
	for _, name := range names {
		for unit := range r[name] {
			all[unit] = true
		}
	}
	units := slices.Sorted(maps.Keys(all))
	var out strings.Builder
	fmt.Fprintf(&out, "| | %s |\n|---|%s\n", strings.Join(units, " | "), strings.Repeat("---|", len(units)))
	for _, name := range names {
		fmt.Fprintf(&out, "| %s |", cmp.Or(strings.TrimPrefix(strings.TrimPrefix(name, benchmark), "/"), name))
		for _, unit := range units {
			fmt.Fprintf(&out, " %s |", cell(r[name][unit]))
		}
		out.WriteString("\n")
	}
	return out.String()
}

func cell(values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	middle, least, most := median(values)
	if len(values) == 1 {
		return rounded(middle)
	}
	return fmt.Sprintf("%s (%s to %s)", rounded(middle), rounded(least), rounded(most))
}

// rounded is a value to three digits, or whole.
func rounded(value float64) string {
	if value >= 1000 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}

// bySize orders names by their parts, numbers by their size.
func bySize(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(x, y string) int {
		n, err1 := strconv.Atoi(x)
		m, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return cmp.Compare(n, m)
		}
		return cmp.Compare(x, y)
	})
}
