package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample is the review of a contract of testdata/contracts, without findings: the
// text is that of three parts.
func sample(t *testing.T) Review {
	t.Helper()
	raw := must.Get(os.ReadFile(filepath.Join("..", "..", "..", "testdata", "contracts", "software-licence.md")))(t)
	text := string(raw)
	begun := time.Date(2026, 3, 4, 9, 30, 0, 0, time.UTC)
	ended := begun.Add(95 * time.Second)
	r := Review{Text: text, Job: record.Job{Name: "software-licence.md", Status: record.Completed, Chunks: 3,
		Model: "gpt-test temperature=0", Playbook: "customer-1-0123456789ab", CreatedAt: begun, EndedAt: &ended,
		Calls: 17, Cost: 123_456, Estimate: 400_000, Budget: 1_000_000}}
	third := len(text) / 3
	for i, heading := range []string{"", "7. Customer Data and data protection", "14. Liability"} {
		r.Chunks = append(r.Chunks, record.Chunk{ID: uuid.UUID{byte(i)}, Position: i, Kind: record.Text, Start: i * third, End: (i + 1) * third,
			Heading: heading, Status: job.StatusSucceeded})
	}
	r.Chunks = append(r.Chunks, record.Chunk{ID: uuid.UUID{3}, Position: 3, Kind: record.Whole, Status: job.StatusSucceeded})
	return r
}

// ask adds questions about a part that were answered for a tenth of a cent each.
func (r *Review) ask(part byte, stages ...record.Stage) {
	for _, s := range stages {
		r.Questions = append(r.Questions, record.Question{ChunkID: uuid.UUID{part}, Stage: s, Outcome: record.Done,
			Calls: 1, Cost: 1_000})
	}
}

// find adds a finding about a text that the contract contains; empty: about none.
func (r *Review) find(t *testing.T, f record.Finding) {
	t.Helper()
	f.Start = strings.Index(r.Text, f.Quote)
	if f.Start < 0 {
		t.Fatalf("%q is not in the contract", f.Quote)
	}
	f.Seq, f.End = len(r.Findings)+1, f.Start+len(f.Quote)
	r.Findings = append(r.Findings, f)
}

func (r *Review) mark(t *testing.T, c record.Category, score int, quote string) {
	t.Helper()
	start := strings.Index(r.Text, quote)
	if start < 0 {
		t.Fatalf("%q is not in the contract", quote)
	}
	r.Marks = append(r.Marks, record.Mark{Category: c, Score: score, Quote: quote, Start: start, End: start + len(quote)})
}

const (
	renews     = "this Agreement renews automatically for a\nfurther period of twenty-four (24) months"
	indemnity  = "without\nlimitation as to amount"
	withdrawal = "either Party may terminate this Agreement for convenience at any time by\n" +
		"giving the other ninety (90) days' written notice."
)

// complete is a review with findings of every kind.
func complete(t *testing.T) Review {
	r := sample(t)
	r.find(t, record.Finding{Analyst: "renewal-trap", Category: record.Renewal, Severity: record.High,
		Title: "Renewal by two years", Explanation: "Six months' notice, and two more years.", Quote: renews,
		Fallback: "This Agreement renews for twelve (12) months, unless a Party objects thirty (30) days before."})
	r.find(t, record.Finding{Analyst: "indemnity", Category: record.Indemnity, Severity: record.Critical,
		Title: "Indemnity without a limit", Explanation: "The customer pays whatever its fault.", Quote: indemnity})
	r.find(t, record.Finding{Analyst: "renewal-trap", Category: record.Renewal, Severity: record.High,
		Title: "Long renewal", Explanation: "Read in the overlap.", Quote: "twenty-four (24) months", Repeats: 1})
	r.find(t, record.Finding{Analyst: "contract", Category: record.Termination, Severity: record.High,
		Title: "Contradiction: notice of 90 days and of 30 days", Explanation: "A.5 says thirty days.", Quote: withdrawal})
	r.find(t, record.Finding{Analyst: "contract", Category: record.ChangeOfControl, Severity: record.Medium,
		Title: "Missing clause: change of control", Explanation: "A buyer of Quillmere could be a competitor.",
		Fallback: "The Customer may terminate if control of Quillmere changes."})
	r.find(t, record.Finding{Analyst: "renewal-trap", Category: record.Renewal, Severity: record.High,
		Title: "Renewal by two years", Explanation: "It is defined, too.", Quote: "Renewal Term", Repeats: 1})
	r.mark(t, record.Renewal, 80, renews)
	r.mark(t, record.Renewal, 95, "Renewal Term")
	r.mark(t, record.Indemnity, 90, indemnity)
	r.mark(t, record.Termination, 90, withdrawal)
	r.ask(0, record.Categories, "renewal")
	r.ask(1, record.Categories, "data-protection")
	r.ask(2, record.Categories, "liability", "indemnity")
	r.ask(3, record.Contract)
	r.Questions[1].Dropped = 2
	return r
}

// broken is a review by rules that stopped before its end.
func broken(t *testing.T) Review {
	r := complete(t)
	r.Job.Model, r.Job.Calls, r.Job.Cost, r.Job.Budget = "", 0, 0, 0
	r.Job.Status, r.Job.Gaps = record.CompletedWithGaps, 1
	r.Findings = r.Findings[4:] // the missing clause
	r.Marks = nil
	r.Chunks[1].Status, r.Chunks[1].Stage, r.Chunks[1].Error = job.StatusFailed, "categories", "out of time"
	r.Questions = nil
	for part := range byte(3) {
		r.ask(part, record.Categories)
	}
	r.Questions[1].Outcome, r.Questions[1].Reason = record.StageFailed, "out of time"
	r.Chunks[3].Status = job.StatusCancelled
	return r
}

func TestGoldenReports(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Review{"complete": complete(t), "gaps": broken(t)} {
		page := must.Get(HTML(r))(t)
		for file, got := range map[string]string{name + ".html": string(page), name + ".md": Markdown(r)} {
			file = filepath.Join("testdata", file)
			if *update {
				must.OK(t, os.WriteFile(file, []byte(got), 0o600))
			}
			want := must.Get(os.ReadFile(file))(t)
			if got != string(want) {
				t.Errorf("%s is not the report any more; -update writes it anew. Got\n%s", file, got)
			}
		}
	}
}

// The sentences are those that a lawyer looks for; they are written here by hand.
func TestReportContent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		r         Review
		want, not []string
	}{
		{"complete", complete(t), []string{
			"Completed: every part was read.", "8 of 8 questions answered, 2 quotes dropped, USD 0.1235", "3 of 3 parts", "by model gpt-test",
			"**2. Indemnity without a limit** (critical, Indemnity or insurance; indemnity)",
			"> without limitation as to amount", "11. Indemnity and insurance > 11.3, line 209",
			"Also at: Software Licence and Services Agreement > 1. Definitions, line 38.",
			"Fallback wording: This Agreement renews for twelve (12) months",
			"## Contradictions", "13. Termination > 13.1, line 232", "## Missing clauses", "Missing clause: change of control",
			"Every part was read.", "| Renewal | ", "95 %", ", and 1 more",
			"| Governing law | not found |", "Paid: USD 0.1235 for 17 model calls", "Estimate: USD 0.4000", "Budget: USD 1.0000",
		}, []string{"Long renewal", "Not finished"}},
		{"gaps", broken(t), []string{
			"Completed with gaps: 2 questions not answered.", "2 of 3 parts", "without a model", "No findings in the clauses.",
			"| Part 2 of 3: 7. Customer Data and data protection | categories | out of time |",
			"2 of 4 questions answered by rules",
			"The contract as a whole", "not started | cancelled", "nothing was paid",
		}, []string{"Contradictions\n", "every part was read", "Paid:"}},
	} {
		text := Markdown(tc.r)
		for _, want := range tc.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the report has no %q", tc.name, want)
			}
		}
		for _, not := range tc.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: the report has %q", tc.name, not)
			}
		}
	}
}

// The first lines answer what a reader asks, in the contract's words, and name what to change.
func TestBriefComesFirst(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"Markdown": Markdown(complete(t)), "HTML": string(must.Get(HTML(complete(t)))(t))} {
		head, _, _ := strings.Cut(text, "Playbook")
		for _, want := range []string{"Term and renewal: this Agreement renews automatically for a further period of twenty-four",
			"Change: 2. Indemnity without a limit", "8 of 8 questions answered"} {
			if !strings.Contains(head, want) {
				t.Errorf("%s: no %q above the rest:\n%.3000s", name, want, head)
			}
		}
	}
	r := complete(t)
	for range 9 {
		r.find(t, record.Finding{Analyst: "payment", Severity: record.High, Title: "Another"})
	}
	r.find(t, record.Finding{Analyst: "payment", Severity: record.Low, Title: "A trifle"})
	if lines := briefOf(r, itemsOf(r)); len(lines) > 10 || !strings.HasSuffix(lines[len(lines)-1], "more that are critical or high") {
		t.Errorf("got %q", lines)
	}
	page := string(must.Get(HTML(r))(t))
	if _, folded, ok := strings.Cut(page, "<summary>Low and for information: 1</summary>"); !ok || !strings.Contains(folded, "A trifle") {
		t.Error("a low finding isn't folded")
	}
}

// A reader must not take silence for safety, so the first line says what rules didn't read.
func TestUnreadLanguageFirst(t *testing.T) {
	t.Parallel()
	const english = "This agreement is made between the parties and shall be governed by the law of Ontario.\n\n"
	const spanish = "El presente contrato se celebra entre las partes para el suministro de los bienes del anexo.\n\n"
	for _, tc := range []struct{ text, model, want string }{
		{spanish, "", "Rules do not read Spanish: clauses of this contract were not found, and none is reported as missing. " +
			"Review it with a model. Completed"},
		{english + english + spanish, "", "Rules do not read Spanish: passages in it were not searched. Completed"},
		{english, "", "Completed"},
		{spanish, "a-model", "Completed"},
	} {
		text := Markdown(Review{Text: tc.text, Job: record.Job{Status: record.Completed, Model: tc.model}})
		if !strings.HasPrefix(text, "# Review: Contract\n\n"+tc.want) {
			t.Errorf("%s: got\n%.300s", tc.text, text)
		}
	}
}

func TestWithdrawnIsOmitted(t *testing.T) {
	t.Parallel()
	r := complete(t)
	r.Findings[3].Withdrawn, r.Findings[4].Withdrawn = true, true
	page := must.Get(HTML(r))(t)
	for _, text := range []string{Markdown(r), string(page)} {
		if strings.Contains(text, "Contradiction") || strings.Contains(text, "Missing clause") ||
			!strings.Contains(text, "Indemnity without a limit") {
			t.Errorf("got\n%s", text)
		}
	}
}

// A clause is missing no longer when a part that was read later has it.
func TestClauseFoundLater(t *testing.T) {
	t.Parallel()
	r := complete(t)
	r.mark(t, record.ChangeOfControl, 60, "Parties")
	if strings.Contains(Markdown(r), "Missing clause") {
		t.Error("the report has a missing clause, and a place where it was found")
	}
}

func TestStatesAreSentences(t *testing.T) {
	t.Parallel()
	for status, want := range map[record.Status]string{
		record.Queued: "Not finished (queued): 1 of 4 parts done", record.Running: "Not finished (running)",
		record.Cancelling: "Not finished (cancelling)", record.Cancelled: "Cancelled by a person",
		record.Failed: "Failed: nothing was read. no text", record.CompletedWithGaps: "0 questions not answered",
	} {
		r := Review{Job: record.Job{Status: status, Chunks: 4, ChunksOpen: 3, Gaps: 2, Error: "no text"}}
		if text := Markdown(r); !strings.Contains(text, want) {
			t.Errorf("%s: got\n%s\nwant %q", status, text, want)
		}
	}
}

const hostile = "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\"' onload='alert(3) \u202e\n\n" +
	"# Heading\n\n1. list\n- item\n[a link](javascript:alert(4)) ![i](http://x.example/i.png) `code` | cell | <https://x.example>"

// Whatever a contract, an answer or a name contains, it is only text.
func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	r := Review{Text: "# " + hostile + "\n\n" + hostile, Job: record.Job{Name: hostile, Model: hostile, Playbook: hostile,
		Status: record.Failed, Error: hostile, Chunks: 2, Gaps: 1}}
	for i := range 2 {
		r.Chunks = append(r.Chunks, record.Chunk{Position: i, Heading: hostile, Stage: hostile, Error: hostile,
			Status: job.StatusFailed})
		r.Findings = append(r.Findings, record.Finding{Seq: i + 1, Analyst: []string{hostile, "contract"}[i],
			Category: hostile, Severity: record.High, Title: hostile, Explanation: hostile, Quote: hostile,
			Start: 2, End: 2 + len(hostile), Fallback: hostile})
	}
	r.Marks = []record.Mark{{Category: record.Renewal, Score: 50, Quote: hostile, Start: 2, End: 9}}
	page := must.Get(HTML(r))(t)
	for _, bad := range []string{"<script", "<img", "<a ", "\"' onload", "\u202e", "</style></style>"} {
		if strings.Contains(string(page), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	text := Markdown(r)
	for _, bad := range []string{"<", "\n> #", "\n# Heading", "\n1. list", "\n- item", "](", "![", " `code", "://",
		"\u202e"} {
		if strings.Contains(strings.ReplaceAll(text, `\`+bad, ""), bad) {
			t.Errorf("the Markdown has %q", bad)
		}
	}
	for n, line := range strings.Split(text, "\n") {
		if columns := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "| ") &&
			columns != 3 && columns != 4 && columns != 5 && columns != 6 {
			t.Errorf("line %d has %d bars: %s", n+1, columns, line)
		}
	}
}

func TestEscapedLineStarts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"- item": `\- item`, "+ item": `\+ item`, "12. Twelve": `12\. Twelve`,
		"3) three": `3\) three`, "12 months": "12 months", "": "", "a*b_c": `a\*b\_c`, "== x": `\== x`,
		"> quoted": `\> quoted`} {
		if got := plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A report about a contract of the largest size is written in one pass over it.
func TestLargestReviews(t *testing.T) {
	t.Parallel()
	r := Review{Text: strings.Repeat("9.1 A clause of the contract.\n\n", 4_000), Job: record.Job{Status: record.Completed}}
	for i := range 250 {
		r.Findings = append(r.Findings, record.Finding{Seq: i + 1, Severity: record.Low, Quote: "A clause",
			Title: fmt.Sprint(i), Start: i * 31 * 15, End: i*31*15 + 8})
	}
	if text := Markdown(r); !strings.Contains(text, "line 7471") {
		t.Error("the last finding has another line than 7471")
	}
}

// Findings stand in the order of the contract. Only contradictions stand as such, questions to a
// person aren't counted, and what is low or for information comes last.
func TestReportSections(t *testing.T) {
	t.Parallel()
	r := Review{Text: "1. Fees\n\nThe fee is low.\n\n2. Law\n\nThe law is odd.\n", Job: record.Job{Status: record.Completed, Model: "m"}}
	for _, f := range []record.Finding{
		{Analyst: "payment", Severity: record.Info, Title: "Note", Quote: "The fee"},
		{Analyst: "disputes", Severity: record.Critical, Title: "Odd", Quote: "The law is odd."},
		{Analyst: "payment", Severity: record.Medium, Title: "Fee", Quote: "The fee is low."},
		{Analyst: "contract", Severity: record.High, Title: "Contradiction: one of two", Quote: "fee", Second: "law"},
		{Analyst: "contract", Severity: record.High, Title: "Cap and sum", Quote: "is low", Second: "is odd"},
		{Analyst: "contract", Severity: record.Low, Title: "Small pair", Quote: "low", Second: "odd"},
		{Analyst: "contract", Severity: record.Low, Title: "Missing clause: cap"},
		{Analyst: "model-and-rules", Severity: record.Info, Title: "To check: law?", Quote: "odd"},
	} {
		r.find(t, f)
	}
	want := []string{"## Findings", "### 1. Fees", "Fee", "### 2. Law", "Odd", "## Contradictions", "Contradiction: one of two", "## Between clauses",
		"Cap and sum", "## Missing clauses", "Missing clause: cap", "## To check", "To check: law?", "## Low and for information", "Small pair", "Note"}
	rest := strings.ReplaceAll(Markdown(r), `\`, "")
	for _, part := range want {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("no %q in its place:\n%s", part, Markdown(r))
		}
		rest = after
	}
	if !strings.Contains(Markdown(r), "| Critical | 1 |\n| High | 2 |\n| Medium | 1 |\n| Low | 2 |\n| Info | 1 |") {
		t.Errorf("the counts are wrong:\n%.900s", Markdown(r))
	}
	page := string(must.Get(HTML(r))(t))
	_, folded, _ := strings.Cut(page, "<summary>Low and for information: 2</summary>")
	folded, rest, _ = strings.Cut(folded, "</details>")
	if !strings.Contains(folded, "Note") || strings.Contains(folded, "Cap and sum") || !strings.Contains(rest, "<h2>Between clauses</h2>") {
		t.Errorf("the page has other sections:\n%s", page)
	}
}

// A finding about two clauses shows both, with their places; a model's absence stays beside a mark.
func TestSecondQuoteShown(t *testing.T) {
	t.Parallel()
	r := Review{Text: "1. Cap\n\nThe cap is low.\n\n2. Insurance\n\nThe sum is high.\n", Job: record.Job{Status: record.Completed, Model: "m"},
		Marks: []record.Mark{{Category: record.IPOwnership, Quote: "x"}},
		Findings: []record.Finding{{Seq: 1, Analyst: "contract", Title: "Cap beside sum", Quote: "The cap is low.", Start: 8, End: 23,
			Second: "The sum is high.", SecondStart: 40, SecondEnd: 56},
			{Seq: 2, Analyst: "contract", Category: record.IPOwnership, Title: "Absent: an owner of the code"}}}
	page := must.Get(HTML(r))(t)
	for form, got := range map[string]string{"Markdown": Markdown(r), "HTML": string(page)} {
		for _, want := range []string{"The cap is low.", "The sum is high.", "Insurance, line 7", "Absent: an owner of the code"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", form, want, got)
			}
		}
	}
}
