package whole

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

func contract(parts ...string) record.Task {
	var t record.Task
	for i, p := range parts {
		heading, text, _ := strings.Cut(p, "|")
		t.Chunks = append(t.Chunks, record.Chunk{ID: uuid.NewSHA1(uuid.Nil, []byte{byte(i)}), Position: i,
			Start: len(t.Text), End: len(t.Text) + len(text), Heading: heading, Status: job.StatusSucceeded})
		t.Text += text
	}
	return t
}

func defaults(t *testing.T) playbook.Playbook {
	t.Helper()
	return must.Get(playbook.Parse(playbook.Default()))(t)
}

// sample reads a contract of testdata/contracts, with a part for each section.

func TestMissingOnlyInReadParts(t *testing.T) {
	t.Parallel()
	task := contract("A|One. ", "B|Two. ", "C|Three.")
	task.Chunks[2].Status = job.StatusFailed
	for _, c := range record.All() {
		if c != record.GoverningLaw {
			task.Marks = append(task.Marks, record.Mark{Category: c, Score: 90, Quote: "One."})
		}
	}
	got := Conclude(task, defaults(t)).Findings
	if len(got) != 1 || got[0].Category != record.GoverningLaw || got[0].Quote != "" || got[0].Analyst != "contract" ||
		!strings.HasPrefix(got[0].Explanation, "Not found in the parts that were read; 1 of 3 parts were not.") {
		t.Fatalf("got %+v, want the governing law, not found in two of three parts", got)
	}
	task.Findings = got
	if again := Conclude(task, defaults(t)).Findings; len(again) > 0 {
		t.Errorf("the finding is repeated when the last step runs again: %+v", again)
	}
	task.Chunks[2].Status, task.Findings = job.StatusSucceeded, nil
	if got := Conclude(task, defaults(t)).Findings; len(got) != 1 || strings.Contains(got[0].Explanation, "Not found") {
		t.Errorf("got %+v, want the governing law without a limit", got)
	}
}

func TestRepeatedFindings(t *testing.T) {
	t.Parallel()
	// Parts 0-100, 80-200 and 180-300.
	task := record.Task{Chunks: []record.Chunk{
		{ID: uuid.UUID{0}, Start: 0, End: 100}, {ID: uuid.UUID{1}, Start: 80, End: 200},
		{ID: uuid.UUID{2}, Start: 180, End: 300}}}
	find := func(chunk byte, analyst string, c record.Category, title string, start, end int) {
		task.Findings = append(task.Findings, record.Finding{Seq: len(task.Findings) + 1, ChunkID: uuid.UUID{chunk},
			Analyst: analyst, Category: c, Title: title, Start: start, End: end, Quote: fmt.Sprint("a clause at ", start)})
	}
	find(1, "liability", record.LiabilityCap, "cap too low", 85, 99)       // 1
	find(0, "liability", record.LiabilityCap, "low cap", 80, 99)           // 2: 1 again
	find(0, "indemnity", record.LiabilityCap, "cap", 85, 99)               // 3: another analyst
	find(0, "liability", record.UncappedLiability, "cap too low", 81, 100) // 4: 1 by its title
	find(0, "liability", record.LiabilityCap, "cap too low", 40, 60)       // 5: not in the overlap
	find(1, "liability", record.LiabilityCap, "another", 97, 130)          // 6: only touches 1 and 2
	find(2, "renewal", record.Renewal, "trap", 182, 199)                   // 7
	find(1, "renewal", record.Renewal, "renewal trap", 150, 199)           // 8: 7 again, in a longer quote
	find(1, "renewal", record.Renewal, "renewal trap", 160, 170)           // 9: of the same part as 8
	find(2, "renewal", record.Renewal, "renewal trap", 210, 220)           // 10: too far
	got := fmt.Sprint(Conclude(task, playbook.Playbook{}).Same)
	if want := "map[2:1 4:1 8:7]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A retry reads the parts that had failed. The last step then withdraws what it
// concluded without them, adds what holds instead, and leaves all else.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	task := contract("A|This Agreement is governed by the laws of France. ",
		"B|This Annex is governed by the laws of Ireland. ",
		"C|This Exhibit is governed by the laws of Spain. ")
	for _, c := range record.All() {
		if c != record.LiabilityCap && c != record.Termination {
			task.Marks = append(task.Marks, record.Mark{Category: c, Score: 90, Quote: "One."})
		}
	}
	task.Chunks[0].Status = job.StatusFailed
	keep := func(findings ...record.Finding) {
		for _, f := range findings {
			f.Seq = len(task.Findings) + 1
			task.Findings = append(task.Findings, f)
		}
	}
	keep(record.Finding{Analyst: "liability", Title: "Missing clause: in a part"},
		record.Finding{Analyst: "playbook", Category: record.GoverningLaw, Title: "Clause to compare"})
	keep(Conclude(task, defaults(t)).Findings...)
	keep(record.Finding{Analyst: "contract", Category: record.Renewal, Title: "Contradiction: two terms", // by a model
		Quote: "This Annex is governed by the laws of Ireland.", Start: 49, End: 95})
	titles := func(seqs []int) (list []string) {
		for _, seq := range seqs {
			list = append(list, task.Findings[seq-1].Title)
		}
		return list
	}
	if again := Conclude(task, defaults(t)); len(again.Findings) > 0 || len(again.Withdrawn) > 0 {
		t.Errorf("the same step again: found %+v, withdrawn %q", again.Findings, titles(again.Withdrawn))
	}
	task.Chunks[0].Status = job.StatusSucceeded
	task.Marks = append(task.Marks, record.Mark{Category: record.LiabilityCap, Score: 90, Quote: "One."})
	got := Conclude(task, defaults(t))
	slices.Sort(got.Withdrawn)
	want := []string{"Contradiction: governing law of Ireland and of Spain",
		"Missing clause: termination (in the parts that were read)",
		"Missing clause: liability cap (in the parts that were read)"}
	if !slices.Equal(titles(got.Withdrawn), want) {
		t.Errorf("withdrawn %q, want %q", titles(got.Withdrawn), want)
	}
	for _, seq := range got.Withdrawn {
		task.Findings[seq-1].Withdrawn = true
	}
	var found []string
	for _, f := range got.Findings {
		found = append(found, f.Title)
	}
	want = []string{"Contradiction: governing law of France and of Ireland",
		"Contradiction: governing law of France and of Spain",
		"Missing clause: termination"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	keep(got.Findings...)
	if again := Conclude(task, defaults(t)); len(again.Findings) > 0 || len(again.Withdrawn) > 0 {
		t.Errorf("once more: found %+v, withdrawn %q", again.Findings, titles(again.Withdrawn))
	}
}
