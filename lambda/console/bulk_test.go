package console_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/console/login"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

var tickForm = regexp.MustCompile(`name="tick" form="many" value="([^"]+)"`)

// many is the filled form of a list, with everything ticked.
func (c *client) many(kind string, fields url.Values) url.Values {
	c.t.Helper()
	page := c.page("/open?all=1&tenant=" + tenantA.String() + "&kind=" + kind)
	form := page.form(c.t, "/open?tenant="+tenantA.String())
	for _, tick := range tickForm.FindAllStringSubmatch(page.body, -1) {
		form.Add("tick", tick[1])
	}
	maps.Copy(form, fields)
	return form
}

// apart returns the first tick and the next one about other documents, because an answer can
// answer other questions about its documents.
func apart(ticks []string) []string {
	for _, other := range ticks[1:] {
		if !strings.Contains(ticks[0], other[:36]) && (strings.Contains(other[37:73], "00000000-0000") || !strings.Contains(ticks[0], other[37:73])) {
			return []string{ticks[0], other}
		}
	}
	return nil
}

// waits fills a sample with warnings, failed documents and files, next to its questions.
func (s *site) waits() {
	s.exec(`INSERT INTO document_warning (tenant_id, document_id, kind, other_document_id, words, created_at, facts)
		SELECT tenant_id, document_a_id, 'billed-twice', document_b_id, 'Twice.', now(), 'f_1' FROM match_suggestion AS m
		WHERE tenant_id = $1 AND NOT EXISTS (SELECT FROM match_suggestion AS s WHERE s.document_a_id = m.document_a_id AND s.document_b_id < m.document_b_id)
		ORDER BY document_a_id, document_b_id LIMIT 3`, tenantA)
	s.exec(`UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE id IN (
		SELECT id FROM document WHERE tenant_id = $1 ORDER BY id LIMIT 2)`, tenantA)
	s.exec(`INSERT INTO ingestion (id, tenant_id, document_id, needs_human_review, file_path, job_status, created_at)
		SELECT id, tenant_id, id, true, id || '.pdf', 'succeeded', now() FROM document WHERE tenant_id = $1 ORDER BY id LIMIT 2`, tenantA)
}

var manyKinds = map[string]struct {
	fields url.Values
	stored string // what two actions leave
}{
	"question": {url.Values{"do": {"rejected"}, "reason": {"by phone"}}, "SELECT count(*)::int FROM decision WHERE (decided_by, note) = ('Paula', 'by phone')"},
	"warning": {url.Values{"do": {"settle"}, "verdict": {"is-no-copy"}, "reason": {"by phone"}},
		"SELECT count(*)::int FROM warning_settled WHERE (settled_by, verdict, reason, facts) = ('Paula', 'is-no-copy', 'by phone', 'f_1')"},
	"failed": {url.Values{"do": {"match"}, "reason": {"by phone"}}, "SELECT count(*)::int FROM document_action WHERE (acted_by, reason) = ('Paula', 'by phone')"},
	"file":   {url.Values{"do": {"read"}, "reason": {"by phone"}}, "SELECT count(*)::int FROM file_action WHERE (kind, acted_by, reason) = ('read', 'Paula', 'by phone')"},
}

// Everything ticked is done once, however often the form is sent.
func TestBulkActsOnce(t *testing.T) {
	t.Parallel()
	for kind, k := range manyKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			s.t = t
			s.waits()
			s.exec(`INSERT INTO document_warning SELECT tenant_id, document_id, 'account-changed', other_document_id, 'Another account.', now(), 'f_3' FROM document_warning`)
			s.sent = &outbox{}
			c := s.as(everything(login.Operator))
			open := c.page("/open?all=1&kind=" + kind)
			form := c.many(kind, k.fields)
			form["tick"] = apart(form["tick"])
			var clicks sync.WaitGroup
			for range 3 {
				clicks.Go(func() {
					if a := c.do(http.MethodPost, "/open?tenant="+tenantA.String(), form); a.code != http.StatusOK || !strings.Contains(a.text(), "Done: 2.") {
						t.Errorf("%d %s", a.code, a.text())
					}
				})
			}
			clicks.Wait()
			if n := found[int](s, k.stored); n != 2 {
				t.Errorf("%d stored", n)
			}
			compare(t, "open-"+kind, open, c.page("/open.csv?all=1&kind="+kind), s.stored("decision", "warning_settled", "document_action", "file_action"))
			if kind == "failed" && len(s.sent.ids) != 2 {
				t.Errorf("%d messages, want 2", len(s.sent.ids))
			}
		})
	}
}

// What has changed since the list was opened is left alone, and the rest is done.
func TestBulkLeavesStale(t *testing.T) {
	t.Parallel()
	for kind, k := range manyKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			s.t = t
			s.waits()
			c := s.as(everything(login.Operator))
			form := c.many(kind, k.fields)
			form["tick"] = apart(form["tick"])
			id, _, _ := strings.Cut(form["tick"][0], "_")
			s.exec("UPDATE document_warning SET facts = 'f2' WHERE document_id = $1 AND $1 || '_' || other_document_id || '_' = left($2, 74)", uuid.MustParse(id), form["tick"][0])
			s.exec("UPDATE document SET matching_error = 'other', matching_attempts = 9 WHERE id = $1", uuid.MustParse(id))
			s.exec("UPDATE match_suggestion SET score = score / 2 WHERE document_a_id || '_' || document_b_id || '_' = left($1, 74)", form["tick"][0])
			s.exec("UPDATE ingestion SET error = 'other', job_status = 'failed', failed_at = now() WHERE id = $1", uuid.MustParse(id))
			a := c.do(http.MethodPost, "/open", with(form, "tenant", tenantA.String()))
			a.want(t, "Done: 1. Left as they are, because they have changed or it can't be done: 1.")
			if n := found[int](s, k.stored); n != 1 {
				t.Errorf("%d stored", n)
			}
		})
	}
}

func TestBulkIsGuarded(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.waits()
	s.exec("INSERT INTO tenant VALUES ($1, 'Others') ON CONFLICT DO NOTHING", tenantB)
	path := "/open?tenant=" + tenantA.String()
	operator := s.as(everything(login.Operator))
	s.exec("UPDATE document SET structured_data = structured_data - 'total' WHERE matching_status = 'failed'")
	compare(t, "open", operator.page("/open"))
	stranger := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator})
	viewer := s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer, tenantB: login.Operator})
	for kind, k := range manyKinds {
		form := operator.many(kind, k.fields)
		changed := func(name string, values ...string) url.Values {
			other := maps.Clone(form)
			other[name] = values
			return other
		}
		before := s.rows() + found[string](s, "SELECT (SELECT count(*) FROM warning_settled) || '/' || (SELECT count(*) FROM file_action)")
		for _, refused := range []struct {
			by   *client
			path string
			form url.Values
			code int
		}{
			{stranger, path, form, http.StatusNotFound},
			{stranger, "/open?tenant=" + tenantB.String(), form, http.StatusNotFound},
			{operator, "/open?tenant=" + tenantB.String(), form, http.StatusNotFound},
			{viewer, path, form, http.StatusForbidden},
			{operator, path, changed("tick"), http.StatusBadRequest},
			{operator, path, changed("tick", "x"), http.StatusBadRequest},
			{operator, path, changed("tick", form["tick"][0][:74]), http.StatusBadRequest},
			{operator, path, changed("tick", form["tick"][0], uuid.NewString()+form["tick"][0][36:]), http.StatusNotFound},
			{operator, path, changed("tick", form["tick"][0][:37]+uuid.NewString()+form["tick"][0][73:]), http.StatusNotFound},
			{operator, path, changed("tick", slices.Repeat(form["tick"][:1], 26)...), http.StatusBadRequest},
			{operator, path, changed("do", "other"), http.StatusBadRequest},
			{operator, path, changed("form", "x"), http.StatusBadRequest},
			{operator, path, changed("kind", "review"), http.StatusBadRequest},
		} {
			if a := refused.by.do(http.MethodPost, refused.path, refused.form); a.code != refused.code {
				t.Errorf("%s: %v: %d, want %d", kind, refused.form, a.code, refused.code)
			}
		}
		if kind != "question" {
			operator.do(http.MethodPost, path, changed("reason", " ")).want(t, "Enter a reason.")
		}
		if kind == "warning" {
			again := operator.do(http.MethodPost, path, changed("verdict"))
			again.want(t, "Choose a verdict.")
			if n := strings.Count(again.body, `<option value="is-no-copy">`); n != 1 {
				t.Errorf("a verdict is offered %d times", n)
			}
		}
		if before != s.rows()+found[string](s, "SELECT (SELECT count(*) FROM warning_settled) || '/' || (SELECT count(*) FROM file_action)") {
			t.Errorf("%s: something changed", kind)
		}
		if a := viewer.page("/open?all=1&kind=" + kind + "&tenant=" + tenantA.String()); strings.Contains(a.body, `name="tick"`) {
			t.Errorf("%s: a viewer is offered actions", kind)
		}
	}
}

func TestBrowserActsOnMany(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s := newSample(t)
		s.t = t
		s.waits()
		c, p := s.as(everything(login.Operator)), s.serve(everything(login.Operator)).open(width)
		for kind, k := range manyKinds {
			p.visit("/open?all=1&kind=" + kind + "&tenant=" + tenantA.String())
			p.Barriers()
			p.fits()
			for _, tick := range apart(c.many(kind, nil)["tick"]) {
				p.Run(chromedp.Click(`[name="tick"][value="` + tick + `"]`))
			}
			p.Run(chromedp.SendKeys("#many [name=reason]", "by phone"))
			if kind == "warning" {
				p.Run(chromedp.SetValue("#many select", "is-no-copy"))
			}
			p.press(`#many button[value="` + k.fields.Get("do") + `"]`)
			p.want("Done: 2.")
			p.Barriers()
			if n := found[int](s, k.stored); n != 2 {
				t.Errorf("%s: %d stored", kind, n)
			}
		}
		p.visit("/documents/" + s.numbered("RE-2026-1187").String())
		p.want("billed before")
		p.holds("document.documentElement.scrollWidth <= innerWidth && !!document.querySelector('.compared')")
		p.Barriers()
		p.NoErrors()
	})
}
