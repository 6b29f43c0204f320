package revieweval

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// Each list is what a lawyer of the customer accepts, by severity and category.
func TestSituations(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(testenv.Shared(t, "eval/contracts"), "situations")
	m := term.NewMeter(t.Output())
	defer m.Close()
	read := must.Get(readerOf(&scripted.Model{Flags: scripted.Flags{Mode: scripted.ModeNone}}))(t)
	for name, want := range map[string]string{
		"carveout.txt": "[medium termination medium liability-cap low governing-law]",
		"waiver.txt":   "[medium liability-cap high termination medium governing-law]", // two are missing
		"es.txt":       "[]",
	} {
		text := must.Get(chunk.Clean(must.Get(os.ReadFile(filepath.Join(folder, name)))(t)))(t)
		task := record.Task{Text: text}
		parts := must.Get(Contract{Text: text}.read(t.Context(), read, m, name))(t)
		for i, p := range chunk.Split(text) {
			task.Chunks = append(task.Chunks, record.Chunk{Position: i, Start: p.Start, End: p.End, Status: job.StatusSucceeded})
			task.Marks = append(task.Marks, parts[i].marks...)
			task.Findings = append(task.Findings, parts[i].findings...)
		}
		concluded := whole.Conclude(task, must.Get(playbook.Parse(playbook.Default()))(t))
		got := []string{}
		for _, f := range slices.Concat(task.Findings, concluded.Findings) {
			got = append(got, fmt.Sprint(f.Severity, " ", f.Category))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, got, want)
		}
	}
}
