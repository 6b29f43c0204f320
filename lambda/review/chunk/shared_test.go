package chunk

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// Of the contracts with labels: each passage that a label names and that is
// shorter than a part stands whole in a part.
func TestCUADPassagesStayWhole(t *testing.T) {
	t.Parallel()
	folder := testenv.Shared(t, "eval/contracts")
	whole, all := 0, 0
	for _, row := range labels(t, folder) {
		text := must.Get(Clean(contract(t, folder, row["Filename"])))(t)
		parts := Split(text)
		t.Logf("%d words, %d parts: %s", len(strings.Fields(text)), len(parts), row["Filename"])
		if got, want := len(parts), len(strings.Fields(text))/target; got < want-1 || got > want+3 {
			t.Errorf("%s: %d parts, want about %d", row["Filename"], got, want)
		}
		squeezed := make([]string, len(parts))
		for i, p := range parts {
			squeezed[i] = squash(text[p.Start:p.End])
		}
		for _, passage := range passages(row) {
			if !strings.Contains(squash(text), passage) {
				continue // labels with passages left out, or with words of a PDF
			}
			all++
			if contains(squeezed, passage) {
				whole++
			} else {
				t.Logf("divided: %s", passage)
			}
		}
	}
	t.Logf("%d of %d passages stand whole in a part", whole, all)
	if all < 300 || whole*1000 < all*980 {
		t.Errorf("%d of %d passages stand whole in a part, want 98 %% of about 304", whole, all)
	}
}

func labels(t *testing.T, folder string) (rows []map[string]string) {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(folder, "labels.csv")))(t)
	defer f.Close()
	lines := must.Get(csv.NewReader(f).ReadAll())(t)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, value := range line {
			row[lines[0][i]] = value
		}
		rows = append(rows, row)
	}
	return rows
}

func contract(t *testing.T, folder, name string) []byte {
	t.Helper()
	name = strings.TrimSuffix(name, filepath.Ext(name)) + ".txt"
	return must.Get(os.ReadFile(filepath.Join(folder, "txt", name)))(t)
}

// quoted is an element of a list in Python's notation.
var quoted = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)

// passages returns what the labels of a contract quote, without white space.
func passages(row map[string]string) (found []string) {
	unescape := strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t", `\xa0`, "\u00a0")
	for name, list := range row {
		if strings.HasSuffix(name, "-Answer") || !strings.HasPrefix(list, "[") {
			continue
		}
		for _, q := range quoted.FindAllString(list, -1) {
			found = append(found, squash(unescape.Replace(q[1:len(q)-1])))
		}
	}
	return found
}

func squash(text string) string { return strings.Join(strings.Fields(text), "") }

func contains(texts []string, passage string) bool {
	for _, text := range texts {
		if strings.Contains(text, passage) {
			return true
		}
	}
	return false
}
