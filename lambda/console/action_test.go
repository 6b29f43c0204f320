package console_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// form reads the hidden fields of the form of a page that is sent to a path.
func (a answer) form(t testing.TB, action string) url.Values {
	t.Helper()
	_, rest, ok := strings.Cut(a.body, `method="post" action="`+action+`"`)
	if !ok {
		t.Fatalf("no form for %s in\n%s", action, a.text())
	}
	rest, _, _ = strings.Cut(rest, "</form>")
	values := url.Values{}
	for _, field := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(rest, -1) {
		values.Set(field[1], field[2])
	}
	return values
}

// with adds a field.
func with(form url.Values, name, value string) url.Values {
	form.Set(name, value)
	return form
}

// rows lists everything that an action may change.
func (s *site) rows() string {
	s.t.Helper()
	return found[string](s, `SELECT (SELECT count(*) || md5(coalesce(string_agg(d::text, '' ORDER BY id), '')) FROM document AS d)
		|| (SELECT count(*) || md5(coalesce(string_agg(m::text, '' ORDER BY document_a_id, document_b_id), '')) FROM document_match AS m)
		|| (SELECT md5(coalesce(string_agg(p::text, '' ORDER BY document_a_id, document_b_id), '')) FROM match_pair AS p)
		|| (SELECT count(*) FROM decision) || '/' || (SELECT count(*) FROM document_action)`)
}

func TestPairDecision(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	order, invoice := s.numbered("4500000136"), s.numbered("26-0418")
	path := "/pairs/" + order.String() + "/" + invoice.String()
	c := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator})
	answers := []answer{c.page(path + "?from=question_1.00_1_" + order.String() + "_" + invoice.String())}
	decide := func(verdict, note, want string) {
		t.Helper()
		form := with(with(c.page(path).form(t, path), "verdict", verdict), "note", note)
		a := c.do(http.MethodPost, path, form)
		answers = append(answers, a.part(t, "<h1>", "<section"))
		if a.code != http.StatusOK || a.path != path+"?done="+verdict || !strings.Contains(a.text(), want) {
			t.Fatalf("%s: %d %s %s", verdict, a.code, a.path, a.text())
		}
	}
	decide("confirmed", "seen <b>the</b> goods", "Matched: a person confirmed it.")
	decide("rejected", "", "No match: a person rejected it.")
	decide("withdrawn", "", "Undecided: it needs 7 more points")
	compare(t, "pair", append(answers, s.stored("decision"))...)
	if got := found[[]string](s, "SELECT array_agg(concat_ws(' ', verdict, decided_by, origin, note) ORDER BY id) FROM decision"); !slices.Equal(got,
		[]string{"confirmed Paula console seen <b>the</b> goods", "rejected Paula console ", "withdrawn Paula console "}) {
		t.Errorf("decisions: %q", got)
	}
	c.page("/documents/"+order.String()).want(t, "Paula confirmed the match with "+invoice.String()+": seen <b>the</b> goods", "Paula withdrew the verdict about")
}

// A double click decides once, and a form from before another decision is refused.
func TestStaleOrRepeatedForms(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	path := "/pairs/" + s.numbered("4500000136").String() + "/" + s.numbered("26-0418").String()
	c := s.as(everything(login.Operator))
	old := with(c.page(path).form(t, path), "verdict", "confirmed")
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(func() {
			if a := c.do(http.MethodPost, path, old); a.code != http.StatusOK {
				t.Errorf("%d %s", a.code, a.text())
			}
		})
	}
	clicks.Wait()
	if n := found[int](s, "SELECT count(*) FROM decision"); n != 1 {
		t.Errorf("%d decisions", n)
	}
	before := s.rows()
	if a := c.do(http.MethodPost, path, with(old, "verdict", "rejected")); a.code != http.StatusConflict ||
		!strings.Contains(a.text(), "Nothing was decided") || !strings.Contains(a.text(), "Matched: a person confirmed it.") {
		t.Errorf("a stale page: %d %s", a.code, a.text())
	}
	if s.rows() != before {
		t.Error("a stale page changed something")
	}
}

func TestMatchAgain(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	id := s.numbered("4500000101")
	s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = 'out of time' WHERE id = $1", id)
	page, path := "/documents/"+id.String(), "/documents/"+id.String()+"/match"
	c := s.as(everything(login.Operator))
	form, other := with(c.page(page).form(t, path), "reason", "the model is back"), with(c.page(page).form(t, path), "reason", "the same")
	if a := c.do(http.MethodPost, path, with(c.page(page).form(t, path), "reason", " \u0007")); a.code != http.StatusBadRequest {
		t.Errorf("without a reason: %d", a.code)
	}
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(func() {
			if a := c.do(http.MethodPost, path, form); a.code != http.StatusOK || !strings.Contains(a.text(), "will be matched again") {
				t.Errorf("%d %s", a.code, a.text())
			}
		})
	}
	clicks.Wait()
	if a := c.do(http.MethodPost, path, other); a.code != http.StatusConflict || !strings.Contains(a.text(), "Nothing was done") {
		t.Errorf("a stale page: %d %s", a.code, a.text())
	}
	if got := found[string](s, "SELECT string_agg(acted_by || ': ' || reason, ', ') FROM document_action WHERE document_id = $1", id); got != "Paula: the model is back" {
		t.Errorf("actions: %s", got)
	}
	if got := found[string](s, "SELECT matching_status FROM document WHERE id = $1", id); got != "pending" {
		t.Errorf("state: %s", got)
	}
	s.match(id)
	c.page(page).want(t, "succeeded", "Paula had it matched again: the model is back")
}

// outbox keeps the ids of the messages that are sent.
type outbox struct {
	mu     sync.Mutex
	ids    []string
	broken error
}

func (o *outbox) Send(_ context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range messages {
		o.ids = append(o.ids, m.ID.String())
	}
	return nil, o.broken
}

// What an action publishes has its message at once; without one the sweep sends it.
func TestActionsEnqueue(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.sent = &outbox{}
	c := s.as(everything(login.Operator))
	wantSent := func(what string) {
		t.Helper()
		slices.Sort(s.sent.ids)
		want := found[[]string](s, "SELECT coalesce(array_agg(id::text ORDER BY id::text), '{}') FROM document WHERE matching_status = 'pending'")
		if len(want) == 0 || !slices.Equal(s.sent.ids, want) {
			t.Errorf("%s: sent %v, published %v", what, s.sent.ids, want)
		}
		s.exec("UPDATE document SET matching_status = 'succeeded', matching_due_at = NULL")
		s.sent.ids = nil
	}
	only := found[string](s, `SELECT min(document_a_id::text) || '/' || min(document_b_id::text) FROM matchbook_match
		GROUP BY document_b_id HAVING count(*) = 1 ORDER BY document_b_id LIMIT 1`)
	pair := "/pairs/" + only
	c.do(http.MethodPost, pair, with(c.page(pair).form(t, pair), "verdict", "rejected"))
	wantSent("a rejected match")
	page := "/documents/" + s.numbered("4500000101").String()
	again := func() answer {
		return c.do(http.MethodPost, page+"/match", with(c.page(page).form(t, page+"/match"), "reason", "why not"))
	}
	again()
	wantSent("a document")
	s.sent.broken = errors.New("PLANTED")
	if a := again(); a.code != http.StatusOK || !strings.Contains(a.text(), "will be matched again") {
		t.Errorf("without a queue: %d %s", a.code, a.text())
	}
	if log := s.logs.String(); !strings.Contains(log, "enqueue failed") || strings.Contains(log, "PLANTED") {
		t.Errorf("logged %s", log)
	}
}

// On every path and method, another tenant's ids have the answer of ids that do not
// exist, and nothing changes. A viewer of the tenant may not act, and an operator by
// forms of this site only.
func TestOnlyOperatorActs(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	ids := found[[]uuid.UUID](s, "SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM document WHERE tenant_id = $1 ORDER BY id LIMIT 2) AS few", tenantA)
	pair, again := "/pairs/"+ids[0].String()+"/"+ids[1].String(), "/documents/"+ids[0].String()+"/match"
	operator := s.as(everything(login.Operator))
	decision := with(operator.page(pair).form(t, pair), "verdict", "confirmed")
	order := with(operator.page("/documents/"+ids[0].String()).form(t, again), "reason", "why not")
	before := s.rows()
	stranger, viewer := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator}), s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer, tenantB: login.Operator})
	missing := stranger.get("/documents/" + uuid.NewString())
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		for path, form := range map[string]url.Values{pair: decision, again: order, "/documents/" + ids[0].String(): order,
			pair + "?tenant=" + tenantB.String(): decision, again + "?tenant=" + tenantB.String(): order} {
			if a := stranger.do(method, path, form); a.code != http.StatusNotFound || a.body != missing.body {
				t.Errorf("%s %s of another tenant: %d", method, path, a.code)
			}
		}
	}
	for path, form := range map[string]url.Values{pair: decision, again: order} {
		if a := viewer.do(http.MethodPost, path, form); a.code != http.StatusForbidden {
			t.Errorf("%s by a viewer: %d", path, a.code)
		}
	}
	for _, path := range []string{pair, "/documents/" + ids[0].String()} {
		if a := viewer.page(path); strings.Contains(a.body, `action="`+path) || strings.Contains(a.body, "Match again") {
			t.Errorf("%s: a viewer is offered actions", path)
		}
	}
	for path, form := range map[string]url.Values{pair: {"verdict": {"x"}, "seen": {"x"}}, pair + "?": {"verdict": {"confirmed"}}, again: {"form": {"x"}, "reason": {"x"}}} {
		if a := operator.do(http.MethodPost, path, form); a.code != http.StatusBadRequest {
			t.Errorf("%s with %v: %d", path, form, a.code)
		}
	}
	for path, form := range map[string]url.Values{pair: decision, again: order} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			operator.do(method, path+"?"+form.Encode(), form)
		}
		if a := operator.do(http.MethodPost, path, with(maps.Clone(form), "note", strings.Repeat("x", 64<<10))); a.code != http.StatusBadRequest {
			t.Errorf("%s with a large form: %d", path, a.code)
		}
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, operator.base+path, strings.NewReader(form.Encode())))(t)
		r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"cross-site"}}
		refused, err := operator.Do(r)
		must.OK(t, err)
		if refused.Body.Close(); refused.StatusCode != http.StatusForbidden {
			t.Errorf("%s from another site: %d", path, refused.StatusCode)
		}
	}
	if s.rows() != before {
		t.Error("something changed")
	}
	if logged := s.logs.String(); logged != "" {
		t.Errorf("logged: %s", logged)
	}
}

func TestSettleWarning(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	order, invoice := s.numbered("4500000136"), s.numbered("26-0418")
	s.exec("INSERT INTO document_warning VALUES ($1, $2, 'over-billed', $3, 'Too much.', now(), 'f1')", tenantA, invoice, order)
	page, path := "/documents/"+invoice.String(), "/documents/"+invoice.String()+"/settle/"+order.String()
	c := s.as(everything(login.Operator))
	if a := c.do(http.MethodPost, path, with(c.page(page).form(t, path), "reason", "agreed")); a.code != http.StatusBadRequest {
		t.Errorf("without a verdict: %d %s", a.code, a.text())
	}
	if a := c.do(http.MethodPost, path, with(with(c.page(page).form(t, path), "reason", "agreed"), "verdict", "is-a-copy")); a.code != http.StatusConflict {
		t.Errorf("with the verdict of another kind: %d %s", a.code, a.text())
	}
	warned, about := c.page(page), c.page("/documents/"+order.String())
	form := with(warned.form(t, path), "verdict", "excess-agreed")
	if a := c.do(http.MethodPost, path, form); a.code != http.StatusConflict || !strings.Contains(a.text(), "missing reason") {
		t.Errorf("without a reason: %d %s", a.code, a.text())
	}
	stale := with(with(c.page(page).form(t, path), "reason", "agreed"), "verdict", "excess-agreed")
	stale.Set("facts", "f0")
	if a := c.do(http.MethodPost, path, stale); a.code != http.StatusConflict {
		t.Errorf("with other facts: %d %s", a.code, a.text())
	}
	stale.Set("facts", "")
	if a := c.do(http.MethodPost, path, stale); a.code != http.StatusBadRequest {
		t.Errorf("without facts: %d %s", a.code, a.text())
	}
	if a := s.as(everything(login.Viewer)).do(http.MethodPost, path, with(form, "reason", "agreed")); a.code != http.StatusForbidden {
		t.Errorf("by a viewer: %d", a.code)
	}
	c.page("/?tenant="+tenantA.String()).want(t, "1 warning")
	if a := c.do(http.MethodPost, path, with(form, "reason", "agreed")); a.code != http.StatusOK || !strings.Contains(a.text(), "Settled by Paula on") {
		t.Errorf("settled: %d %s", a.code, a.text())
	}
	settled := c.page(page)
	settled.want(t, "Paula settled the warning over-billed with "+order.String()+": excess agreed, agreed")
	const section = `<section aria-labelledby="warnings">`
	compare(t, "warnings", warned.part(t, section, "</section>"), about.part(t, section, "</section>"), settled.part(t, section, "</section>"), s.stored("warning_settled"))
	c.page("/?tenant="+tenantA.String()).want(t, "0 warnings")
}
