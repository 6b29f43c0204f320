package web

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/review/playbook"

	"github.com/chromedp/chromedp"
)

// read delivers the messages of a review until it has ended.
func (s *stored) read() {
	s.t.Helper()
	s.deliver()
	s.deliver() // the contract as a whole
}

// act sends an action about a finding.
func (s *stored) act(finding, body string, headers ...string) answer {
	s.t.Helper()
	headers = append([]string{"Content-Type", "application/json"}, headers...)
	return s.doAs(s.Token, "POST", "/reviews/"+s.ID.String()+"/findings/"+finding, body, headers...)
}

// selected lists the findings of a query: name, state and who decided.
func (s *stored) selected(query string) string {
	s.t.Helper()
	var list []string
	for _, f := range decoded[found](s.site, s.doAs(s.Token, "GET", "/reviews/"+s.ID.String()+"/findings"+query, ""), 200).Findings {
		list = append(list, strings.TrimSpace(f.Name()+" "+string(f.State)+" "+f.DecidedBy))
	}
	return strings.Join(list, ", ")
}

func TestActOnPostgres(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	s.read()
	if got := s.selected(""); got != "F1 open, F2 open, F3 open, F4 open" {
		t.Errorf("at first: %s", got)
	}
	for _, tc := range []struct {
		finding, body string
		status        int
		want          string // a part of the answer
	}{
		{"F9", `{"action":"accept"}`, 404, `"unknown finding of the review"`},
		{"x", `{"action":"accept"}`, 404, `invalid finding`},
		{"F1", `{"action":"reject"}`, 422, `"missing reason"`},
		{"F1", `{"action":"comment","comment":" "}`, 422, `"missing comment"`},
		{"F1", `{"action":"delete"}`, 422, `unknown action`},
		{"F1", `{"action":"accept","comment":"x"}`, 422, `comment: invalid for this action`},
		{"F1", `{"action":"accept","state":"x"}`, 400, `unknown field`},
		{"F1", `{"action":"accept","version":7}`, 409, `"finding has changed since it was shown"`},
		{"F1", `{"action":"accept"}`, 200, `"state":"accepted","decided_by":"holder of the token"`},
		{"F1", `{"action":"accept","by":"Anna","version":0}`, 200, `"decided_by":"holder of the token"`}, // it is already
		{"1", `{"action":"reject","reason":"agreed","by":"Anna","version":0}`, 200, `"decided_by":"Anna"`},
		{"F2", `{"action":"assign","assignee":"Ben","by":"Anna"}`, 200, `"assignee":"Ben"`},
		{"F4", `{"action":"accept","by":"Ben","version":0}`, 409, `"finding":{"seq":1,`},
	} {
		if got := s.body(s.act(tc.finding, tc.body), tc.status); !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %s", tc.body, got)
		}
	}
	s.body(s.doAs(s.Token, "POST", "/reviews/"+s.ID.String()+"/findings/F1", `{"action":"reopen"}`, "Content-Type", "text/plain"), 415)
	s.body(s.act("F1", `{"action":"reopen"}`, "Origin", "https://evil.example"), 403)
	comments := ""
	for _, by := range []string{"Anna", "Ben", "Anna"} { // the last one is the first, sent again
		comments = s.body(s.act("F3", fmt.Sprintf(`{"action":"comment","comment":"why?","by":%q}`, by), "Idempotency-Key", by), 200)
	}
	if strings.Count(comments, "why?") != 2 {
		t.Errorf("comments: %s", comments)
	}
	for query, want := range map[string]string{"": "F1 accepted holder of the token, F2 open, F3 open, F4 rejected Anna", "?state=open": "F2 open, F3 open",
		"?severity=high,low": "F1 accepted holder of the token", "?analyst=playbook&state=rejected": "F4 rejected Anna", "?analyst=x": "",
		"?after=2": "F1 accepted holder of the token, F3 open"} {
		if got := s.selected(query); got != want {
			t.Errorf("%s: got %s", query, got)
		}
	}
	for _, query := range []string{"?severity=hgih", "?state=done", "?after=1&state=open"} {
		s.body(s.doAs(s.Token, "GET", "/reviews/"+s.ID.String()+"/findings"+query, ""), 400)
	}
}

// A rejected clause is rejected in the tenant's next review, in another contract, too, but not with
// another number in it, nor under another playbook.
func TestRejectionIsCarried(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	s.read()
	s.body(s.act("F4", `{"action":"reject","reason":"thirty days are fine","by":"Anna"}`), 200)
	s.body(s.act("F1", `{"action":"reject","reason":"no cap here","by":"Anna"}`), 200)
	otherRules := bytes.Replace(playbook.Default(), []byte(`"version": "1"`), []byte(`"version": "2"`), 1)
	for name, tc := range map[string]struct {
		text  string
		rules []byte
		want  string
	}{
		"the same contract": {twoChunks, playbook.Default(), "F1 rejected Anna, F2 open, F3 open, F4 rejected Anna"},
		"another contract": {strings.ReplaceAll(twoChunks, "12. Termination. Either party may ", "Preface.\n\n14. Termination. Either party\nmay "),
			playbook.Default(), "F1 open, F2 open, F3 open, F4 rejected Anna"},
		"another period":   {strings.ReplaceAll(twoChunks, "thirty", "ninety"), playbook.Default(), "F1 open, F2 open, F3 open, F4 open"},
		"another playbook": {twoChunks, otherRules, "F1 open, F2 open, F3 open, F4 open"},
	} {
		s.started = decoded[started](s.site, s.post(fmt.Sprintf(`{"name":"again.txt","text":%q,"playbook":%s}`, tc.text, tc.rules)), 202)
		s.read()
		if got := s.selected(""); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// A person works with the findings by mouse and by keyboard, and finds all again after a reload.
func TestPageDecides(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1000, 360}[:testenv.Size(1, 2)] {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			p, s := newTab(t), newStored(t)
			p.RequestsMayFail() // one is refused as too late
			s.read()
			p.Run(chromedp.EmulateViewport(width, 700), chromedp.Navigate(s.server.URL+s.Page))
			p.wait(ended)
			names := func() string {
				return strings.Join(p.list("#findings > li:not([hidden]) .kind", "e.textContent.split(' ')[0]"), " ")
			}
			says := func(n int, text string) {
				t.Helper()
				p.wait(fmt.Sprintf("document.querySelector('#findings > li:nth-child(%d)').innerText.includes(%q)", n, text))
			}
			in := func(n int, part string) string { return fmt.Sprintf("#findings > li:nth-child(%d) %s", n, part) }
			if got := names(); got != "F1 F2 F3 F4" {
				t.Errorf("order: %s", got)
			}
			p.Run(chromedp.Click(in(4, "[value=accept]")))
			says(4, "Enter your name")
			p.wait("document.activeElement.id === 'by'")
			p.Run(chromedp.SendKeys("#by", "Anna"), chromedp.Click(in(4, "[value=accept]")))
			says(4, "accepted by Anna on 20")
			p.Run(chromedp.Click(in(1, "[value=reject]")))
			says(1, "Enter a reason")
			p.wait("document.activeElement.tagName === 'TEXTAREA'")
			p.Barriers()
			p.Run(chromedp.SendKeys(in(1, "textarea"), "capped <b>elsewhere</b>"), chromedp.Focus(in(1, "[value=reject]")), chromedp.KeyEvent("\r"))
			says(1, ": capped <b>elsewhere</b>")
			p.wait("!document.querySelector('#findings > li .body').checkVisibility()") // folded
			p.Run(chromedp.KeyEvent("\r"))                                              // on its title
			p.wait("document.querySelector('#findings > li [value=reopen]').checkVisibility()")
			p.Run(chromedp.Click(in(2, "summary")), chromedp.SendKeys(in(2, "textarea"), "who are they?"), chromedp.Click(in(2, "[value=comment]")))
			says(2, "Anna commented: who are they?")
			p.Run(chromedp.Focus(in(3, "summary")), chromedp.KeyEvent("\r"), chromedp.SendKeys(in(3, ".assignee"), "Ben"), chromedp.Click(in(3, "[value=assign]")))
			says(3, "assigned to Ben")
			s.body(s.act("F2", `{"action":"reject","reason":"known","by":"Carl"}`), 200)
			p.Run(chromedp.Click(in(2, "[value=accept]")))
			says(2, "Nothing was done: finding has changed since it was shown.")
			says(2, "rejected by Carl")
			p.Run(chromedp.SendKeys("#decision", "rej"))
			p.wait("document.getElementById('shown').textContent === '2 of 4 findings shown'")
			p.Run(chromedp.Reload())
			p.wait(ended + " && document.getElementById('shown').textContent === '2 of 4 findings shown'")
			if got := names(); got != "F1 F2" {
				t.Errorf("filtered: %s", got)
			}
			for n, want := range map[int]string{1: "capped <b>elsewhere</b>", 2: "rejected by Carl", 3: "assigned to Ben", 4: "accepted by Anna"} {
				if got := p.list(in(n, ".decided"), "e.textContent"); !strings.Contains(got[0], want) {
					t.Errorf("after a reload, finding %d is %q", n, got)
				}
			}
			if name := p.list("#by", "e.value"); name[0] != "Anna" {
				t.Errorf("the name is %q", name)
			}
			p.Barriers()
			p.NoErrors()
		})
	}
}
