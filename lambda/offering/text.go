package offering

import (
	"cmp"
	"fmt"
	"strings"

	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/term"
)

// Text is the result for people at a terminal.
func (r *Result) Text() string {
	var p term.Page
	p.Line("OFFERS of %s", r.Date)
	for _, t := range r.Tenants {
		head := fmt.Sprintf("TENANT %s", t.Tenant)
		if t.Roster != "" {
			head += fmt.Sprintf(", roster %.12s, algorithm %d", t.Roster, t.Algorithm)
		}
		p.Line("%s", head)
		for _, s := range t.Sets {
			s.print(&p)
		}
		for _, w := range t.Without {
			p.Line("  %s has no job: %s", cmp.Or(w.Name, w.User.String()), w.Reason)
		}
	}
	for i, problem := range r.Problems {
		if i == 0 {
			p.Line("MALFORMED")
		}
		p.Line("  %s: %s", term.Clean(problem.Where(), term.MaxText), term.Clean(problem.What, term.MaxText))
	}
	a := r.Accounting
	p.Line("ACCOUNTING %d users = %d completed + %d failed + %d skipped + %d open + %d without a job; %d offers",
		a.Users, a.Completed, a.Failed, a.Skipped, a.Open, a.Without, a.Offers)
	return p.String()
}

func (s UserSet) print(p *term.Page) {
	p.Line("  %s, %s (%s), job %s", cmp.Or(s.Name, s.User.String()), s.Zone, s.OfferedAt.Format("01-02 15:04Z"), s.Job)
	switch {
	case s.Status != "completed":
		p.Hang("     "+strings.ToUpper(s.Status)+"  ", s.Error)
	case len(s.Offers) == 0:
		p.Line("     nobody: \"matchbook offers explain\" has the reasons")
	}
	for _, o := range s.Offers {
		p.Line("    %2d  %s %5d  %s", o.Rank, term.Pad(cmp.Or(o.Name, o.Candidate.String()), 12), o.Score, inShort(o.Terms))
	}
}

// inShort lists the terms that give points.
func inShort(terms []ranking.Points) string {
	var parts []string
	for _, t := range terms {
		if t.Points != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", t.Term, t.Points))
		}
	}
	return strings.Join(parts, " + ")
}
