package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/report"
)

type page struct{ term.Page }

// Text returns the explanation for people.
func (e *Explanation) Text() string {
	p := &page{}
	p.document(e.Document)
	p.warnings(e)
	p.threeWays(e)
	if len(e.NoMatch) > 0 {
		p.Line("\nNO MATCH")
		for _, s := range e.NoMatch {
			p.Hang("  ", s)
		}
		for _, n := range e.Near {
			p.Line("    %s  %s", term.Pad(term.Cut(n.Called(), 40), 40), n.ID)
		}
	}
	p.group("MATCHED", e.Pairs, isMatched)
	p.group("LEFT FOR PEOPLE", e.Pairs, isUndecided, isOut, isRejected)
	if slices.ContainsFunc(e.Pairs, func(q pairReport) bool { return q.Outcome == isUndecided }) {
		p.Line("  do: %s", remedy(report.WaitingQuestion, e.Document.ID, "ID"))
	}
	p.group("DROPPED", e.Pairs, isDropped)
	p.decisions(e.Decisions)
	p.footnote(e.Pairs)
	p.WriteString(e.Tries.text())
	return p.String()
}

// Do returns what to do about the document's error, a line each; nil if nothing.
func (d *documentState) Do() []string { return d.do(remedy(report.WaitingDocument, d.ID)) }

// do prints what to do. The last line may be a command to be copied, so it isn't folded.
func (p *page) do(head string, lines []string) {
	for i, line := range lines {
		if i+1 == len(lines) {
			p.Line("%s%s", head, line)
		} else {
			p.Hang(head, line)
		}
		head = strings.Repeat(" ", len(head))
	}
}

func (p *page) document(d *documentState) {
	p.Line("%s", term.Cut(d.Called(), term.Width))
	row := func(name, value string) {
		if value != "" {
			p.Hang("  "+term.Pad(name, 9)+" ", value)
		}
	}
	row("id", d.ID.String())
	row("tenant", d.TenantID.String())
	row("date", d.Date)
	row("supplier", d.Supplier)
	row("buyer", d.Buyer)
	row("cites", d.citesInShort())
	if f := d.File; f != nil {
		row("name", d.FileName)
		row("file", f.InShort())
		row("ingestion", f.Ingestion.String())
		row("read", cmp.Or(f.Status, "never published")+", "+attempts(f.Attempts))
		row("error", f.Error)
		row("waits", f.Waits())
		p.do("  do        ", f.remedy(d.ID))
		row("review", strings.Join(f.Reasons, "; "))
		row("taught", strings.Join(f.Taught, "; "))
		if f.Account != nil {
			row("account", f.Account.String())
		}
	}
	row("status", d.InShort())
	row("error", d.Error)
	row("waits", d.Waits())
	p.do("  do        ", d.Do())
	row("ignored", d.ignoredInShort())
	if d.NoEmbedding != "" {
		row("embedding", "missing, so similar texts were not looked up: "+d.NoEmbedding)
	}
	if d.ClusterID == nil {
		row("cluster", "none")
		return
	}
	for i, m := range d.Cluster {
		head := ""
		if i == 0 {
			head = "cluster"
		}
		p.member(head, m, m.ID == d.ID)
	}
}

// member prints a member of a cluster, and marks the explained document.
func (p *page) member(head string, m named, explained bool) {
	mark := " "
	if explained {
		mark = "*"
	}
	p.listed("  "+term.Pad(head, 9)+mark, m)
}

func (p *page) listed(head string, n named) {
	p.Line("%s%s  %s", head, term.Pad(term.Cut(n.Called(), 50), 34), n.ID)
}

func (d *documentState) citesInShort() string {
	var list []string
	for _, r := range d.Cites[:min(len(d.Cites), maxNamed)] {
		list = append(list, r.String())
	}
	if more := len(d.Cites) - maxNamed; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

// InShort returns the path of a file with the pages of the document.
func (f *file) InShort() string {
	if len(f.Pages) == 0 {
		return f.Path
	}
	return f.Path + ", pages " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(f.Pages)), ", "), "[]")
}

// InShort returns the state and the number of attempts.
func (d *documentState) InShort() string {
	if d.Status == "" {
		return "never published for matching"
	}
	return fmt.Sprintf("%s, %s", d.Status, attempts(d.Attempts))
}

// ignoredInShort lists the fields that matching doesn't know.
func (d *documentState) ignoredInShort() string {
	if len(d.Unknown) == 0 {
		return ""
	}
	list := "unknown fields " + strings.Join(d.Unknown[:min(len(d.Unknown), maxNamed)], ", ")
	if more := len(d.Unknown) - maxNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

const maxPairs = 10

func (p *page) group(title string, pairs []pairReport, outcomes ...string) {
	other := func(q pairReport) bool { return !slices.Contains(outcomes, q.Outcome) }
	pairs = slices.DeleteFunc(slices.Clone(pairs), other)
	if len(pairs) == 0 {
		return
	}
	p.Line("\n%s (%d)", title, len(pairs))
	for _, q := range pairs[:min(len(pairs), maxPairs)] {
		p.Line("  %s  %s  %s", term.Pad(q.standing(), 24), term.Pad(term.Cut(q.Document.Called(), 34), 34), q.Document.ID)
		p.reasons(q)
	}
	if more := len(pairs) - maxPairs; more > 0 {
		p.Line("  ... and %d more (--json lists them all)", more)
	}
}

func (p pairReport) standing() string {
	score := fmt.Sprintf("%.2f ", p.Score)
	switch p.Outcome {
	case isMatched:
		return score + p.Confidence + " by " + p.DecidedBy
	case isOut:
		return "   - out of the question"
	case isRejected:
		return "   - rejected by " + p.DecidedBy
	}
	return score + p.Outcome
}

func (p *page) reasons(q pairReport) {
	if q.Note != "" {
		p.Hang("      ", "Note: "+q.Note)
	}
	if q.Reasoning != "" {
		p.Hang("      ", q.Reasoning)
	}
	switch {
	case q.OutOfQuestion == "":
	case q.Outcome == isOut:
		p.Hang("      ", q.OutOfQuestion)
	default:
		p.Hang("      ", "The rules exclude it. "+q.OutOfQuestion)
	}
	if q.Owed {
		p.Line("      A model must still answer.")
	}
	if q.MissingPoints > 0 {
		p.Line("      It needs %s to be a match.", plural.Of(q.MissingPoints, "more point"))
	}
	for _, ev := range q.Evidence {
		p.Hang(fmt.Sprintf("      %+4d  ", ev.Points), ev.Text)
	}
}

func (p *page) footnote(pairs []pairReport) {
	if !slices.ContainsFunc(pairs, func(q pairReport) bool { return q.DecidedBy == "rules" && q.OutOfQuestion == "" }) {
		return
	}
	p.Line("")
	p.Hang("", "Points of one kind (company, citations, contents, dates, competition) are capped. The score is the share "+
		fmt.Sprintf("of true matches among known pairs with as many points; %d points are a match, %.2f.",
			score.MatchAt, score.Learned.Probability(score.MatchAt)))
}

// Columns of the comparison: a name, a mark and both documents.
const (
	nameColumns = 16
	docColumns  = (term.Width - nameColumns - 4) / 2
)

// Text returns the comparison for people.
func (c *Comparison) Text() string {
	p := &page{}
	p.row("", " ", c.A.Called(), c.B.Called())
	p.row("id", " ", c.A.ID.String(), c.B.ID.String())
	if c.A.TenantID != c.B.TenantID {
		p.row("tenant", "!", c.A.TenantID.String(), c.B.TenantID.String())
	}
	p.row("status", " ", c.A.InShort(), c.B.InShort())
	if c.A.Error != "" || c.B.Error != "" {
		p.row("error", " ", c.A.Error, c.B.Error)
	}
	p.fields(c.Fields)
	p.Line("")
	p.keys(c.Keys)
	if c.Pair != nil {
		p.Line("\nEVIDENCE")
		p.reasons(*c.Pair)
		p.footnote([]pairReport{*c.Pair})
	}
	p.decisions(c.Decisions)
	p.Line("\nVERDICT")
	p.Hang("  ", c.Verdict)
	return p.String()
}

func (p *page) fields(list []field) {
	last := ""
	for _, f := range list {
		name := f.Name
		if name == last {
			name = ""
		}
		last = f.Name
		p.row(name, map[string]string{"": " ", "equal": "=", "different": "!"}[f.Mark()], f.A, f.B)
	}
}

// row prints both values side by side, in at most three lines.
func (p *page) row(name, mark, a, b string) {
	left, right := shorten(a, docColumns), shorten(b, docColumns)
	for i := range max(len(left), len(right)) {
		var x, y string
		if i < len(left) {
			x = left[i]
		}
		if i < len(right) {
			y = right[i]
		}
		p.Line("%s%s %s  %s", term.Pad(name, nameColumns), mark, term.Pad(x, docColumns), y)
		name, mark = "", " "
	}
}

func shorten(s string, columns int) []string {
	lines := term.Fold(s, columns)
	if len(lines) > 3 {
		lines = append(lines[:2], term.Cut(lines[2]+" "+lines[3]+"…", columns))
	}
	return lines
}

const maxKeys = 8

func (p *page) keys(keys []string) {
	if len(keys) == 0 {
		p.Line("KEYS in common: none")
		return
	}
	p.Line("KEYS in common (names in lookup form, which absorbs misreadings)")
	for _, key := range keys[:min(len(keys), maxKeys)] {
		p.Line("  %s", term.Cut(key, term.Width-2))
	}
	if more := len(keys) - maxKeys; more > 0 {
		p.Line("  ... and %d more", more)
	}
}
