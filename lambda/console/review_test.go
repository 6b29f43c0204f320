package console_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

// lease is a contract in which rules find one clause, and miss three that the playbook requires;
// only the missing cap is high.
const lease = "12. Termination. Either party may terminate this Agreement on thirty days' written notice. It renews for " +
	"further terms of one year."

// review has a contract reviewed by the real function, by rules.
func (s *site) review(document uuid.UUID, text string) (id uuid.UUID) {
	s.t.Helper()
	store, queue, log := reviews.New(s.DB), &outbox{}, slog.New(slog.DiscardHandler)
	starter := review.Starter{Store: store, Sender: queue, Log: log}
	id = must.Get(starter.Start(s.t.Context(), review.Request{TenantID: tenantA, DocumentID: document, Name: "lease.txt", Text: text}))(s.t)
	reviewer := &review.Reviewer{Store: store, Sender: queue, Log: log}
	for range 2 { // the text, and the contract as a whole
		chunk := found[uuid.UUID](s, "SELECT id FROM review_chunk WHERE job_id = $1 AND status = 'pending'", id)
		claims := must.Get(store.Claim(s.t.Context(), []job.Delivery{{ID: chunk}}, time.Minute, false))(s.t)
		must.OK(s.t, reviewer.Review(s.t.Context(), claims[0].Attempt))
	}
	return id
}

var contract = uuid.MustParse("d0000000-0000-4000-8000-0000000000c1")

func TestContractShowsReview(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.review(contract, lease)
	page := "/documents/" + contract.String()
	path := func(seq int) string { return fmt.Sprintf("%s/findings/%s/%d", page, id, seq) }
	c := s.as(everything(login.Operator))
	first := c.page(page)
	first.want(t, "Review of lease.txt completed", "4 findings, 4 open.", "F1 high Missing clause: liability cap", "F4 medium Clause to compare: termination")
	if strings.Contains(first.body, `class="problem"`) || strings.Contains(first.text(), "structured data") {
		t.Errorf("the page of a contract that was only reviewed shows an error: %s", first.text())
	}
	c.page("/open").want(t, "review", "1 finding, critical or high: lease.txt")
	seqOfF1 := found[int](s, "SELECT seq FROM review_finding WHERE number = 1")
	do := func(form answer, seq int, action, text string, code int, want string) answer {
		t.Helper()
		a := c.do(http.MethodPost, path(seq), with(with(with(form.form(t, path(seq)), "action", action), "text", text), "assignee", text))
		if a.code != code || !strings.Contains(a.text(), want) {
			t.Errorf("%s %d: %d, %q is missing in %s", action, seq, a.code, want, a.text())
		}
		return a
	}
	do(first, seqOfF1, "reject", " \u0007", 400, "Nothing was done: missing reason.")
	do(first, seqOfF1, "delete", "x", 400, "The form is incomplete")
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(func() { do(first, seqOfF1, "reject", "capped <b>elsewhere</b>", 200, "Rejected by Paula on 20") })
	}
	clicks.Wait()
	do(first, seqOfF1, "accept", "", 409, "Nothing was done: finding has changed since it was shown.")
	do(first, 1, "comment", "see the offer", 200, "The comment is stored.")
	do(c.page(page), 1, "accept", "", 200, "Accepted by Paula on 20")
	assigned := do(c.page(page), 2, "assign", "Ben", 200, "Assigned to Ben")
	c.page(page).want(t, "4 findings, 2 open.", ": capped <b>elsewhere</b>", ": see the offer")
	c.page(page+"?state=open&severity=medium").want(t, "F2 medium", "F3 medium")
	if a := c.page(page + "?state=rejected"); !strings.Contains(a.text(), "F1 high") || strings.Contains(a.text(), "F2 medium") {
		t.Errorf("rejected: %s", a.text())
	}
	if a := c.get(page + "?state=done"); a.code != http.StatusNotFound {
		t.Errorf("an unknown state: %d", a.code)
	}
	c.page("/open").want(t, "Nothing is waiting for people.")
	if got := found[string](s, "SELECT string_agg(action || ' ' || acted_by || ' ' || origin, ', ' ORDER BY id) FROM finding_action"); got !=
		"reject Paula console, comment Paula console, accept Paula console, assign Paula console" {
		t.Errorf("stored: %s", got)
	}
	compare(t, "review", first, assigned, c.page(page+"?state=open&severity=medium"), c.page(page+"?analyst=playbook"), c.page(page), c.done(page),
		s.stored("finding_action"))
	s.exec(`INSERT INTO review_finding (job_id, seq, chunk_id, analyst, category, severity, title, explanation)
		SELECT job_id, 100 + i, chunk_id, 'playbook', category, 'info', 'Title ' || i, '' FROM review_finding, generate_series(1, 50) AS i WHERE number = 1`)
	if a := c.page(page); strings.Count(a.text(), " info Title ") != 46 {
		t.Errorf("%d of 54 findings are shown", 4+strings.Count(a.text(), " info Title "))
	}
	c.page(page).want(t, "54 findings, 52 open.", "and 4 more: choose a severity, an analyst or a state.")
	s.exec("UPDATE review_job SET status = 'completed-with-gaps', gaps = 1, error = 'the budget <is> spent' WHERE id = $1", id)
	compare(t, "review-many", c.page(page).part(t, `aria-labelledby="review"`, "<ol"), c.page(page).part(t, "<p>and ", "</section>"),
		c.page(page+"?state=accepted&severity=info").part(t, `class="items"`, "</section>"))
	again := s.review(contract, "Preface.\n\n"+lease) // the latest counts
	c.page(page).want(t, "4 findings, 3 open.", "in an earlier review of this clause")
	if a := c.page(page); strings.Contains(a.body, path(1)) || !strings.Contains(a.body, again.String()) {
		t.Error("an older review is shown")
	}
}

// A viewer may not act, another tenant's operator sees nothing, and a review belongs to its document.
func TestFindingsAreGuarded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.review(contract, lease)
	s.exec("INSERT INTO tenant VALUES ($1, 'B')", tenantB)
	other := doc(1, tenantA, "contract", `{"number":"C-1"}`)
	s.add(other)
	page := "/documents/" + contract.String()
	path := fmt.Sprintf("%s/findings/%s/1", page, id)
	operator := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator})
	form := with(operator.page(page).form(t, path), "action", "accept")
	viewer := s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer, tenantB: login.Operator})
	if a := viewer.page(page); strings.Contains(a.body, path) {
		t.Error("a viewer is offered actions")
	}
	for name, tc := range map[string]struct {
		*client
		path string
		code int
	}{
		"viewer":           {viewer, path, 403},
		"other tenant":     {s.as(map[uuid.UUID]login.Role{tenantB: login.Operator}), path, 404},
		"other document":   {operator, strings.Replace(path, contract.String(), other.ID.String(), 1), 404},
		"unknown review":   {operator, strings.Replace(path, id.String(), contract.String(), 1), 404},
		"unknown finding":  {operator, strings.TrimSuffix(path, "1") + "99", 404},
		"no finding":       {operator, strings.TrimSuffix(path, "1") + "x", 404},
		"incomplete form":  {operator, path, 400},
		"unsupported verb": {operator, path, 404},
	} {
		values, method := form, http.MethodPost
		switch name {
		case "incomplete form":
			values = map[string][]string{"action": {"accept"}}
		case "unsupported verb":
			method = http.MethodPut
		}
		if a := tc.do(method, tc.path, values); a.code != tc.code {
			t.Errorf("%s: %d, want %d", name, a.code, tc.code)
		}
	}
	if n := found[int](s, "SELECT count(*) FROM finding_action"); n != 0 {
		t.Errorf("%d actions are stored", n)
	}
	if logged := s.logs.String(); logged != "" {
		t.Errorf("logged: %s", logged)
	}
}

func TestBrowserDecidesFindings(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s := newSite(t)
		s.review(contract, lease)
		p := s.serve(everything(login.Operator)).open(width)
		p.visit("/open")
		p.want("1 finding, critical or high: lease.txt")
		p.press(".items a")
		p.want("F1 HIGH Missing clause: liability cap", "4 findings, 4 open.")
		p.Barriers()
		p.Run(chromedp.SendKeys(".finding [name=text]", "capped in the order"))
		p.press(".finding [value=reject]")
		p.want("Rejected: the finding stays so", "Rejected by Paula on 20")
		p.press(".finding:nth-child(2) [value=accept]")
		p.want("Accepted by Paula on 20", "4 findings, 2 open.")
		p.Run(chromedp.SendKeys("[name=state]", "open"))
		p.press(".filter button")
		p.leads("Enter", chromedp.SendKeys(".finding [name=text]", "a question\r")) // comments, and decides nothing
		p.want("a question")
		p.holds("document.querySelectorAll('.finding').length === 2 && location.search.includes('state=open')")
		p.Barriers()
		p.NoErrors()
	})
}
