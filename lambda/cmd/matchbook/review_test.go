package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/reviewrun"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
)

const sampleContracts = "../../../testdata/contracts"

func TestReadmeReview(t *testing.T) {
	t.Parallel()
	wantReadme(t, "review", cli.ExitOK)
}

// contractFacts are what a person found in a sample.
type contractFacts struct {
	Categories     map[record.Category][]string
	Missing        []record.Category
	Contradictions []struct{ Category, Quote, Other string }
}

func factsOf(t *testing.T, name string) contractFacts {
	t.Helper()
	raw := must.Get(os.ReadFile(filepath.Join(sampleContracts, "facts.json")))(t)
	return decode[map[string]contractFacts](t, string(raw))[name]
}

func reviewJSON(t *testing.T, url string, args ...string) reviewrun.Result {
	t.Helper()
	return decode[reviewrun.Result](t, ends(t, url, cli.ExitOK, append([]string{"review", "--json", "--database"}, args...)...))
}

// wantFound compares a result with what a person found.
func wantFound(t *testing.T, r reviewrun.Result, want contractFacts) {
	t.Helper()
	if r.Status != record.Completed || len(r.Gaps) > 0 {
		t.Errorf("%s: it is %s, %+v", r.Name, r.Status, r.Gaps)
	}
	for _, c := range r.Categories {
		if absent := slices.Contains(want.Missing, c.Name); absent != (len(c.Marks) == 0) {
			t.Errorf("%s: %s has %d marks, absent is %v", r.Name, c.Name, len(c.Marks), absent)
		}
	}
	var contradictions []record.Finding
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Title, "Contradiction") {
			contradictions = append(contradictions, f.Finding)
		}
	}
	if len(contradictions) != len(want.Contradictions) {
		t.Fatalf("%s: got the contradictions %+v, want %d", r.Name, contradictions, len(want.Contradictions))
	}
	for i, w := range want.Contradictions {
		f := contradictions[i]
		quote := strings.Join(strings.Fields(f.Quote), " ")
		if string(f.Category) != w.Category || !strings.Contains(quote, w.Quote) || !strings.Contains(f.Explanation, w.Other) {
			t.Errorf("%s: got %+v, want %+v", r.Name, f, w)
		}
	}
}

// One review by scripted answers, with its reports, and what the commands about a
// stored review print of it.
func TestReviewScripted(t *testing.T) {
	t.Parallel()
	const name = "software-licence.md"
	url, folder := postgrestest.EmptyURL(t), t.TempDir()
	html, markdown := filepath.Join(folder, "report.html"), filepath.Join(folder, "report.md")
	r := reviewJSON(t, url, filepath.Join(sampleContracts, name), "--model", "scripted", "--budget", "5",
		"--html", html, "--markdown", markdown)
	wantFound(t, r, factsOf(t, name))
	if r.Calls < 6 || r.Cost <= 0 || r.Estimate > 1.5*r.Cost || r.Cost > 1.5*r.Estimate || r.Budget != 5 {
		t.Errorf("got %d calls for USD %f, estimated %f, budget %f", r.Calls, r.Cost, r.Estimate, r.Budget)
	}
	for file, want := range map[string]string{html: "<h2>Contradictions</h2>", markdown: "## Contradictions"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: no %q, %v", file, want, err)
		}
	}
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"status", r.ID.String()}, cli.ExitOK, "  Governing law "},
		{[]string{"status", r.ID.String(), "--json"}, cli.ExitOK, `"status": "completed"`},
		{[]string{"report", r.ID.String()}, cli.ExitOK, "## Contradictions"},
		{[]string{"report", r.ID.String(), "--html"}, cli.ExitOK, "<h2>Contradictions</h2>"},
		{[]string{"cancel", r.ID.String()}, cli.ExitOK, "is completed"},
		{[]string{"findings", r.ID.String(), "--severity", "hgih"}, cli.ExitError, `--severity: invalid value "hgih"`},
		{[]string{"findings", r.ID.String(), "reject", "F1"}, cli.ExitError, "missing reason"},
		{[]string{"findings", r.ID.String(), "accept"}, cli.ExitError, "missing number of a finding, such as accept F3"},
		{[]string{"findings", r.ID.String(), "accept", "F2", "F999"}, cli.ExitError, "unknown finding F999"},
		{[]string{"findings", r.ID.String(), "keep", "F1"}, cli.ExitError, `unknown action "keep"`},
		{[]string{"findings", uuid.Nil.String()}, cli.ExitError, "review not found: 00000000-"},
		{[]string{"findings", r.ID.String(), "reject", "1", "f3", "--reason", "agreed", "--by", "Anna"}, cli.ExitOK, "Rejected by Anna on 20"},
		{[]string{"findings", r.ID.String(), "assign", "F2", "--assignee", "Ben"}, cli.ExitOK, "Assigned to Ben"},
		{[]string{"findings", r.ID.String(), "--state", "rejected", "--json"}, cli.ExitOK, `"reason": "agreed"`},
		{[]string{"status", r.ID.String()}, cli.ExitOK, ": agreed"},
		{[]string{"report", r.ID.String()}, cli.ExitOK, "## Rejected findings\n\n- F1. "},
		{[]string{"status", uuid.Nil.String()}, cli.ExitError, "review not found: 00000000-"},
		{[]string{"report", uuid.Nil.String()}, cli.ExitError, "review not found: 00000000-"},
		{[]string{"cancel", uuid.Nil.String()}, cli.ExitError, "review not found: 00000000-"},
		{[]string{"cancel", "x"}, cli.ExitError, `document not found: no ID, number or file name "x"`},
		{[]string{"retry", r.ID.String()}, cli.ExitOK, "no REVIEW_QUEUE_URL: published rows are taken up"},
	} {
		code, out, errOut := matchbook(t, url, append([]string{"review"}, tc.args...)...)
		if code != tc.code || !strings.Contains(out+errOut, tc.want) {
			t.Errorf("%v: exit status %d, want %d with %q\n%s%s", tc.args, code, tc.code, tc.want, out, errOut)
		}
	}
}

// The selected findings have their numbers, and a contract stands for its latest review.
func TestReviewFindings(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	r := reviewJSON(t, url, filepath.Join(sampleContracts, "wartungsvertrag.txt"))
	conn := postgrestest.Conn(t, url)
	contract := postgrestest.Value[uuid.UUID](t, conn, "SELECT document_id FROM review_job").String()
	if len(r.Findings) < 4 || r.Findings[0].Number != 1 || r.Findings[3].Number != 4 {
		t.Fatalf("findings: %+v", r.Findings)
	}
	ends(t, url, cli.ExitOK, "review", "findings", contract, "accept", "F2", "F3")
	ends(t, url, cli.ExitOK, "review", "findings", r.ID.String(), "reject", "F3", "--reason", "no risk")
	for state, want := range map[string][]int{"accepted": {2}, "rejected": {3}, "accepted,rejected": {2, 3}} {
		var got []int
		for _, f := range decode[[]report.Finding](t, ends(t, url, cli.ExitOK, "review", "findings", contract, "--state", state, "--json")) {
			got = append(got, f.Number)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", state, got)
		}
	}
	must.Get(conn.Exec(t.Context(), `UPDATE document SET file_name = 'Wartung.pdf', structured_data = '{"number":"V-77"}'`))(t)
	for _, of := range []string{contract, "Wartung.pdf", "V-77", "v-77"} {
		if got := decode[reviewrun.Result](t, ends(t, url, cli.ExitOK, "review", "status", of, "--json")); got.ID != r.ID {
			t.Errorf("%s: review %s, want %s", of, got.ID, r.ID)
		}
		if got := ends(t, url, cli.ExitOK, "review", "cancel", of); got != "review "+r.ID.String()+" is completed\n" {
			t.Errorf("%s: %s", of, got)
		}
		if got := ends(t, url, cli.ExitOK, "review", "report", of); !strings.Contains(got, "wartungsvertrag") {
			t.Errorf("%s: %s", of, got)
		}
		ends(t, url, cli.ExitOK, "review", "retry", of)
	}
	again := reviewJSON(t, url, filepath.Join(sampleContracts, "wartungsvertrag.txt"))
	for i, want := range []record.State{record.Open, record.Open, record.Rejected, record.Open} {
		if f := again.Findings[i]; f.State != want || f.Carried != (want == record.Rejected) {
			t.Errorf("in the next review, F%d is %+v", i+1, f)
		}
	}
}

func TestReviewByRules(t *testing.T) {
	t.Parallel()
	const name = "wartungsvertrag.txt"
	r := reviewJSON(t, postgrestest.EmptyURL(t), filepath.Join(sampleContracts, name))
	wantFound(t, r, factsOf(t, name))
	if r.Model != "" || r.Calls != 0 || r.Cost != 0 {
		t.Errorf("a model was asked: %+v", r)
	}
}

// A review that cannot begin names the reason, before anything is started.
func TestReviewRefusals(t *testing.T) {
	t.Parallel()
	folder := clitest.Folder(t, map[string]string{"empty.txt": " \n", "zero.bin": "PK\x03\x04\x00\x00\x00\x01",
		"broken.pdf": "%PDF-1.7\nbroken", "bad.json": `{"side":1}`, "old.doc": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00"})
	in := func(name string) string { return filepath.Join(folder, name) }
	contract := filepath.Join(sampleContracts, "wartungsvertrag.txt")
	wantRefused(t, "", "review", clitest.Refusals{
		{[]string{in("none.txt")}, "none.txt not found"},
		{[]string{t.TempDir()}, "missing contract in "},
		{[]string{contract, in("none.txt"), "--serve"}, "--serve must be used with one contract"},
		{[]string{in("empty.txt")}, "empty.txt: contains no text"},
		{[]string{in("zero.bin")}, "zero.bin: "},
		{[]string{in("broken.pdf")}, "broken.pdf: "},
		{[]string{in("old.doc")}, "old.doc: unsupported format, an old office document; save it as PDF or DOCX"},
		{[]string{contract, "--docx", in("x.docx")}, "--docx must be used with a Word document"},
		{[]string{wordContract, "--docx", wordContract}, "--docx must name another file"},
		{[]string{contract, "--model", "oracle"}, "unsupported --model oracle: it answers match questions only"},
		{[]string{contract, "--model", "openai"}, "--model openai: missing"},
		{[]string{contract, "--budget", "1"}, "--budget must be used with a model"},
		{[]string{contract, "--budget", "-1", "--model", "scripted"}, "--budget must be an amount"},
		{[]string{contract, "--budget", "NaN", "--model", "scripted"}, "--budget must be an amount"},
		{[]string{contract, "--playbook", in("none.json")}, "--playbook: open"},
		{[]string{contract, "--playbook", in("bad.json")}, "--playbook: " + folder},
	})
}

func TestReviewUnreadLanguage(t *testing.T) {
	t.Parallel()
	const text = "El presente contrato se celebra entre las partes para el suministro de los bienes del anexo."
	r := reviewrun.ResultOf(report.Review{Text: text})
	if got := r.Text(); !strings.HasPrefix(got, "NOTE       Rules do not read Spanish") {
		t.Errorf("got\n%s", got)
	}
}

func TestReviewWithdrawn(t *testing.T) {
	t.Parallel()
	r := reviewrun.ResultOf(report.Review{Findings: []record.Finding{{Seq: 1, Severity: record.High, Title: "It renews"},
		{Seq: 2, Severity: record.High, Title: "Missing clause", Withdrawn: true}}})
	raw := must.Get(json.Marshal(r))(t)
	if text := r.Text(); !strings.Contains(text, "It renews") || strings.Contains(text, "Missing clause") {
		t.Errorf("for people:\n%s", text)
	}
	if !strings.Contains(string(raw), `"Missing clause"`) || strings.Count(string(raw), `"withdrawn":true`) != 1 {
		t.Errorf("as JSON: %s", raw)
	}
}
