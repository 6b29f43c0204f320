package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/migrations"

	"github.com/google/uuid"
)

const samples = "../../../testdata/documents"

// asMain makes the test binary the command, for tests that kill it.
const asMain = "MATCHBOOK_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
	}
	clitest.Main(m)
}

// matchbook runs the command against the database at url.
func matchbook(t testing.TB, url string, args ...string) (code int, out, errOut string) {
	t.Helper()
	code, out, errOut = clitest.Run(t, run, url, args...)
	if code == cli.ExitError && !slices.Contains([]string{"match", "ingest", "eval"}, args[0]) { // those run processes
		noteRefusal(t, "$ matchbook "+strings.Join(args, " ")+"\n"+errOut)
	}
	return code, out, errOut
}

// refusals are the refused commands of each test, with their errors.
var refusals = struct {
	sync.Mutex
	of map[string][]string
}{of: map[string][]string{}}

// noteRefusal compares all refusals of a test with a file at its end, whatever the test looks at.
func noteRefusal(t testing.TB, text string) {
	t.Helper()
	refusals.Lock()
	defer refusals.Unlock()
	name := t.Name()
	if len(refusals.of[name]) == 0 {
		t.Cleanup(func() {
			if slices.Sort(refusals.of[name]); !t.Failed() { // some tests range over a map
				golden.Compare(t, "refused/"+strings.ReplaceAll(name, "/", "-")+".txt", strings.Join(refusals.of[name], "\n"))
			}
		})
	}
	refusals.of[name] = append(refusals.of[name], differing.ReplaceAllString(text, "..."))
}

// differing are paths, addresses and ids, which differ from run to run.
var differing = regexp.MustCompile(`/tmp/[^\s":;,]+|127\.0\.0\.1:[0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// wantRefused wants a command to refuse these arguments.
func wantRefused(t *testing.T, url, command string, list clitest.Refusals) {
	t.Helper()
	clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) {
		return matchbook(t, url, append(strings.Fields(command), args...)...)
	}, list)
}

// varying are the paths, also of defaults, and speeds in what commands print.
var varying = regexp.MustCompile(`[^\s"]+/documents\.jsonl|[0-9.]+ s, [0-9]+ documents per second|("seconds"|"documents_per_second"): [0-9.]+|\(default "/[^"]+"\)`)

// transcript compares what commands print, and how they end, with a file.
func transcript(t testing.TB, file, url string, commands ...string) {
	t.Helper()
	var all strings.Builder
	for _, c := range commands {
		code, out, errOut := matchbook(t, url, strings.Fields(c)...)
		fmt.Fprintf(&all, "$ matchbook %s\n%s%sexit status %d\n\n", c, out, errOut, code)
	}
	golden.Compare(t, file+".txt", varying.ReplaceAllString(all.String(), "..."))
}

// The help of what the page of serve, and the desk's work by commands, need.
func TestHelp(t *testing.T) {
	t.Parallel()
	var commands []string
	for _, name := range []string{"serve", "open", "explain", "correct", "import", "check", "publish", "pages", "dismiss", "settle", "tolerance", "tolerance set", "tolerance show",
		"confirm", "reject", "undecide", "status", "version", "offers requeue", "offers explain", "session"} {
		commands = append(commands, name+" --help")
	}
	transcript(t, "help", "", commands...)
}

// ends returns the output of a command that must end with this code.
func ends(t testing.TB, url string, wantCode int, args ...string) (out string) {
	t.Helper()
	code, out, errOut := matchbook(t, url, args...)
	if code != wantCode {
		t.Fatalf("%v: exit status %d, want %d\n%s%s", args, code, wantCode, out, errOut)
	}
	return out
}

// matchJSON matches with two invocations at once: each is a process that has to start.
func matchJSON(t testing.TB, url string, wantCode int, args ...string) matchrun.Report {
	t.Helper()
	return decode[matchrun.Report](t, ends(t, url, wantCode, append([]string{"match", "--json", "--concurrency", "2"}, args...)...))
}

// links reads what was written by hand.
func links(t *testing.T) (list []string) {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(samples, "links.csv")))(t)
	defer f.Close()
	rows := must.Get(csv.NewReader(f).ReadAll())(t)
	for _, row := range rows[1:] {
		list = append(list, row[0]+","+row[1])
	}
	slices.Sort(list)
	return list
}

// The pairs of the sample that rules leave open, and the true ones of them: an
// order or an invoice, and the document that does not name it.
var (
	openPairs = []string{
		"10000000-0000-4000-8000-000000001301,10000000-0000-4000-8000-000000001303",
		"10000000-0000-4000-8000-000000001302,10000000-0000-4000-8000-000000001303",
		"20000000-0000-4000-8000-000000000552,20000000-0000-4000-8000-000000001501",
		"20000000-0000-4000-8000-000000000553,20000000-0000-4000-8000-000000001501",
		"20000000-0000-4000-8000-000000001401,20000000-0000-4000-8000-000000001402",
	}
	openLinks = []string{openPairs[1], openPairs[2], openPairs[4]}
)

// linksByRules are the links that rules find.
func linksByRules(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(links(t), func(l string) bool { return slices.Contains(openLinks, l) })
}

func linksOf(rep matchrun.Report) (list []string) {
	for _, m := range rep.Matches {
		list = append(list, m.A.String()+","+m.B.String())
	}
	slices.Sort(list)
	return list
}

// sampleReport is the report about the sample, matched once.
var sampleReport matchrun.Report

// matchedSample gives a test the database of that run.
var matchedSample = postgrestest.Once(func(t testing.TB, url string) {
	sampleReport = matchJSON(t, url, cli.ExitOK, samples)
})

func matchedOnce(t *testing.T) matchrun.Report {
	t.Helper()
	matchedSample(t)
	return sampleReport
}

func TestSampleMatches(t *testing.T) {
	t.Parallel()
	r := matchedOnce(t)
	if got, want := linksOf(r), linksByRules(t); !slices.Equal(got, want) {
		t.Errorf("got %d matches, want %d\ngot  %v\nwant %v", len(got), len(want), got, want)
	}
	linked := strings.Join(linksByRules(t), " ")
	for _, d := range r.Documents {
		alone := !strings.Contains(linked, d.ID.String())
		if alone != (d.AloneBecause != "") || alone && d.ClusterID != nil || d.Status != "succeeded" {
			t.Errorf("%s %s: alone is to be %v, got %+v", d.Type, d.Number, alone, d)
		}
	}
	a := r.Accounting
	if a.Published != 63 || a.Succeeded != 63 || a.Failed+a.Pending+a.InDLQ+a.Malformed != 0 {
		t.Errorf("accounting %+v", a)
	}
}

// Clusters, checked against the links by a walk that shares no code with them.
func TestSampleClusters(t *testing.T) {
	t.Parallel()
	r := matchedOnce(t)
	next := make(map[string][]string)
	for _, l := range linksByRules(t) {
		a, b, _ := strings.Cut(l, ",")
		if typeOf(r, a) != "contract" && typeOf(r, b) != "contract" {
			next[a], next[b] = append(next[a], b), append(next[b], a)
		}
	}
	for _, d := range r.Documents {
		smallest, seen := d.ID.String(), map[string]bool{}
		for queue := []string{d.ID.String()}; len(queue) > 0; queue = queue[1:] {
			if !seen[queue[0]] {
				seen[queue[0]] = true
				smallest = min(smallest, queue[0])
				queue = append(queue, next[queue[0]]...)
			}
		}
		got := ""
		if d.ClusterID != nil {
			got = d.ClusterID.String()
		}
		if len(seen) == 1 {
			smallest = ""
		}
		if got != smallest {
			t.Errorf("%s %s: cluster %q, want %q", d.Type, d.Number, got, smallest)
		}
	}
}

func typeOf(rep matchrun.Report, id string) string {
	for _, d := range rep.Documents {
		if d.ID.String() == id {
			return string(d.Type)
		}
	}
	return ""
}

func TestMatchAgain(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	first, second := sampleReport, matchJSON(t, url, cli.ExitOK, samples, "--again")
	if !slices.Equal(linksOf(first), linksOf(second)) {
		t.Error("the matches differ")
	}
	for i, d := range second.Documents {
		if d.Attempts != 2 || d.Status != "succeeded" {
			t.Errorf("%s: %s after %d attempts, want succeeded after 2", d.Number, d.Status, d.Attempts)
		}
		d.Attempts = 1
		got, _ := json.Marshal(d)
		if want, _ := json.Marshal(first.Documents[i]); !bytes.Equal(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestMatchKilled(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "starts dozens of processes")
	const seed = "7"
	r := matchJSON(t, postgrestest.URL(t), cli.ExitOK, samples, "--kill-every", "10ms", "--seed", seed)
	if got, want := linksOf(r), linksByRules(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	interrupted := 0
	for _, d := range r.Deliveries {
		if d.Settled == "interrupted" {
			interrupted++
		}
	}
	t.Logf("seed %s: %d kills, %d deliveries interrupted", seed, r.Accounting.Kills, interrupted)
	if r.Accounting.Kills == 0 || interrupted == 0 {
		t.Errorf("nothing was killed: %+v", r.Accounting)
	}
	if a := r.Accounting; a.Succeeded != a.Published {
		t.Errorf("accounting %+v", a)
	}
}

func TestMatchMalformed(t *testing.T) {
	t.Parallel()
	r := matchJSON(t, postgrestest.URL(t), cli.ExitFindings, "../../../testdata/broken")
	var got []string
	for _, p := range r.Problems {
		got = append(got, filepath.Base(p.File)+":"+itoa(p.Line)+": "+p.What)
	}
	want := []string{
		`bad-date.json:1: structured_data: invalid date: expected YYYY-MM-DD`,
		`bad-id.json:1: invalid id: not a UUID of 36 characters`,
		`bad-line.jsonl:3: invalid JSON: invalid character '"' after object key:value pair`,
		`deep-nesting.json:1: structured_data: structured data must be nested at most 100 levels deep`,
		`empty-array.json:1: empty array`,
		`empty.json:1: empty file`,
		`huge-number.json:1: structured_data: invalid amount: expected a plain decimal of at most 18 digits`,
		`invalid-utf8.json:11: invalid UTF-8`,
		`no-structured-data.json:1: missing structured_data`,
		`not-json.json:1: invalid JSON: invalid character 'R' looking for beginning of value`,
		`nul-byte.json:1: structured_data: structured data must not contain a NUL character`,
		`truncated.json:25: invalid JSON: unexpected end of JSON input`,
		`unknown-type.json:1: unknown document type "memo"`,
		`wrong-types.json:1: structured_data: invalid amount: expected a plain decimal of at most 18 digits`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if a := r.Accounting; a.Published != 4 || a.Succeeded != 4 || a.Malformed != len(want) {
		t.Errorf("accounting %+v, want the 4 good ones succeeded", a)
	}
}

func itoa(n int) string { raw, _ := json.Marshal(n); return string(raw) }

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	wantRefused(t, "", "", clitest.Refusals{
		{[]string{"match"}, "missing DIR: run matchbook match DIR"},
		{[]string{"match", "/nowhere"}, "/nowhere does not exist"},
		{[]string{"match", t.TempDir()}, "contains no .json, .jsonl, .ndjson or .xml file"},
		{[]string{"nonsense"}, `unknown command "nonsense"`},
		{[]string{"events", "sideways"}, `unknown command "sideways" for "matchbook events"`},
		{[]string{"offers", "sideways"}, `unknown command "sideways" for "matchbook offers"`},
		{[]string{"review", "playbook", "sideways"}, `unknown command "sideways" for "matchbook review playbook"`},
		{[]string{"migrate", "up"}, "missing DATABASE_URL"},
		{[]string{"publish", "--chunks", "x"}, `invalid ID "x": not a UUID`},
		{[]string{"publish", uuid.NewString()}, "missing database: set DATABASE_URL"},
		{[]string{"sweep"}, "DATABASE_URL is not set"},
		{[]string{"migrate", "sideways"}, `unknown command "sideways" for "matchbook migrate"; run matchbook migrate --help`},
		{[]string{"migrate", "stauts"}, `unknown command "stauts" for "matchbook migrate"; did you mean status?`},
		{[]string{"match", "--verbos"}, "unknown flag --verbos; did you mean --verbose?"},
		{[]string{"open", "-x"}, "unknown flag -x"},
		{[]string{"open", "--limit"}, "missing value of --limit"},
		{[]string{"publish", "--chunks", "--ingestions"}, "--ingestions and --chunks are mutually exclusive"},
		{[]string{"confirm", "a", "b", "c"}, `unexpected argument "c": run matchbook confirm DOC DOC`},
		{[]string{"import", samples}, "DATABASE_URL"},
	})
}

func TestHelpExamples(t *testing.T) {
	t.Parallel()
	const keep = "--keep|DATABASE_URL"
	for command, tc := range map[string]struct {
		least int
		words string // with | between them
	}{
		"match": {}, "ingest": {}, "correct": {}, "migrate": {}, "sweep": {}, "review playbook": {},
		"cost": {3, "--keep|may have changed"}, "doctor": {4, "--strict|Exit status: 0 no error"},
		"publish": {3, "--dry-run"}, "explain": {3, keep}, "confirm": {3, keep}, "reject": {3, keep},
	} {
		out := printed(t, "", append(strings.Fields(command), "--help")...)
		wantIn(t, out, append(strings.Split(tc.words, "|"), "Examples:")...)
		if n := strings.Count(out, "\n  matchbook "+command); n < tc.least {
			t.Errorf("%s --help: %d examples, want %d", command, n, tc.least)
		}
	}
}

func TestEachHelpHasTwoExamples(t *testing.T) {
	t.Parallel()
	below := regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[A-Z]`)
	var check func(path ...string)
	check = func(path ...string) {
		help := printed(t, "", append(slices.Clone(path), "--help")...)
		_, examples, _ := strings.Cut(help, "\nExamples:\n")
		examples, rest, _ := strings.Cut(examples, "\n\n")
		if n := strings.Count(examples, "matchbook "); n < 2 {
			t.Errorf("%v --help: %d examples, want 2\n%s", path, n, help)
		}
		rest, _, _ = strings.Cut(rest, "\nFlags:\n") // commands stand between examples and flags
		for _, found := range below.FindAllStringSubmatch(rest, -1) {
			if found[1] != "help" {
				check(append(slices.Clone(path), found[1])...)
			}
		}
	}
	check()
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	step := func(want string, args ...string) {
		t.Helper()
		code, out, errOut := matchbook(t, url, append([]string{"migrate"}, args...)...)
		if code != cli.ExitOK || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("migrate %v: exit status %d, %q %q, want %q", args, code, out, errOut, want)
		}
	}
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(names) < 18 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	slices.Sort(names)
	before, last := names[len(names)-2], names[len(names)-1]
	step(`00001_tenants_and_documents.sql  not applied`, "status")
	step(`(?s)^00001_.*  applied\n.*`+last+`  applied\n$`, "up")
	step(`^nothing to do\n$`, "up")
	step(`^`+last+`  undone\n$`, "down")
	step(`(?s)"name":"`+before+`","applied_at":"20.*"name":"`+last+`"}`, "status", "--json")
	step(`Available Commands:`)
}
