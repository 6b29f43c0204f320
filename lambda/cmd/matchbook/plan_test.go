package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli/cost"
)

// updatePages writes the pages anew: the golden files, and what is between the
// markers of lambda/cli/cost/README.md.
var updatePages = flag.Bool("update", false, "write the golden files and the page of the plan anew")

// golden compares with a file of testdata/plan.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "plan", name)
	if *updatePages {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update writes it anew\ngot\n%s\nwant\n%s", file, got, want)
	}
}

func TestPlansAreGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"cost.txt":          {"cost", "--plan"},
		"cost.md":           {"cost", "--plan", "--markdown"},
		"cost_existing.txt": {"cost", "--plan", "--documents", "250000", "--questions", "0.5", "--database", "existing", "--batch", "10", "--latency", "2s", "--embedding", "text-embedding-3-small"},
		"capacity.txt":      {"capacity"},
		"capacity.md":       {"capacity", "--markdown"},
	} {
		code, out, errOut := matchbook(t, "", args...)
		if code != exitOK || errOut != "" {
			t.Errorf("%v: exit status %d, %s", args, code, errOut)
		}
		golden(t, name, out)
	}
}

func TestPlanPageHasWhatTheCommandsPrint(t *testing.T) {
	t.Parallel()
	file := filepath.Join(root, "lambda", "cli", "cost", "README.md")
	for name, args := range map[string][]string{
		"plan:cost":     {"cost", "--plan", "--markdown"},
		"plan:capacity": {"capacity", "--markdown"},
	} {
		_, out, _ := matchbook(t, "", args...)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, begun := strings.Cut(string(text), begin)
		was, after, ended := strings.Cut(rest, end)
		if !begun || !ended {
			t.Errorf("the page has no place for %q: put %q and %q into it, each in a line of its own, and run this test with -update", "matchbook "+strings.Join(args, " "), strings.TrimSpace(begin), end)
			continue
		}
		if want := "\n" + out + "\n"; was != want && *updatePages {
			if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if was != want {
			t.Errorf("between %q the page has\n%s\nbut %q prints\n%s\n-update writes it anew", name, was, "matchbook "+strings.Join(args, " "), out)
		}
	}
}

func TestPlanRefusesWhatItCannotReckonWith(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"region": "eu"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args string
		want string
	}{
		{"cost --plan --since 2026-03-01", "--since means nothing with --plan"},
		{"cost --documents 10", "--documents means nothing without --plan"},
		{"cost --plan --documents -1", "--documents: name numbers"},
		{"cost --plan --questions -0.1", "--questions -0.1 is not between 0 and 10"},
		{"cost --plan --questions NaN", "--questions NaN is not between"},
		{"cost --plan --latency 4s-1s", `--latency "4s-1s" is neither`},
		{"cost --plan --latency soon", `--latency "soon" is neither`},
		{"cost --plan --batch 101", "--batch 101 is not between 1 and 100"},
		{"cost --plan --memory 64", "--memory 64 is not between"},
		{"cost --plan --pages 0", "--pages 0, --words 10000, --users 10000: each is 1 at least"},
		{"capacity --users -1", "--pages 3, --words 10000, --users -1: each is 1 at least"},
		{"cost --words 5", "--words means nothing without --plan"},
		{"cost --plan --tenants 0", "--tenants 0 is less than 1"},
		{"cost --plan --months -1", "--months -1 is less than 0"},
		{"cost --plan --database mine", `--database "mine" is neither aurora nor existing`},
		{"cost --plan --model llama3.1", `there is no price for "llama3.1": --prices FILE may have it`},
		{"cost --plan --embedding gpt-4.1", `there is no price for the embeddings of "gpt-4.1"`},
		{"cost --plan --json --markdown", "--json and --markdown: choose one"},
		{"cost --plan --aws-prices " + broken, "sqs_requests has no"},
		{"cost --plan --measured " + broken, `unknown field "region"`},
		{"cost --plan --prices nowhere.json", "--prices: open nowhere.json"},
		{"cost --plan --memory 64 --batch 101", "--batch 101"},
		{"capacity --concurrency 1", "--concurrency 1: MaximumConcurrency is between 2 and 1000"},
		{"capacity --connections 0", "--connections 0 is less than 1"},
		{"capacity --cores 0", "--cores 0 is not more than 0"},
		{"capacity --requests -1", "--requests -1 is less than 0"},
		{"capacity --tokens -1", "--tokens -1 is less than 0"},
		{"capacity now", "unknown command"},
	} {
		code, out, errOut := matchbook(t, "", strings.Fields(tc.args)...)
		if code != exitError || out != "" || !strings.Contains(errOut, tc.want) {
			t.Errorf("%s: exit status %d, %q and %q, want %q", tc.args, code, out, errOut, tc.want)
		}
	}
}

func TestPlanReckonsWithPricesOfYourOwn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(file, []byte(`{"usd_per_million_tokens": [{"model": "llama3.1", "prompt": 0, "completion": 0}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var r cost.Forecast
	out := printed(t, "", "cost", "--plan", "--model", "llama3.1", "--prices", file, "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Bills) != 3 || r.Bills[2].Part("Model") != 0 || r.Bills[2].Part("Lambda") == 0 {
		t.Errorf("got %+v", r.Bills)
	}
}

// Floating point differs between processors in the last digit, so that JSON is
// no golden file.
func TestPlansAsJSONHaveWhatTheHelpNames(t *testing.T) {
	t.Parallel()
	for command, names := range map[string][]string{
		"cost --plan --json": {"prices", "model_prices", "measured", "bills", "lever", "documents", "questions_per_document", "usd", "items",
			"part", "what", "quantity", "unit", "fixed", "source", "from", "others", "lambda_and_sqs", "ocr"},
		"capacity --json": {"documents_per_hour", "binding", "batch_seconds", "concurrency_that_is_enough", "limits", "name", "why", "change",
			"problems", "table", "concurrency", "latency", "others", "an_hour"},
	} {
		out := printed(t, "", strings.Fields(command)...)
		if !json.Valid([]byte(out)) {
			t.Errorf("%s: no JSON", command)
		}
		for _, name := range names {
			if !strings.Contains(out, `"`+name+`":`) {
				t.Errorf("%s: no %s", command, name)
			}
		}
	}
}

func TestCapacityThatCannotWorkIsAFinding(t *testing.T) {
	t.Parallel()
	code, out, _ := matchbook(t, "", "capacity", "--latency", "70s")
	if code != exitFindings || !strings.Contains(out, "It cannot work: an answer may take 1m10s, and calls end after 1m0s") {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

func TestCapacitySaysHowManyInvocationsAreEnough(t *testing.T) {
	t.Parallel()
	const enough = "MaximumConcurrency 8 is enough for that"
	// 100 requests a minute at 0.14 a document are 42,857 documents an hour, and
	// an invocation makes 14,614: three are enough.
	out := strings.Join(strings.Fields(printed(t, "", "capacity", "--requests", "100")), " ")
	if !strings.Contains(out, "42,857 documents an hour") || !strings.Contains(out, "MaximumConcurrency 3 is enough for that") {
		t.Errorf("got %s", out)
	}
	if out := printed(t, "", "capacity"); strings.Contains(out, enough) {
		t.Errorf("got %s", out)
	}
}

func TestHelpOfThePlansShowsExamples(t *testing.T) {
	t.Parallel()
	for command, example := range map[string]string{"cost": "\n  matchbook cost --plan", "capacity": "\n  matchbook capacity"} {
		code, out, _ := matchbook(t, "", command, "--help")
		if code != exitOK || strings.Count(out, example) < 3 || !strings.Contains(out, "lambda/cli/cost/measured.json") {
			t.Errorf("%s --help: exit status %d\n%s", command, code, out)
		}
	}
}
