package console_test

import (
	"fmt"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

// user returns the id of a user of match offers.
func user(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("e0000000-0000-4000-8000-%012d", n)) }

// hobbies has the sets of a date of seven users: Ada to Cem share a hobby, also with Gil, whom Ada has
// blocked, Dora has another one, and the jobs of Eve and Finn failed, since their years of birth are words.
func hobbies(t testing.TB) (s *site, jobs map[string]uuid.UUID) {
	t.Helper()
	_, url := postgrestest.WithClock(t, postgrestest.URL(t), time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC))
	s = siteOver(t, url)
	s.exec("INSERT INTO tenant VALUES ($1, 'Players')", tenantA)
	for n, u := range [][2]string{{"Ada", `"interests": ["go"]`}, {"Ben", `"interests": ["go"]`}, {"Cem", `"interests": ["go"]`},
		{"Dora", `"interests": ["chess"]`}, {"Eve <b>", `"born": "long ago"`}, {"Finn", `"born": "lately"`}, {"Gil", `"interests": ["go"]`}} {
		s.exec("INSERT INTO offer_user (id, tenant_id, timezone, created_at, profile) VALUES ($1, $2, 'UTC', now(), $3::text::jsonb)",
			user(n+1), tenantA, fmt.Sprintf(`{"name": %q, %s}`, u[0], u[1]))
	}
	s.exec("INSERT INTO offer_feedback (tenant_id, user_id, candidate_id, answer, at) VALUES ($1, $2, $3, 'blocked', now())", tenantA, user(1), user(7))
	scheduler := offer.Scheduler{Store: offers.New(s.DB), Sender: &outbox{}, Log: slog.New(slog.DiscardHandler)}
	must.Get(scheduler.Run(t.Context()))(t)
	jobs = map[string]uuid.UUID{}
	for n, name := range []string{"Ada", "Ben", "Cem", "Dora", "Eve", "Finn", "Gil"} {
		jobs[name] = found[uuid.UUID](s, "SELECT id FROM matchmaking_job WHERE user_id = $1", user(n+1))
		s.compose(jobs[name])
	}
	return s, jobs
}

// compose works on a job as the function does.
func (s *site) compose(id uuid.UUID) {
	s.t.Helper()
	store := offers.New(s.DB)
	f := must.Get(store.Claim(s.t.Context(), []job.Delivery{{ID: id}}, time.Minute, false))(s.t)[0].Attempt
	work := offer.Offerer{Store: store, Rankings: &offer.Cache{Rosters: store}, Deliver: true}
	if err := job.Work(work.Offer).One(s.t.Context(), f); err != nil {
		must.Get(store.Release(s.t.Context(), f, job.Release{Status: job.StatusFailed, Reason: "born must be a whole number", Kind: "permanent", Delivery: 1}))(s.t)
	}
}

func TestOffersExplained(t *testing.T) {
	t.Parallel()
	s, jobs := hobbies(t)
	c := s.as(everything(login.Viewer))
	list := c.page("/offers")
	list.want(t, "Failed jobs: 2", "Eve <b> on 2026-03-29", "born must be a whole number", "Ada UTC 2026-03-29 09:00 completed")
	if strings.Contains(list.body, `name="tick"`) {
		t.Error("a viewer is offered actions")
	}
	c.page("/offers?date=2026-03-28").want(t, "No sets of that date.")
	one := c.page("/offers?date=2026-03-29&user=" + user(2).String())
	one.want(t, "Ben UTC")
	if strings.Contains(one.text(), "Ada UTC") {
		t.Error("another user is listed")
	}
	page := "/offers/" + jobs["Ada"].String()
	c.page(page).want(t, "Offers of 2026-03-29 for Ada completed", "Computed again from its roster: identical.", "offered: 3", "Ben rank ",
		"+1000 interests", "unreadable: 2", "born must be a whole number", "Eve <b>")
	c.page(page+"?candidate="+user(4).String()).want(t, "Dora rank 3")
	c.page(page+"?candidate="+user(9).String()).want(t, "unknown: 1", "not in the roster of the date")
	c.page("/offers/"+jobs["Eve"].String()).want(t, "failed", "born must be a whole number", "It cannot be computed")
	compare(t, "offers", list, one, c.page(page), c.page(page+"?candidate="+user(4).String()), c.page("/offers/"+jobs["Eve"].String()))
	s.exec("UPDATE offer_user SET preferences = '{}', active = false") // a set does not depend on what users are now
	c.page(page).want(t, "identical")
	s.exec("ALTER TABLE matchmaking_job DISABLE TRIGGER USER")
	s.exec("UPDATE matchmaking_job SET offers = jsonb_set(offers, '{0,score}', '7') WHERE id = $1", jobs["Ada"])
	c.page(page).want(t, "The stored set is not the one computed", "Cem , 7")
	s.exec("UPDATE matchmaking_job SET offers = NULL, job_status = 'pending' WHERE id = $1", jobs["Ben"])
	compare(t, "offers-differ", c.page(page), c.page("/offers/"+jobs["Ben"].String()), c.page("/offers?date=2026-03-28"), c.page("/offers?date=2026-03-28&user="+user(2).String()))
	for _, unknown := range []string{"/offers/" + user(1).String(), "/offers/x", page + "?candidate=x", "/offers?date=x", "/offers?date=2026-03-29&user=x",
		"/offers?after=x", "/offers?tenant=" + tenantB.String()} {
		if a := c.get(unknown); a.code != http.StatusNotFound {
			t.Errorf("%s: %d", unknown, a.code)
		}
	}
}

// However many users there are, each set is on one page, and a page has 50 candidates of a verdict.
func TestOfferPages(t *testing.T) {
	t.Parallel()
	s, jobs := hobbies(t)
	s.exec(`INSERT INTO offer_user (id, tenant_id, timezone, created_at, profile)
		SELECT ('f0000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, $1, 'UTC', now(), '{"born": "once"}' FROM generate_series(1, 60) AS i`, tenantA)
	s.exec("DELETE FROM matchmaking_job")
	s.exec("DELETE FROM offer_roster")
	s.exec("UPDATE offer_user SET through = NULL")
	scheduler := offer.Scheduler{Store: offers.New(s.DB), Sender: &outbox{}, Log: slog.New(slog.DiscardHandler)}
	must.Get(scheduler.Run(t.Context()))(t)
	c := s.as(everything(login.Viewer))
	first := c.page("/offers")
	_, next, _ := strings.Cut(first.body, `rel="next" href="`)
	next, _, _ = strings.Cut(next, `"`)
	second := c.page(html.UnescapeString(next))
	if a, b := strings.Count(first.body, "<tr>"), strings.Count(second.body, "<tr>"); a != 51 || b != 18 || strings.Contains(second.body, `rel="next"`) {
		t.Errorf("pages of %d and %d rows", a, b)
	}
	s.compose(jobs["Ada"])
	c.page("/offers/"+jobs["Ada"].String()).want(t, "unreadable: 62", "and 12 more: give the id")
	compare(t, "offer-pages", first, second, c.page("/offers/"+jobs["Ada"].String()))
}

func TestOffersRequeued(t *testing.T) {
	t.Parallel()
	s, jobs := hobbies(t)
	s.exec("INSERT INTO tenant VALUES ($1, 'Others')", tenantB)
	path := "/offers?tenant=" + tenantA.String()
	c := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator})
	page := c.page(path)
	form := with(with(page.form(t, path), "do", "requeue"), "reason", "try <b>again</b>")
	for _, tick := range tickForm.FindAllStringSubmatch(page.body, -1) {
		form.Add("tick", tick[1])
	}
	stranger, viewer := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator}), s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer, tenantB: login.Operator})
	without := func(name string) url.Values {
		other := maps.Clone(form)
		other.Del(name)
		return other
	}
	for _, refused := range []struct {
		by   *client
		path string
		form url.Values
		code int
	}{
		{stranger, path, form, 404}, {stranger, "/offers?tenant=" + tenantB.String(), form, 404}, {viewer, path, form, 403},
		{c, path, without("form"), 400}, {c, path, without("do"), 400}, {c, path, without("tick"), 400}, {c, path, without("reason"), 400},
		{c, "/open?tenant=" + tenantA.String(), with(maps.Clone(form), "kind", "offers"), 400},
	} {
		if a := refused.by.do(http.MethodPost, refused.path, refused.form); a.code != refused.code {
			t.Errorf("%s %v: %d, want %d", refused.path, refused.form, a.code, refused.code)
		}
	}
	stranger.page("/offers?tenant="+tenantB.String()).want(t, "Failed jobs: 0", "No sets of that date")
	if a := stranger.get("/offers/" + jobs["Ada"].String()); a.code != http.StatusNotFound {
		t.Errorf("a set of another tenant: %d", a.code)
	}
	must.Get(offers.New(s.DB).Publish(t.Context(), []uuid.UUID{jobs["Finn"]}))(t) // meanwhile, by a command
	s.compose(jobs["Finn"])
	var clicks sync.WaitGroup
	for range 3 {
		clicks.Go(func() {
			c.do(http.MethodPost, path, form).want(t, "Done: 1. Left as they are, because they have changed or it can't be done: 1.", "Failed jobs: 1")
		})
	}
	clicks.Wait()
	if got := found[string](s, "SELECT string_agg(concat_ws(' ', kind, acted_by, reason, status), ',') FROM offer_action"); got != "requeue Paula try <b>again</b> failed" {
		t.Errorf("stored: %s", got)
	}
	if got := found[string](s, "SELECT status FROM matchmaking_job WHERE id = $1", jobs["Eve"]); got != "pending" {
		t.Errorf("the job is %s", got)
	}
	compare(t, "requeued", page, c.page(path), s.stored("offer_action"))
	if _, err := offers.New(s.DB).Requeue(t.Context(), user(1), postgres.Action{ID: uuid.New()}); err == nil {
		t.Error("an unknown job is published")
	}
}

// A job gets the profile of now, once, and stays as it is if the profile is that of its roster, or
// if the job has changed since the person saw it.
func TestOffersUpdated(t *testing.T) {
	t.Parallel()
	s, jobs := hobbies(t)
	c := s.as(everything(login.Operator))
	ticked := func() url.Values {
		page := c.page("/offers")
		form := with(with(page.form(t, "/offers?tenant="+tenantA.String()), "do", "refreeze"), "reason", "born in a year")
		for _, tick := range tickForm.FindAllStringSubmatch(page.body, -1) {
			form.Add("tick", tick[1])
		}
		return form
	}
	send := func(form url.Values) answer { return c.do(http.MethodPost, "/offers?tenant="+tenantA.String(), form) }
	s.exec(`UPDATE offer_user SET profile = '{"name": "Finn", "interests": ["go"]}' WHERE id = $1`, user(6))
	form := ticked()
	var clicks sync.WaitGroup
	for range 3 {
		clicks.Go(func() {
			send(form).want(t, "Done: 1. Left as they are, because they have changed or it can't be done: 1.", "Failed jobs: 1", "Eve")
		})
	}
	clicks.Wait()
	s.compose(jobs["Finn"])
	c.page("/offers/"+jobs["Finn"].String()).want(t, "Offers of 2026-03-29 for Finn completed", "identical", "+1000 interests")
	if got := found[string](s, "SELECT string_agg(concat_ws(' ', kind, acted_by, reason, status), ',') FROM offer_action"); got != "refreeze Paula born in a year failed" {
		t.Errorf("stored: %s", got)
	}
	s.exec(`UPDATE offer_user SET profile = '{"name": "Eve"}' WHERE id = $1`, user(5))
	form = ticked()
	must.Get(offers.New(s.DB).Publish(t.Context(), []uuid.UUID{jobs["Eve"]}))(t) // meanwhile
	s.compose(jobs["Eve"])
	send(form).want(t, "Done: 0. Left as they are", "Failed jobs: 1")
	if a := send(with(form, "date", "2026-03-28")); !strings.Contains(a.path, "date=2026-03-28&") {
		t.Errorf("it leads back to %s", a.path)
	}
}

func TestBrowserRequeuesOffers(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s, _ := hobbies(t)
		s.t = t
		p := s.serve(everything(login.Operator)).open(width)
		p.visit("/offers")
		p.Barriers()
		p.fits()
		p.Run(chromedp.Click(`.items li:first-child [name="tick"]`), chromedp.SendKeys("#many [name=reason]", "the database is back"))
		p.press("#many [value=requeue]")
		p.want("Done: 1.", "Failed jobs: 1")
		s.exec("UPDATE offer_user SET profile = '{}' WHERE profile ? 'born'")
		p.Run(chromedp.Click(`.items li:first-child [name="tick"]`), chromedp.SendKeys("#many [name=reason]", "the profile is mended"))
		p.press("#many [value=refreeze]")
		p.want("Done: 1.", "Failed jobs: 0", "None.")
		p.Barriers()
		p.press("tbody tr:first-child th a")
		p.want("Offers of 2026-03-29 for Ada", "Computed again from its roster")
		p.Barriers()
		p.fits()
		p.Run(chromedp.SendKeys("[name=candidate]", user(4).String()))
		p.press(".filter button")
		p.want("Dora")
		p.NoErrors()
	})
}
