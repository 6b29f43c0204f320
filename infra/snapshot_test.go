package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden templates anew")

// The golden templates are for review: a change of the deployed resources shows
// in them, one by one.
func TestTemplateGolden(t *testing.T) {
	t.Parallel()
	for name, context := range map[string]map[string]any{"default": bare, "aurora": aurora} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := normal(t, synthesise(t, wishes{context: context}))
			file := "testdata/" + name + ".template.golden"
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; go test ./infra -run %s -update writes it", err, t.Name())
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: line %s\nIf that is intended: go test ./infra -run TestTemplateGolden -update, and review the difference", file, firstDifference(got, want))
			}
		})
	}
}

var hashes = regexp.MustCompile(`[0-9a-f]{64}|CurrentVersion[0-9A-F]{8}[0-9a-f]{32}`)

// normal is the template without the parts that change with every build, and
// without the CDK's own parameter and rule.
func normal(t *testing.T, tpl *template) []byte {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(tpl.text), &all); err != nil {
		t.Fatal(err)
	}
	delete(all, "Parameters")
	delete(all, "Rules")
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(all); err != nil {
		t.Fatal(err)
	}
	return hashes.ReplaceAllFunc(out.Bytes(), func(h []byte) []byte {
		if bytes.HasPrefix(h, []byte("CurrentVersion")) {
			return []byte("CurrentVersion-HASH")
		}
		return []byte("HASH")
	})
}

func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "differs:\ngot  " + g[i] + "\nwant " + w[i]
		}
	}
	return "missing or more than expected at the end"
}
