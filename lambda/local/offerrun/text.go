package offerrun

import (
	"cmp"
	"fmt"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/plural"
)

// Text returns the result for people.
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
			s.Print(&p)
		}
		for _, w := range t.Without {
			p.Line("  %s without a job: %s", cmp.Or(w.Name, w.User.String()), w.Reason)
		}
	}
	malformed(&p, r.Problems)
	if d := r.Delivery; d != nil {
		p.Line("DELIVERED %s, %d waiting", plural.Of(d.Delivered, "set", "sets"), d.Waiting)
		if d.Error != "" {
			p.Hang("  ", d.Error)
		}
	}
	a := r.Accounting
	p.Line("ACCOUNTING %s = %d completed + %d failed + %d skipped + %d open + %d without a job; %s",
		plural.Of(a.Users, "user", "users"), a.Completed, a.Failed, a.Skipped, a.Open, a.Without,
		plural.Of(a.Offers, "offer", "offers"))
	return p.String()
}

func malformed(p *term.Page, problems []corpus.Problem) {
	for i, problem := range problems {
		if i == 0 {
			p.Line("MALFORMED")
		}
		p.Line("  %s: %s", term.Clean(problem.Where(), term.MaxText), term.Clean(problem.What, term.MaxText))
	}
}
