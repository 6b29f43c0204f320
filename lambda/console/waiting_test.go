package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/console/login"
)

// Beyond a bound the page counts no further, orders the newest only, and says so.
func TestOnlyNewestAreRanked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenantA)
	s.exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at)
		SELECT gen_random_uuid(), $1, 'invoice', jsonb_build_object('number', 'N' || i, 'total', i || '.00'), 'failed', now() - i * interval '1 minute'
		FROM generate_series(1, 1001) AS i`, tenantA)
	s.exec(`INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens)
		SELECT $1, 'm', sha256(i::text::bytea), $1, '', 1, 1 FROM generate_series(1, 10001) AS i`, tenantA)
	c := s.as(everything(login.Viewer))
	c.page("/").want(t, "1,000 or more failed", "Only the latest 10,000 calls", "10,000 20,000 no price")
	a := c.page("/open?kind=failed")
	a.want(t, "Open 100 +", "failed 1,000 or more", "Only the newest 1,000 of each kind", "1000.00 failed")
	compare(t, "bounds", a, c.page("/").part(t, `<section aria-labelledby="people">`, "<section"), c.page("/").part(t, `<section aria-labelledby="cost">`, "</section>"))
	if strings.Contains(a.text(), "1001.00") {
		t.Errorf("one that is older than the newest 1,000 is listed: %s", a.text())
	}
	s.exec(`INSERT INTO ingestion (id, tenant_id, document_id, needs_human_review, file_path, created_at)
		SELECT id, tenant_id, id, true, 'a.pdf', now() FROM document LIMIT 1`) // of a kind with a few
	c.page("/open").want(t, "failed 1,000 or more file 1", "Only the newest 1,000 of each kind")
	c.page("/todo").want(t, "Testers 0 0 0 100 or more 1 0 0 0 0")
	s.exec("DELETE FROM document WHERE structured_data ->> 'number' IN ('N1', 'N1001')")
	if a := c.page("/open"); strings.Contains(a.text(), "or more") || strings.Contains(a.text(), "Only the newest") {
		t.Errorf("a bound is named that was not met: %s", a.text())
	}
}

var (
	nextPage = regexp.MustCompile(`rel="next" href="([^"]+)"`)
	pairs    = regexp.MustCompile(`href="(/pairs/[^"]+)"`)
	later    = regexp.MustCompile(`<a class="button" href="([^"]+)">Later</a>`)
	behind   = regexp.MustCompile(`<a href="([^"]+)">Next question</a>`)
	numbers  = regexp.MustCompile(`invoice (N[0-9]+)`)
)

// link is the address of a link that a page must have.
func (a answer) link(t testing.TB, form *regexp.Regexp) string {
	t.Helper()
	found := form.FindStringSubmatch(a.body)
	if found == nil {
		t.Fatalf("%s: no link like %s in\n%s", a.path, form, a.text())
	}
	return strings.ReplaceAll(found[1], "&amp;", "&")
}

// The pages of the list have each thing once, the most valuable first, also where one
// before the next page is done meanwhile. Equal and missing totals do not matter.
func TestOpenPagination(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenantA)
	s.exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at)
		SELECT gen_random_uuid(), $1, 'invoice', jsonb_build_object('number', 'N' || i, 'total', CASE WHEN i <= 60 THEN 100 - i / 20 END),
			'failed', now() - i / 7 * interval '1 minute' FROM generate_series(1, 70) AS i`, tenantA)
	want := found[[]string](s, `SELECT array_agg(structured_data ->> 'number' ORDER BY (structured_data ->> 'total')::integer DESC NULLS LAST,
		matching_failed_at, id) FROM document`)
	c := s.as(everything(login.Viewer))
	a := c.page("/open?kind=failed")
	var got []string
	for range 3 {
		for _, n := range numbers.FindAllStringSubmatch(a.text(), -1) {
			got = append(got, n[1])
		}
		s.exec("UPDATE document SET matching_status = 'succeeded', matching_failed_at = NULL WHERE structured_data ->> 'number' = $1", got[len(got)-1])
		if len(got) < len(want) {
			a = c.page(a.link(t, nextPage))
			a.want(t, "First page")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if nextPage.MatchString(a.body) {
		t.Error("the last page has a next one")
	}
	for n, full := range map[int]int{25: 25, 26: 25, 50: 50, 51: 50} { // a full page
		s.exec("UPDATE document SET matching_status = 'succeeded', matching_failed_at = NULL")
		s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE id IN (SELECT id FROM document LIMIT $1)", n)
		paths := map[int][]string{25: {"/open?kind=failed", "/todo?kind=failed"}, 50: {"/documents?state=failed"}}[full]
		for _, path := range paths {
			if got := nextPage.MatchString(c.page(path).body); got != (n > full) {
				t.Errorf("%d things on %s: a next page: %t", n, path, got)
			}
		}
	}
	for _, after := range []string{"x", "failed_1_1_1", "failed_1e9_1_" + tenantA.String() + "_" + tenantA.String(),
		"other_1_1_" + tenantA.String() + "_" + tenantA.String(), "failed_1_9e99_" + tenantA.String() + "_" + tenantA.String()} {
		for _, path := range []string{"/open?after=", "/open/next?after=", "/pairs/" + tenantA.String() + "/" + tenantA.String() + "?from="} {
			if a := c.get(path + after); a.code != http.StatusNotFound {
				t.Errorf("%s%s: %d", path, after, a.code)
			}
		}
	}
}

// questions are the addresses of the open questions, in the order of the list.
func (c *client) questions() (paths []string) {
	c.t.Helper()
	for _, p := range pairs.FindAllStringSubmatch(c.page("/open?kind=question").body, -1) {
		paths = append(paths, p[1])
	}
	return paths
}

// Later and a decision lead to the next question of the list, and the last one to the
// list.
func TestNextQuestion(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	// With such evidence, and no sure match, no question is folded.
	s.exec(`UPDATE match_suggestion SET evidence = '[{"name": "adds-up"}]'`)
	s.exec("UPDATE document_match SET confidence = 'medium'")
	c := s.as(everything(login.Operator))
	want := c.questions()
	if len(want) != 7 {
		t.Fatalf("%d questions, want 7", len(want))
	}
	a := c.page(want[0])
	for i, path := range want {
		if a.path != path {
			t.Errorf("question %d is %s, want %s", i, a.path, path)
		}
		a = c.page(a.link(t, later))
	}
	if !strings.HasPrefix(a.path, "/open?kind=question") {
		t.Errorf("the last question leads to %s", a.path)
	}
	// A pair that was found elsewhere leads to the first question, or to the second one.
	for i := range 2 {
		path, _, _ := strings.Cut(want[2*i], "?")
		if next := c.page(c.page(path).link(t, later)); next.path != want[(1-i)] {
			t.Errorf("behind %s is %s, want %s", path, next.path, want[1-i])
		}
	}
	// A decision can answer other questions as well.
	path, _, _ := strings.Cut(want[3], "?")
	decided := c.do(http.MethodPost, path, with(c.page(want[3]).form(t, path), "verdict", "rejected"))
	left := c.questions()
	worth := func(path string) (w float64) {
		_, after, _ := strings.Cut(path, "from=question_")
		_, _ = fmt.Sscanf(after, "%f", &w)
		return w
	}
	first := slices.IndexFunc(left, func(p string) bool { return worth(p) <= worth(want[3]) }) // one may be worth less now
	if next := c.page(decided.link(t, behind)); first < 1 || next.path != left[first] {
		t.Errorf("behind the decision is %s, want %d of %q", next.path, first, left)
	}
}
