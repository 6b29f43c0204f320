// Package report writes the result of a review for a lawyer, as Markdown or as a
// self-contained, printable HTML page: a summary, the findings by severity, contradictions,
// missing clauses, unread parts with reasons, the place of each category of clauses, and the
// cost.
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
	Severities                           []group
	Contradictions, Missing              []item
	Rejected                             []item // by people
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

type group struct {
	Severity string
	Items    []item
}

// Folded reports whether a page shows the findings only on demand.
func (g group) Folded() bool {
	return g.Severity == capital(string(record.Low)) || g.Severity == capital(string(record.Info))
}

// item is a finding, with the repeating ones.
type item struct {
	finding                                             Finding
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
	bySeverity := map[record.Severity][]item{}
	for _, i := range items {
		marked := func(m record.Mark) bool { return m.Category == i.finding.Category }
		switch contract := i.finding.Analyst == string(record.Contract); {
		case contract && strings.HasPrefix(i.Title, "Missing") && slices.ContainsFunc(r.Marks, marked):
			continue
		case i.finding.State == record.Rejected:
			v.Rejected = append(v.Rejected, i)
		case contract && i.finding.Quote != "":
			v.Contradictions = append(v.Contradictions, i)
		case contract:
			v.Missing = append(v.Missing, i)
		default:
			bySeverity[i.finding.Severity] = append(bySeverity[i.finding.Severity], i)
		}
	}
	all := slices.Concat(v.Contradictions, v.Missing)
	for _, s := range record.Severities() {
		if some := bySeverity[s]; len(some) > 0 {
			v.Severities = append(v.Severities, group{capital(string(s)), some})
			all = append(all, some...)
		}
	}
	for _, s := range record.Severities() {
		n := 0
		for _, i := range all {
			if i.finding.Severity == s {
				n++
			}
		}
		v.Counts = append(v.Counts, count{capital(string(s)), n})
	}
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
