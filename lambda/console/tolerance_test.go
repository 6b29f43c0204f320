package console_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/document"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

var shownNumber = regexp.MustCompile(`<input name="([a-z-]+)" value="([^"]*)" inputmode`)

// tolerance is the filled form of a supplier's tolerance.
func (c *client) tolerance(supplier string, changes ...string) url.Values {
	c.t.Helper()
	page := c.page("/tolerances?" + url.Values{"tenant": {tenantA.String()}, "supplier": {supplier}}.Encode())
	form := page.form(c.t, "/tolerances?tenant="+tenantA.String())
	form.Set("needs-receipt", "1")
	form.Set("do", "set")
	form.Set("reason", "agreed <b>in May</b>")
	form["supplier"] = []string{supplier}
	for _, field := range shownNumber.FindAllStringSubmatch(page.body, -1) {
		form.Set(field[1], field[2])
	}
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

const toleranceChanges = `SELECT coalesce(string_agg(concat_ws(' ', supplier, before ->> 'price_percent', after ->> 'price_percent', changed_by, origin, reason), ', ' ORDER BY id), '')
	FROM tolerance_change`

func TestTolerancePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.lamps()
	s.add(doc(6, tenantA, document.Invoice, `{"number":"X-7","date":"2026-05-05","total":"61.90","supplier":{"name":"Nordlicht OHG","vat_id":"DE811907980"}}`))
	s.sent = &outbox{}
	path := "/tolerances?tenant=" + tenantA.String()
	c := s.as(everything(login.Operator))
	c.page("/tolerances").want(t, "all others 2 0.01 0 5 0 2 0.01 0 0 needed", "None yet.")
	old := c.tolerance("DE 811907980", "price-percent", "12,5", "services", "km, Wartung")
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(func() {
			c.do(http.MethodPost, path, old).want(t, "Saved. The invoices", "DE811907980 12.5 0.01 0 5 0 2 0.01 0 0 km, Wartung needed",
				"Paula , DE811907980 : price-percent 2 → 12.5, services → km, Wartung ( agreed <b>in May</b> )")
		})
	}
	clicks.Wait()
	if len(s.sent.ids) != 3 {
		t.Errorf("%d invoices are judged again, want 3", len(s.sent.ids))
	}
	for _, id := range s.sent.ids {
		s.match(uuid.MustParse(id))
	}
	c.page("/documents/"+s.numbered("R-2").String()).want(t, "2 3 22.00 matched", "price 12.5 % or 0.01", "Change the tolerances")
	stale := c.tolerance("", "price-percent", "9")
	for _, refused := range []struct {
		form url.Values
		code int
		want string
	}{
		{with(maps.Clone(old), "form", uuid.NewString()), 409, "The tolerances have changed since you opened them."},
		{c.tolerance("", "price-percent", "x"), 400, "Nothing was done: price-percent: invalid amount"},
		{c.tolerance("", "price-percent", "1,500"), 400, "Nothing was done: price-percent: invalid amount"},
		{c.tolerance("", "price-percent", "1001"), 400, "Nothing was done: price-percent: invalid number 1001"},
		{c.tolerance("", "price-percent", "3", "reason", " "), 400, "Enter a reason."},
		{c.tolerance("", "do", "remove"), 400, "The form is incomplete"},
		{c.tolerance("DE811907980", "do", "delete"), 400, "The form is incomplete"},
		{c.tolerance("", "form", "x"), 400, "The form is incomplete"},
		{c.tolerance("", "seen", ""), 400, "The form is incomplete"},
		{with(c.tolerance(""), "supplier", "..."), 400, "The form is incomplete"},
	} {
		if a := c.do(http.MethodPost, path, refused.form); a.code != refused.code || !strings.Contains(a.text(), refused.want) {
			t.Errorf("%d, want %d and %q: %s", a.code, refused.code, refused.want, a.text())
		}
	}
	if a := c.do(http.MethodPost, path, c.tolerance("", "price-percent", "7,x")); !strings.Contains(a.body, `value="7.x"`) {
		t.Error("what was typed is lost")
	}
	partly := c.tolerance("")
	partly.Del("total-percent")
	if a := c.do(http.MethodPost, path, partly); a.code != 400 {
		t.Errorf("without a number: %d", a.code)
	}
	own := c.page(path+"&supplier=DE811907980").part(t, "<form", "</section>")
	c.do(http.MethodPost, path, stale).want(t, "all others 9 ")
	c.do(http.MethodPost, path, c.tolerance("DE811907980", "do", "remove")).want(t, "DE811907980 : removed")
	if text := c.page(path).text(); strings.Index(text, ": removed") > strings.Index(text, "2 → 12.5") {
		t.Error("the history doesn't begin with the latest change")
	}
	c.page(path+"&supplier=DE811907980").want(t, "Tolerance of DE811907980")
	if a := c.get(path + "&supplier=DE811907981"); a.code != 400 || !strings.Contains(a.text(), "invalid check digits") {
		t.Errorf("an invalid VAT id: %d", a.code)
	}
	if got := found[string](s, toleranceChanges); got != "DE811907980 2 12.5 Paula console agreed <b>in May</b>, "+
		" 2 9 Paula console agreed <b>in May</b>, DE811907980 12.5 Paula console agreed <b>in May</b>" {
		t.Errorf("changes: %s", got)
	}
	if got := found[string](s, "SELECT string_agg(supplier || price_percent::float8, ',') FROM tolerance"); got != "9" {
		t.Errorf("tolerances: %s", got)
	}
	compare(t, "tolerances", c.page(path), own, c.page(path+"&supplier=DE811907980"), c.page(path+"&supplier="), c.get(path+"&supplier=DE811907981"), c.do(http.MethodPost, path, c.tolerance("", "price-percent", "7,x")), s.stored("tolerance", "tolerance_change"))
	same := c.tolerance("Nordlicht OHG")
	for range 2 { // sent twice, it acts once
		c.do(http.MethodPost, path, same).want(t, ": set as it was for all others")
	}
	if n := found[int](s, "SELECT count(*) FROM tolerance_change"); n != 4 {
		t.Errorf("%d changes, want 4", n)
	}
	s.exec("DELETE FROM tolerance WHERE supplier <> ''")
	s.exec("INSERT INTO tenant VALUES ($1, 'Others')", tenantB)
	others := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator}).page("/tolerances")
	others.want(t, "all others 2 0.01 0 5 0 2 0.01 0 0 needed", "None yet.")
	s.exec("INSERT INTO tolerance SELECT (jsonb_populate_record(t, jsonb_build_object('supplier', 'N ' || n))).* FROM tolerance AS t, generate_series(1, 101) AS n")
	s.exec("UPDATE tolerance SET needs_receipt = false WHERE supplier = 'N 1'")
	many := c.page(path)
	many.want(t, "and 2 more: use matchbook tolerance show")
	compare(t, "many-tolerances", many.part(t, "<table", "<section"))
	if n := strings.Count(many.body, `<tr><th scope="row">`); n != 100 {
		t.Errorf("%d tolerances are shown, want 100", n)
	}
}

func TestTolerancesGuarded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.lamps()
	s.exec("INSERT INTO tenant VALUES ($1, 'Others')", tenantB)
	path := "/tolerances?tenant=" + tenantA.String()
	operator := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator})
	form := operator.tolerance("", "price-percent", "3")
	viewer := s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer, tenantB: login.Operator})
	stranger := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator})
	for c, code := range map[*client]int{viewer: http.StatusForbidden, stranger: http.StatusNotFound} {
		if a := c.do(http.MethodPost, path, form); a.code != code {
			t.Errorf("%d, want %d", a.code, code)
		}
	}
	if a := stranger.get(path); a.code != http.StatusNotFound {
		t.Errorf("of another tenant: %d", a.code)
	}
	at := "?tenant=" + tenantB.String()
	compare(t, "nothing", viewer.page(path+"&supplier="), stranger.page("/tolerances"+at), stranger.page("/open"+at), stranger.page("/open"+at+"&after=failed_1.00_1_"+tenantA.String()+"_"+tenantA.String()),
		stranger.page("/invoices"+at), stranger.page("/invoices"+at+"&after=1_"+tenantA.String()), stranger.page("/offers"+at), stranger.page("/documents"+at), stranger.page("/documents"+at+"&after=1_"+tenantA.String()),
		stranger.page("/todo?kind=warning"), stranger.page("/todo?kind=warning&after=warning_1.00_1_"+tenantA.String()+"_"+tenantA.String()), stranger.page("/todo?page=9"))
	if a := viewer.page(path + "&supplier="); strings.Contains(a.body, "Save, and") || !strings.Contains(a.body, "readonly") {
		t.Error("a viewer is offered a change")
	}
	if got := found[string](s, toleranceChanges); got != "" {
		t.Errorf("changes: %s", got)
	}
}

func TestBrowserSetsTolerance(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s := newSite(t)
		s.t = t
		s.lamps()
		p := s.serve(everything(login.Operator)).open(width)
		p.visit("/tolerances")
		p.Run(chromedp.SendKeys(".filter [name=supplier]", "Nordlicht OHG"))
		p.press(".filter button")
		p.want("Tolerance of nordlicht")
		p.Barriers()
		p.fits()
		p.Run(chromedp.SetValue("[name=charge-absolute]", "4,50"), chromedp.Click("[name=needs-receipt]"), chromedp.SendKeys(".edit [name=reason]", "postage"))
		p.press(".edit [value=set]")
		p.want("charge-absolute 0 → 4.5, needs-receipt true → false", "postage")
		p.press(`tbody tr:nth-child(2) a`)
		p.Run(chromedp.SendKeys(".edit [name=reason]", "over"))
		p.press(".edit [value=remove]")
		p.want("removed")
		p.Barriers()
		p.NoErrors()
	})
}
