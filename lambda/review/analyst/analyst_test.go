package analyst

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// form is what a test reads of a schema.
type form struct {
	Properties map[string]struct {
		Items struct {
			Properties map[string]struct{ Enum []record.Category }
		}
	}
}

func categoriesOf(t *testing.T, raw json.RawMessage, list string) []record.Category {
	t.Helper()
	var f form
	must.OK(t, json.Unmarshal(raw, &f))
	return f.Properties[list].Items.Properties["category"].Enum
}

func TestAnalystFilesMatchTable(t *testing.T) {
	t.Parallel()
	if len(All()) != 11 {
		t.Errorf("%d analysts, want 11", len(All()))
	}
	used := map[string]bool{"rules.txt": true, "categories.txt": true, "answer.json": true}
	for _, a := range All() {
		used[a.Name+".txt"] = true
		if a.Title == "" || a.Version != "3" || strings.Contains(a.prompt, "version") || len(a.Topics) == 0 {
			t.Errorf("%s: title %q, version %q, topics %v", a.Name, a.Title, a.Version, a.Topics)
		}
		if len(a.calls)+len(a.hints.words) == 0 {
			t.Errorf("%s is never called", a.Name)
		}
	}
	for list, want := range map[string][]record.Category{"clauses": record.All(), "findings": record.Topics()} {
		if got := categoriesOf(t, schema.Raw(), list); !slices.Equal(got, want) {
			t.Errorf("%s of the schema have the categories %v", list, got)
		}
	}
	entries := must.Get(files.ReadDir("prompts"))(t)
	for _, e := range entries {
		if !used[e.Name()] {
			t.Errorf("no question uses %s", e.Name())
		}
	}
}

const clause = "This Agreement renews for periods of three years unless the Customer gives notice 180 days " +
	"before its end."

func passage() Passage {
	return Passage{Text: "9. Term. " + clause + " It ends otherwise.", Start: 1000, Heading: "Agreement > 9. Term"}
}

func found(quote, category, severity, title string) string {
	raw, err := json.Marshal(map[string]any{"quote": quote, "category": category, "severity": severity, "title": title,
		"explanation": "It binds us for three years.", "fallback": ""})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func list(findings ...string) string { return `{"findings":[` + strings.Join(findings, ",") + `]}` }

func analystOf(t *testing.T, name string) Analyst {
	t.Helper()
	for _, a := range All() {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no analyst %s", name)
	return Analyst{}
}

func TestInventedQuoteIsDropped(t *testing.T) {
	t.Parallel()
	a := analystOf(t, "renewal")
	got, dropped, err := readOne(a, list(
		found("renews for\n periods of three  years", "renewal", "high", "Long\u202e renewal\x1b[31m"),
		found("renews for periods of five years", "renewal", "critical", "Invented"),
		found("", "renewal", "low", "No quote"),
		found(`"additionalProperties": false`, "renewal", "low", "The schema"),
	), passage())
	want := record.Finding{Analyst: "renewal", Category: "renewal", Severity: "high", Title: "Long renewal",
		Explanation: "It binds us for three years.", Quote: "renews for periods of three years", Start: 1024, End: 1057}
	if err != nil || dropped != 3 || len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, %d dropped, %v, want %+v", got, dropped, err, want)
	}
}

func TestBadAnswersAreErrors(t *testing.T) {
	t.Parallel()
	a := analystOf(t, "renewal")
	good := found("renews for periods", "renewal", "high", "A title")
	for name, answer := range map[string]string{
		"an unknown topic":    list(found("renews for periods", "weather", "high", "A title")),
		"an unknown severity": list(found("renews for periods", "renewal", "fatal", "A title")),
		"marks":               `{"clauses":[]}`,
		"another list":        `{"findings":[],"contradictions":[]}`,
		"text around it":      "Here it is: " + list(good),
		"too long":            list(found(strings.Repeat("x", 128<<10), "renewal", "high", "A title")),
	} {
		if got, _, err := readOne(a, answer, passage()); err == nil || got != nil {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	if got, dropped, err := readOne(a, list(), passage()); got != nil || dropped != 0 || err != nil {
		t.Errorf("an empty list: got %v, %d, %v", got, dropped, err)
	}
	if got, _, err := readOne(a, `{"clauses":[],"findings":[`+good+`]}`, passage()); len(got) != 1 || err != nil {
		t.Errorf("both lists: got %d, %v", len(got), err)
	}
}

// One bad finding costs itself only.
func TestBadFindingIsDropped(t *testing.T) {
	t.Parallel()
	a, long := analystOf(t, "renewal"), strings.Repeat("long ", 600)
	good := found("renews for periods", "renewal", "high", "A title")
	for name, c := range map[string]struct {
		bad           string
		found, fallen int
	}{
		"no title":     {found("unless the Customer", "renewal", "high", "\u200b "), 1, 1},
		"a long title": {found("unless the Customer", "renewal", "high", long), 2, 0},
		"long wording": {strings.Replace(found("unless the Customer", "renewal", "high", "A title"), `"fallback":""`, `"fallback":"`+long+`"`, 1), 2, 0},
		"another's":    {found("unless the Customer", "payment", "high", "A title"), 2, 0},
		"too many":     {strings.Join(slices.Repeat([]string{good}, 21), ","), 1, 2},
	} {
		got, dropped, err := readOne(a, list(good, c.bad), passage())
		if err != nil || len(got) != c.found || dropped != c.fallen {
			t.Errorf("%s: %d found, %d dropped, %v", name, len(got), dropped, err)
		}
		for _, f := range got {
			if utf8.RuneCountInString(f.Title) > maxTitle || utf8.RuneCountInString(f.Fallback) > maxText {
				t.Errorf("%s: a text is over its limit", name)
			}
		}
	}
}

// readOne reads an answer to one task.
func readOne(a Analyst, answer string, p Passage) ([]record.Finding, int, error) {
	read, err := Read([]Analyst{a}, answer, p)
	if err != nil {
		return nil, 0, err
	}
	return read[0].Findings, read[0].Dropped, nil
}

func readMarks(answer string, p Passage) ([]record.Mark, int, error) {
	read, err := Read([]Analyst{Categories()}, answer, p)
	if err != nil {
		return nil, 0, err
	}
	return read[0].Marks, read[0].Dropped, nil
}

// Each task has its part of an answer, or none.
func TestTasksReadApart(t *testing.T) {
	t.Parallel()
	named := func(task, finding string) string { return strings.Replace(finding, "{", `{"task":"`+task+`",`, 1) }
	tasks := []Analyst{Categories(), analystOf(t, "renewal"), analystOf(t, "termination"), analystOf(t, "payment"), analystOf(t, rest)}
	answer := fmt.Sprintf(`{"tasks":["categories","renewal","payment"],"clauses":[%s],"findings":[%s]}`,
		mark("It ends otherwise.", "termination", 90), strings.Join([]string{
			named("renewal", found("renews for periods", "renewal", "high", "A")), named("renewal", found("invented words stand here", "renewal", "high", "B")),
			named("nobody", found("180 days before its end", "other", "low", "C"))}, ","))
	got, err := Read(tasks, answer, passage())
	want := []string{"1 0 0 false", "0 1 1 false", "0 0 0 true", "0 0 0 false", "0 1 0 false"}
	for i := range tasks {
		if text := fmt.Sprint(len(got[i].Marks), len(got[i].Findings), got[i].Dropped, got[i].Missing); err != nil || text != want[i] {
			t.Errorf("%s: got %s, want %s, %v", tasks[i].Name, text, want[i], err)
		}
	}
	if _, err := Read(tasks, list(), passage()); err == nil {
		t.Error("an answer about several tasks needs their names")
	}
}

func mark(quote, category string, score any) string {
	return fmt.Sprintf(`{"quote":%q,"category":%q,"score":%v}`, quote, category, score)
}

func marks(all ...string) string { return `{"clauses":[` + strings.Join(all, ",") + `]}` }

func TestMarkOffsets(t *testing.T) {
	t.Parallel()
	got, dropped, err := readMarks(marks(
		mark("It ends otherwise.", "termination", 101),
		mark("renews for periods of three years", "renewal", 70),
		mark("This law governs.", "governing-law", 99),
		mark("renews for  periods of three years", "renewal", 90),
	), passage())
	want := []record.Mark{
		{Category: record.Renewal, Score: 90, Quote: "renews for periods of three years", Start: 1024, End: 1057},
		{Category: record.Termination, Score: 100, Quote: "It ends otherwise.", Start: 1116, End: 1134},
	}
	if err != nil || dropped != 1 || !slices.Equal(got, want) { // the law is in no passage
		t.Errorf("got %+v, %d dropped, %v, want %+v", got, dropped, err, want)
	}
	for name, answer := range map[string]string{
		"a broken score":     marks(mark("It ends otherwise.", "termination", 1.5)),
		"an unknown topic":   marks(mark("It ends otherwise.", "payment", 50)),
		"findings":           list(),
		"nothing":            "",
		"a list of nothing":  `{"clauses":[null]}`,
		"two answers in one": marks() + marks(),
	} {
		if got, _, err := readMarks(answer, passage()); err == nil || got != nil {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestQuestionContent(t *testing.T) {
	t.Parallel()
	pb := must.Get(playbook.Parse(playbook.Default()))(t)
	for _, a := range append(All(), Categories()) {
		q := Question([]Analyst{a}, passage(), pb)
		stages, text, ok := Asked(q.Name, q.User)
		if !ok || !slices.Equal(stages, []record.Stage{a.Stage()}) || text != passage().Text {
			t.Errorf("%s: got stages %q, passage %q, %v", a.Name, stages, text, ok)
		}
		if !strings.Contains(q.User, "Our side in this contract: customer.") ||
			strings.Count(q.User, "Our position on ") != len(a.Topics) {
			t.Errorf("%s: the question has other positions:\n%s", a.Name, q.User)
		}
	}
	tasks := Route(nil, passage())
	q := Question(tasks, passage(), pb)
	if stages, _, _ := Asked(q.Name, q.User); len(stages) != len(tasks) || stages[0] != record.Categories || stages[len(stages)-1] != rest {
		t.Errorf("got stages %q", stages)
	}
	if _, _, ok := Asked("match_decision", q.User); ok {
		t.Error("a question of another workload is taken for one of a review")
	}
}

// Providers cache what questions begin with: the name and schema of the answer, the rules, and
// everything up to the passage's end.
func TestQuestionsSharePrefix(t *testing.T) {
	t.Parallel()
	pb := must.Get(playbook.Parse(playbook.Default()))(t)
	p := passage()
	p.Known = "Our side: customer.\n<<<card\nA licence.\ncard>>>\n"
	first := Question(Route(nil, p), p, pb)
	for _, a := range All() {
		q := Question([]Analyst{a}, p, pb)
		if q.Name != first.Name || q.System != first.System || string(q.Schema) != string(first.Schema) {
			t.Errorf("%s: another name, schema or system text", a.Name)
		}
		shared := 0
		for shared < len(q.User) && q.User[shared] == first.User[shared] {
			shared++
		}
		if !strings.Contains(q.User[:shared], p.Known) || !strings.Contains(q.User[:shared], p.Text+closing) {
			t.Errorf("%s: shared are only\n%s", a.Name, q.User[:shared])
		}
		t.Logf("%s: %d characters shared, %d its own", a.Name, len(q.System)+len(q.Schema)+shared, len(q.User)-shared)
	}
}
