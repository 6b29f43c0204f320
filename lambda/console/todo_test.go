package console_test

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/browser"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

const notes = "SELECT coalesce(string_agg(concat_ws(' ', kind, written_by, text), ', ' ORDER BY id), '') FROM desk_note"

// What waits is counted by tenant, for the tenants of the person only, and in the navigation.
func TestToDo(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.waits()
	s.exec("UPDATE tenant SET name = CASE id WHEN $1 THEN 'Nimmerholz' ELSE 'Siebenschläfer' END", tenantA)
	s.exec("INSERT INTO tenant SELECT md5(i::text)::uuid, 'Z' || to_char(i, 'FM00') FROM generate_series(1, 14) AS i")
	s.exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE tenant_id = $1", tenantB)
	s.exec(`INSERT INTO offer_user (id, tenant_id, timezone) VALUES ($1, $2, 'UTC')`, user(1), tenantA)
	s.exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, job_status, failed_at)
		VALUES (gen_random_uuid(), $2, '2026-03-02', 'UTC', $1, now(), now(), 'failed', now())`, user(1), tenantA)
	failed := found[int](s, "SELECT count(*) FROM document WHERE tenant_id = $1", tenantB)
	all := s.as(everything(login.Viewer)).page("/todo")
	all.want(t, "tenant yours question warning failed file review invoice invoices to settle failed offers", "Nimmerholz 0 3 3 2 2 0 0 6 1",
		fmt.Sprintf("Siebenschläfer 0 4 0 %d 0 0 0 9 0", failed), "Z13", "More tenants")
	if strings.Contains(all.text(), "Z14 0 0") {
		t.Error("too many tenants")
	}
	second := s.as(everything(login.Viewer)).page("/todo?page=1")
	second.want(t, "Z14 0 0", "Previous tenants")
	compare(t, "todo-tenants", all, second)
	some := s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer})
	if text := some.page("/todo").text(); strings.Contains(text, "Siebenschläfer") || strings.Contains(text, "Z01") || !strings.Contains(text, "Nimmerholz 0 3") {
		t.Errorf("to do: %s", text)
	}
	some.page("/documents").want(t, "Open 10 Invoices 6 Tolerances Offers 1")
	both := s.as(map[uuid.UUID]login.Role{uuid.Nil: login.Viewer, tenantA: login.Operator})
	both.page("/todo").want(t, "Nimmerholz 0 3", "Siebenschläfer 0 4", "Z13")
	s.exec("DELETE FROM tenant WHERE name = 'Z14'")
	if both.page("/todo").want(t, "Z13"); strings.Contains(both.page("/todo").text(), "More tenants") {
		t.Error("an empty page follows")
	}
	for _, page := range []string{"x", "-1", "201"} {
		if a := some.get("/todo?page=" + page); a.code != http.StatusNotFound {
			t.Errorf("page %s: %d", page, a.code)
		}
	}
}

// Everything to do is listed once, the oldest first, over the tenants of the person only, and the
// address has the filter.
func TestToDoList(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.waits()
	s.exec("UPDATE tenant SET name = CASE id WHEN $1 THEN 'Nimmerholz' ELSE 'Siebenschläfer' END", tenantA)
	s.exec("INSERT INTO offer_user (id, tenant_id, timezone, profile) VALUES ($1, $2, 'UTC', '{\"name\": \"Ada\"}')", user(1), tenantB)
	s.exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, job_status, failed_at)
		VALUES ($1, $2, '2026-03-02', 'UTC', $1, now(), now(), 'failed', '2026-01-02')`, user(1), tenantB)
	s.exec("UPDATE document_warning SET created_at = '2026-01-01'")                              // alike: their ids tell them apart
	s.exec("UPDATE match_suggestion SET created_at = '2026-01-03 00:00:00.000001'::timestamptz") // between microseconds, too
	s.exec("UPDATE three_way_match SET created_at = '2026-01-02'")
	s.exec("INSERT INTO desk_assignment SELECT document_id, tenant_id, 'Ben & Co' FROM document_warning LIMIT 1")
	c := s.as(everything(login.Viewer))
	seen, kinds := map[string]bool{}, []string{}
	for path := "/todo"; path != ""; {
		page := c.page(path)
		for _, row := range todoRow.FindAllStringSubmatch(page.body, -1) {
			if seen[row[0]] {
				t.Errorf("twice: %s", row[0])
			}
			if want := cmp.Or(map[string]string{"question": "/pairs/", "offers": "/offers/"}[row[2]], "/documents/"); !strings.HasPrefix(row[1], want) {
				t.Errorf("a %s leads to %s", row[2], row[1])
			}
			if seen[row[0]] = true; len(kinds) == 0 || kinds[len(kinds)-1] != row[2] {
				kinds = append(kinds, row[2])
			}
		}
		if counted := strings.Contains(page.text(), "yours question"); counted != (path == "/todo") || counted == strings.Contains(page.text(), "First page") {
			t.Errorf("%s: %s", path, page.text())
		}
		path = ""
		if _, next, ok := strings.Cut(page.body, `rel="next" href="`); ok {
			next, _, _ = strings.Cut(next, `"`)
			path = html.UnescapeString(next)
		}
	}
	// 3 warnings, 15 invoices and a job, 7 questions, then what fails and waits in the sample
	if want := "[warning offers settle question failed file]"; fmt.Sprint(kinds) != want || len(seen) != 3+1+15+7+2+2 {
		t.Errorf("%d things, %v; want %s", len(seen), kinds, want)
	}
	c.page("/todo").want(t, "invoice 260388 of Kartonagen Faltenreich GmbH settle 2026-01-02 00:00 Nimmerholz not received",
		"offers of 2026-03-02 for Ada offers 2026-01-02 00:00 Siebenschläfer")
	rows := func(c *client, filter string) string {
		n := map[string]int{}
		for _, row := range todoRow.FindAllStringSubmatch(c.page("/todo?"+filter).body, -1) {
			n[row[2]]++
		}
		return fmt.Sprint(n)
	}
	mine := s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer})
	for _, tc := range []struct {
		of           *client
		filter, want string
	}{
		{c, "kind=question", "map[question:7]"}, {c, "kind=question&tenant=" + tenantA.String(), "map[question:3]"},
		{c, "assigned=Ben+%26+Co", "map[warning:1]"}, {c, "assigned=Paula", "map[]"}, {c, "kind=offers&tenant=" + tenantA.String(), "map[]"},
		{mine, "", "map[failed:2 file:2 question:3 settle:6 warning:3]"},
	} {
		if got := rows(tc.of, tc.filter); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.filter, got, tc.want)
		}
	}
	if text := mine.page("/todo").text(); strings.Contains(text, "Siebenschläfer") || strings.Contains(text, "Ada") {
		t.Errorf("another tenant is listed: %s", text)
	}
	filter := "assigned=Ben+%26+Co&kind=warning&tenant="
	filter += found[uuid.UUID](s, "SELECT tenant_id FROM desk_assignment").String()
	if a := c.page("/todo?" + filter); !strings.Contains(html.UnescapeString(a.body), `href="/todo.csv?`+filter+`"`) {
		t.Errorf("the filter %s is lost in %s", filter, a.body)
	}
	if a := c.page("/todo.csv?" + filter); strings.Count(a.body, ",Ben & Co,") != 1 {
		t.Errorf("the sheet: %s", a.body)
	}
	sheet := c.page("/todo.csv?kind=question").body
	if n := strings.Count(sheet, ",question,"); n != 7 || !strings.Contains(sheet, "\n2026-01-03T00:00:00Z,question,Nimmerholz,") {
		t.Errorf("%d rows in %s", n, sheet)
	}
	for _, row := range c.sheet("/todo.csv?kind=question")[1:] {
		if !strings.Contains(row[3], " and ") {
			t.Errorf("a question about %s alone", row[3])
		}
	}
	compare(t, "todo", c.page("/todo"), c.page("/todo?"+filter), c.page("/todo.csv?"+filter), c.page("/todo.csv?kind=question&tenant="+tenantA.String()), c.page("/todo.csv?kind=offers"))
	c.page("/todo?page=200")
	for _, path := range []string{"/todo?page=x", "/todo?page=-1", "/todo?page=201"} {
		c.get(path)
	}
	for _, unknown := range []string{"kind=x", "after=x", "tenant=x", "tenant=" + tenantB.String()} {
		for _, path := range []string{"/todo?", "/todo.csv?"} {
			if a := mine.get(path + unknown); a.code != http.StatusNotFound {
				t.Errorf("%s%s: %d", path, unknown, a.code)
			}
		}
	}
}

// todoRow is a row of the list, with its address and kind.
var todoRow = regexp.MustCompile(`<tr><th scope="row"><a href="(/(?:documents|pairs|offers)/[^"]+)">.*?</th><td>([a-z]+)`)

func TestNotes(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.waits()
	id := s.numbered("4500000101").String()
	page, path := "/documents/"+id, "/documents/"+id+"/note"
	c := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator, tenantB: login.Viewer})
	say := with(with(c.page(page).form(t, path), "do", "comment"), "text", "ask <b>Ben</b>")
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(func() { c.do(http.MethodPost, path, say).want(t, "The comment is stored.", "Paula: ask <b>Ben</b>") })
	}
	clicks.Wait()
	assign := func(to string) answer {
		return c.do(http.MethodPost, path, with(with(c.page(page).form(t, path), "do", "assign"), "assignee", to))
	}
	assign("Ben").want(t, "Assigned to Ben", "Paula assigned it to Ben")
	assign(" ").want(t, "Paula assigned it to nobody")
	if a := c.page(page); strings.Contains(a.text(), "Paula: Ben") {
		t.Error("an assignment is among the comments")
	}
	if n := found[int](s, "SELECT count(*) FROM desk_assignment"); n != 0 {
		t.Errorf("%d are assigned", n)
	}
	if a := c.page(page); strings.Contains(a.text(), "Assigned to Ben") {
		t.Error("it is still assigned")
	}
	old := with(with(c.page(page).form(t, path), "do", "assign"), "assignee", "Dora")
	c.do(http.MethodPost, path, old)
	assign("Cem")
	c.do(http.MethodPost, path, old).want(t, "Assigned to Cem", "Paula commented: ask <b>Ben</b>") // sent again, it takes nothing back
	without := maps.Clone(say)
	without.Del("form")
	other := "/documents/" + found[uuid.UUID](s, "SELECT id FROM document WHERE tenant_id = $1 LIMIT 1", tenantB).String() + "/note"
	for _, refused := range []struct {
		by   *client
		path string
		code int
	}{
		{s.as(map[uuid.UUID]login.Role{tenantB: login.Operator}), path, 404}, {c, other, 403}, {s.as(everything(login.Viewer)), path, 403},
	} {
		if a := refused.by.do(http.MethodPost, refused.path, say); a.code != refused.code {
			t.Errorf("%s: %d, want %d", refused.path, a.code, refused.code)
		}
	}
	for name, value := range map[string]string{"form": "x", "do": "delete", "text": " "} {
		if a := c.do(http.MethodPost, path, with(maps.Clone(say), name, value)); a.code != 400 {
			t.Errorf("with another %s: %d", name, a.code)
		}
	}
	compare(t, "notes", c.page(page), s.stored("desk_note", "desk_assignment"))
	if got := found[string](s, notes); got != "comment Paula ask <b>Ben</b>, assign Paula Ben, assign Paula , assign Paula Dora, assign Paula Cem" {
		t.Errorf("stored: %s", got)
	}
}

// Whatever waits is assigned in bulk, and the list of a person has only that.
func TestAssignsMany(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.waits()
	c := s.as(everything(login.Operator))
	form := c.many("warning", nil)
	form["tick"] = apart(form["tick"])
	with(with(form, "do", "assign"), "assignee", "Paula")
	for range 2 {
		c.do(http.MethodPost, "/open?tenant="+tenantA.String(), form).want(t, "Done: 2.", "assigned to Paula")
	}
	if got := found[string](s, notes); got != "assign Paula Paula, assign Paula Paula" {
		t.Errorf("stored: %s", got)
	}
	mine := c.page("/open?kind=warning&assigned=Paula")
	mine.want(t, "Assigned to Paula : show all", "warning 2")
	compare(t, "assigned", mine)
	if n := strings.Count(mine.body, `name="tick"`); n != 2 {
		t.Errorf("%d things are listed, want 2", n)
	}
	c.page("/open?kind=warning&assigned=Ben").want(t, "Nothing is waiting for people.")
	if sheet := c.page("/open.csv?kind=warning&assigned=Paula").body; strings.Count(sheet, "\nwarning,") != 2 {
		t.Errorf("the sheet: %s", sheet)
	}
	c.page("/todo").want(t, "10000000-0000-4000-8000-000000000001 2")
	// Each of a document's warnings has its own facts.
	s.exec(`INSERT INTO document_warning (tenant_id, document_id, kind, other_document_id, words, created_at, facts)
		SELECT tenant_id, document_id, kind, (SELECT id FROM document AS d WHERE d.tenant_id = w.tenant_id AND d.id NOT IN (document_id, other_document_id)
			ORDER BY id LIMIT 1), words, now(), 'f_2' FROM document_warning AS w ORDER BY document_id LIMIT 1`)
	if n := strings.Count(strings.Join(c.many("warning", nil)["tick"], " "), "_f_2"); n != 1 {
		t.Errorf("%d ticks have the facts of the one new warning", n)
	}
	kept := with(with(maps.Clone(form), "all", "1"), "assigned", "Paula")
	if a := c.do(http.MethodPost, "/open?tenant="+tenantA.String(), kept); !strings.Contains(a.path, "all=1&assigned=Paula&did=2&kind=warning&") {
		t.Errorf("it leads back to %s", a.path)
	}
	if a := c.do(http.MethodPost, "/open?tenant="+tenantA.String(), with(maps.Clone(form), "kind", "x")); a.code != 400 {
		t.Errorf("an unknown kind: %d", a.code)
	}
}

// Times are in the person's zone, and dates and numbers as their browser shows them.
func TestBrowserToDo(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s := newSample(t)
		s.t = t
		s.waits()
		s.exec("UPDATE document SET received_at = '2026-03-29 22:30Z'")
		p := s.serve(everything(login.Operator)).open(width)
		p.Run(browser.Place("de-DE", "Europe/Athens"))
		p.visit("/documents?q=1335.18")
		p.want("1.335,18", "30.03.2026, 01:30") // three hours ahead in summer
		p.holds(`[...document.querySelectorAll("tbody time")].every((t) => t.title === t.getAttribute("datetime")) &&
			document.querySelector("tbody td:nth-child(3) time").textContent === "12.03.2026"`)
		p.visit("/todo")
		p.Barriers()
		p.fits()
		p.Run(chromedp.SendKeys(".filter [name=kind]", "warning"))
		p.press(".filter button")
		p.want("billed-twice: Twice.")
		p.holds(`document.querySelectorAll(".documents tbody tr").length === 3 && location.search.includes("kind=warning")`)
		p.press(".documents tbody a")
		p.want("billed-twice")
		p.visit("/todo")
		p.press(`tbody a[href*="kind=failed"]`)
		p.Run(chromedp.Click(`[name="tick"]`))
		p.press("#many [value=assign]")
		p.want("Done: 1.", "assigned to Paula")
		p.Barriers()
		p.press(".items a")
		p.want("Assigned to Paula")
		p.Run(chromedp.SendKeys("[name=text]", "waits for the bank"))
		p.press("[value=comment]")
		p.want("waits for the bank")
		p.visit("/todo")
		p.press(`tbody a[href*="assigned="]`)
		p.holds("document.querySelectorAll('.items > li').length === 2 && document.body.innerText.includes('failed, since')")
		p.Barriers()
		p.NoErrors()
	})
}
