package offerset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

// Print prints the set for people.
func (s UserSet) Print(p *term.Page) {
	p.Line("  %s, %s (%s), job %s", cmp.Or(s.Name, s.User.String()), s.Zone, s.OfferedAt.Format("01-02 15:04Z"), s.Job)
	switch {
	case s.Status != "completed":
		p.Hang("     "+strings.ToUpper(s.Status)+"  ", s.Error)
	case len(s.Offers) == 0:
		p.Line("     no offers: see \"matchbook offers explain\" for the reasons")
	}
	for _, o := range s.Offers {
		p.Line("    %2d  %s %5d  %s", o.Rank, called(o.Name, o.Candidate), o.Score, inShort(o.Terms))
	}
}

// inShort lists the nonzero terms.
func inShort(terms []ranking.Points) string {
	var parts []string
	for _, t := range terms {
		if t.Points != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", t.Term, t.Points))
		}
	}
	return strings.Join(parts, " + ")
}

// mostShown is the maximum number of candidates printed per verdict.
const mostShown = 20

// Text returns the explanation for people.
func (e *Explained) Text() string {
	var p term.Page
	p.Line("OFFERS of %s for %s", e.Date, cmp.Or(e.Name, e.User.String()))
	p.Line("  %s in %s, due %s, job %s", e.Status, e.Zone, e.OfferedAt.Format("2006-01-02 15:04Z"), e.Job)
	if e.Error != "" {
		p.Hang("  reason: ", e.Error)
	}
	if e.Status == "skipped" {
		return p.String()
	}
	p.Line("  roster %.12s, algorithm %d", e.Roster, e.Algorithm)
	switch {
	case e.Problem != "":
		p.Hang("  cannot be computed: ", e.Problem)
	case e.Same == nil:
		p.Line("  not stored yet; this is the set computed from its roster")
	case *e.Same:
		p.Line("  computed again from its roster: identical, byte for byte")
	}
	if !e.Reproduced() {
		p.Line("  DIFFERENT: the stored set is not the one computed from its roster")
		for _, o := range e.Offers {
			p.Line("    stored %2d  %s %5d  %s", o.Rank, called(o.Name, o.Candidate), o.Score, inShort(o.Terms))
		}
	}
	if len(e.Candidates) > 1 {
		p.Hang("  ", e.summary())
	}
	e.candidates(&p)
	return p.String()
}

// summary counts the candidates by verdict, and the filtered ones by filter.
func (e *Explained) summary() string {
	counts := map[string]int{}
	for _, c := range e.Candidates {
		what := string(c.Verdict)
		if c.Filter != "" {
			what = "ruled out by " + c.Filter
		}
		counts[what]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return fmt.Sprintf("of %s: %s", plural.Of(len(e.Candidates), "other user"), strings.Join(names, ", "))
}

// candidates prints the candidates, grouped by verdict.
func (e *Explained) candidates(p *term.Page) {
	shown := map[ranking.Verdict]int{}
	var order []ranking.Verdict
	for _, c := range e.Candidates {
		if shown[c.Verdict]++; shown[c.Verdict] == 1 {
			order = append(order, c.Verdict)
		}
	}
	for _, v := range order {
		p.Line("%s %d%s", strings.ToUpper(string(v)), shown[v], e.byFilter(v))
		left := mostShown
		for _, c := range e.Candidates {
			if c.Verdict != v {
				continue
			}
			if left--; left < 0 {
				p.Line("  and %d more: use --candidate ID to see one, --json to see all", shown[v]-mostShown)
				break
			}
			c.print(p)
		}
	}
}

// byFilter counts the candidates with a verdict by their filters, the most frequent first.
func (e *Explained) byFilter(v ranking.Verdict) string {
	counts := map[string]int{}
	for _, c := range e.Candidates {
		if c.Verdict == v && c.Filter != "" {
			counts[c.Filter]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	text := ""
	for i, name := range names {
		text += []string{": ", ", "}[min(i, 1)] + fmt.Sprintf("%s %d", name, counts[name])
	}
	return text
}

// longestName bounds a name in a line, in columns.
const longestName = 36

func called(name string, id uuid.UUID) string {
	return term.Pad(term.Cut(cmp.Or(name, id.String()), longestName), 12)
}

func (r Reason) print(p *term.Page) {
	name := called(r.Name, r.Candidate)
	switch r.Verdict {
	case ranking.Offered:
		p.Line("  %2d  %s %5d  %s", r.Rank, name, r.Score, inShort(r.Terms))
		if _, note, ok := strings.Cut(r.Reason, "; "); ok {
			p.Hang("                     ", note)
		}
	case ranking.Lower, ranking.NotAdmitted, ranking.Yielded:
		p.Line("      %s %5d  %s", name, r.Score, inShort(r.Terms))
		p.Hang("                     ", r.Reason)
	default:
		p.Hang("      "+name+" ", r.Reason)
	}
}
