// Package report writes the result of a review for a lawyer, as Markdown or as a
// self-contained, printable HTML page: the card and what to change, the findings in the order of
// the contract, the ones about the contract as a whole, unread parts with reasons, the place of
// each category of clauses, and the cost.
//
// Treat the contract and the answers about it as hostile. Both formats show them as text only,
// so nothing in them becomes a heading, a link or a script.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// Review is the content of a report. Use Read to get one.
type Review struct {
	Job       record.Job
	Text      string         // of the contract
	Chunks    []record.Chunk // including the whole contract
	Marks     []record.Mark
	Findings  []record.Finding
	Card      record.Card
	Questions []record.Question // recorded about the chunks
	Actions   []record.Action   // of people, about the findings
}

type view struct {
	Name, State, Reader, Playbook, Dates string
	Over                                 bool
	Counts                               []count
	Clauses                              []group // in the order of the contract
	Between, Contradictions, Missing     []item  // about the contract as a whole
	ToCheck                              []item  // questions to a person, not counted
	Folded                               []item  // low and info
	Rejected                             []item  // by people
	Gaps                                 []gap
	Summary                              string   // of the certificate
	Brief                                []string // what to read first
	Coverage                             []coverage
	Read                                 string // parts read, of all
	Categories                           []row
	Cost                                 []string
}

type count struct {
	Severity string
	N        int
}

// group is a clause with its findings.
type group struct {
	Clause string
	Items  []item
}

// item is a finding, with the repeating ones.
type item struct {
	finding                                             Finding
	clause                                              string // the headings above it
	Number, Severity, Class, Title, Category, Analyst   string
	Place, Quote, Explanation, Fallback, Again, Decided string
	Second, SecondPlace                                 string // of a finding about two clauses
	Comments                                            []string
}

type gap struct{ Part, Stage, Reason string }

type row struct{ Category, Place, Certainty, Words string }

// Limits of texts in a report, in runes.
const (
	mostQuote = 1_500
	mostText  = 2_000
	mostName  = 200
	mostWords = 90
)

func viewOf(r Review) view {
	gaps, all := gapsOf(r), CertificateOf(r)
	v := view{Name: cmp.Or(term.Clean(r.Job.Name, mostName), "Contract"), State: stateOf(r.Job, len(gaps)),
		Over: r.Job.Status.Over(), Summary: all.Summary, Coverage: coverageOf(r, all),
		Reader: "by rules (keywords and headings), without a model", Playbook: term.Clean(r.Job.Playbook, mostName),
		Dates: datesOf(r.Job), Gaps: gaps, Read: readOf(r), Cost: costOf(r.Job)}
	if r.Job.Model != "" {
		v.Reader = "by model " + term.Clean(r.Job.Model, mostName)
	}
	v.State = strings.TrimSpace(UnreadLanguage(r) + " " + v.State)
	items := itemsOf(r)
	v.Brief = briefOf(r, items)
	v.sort(items, r)
	v.Categories = rowsOf(r)
	return v
}

// sort puts the findings into sections. A missing clause found in parts read later is omitted.
func (v *view) sort(items []item, r Review) {
	counts := map[record.Severity]int{}
	var clauses []item
	for _, i := range items {
		list := v.listOf(i, r.Marks)
		switch {
		case list == nil && i.missing():
			continue
		case list == nil:
			clauses = append(clauses, i)
		default:
			*list = append(*list, i)
		}
		if list != &v.Rejected && list != &v.ToCheck {
			counts[i.finding.Severity]++
		}
	}
	slices.SortStableFunc(clauses, func(a, b item) int { return a.finding.Start - b.finding.Start })
	for _, i := range clauses {
		if n := len(v.Clauses); n == 0 || v.Clauses[n-1].Clause != i.clause {
			v.Clauses = append(v.Clauses, group{Clause: i.clause})
		}
		last := &v.Clauses[len(v.Clauses)-1]
		last.Items = append(last.Items, i)
	}
	for _, s := range record.Severities() {
		v.Counts = append(v.Counts, count{capital(string(s)), counts[s]})
	}
}

// listOf returns the section of a finding, and nil for a finding about one clause, or to omit it.
func (v *view) listOf(i item, marks []record.Mark) *[]item {
	f := i.finding
	ofWhole := f.Analyst == string(record.Contract)
	marked := func(m record.Mark) bool { return m.Category == f.Category }
	switch {
	case i.missing() && slices.ContainsFunc(marks, marked):
		return nil
	case f.State == record.Rejected:
		return &v.Rejected
	case f.Analyst == whole.Doubts:
		return &v.ToCheck
	case ofWhole && f.Quote == "":
		return &v.Missing
	case ofWhole && whole.Contradicts(f.Finding):
		return &v.Contradictions
	case f.Severity == record.Low || f.Severity == record.Info:
		return &v.Folded
	case ofWhole:
		return &v.Between
	}
	return nil
}

// missing reports whether rules miss a clause.
func (i item) missing() bool {
	return i.finding.Analyst == string(record.Contract) && strings.HasPrefix(i.Title, "Missing")
}

// itemsOf returns the findings to show, neither withdrawn nor repeated, by severity and place.
func itemsOf(r Review) (items []item) {
	again := map[int][]record.Finding{}
	var kept []record.Finding
	for _, f := range r.Findings {
		if f.Withdrawn {
			continue
		}
		if f.Repeats != 0 {
			again[f.Repeats] = append(again[f.Repeats], f)
			continue
		}
		kept = append(kept, f)
	}
	slices.SortFunc(kept, record.Finding.Compare)
	places := placesBy(r.Text, r.Findings)
	for _, f := range With(kept, r.Actions) {
		i := itemOf(f, places[f.Start], elsewhere(places, f.Finding, again[f.Seq]))
		i.clause = clauseOf(places[f.Start])
		if f.Second != "" {
			i.Second, i.SecondPlace = term.Clean(f.Second, mostQuote), places[f.SecondStart]
		}
		items = append(items, i)
	}
	return items
}

// placesBy returns the places of findings by their starts.
func placesBy(text string, all []record.Finding) map[int]string {
	var starts []int
	for _, f := range all {
		starts = append(starts, f.Start, f.SecondStart)
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	places := map[int]string{}
	for i, place := range placesOf(text, starts) {
		places[starts[i]] = place
	}
	return places
}

// clauseOf returns the headings of a place, without its line.
func clauseOf(place string) string {
	at := strings.LastIndex(place, "line ")
	return cmp.Or(strings.TrimSuffix(place[:max(at, 0)], ", "), "Without a heading")
}

// elsewhere returns the places of a finding's repetitions, except at its own place, where an
// overlapping part repeats it.
func elsewhere(places map[int]string, f record.Finding, again []record.Finding) (list []string) {
	slices.SortFunc(again, func(a, b record.Finding) int { return a.Start - b.Start })
	for _, a := range again {
		if a.Start >= f.End || f.Start >= a.End {
			list = append(list, places[a.Start])
		}
	}
	return slices.Compact(list)
}

func itemOf(f Finding, place string, again []string) item {
	i := item{Number: f.Name(), Decided: f.Decided(), Comments: f.Comments(),
		Severity: capital(string(f.Severity)), Class: string(f.Severity),
		Title: term.Clean(f.Title, mostName), Category: Title(f.Category), Analyst: term.Clean(f.Analyst, mostName),
		Explanation: term.Clean(f.Explanation, mostText), Fallback: term.Clean(f.Fallback, mostText),
		Again: strings.Join(again, "; "), finding: f}
	if f.Quote != "" {
		i.Quote, i.Place = term.Clean(f.Quote, mostQuote), place
	}
	return i
}

func gapsOf(r Review) (gaps []gap) {
	for _, c := range Gaps(r.Job, r.Chunks, r.Questions) {
		gaps = append(gaps, gap{partName(r.Job, c), cmp.Or(term.Clean(c.Stage, mostName), "not started"),
			cmp.Or(term.Clean(c.Error, mostText), string(c.Status))})
	}
	return gaps
}

func partName(j record.Job, c record.Chunk) string {
	if c.Kind == record.Whole {
		return wholeName
	}
	part := fmt.Sprintf("Part %d of %d", c.Position+1, j.Chunks)
	if heading := term.Clean(c.Heading, mostName); heading != "" {
		part += ": " + heading
	}
	return part
}

func readOf(r Review) string {
	n, some := 0, 0
	for _, c := range r.Chunks {
		switch {
		case c.Kind == record.Whole:
		case c.Status == job.StatusSucceeded:
			n++
		case c.Searched:
			some++
		}
	}
	read := fmt.Sprintf("%d of %d parts", n, r.Job.Chunks)
	if some > 0 {
		read += fmt.Sprintf(", %d in part", some)
	}
	return read
}

// rowsOf returns each category's place: the mark with the highest score.
func rowsOf(r Review) (rows []row) {
	best, starts := map[record.Category]record.Mark{}, map[record.Category]map[int]bool{}
	for _, m := range r.Marks {
		if b, ok := best[m.Category]; !ok || m.Score > b.Score || m.Score == b.Score && m.Start < b.Start {
			best[m.Category] = m
		}
		if starts[m.Category] == nil {
			starts[m.Category] = map[int]bool{}
		}
		starts[m.Category][m.Start] = true
	}
	var at []int
	for _, c := range record.All() {
		at = append(at, best[c].Start)
	}
	places := placesOf(r.Text, at)
	for i, c := range record.All() {
		n := row{Title(c), "not found", "", term.Clean(best[c].Quote, mostWords)}
		if found := len(starts[c]); found > 0 {
			n.Place, n.Certainty = places[i], fmt.Sprintf("%d %%", best[c].Score)
			if found > 1 {
				n.Place += fmt.Sprintf(", and %d more", found-1)
			}
		}
		rows = append(rows, n)
	}
	return rows
}
