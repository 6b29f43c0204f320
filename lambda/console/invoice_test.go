package console_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/document"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

// lamps has an order of 10 lamps, its receipt, an invoice that agrees, R-1, and two of them at a
// higher price, R-2 and R-3.
func (s *site) lamps() {
	s.t.Helper()
	party := `"supplier":{"name":"Nordlicht OHG","vat_id":"DE811907980"},"buyer":{"name":"Abnehmer AG"},"currency":"EUR",`
	line := func(quantity, price, total string) string {
		return `"total":"` + total + `","line_items":[{"sku":"L-20","description":"Lampe <b>L-20</b>","quantity":"` + quantity + `","unit":"Stk","unit_price":"` + price + `"}]`
	}
	cites := `"references":[{"type":"purchase-order","number":"4711-08"}],`
	s.add(doc(1, tenantA, document.PurchaseOrder, `{"number":"4711-08","date":"2026-03-01",`+party+line("10", "20", "200")+`}`),
		doc(2, tenantA, document.GoodsReceipt, `{"number":"WE-1","date":"2026-03-02",`+cites+party+line("9", "20", "180")+`}`),
		doc(3, tenantA, document.Invoice, `{"number":"R-1","date":"2026-03-03",`+cites+party+line("5", "20", "100")+`}`),
		doc(4, tenantA, document.Invoice, `{"number":"R-2","date":"2026-03-04",`+cites+party+line("2", "22", "44")+`}`),
		doc(5, tenantA, document.Invoice, `{"number":"R-3","date":"2026-03-05",`+cites+party+line("1", "22", "22")+`}`))
}

const invoiceActions = "SELECT coalesce(string_agg(concat_ws(' ', action, acted_by, reason), ', ' ORDER BY id), '') FROM invoice_action"

func TestSettleInvoice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.lamps()
	page := "/documents/" + s.numbered("R-2").String()
	path := page + "/invoice"
	c := s.as(everything(login.Operator))
	first := c.page(page)
	do := func(from answer, action, reason string, code int, want string) {
		t.Helper()
		a := c.do(http.MethodPost, path, with(with(from.form(t, path), "action", action), "reason", reason))
		if a.code != code || !strings.Contains(a.text(), want) {
			t.Errorf("%s: %d, %q is missing in %s", action, a.code, want, a.text())
		}
	}
	do(first, "approve", " ", 409, "Nothing was done: missing reason")
	do(first, "pay", "x", 400, "The form is incomplete")
	if strings.Contains(first.body, `value="withdraw"`) {
		t.Error("withdraw is offered before there is something to withdraw")
	}
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(func() { do(first, "dispute", "the price <b>was</b> 20", 200, "Disputed by Paula on 20") })
	}
	clicks.Wait()
	do(first, "approve", "agreed", 409, "Nothing was done: invoice has changed since it was shown")
	c.page("/open?kind=invoice").want(t, "invoice R-2 of Nordlicht OHG", "disputed by Paula: the price <b>was</b> 20")
	c.page("/open").want(t, "invoice 1")
	do(c.page(page), "approve", "agreed", 200, "Approved by Paula on 20")
	c.page("/invoices?state=approved").want(t, ": agreed")
	c.page(page).want(t, "Paula approved it: agreed", "Paula disputed it: the price")
	c.page("/open?kind=invoice").want(t, "Nothing is waiting for people.")
	s.exec(`UPDATE document SET structured_data = jsonb_set(structured_data, '{line_items,0,unit_price}', '"25"') WHERE id = $1`, s.numbered("R-2"))
	s.exec("UPDATE document SET matching_status = 'pending' WHERE id = $1", s.numbered("R-2"))
	s.match(s.numbered("R-2"))
	c.page(page).want(t, "Reopened on 20", "it was approved, and now other values are compared")
	c.page("/open?kind=invoice").want(t, "reopened: it was approved")
	c.page("/invoices").want(t, "to settle 2 reopened 1", "invoice R-2")
	compare(t, "invoice", c.page(page), c.page("/open?kind=invoice"), c.page("/open.csv?kind=invoice"), s.stored("invoice_action"))
	do(c.page(page), "withdraw", "look later", 200, "Withdrawn: the invoice is open again.")
	if a := c.page(page); strings.Contains(a.text(), "Open by Paula") || strings.Contains(a.body, `value="withdraw"`) {
		t.Error("an open invoice shows an action")
	}
	if got := found[string](s, invoiceActions); got != "dispute Paula the price <b>was</b> 20, approve Paula agreed, "+
		"reopen  it was approved, and now other values are compared, withdraw Paula look later" {
		t.Errorf("stored: %s", got)
	}
	if a := c.page("/documents/" + s.numbered("4711-08").String()); strings.Contains(a.body, `value="approve"`) {
		t.Error("an order can be approved")
	}
}

// An invoice that is matched with nothing is listed and settled like others.
func TestSettleWithoutOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.lamps()
	s.add(doc(6, tenantA, document.Invoice, `{"number":"STROM-7","date":"2026-03-05","total":"61.90","currency":"EUR","supplier":{"name":"Wasserkraft Inn eG"}}`))
	c := s.as(everything(login.Operator))
	c.page("/invoices").want(t, "to settle 3", "invoice STROM-7 Wasserkraft Inn eG 2026-03-05 61.90 EUR without order open")
	if a := c.page("/invoices?of=without-order"); !strings.Contains(a.body, "STROM-7") || strings.Contains(a.body, "R-2") {
		t.Errorf("the list: %s", a.text())
	}
	c.page("/todo").want(t, tenantA.String()+" 0 0 0 0 0 0 0 3 0")
	page := "/documents/" + s.numbered("STROM-7").String()
	shown := c.page(page)
	shown.want(t, "without-order. No order and no receipt is matched with it.")
	c.do(http.MethodPost, page+"/invoice", with(with(shown.form(t, page+"/invoice"), "action", "dispute"), "reason", "we left that flat")).want(t,
		"Disputed by Paula on 20")
	compare(t, "without-order", shown, c.page(page))
	c.page("/open?kind=invoice").want(t, "invoice STROM-7 of Wasserkraft Inn eG", "disputed by Paula: we left that flat")
	c.page("/invoices").want(t, "to settle 2", "disputed 1")
}

func TestInvoiceList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.lamps()
	c := s.as(everything(login.Operator))
	path := "/invoices?tenant=" + tenantA.String()
	list := c.page("/invoices")
	list.want(t, "any without order unchecked over billed maybe over billed", "to settle 2", "approved 0", "invoice R-2 Nordlicht OHG 2026-03-04 44.00 EUR price variance open", "invoice R-3")
	if strings.Contains(list.text(), "R-1") {
		t.Error("an invoice that agrees is to settle")
	}
	c.page("/invoices?state=all&of=matched").want(t, "invoice R-1")
	for _, unknown := range []string{"state=paid", "of=fine", "after=x", "tenant=" + tenantB.String()} {
		if a := c.get("/invoices?" + unknown); a.code != http.StatusNotFound {
			t.Errorf("%s: %d", unknown, a.code)
		}
	}
	form := list.form(t, path)
	for _, tick := range tickForm.FindAllStringSubmatch(list.body, -1) {
		form.Add("tick", tick[1])
	}
	form.Set("do", "approve")
	c.do(http.MethodPost, path, form).want(t, "Enter a reason.", "to settle 2")
	form.Set("reason", "=the new list")
	s.exec("UPDATE document SET structured_data = structured_data || '{\"total\":\"45\"}' WHERE id = $1", s.numbered("R-2"))
	for range 2 {
		c.do(http.MethodPost, path, form).want(t, "Done: 1. Left as they are, because they have changed or it can't be done: 1.", "to settle 1")
	}
	if got := found[string](s, invoiceActions); got != "approve Paula =the new list" {
		t.Errorf("stored: %s", got)
	}
	c.page("/invoices?state=approved").want(t, "approved 1", "invoice R-3", "approved by Paula , 20")
	form.Set("do", "withdraw")
	form.Set("form", uuid.NewString())
	form.Set("of", "price-variance")
	form.Set("state", "to settle")
	compare(t, "invoices", c.do(http.MethodPost, path, form), c.do(http.MethodPost, path+"&date=2026-03-02", with(form, "tick", "x_y")), list, c.page("/invoices?state=approved"), c.page("/invoices.csv?state=approved"), c.page("/invoices.csv?state=all"))
	s.exec(`UPDATE three_way_match SET state = (ARRAY['disputed', 'on-hold', 'reopened'])[right(structured_data ->> 'number', 1)::int] FROM document WHERE document.id = document_id`)
	compare(t, "invoice-views", c.page("/invoices"), c.page("/invoices?state=reopened"), c.page("/invoices?state=on+hold"), c.page("/invoices?state=disputed"),
		c.page("/invoices?state=all&of=price-variance"))
	s.exec("UPDATE three_way_match SET state = 'approved' FROM document WHERE document.id = document_id AND structured_data ->> 'number' = 'R-3'")
	sheet := c.page("/invoices.csv?state=approved").body
	if !strings.Contains(sheet, "R-3,Nordlicht OHG,2026-03-05,22.00,EUR,price-variance,approved,Paula,20") || !strings.Contains(sheet, ",'=the new list,,") {
		t.Errorf("the sheet: %s", sheet)
	}
}

// However many there are, each is on one page.
func TestInvoicePages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec("INSERT INTO tenant VALUES ($1, 'A'), ($2, 'B')", tenantA, tenantB)
	s.exec("INSERT INTO document (id, tenant_id, type) SELECT md5(i::text)::uuid, CASE WHEN i <= 50 THEN $1 ELSE $2 END::uuid, 'invoice' FROM generate_series(1, 70) AS i", tenantA, tenantB)
	s.exec(`INSERT INTO three_way_match (document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, created_at)
		SELECT id, tenant_id, 'not-received', '', '[]', '[]', '[]', '{}', '2026-03-02'::timestamptz + (get_byte(uuid_send(id), 0) % 4) * interval '1 s' FROM document`)
	c := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator})
	seen := map[string]bool{}
	path, sizes := "/invoices", []int{}
	for path != "" && len(sizes) < 4 { // more is a loop
		page := c.page(path)
		_, sheet, _ := strings.Cut(page.body, `href="/invoices.csv`)
		sheet, _, _ = strings.Cut(sheet, `"`)
		if n := len(c.sheet("/invoices.csv" + html.UnescapeString(sheet))); n != 1+50-25*len(sizes) { // from the place shown on
			t.Errorf("the sheet of %s has %d rows", path, n)
		}
		ticks := tickForm.FindAllStringSubmatch(page.body, -1)
		for _, tick := range ticks {
			seen[tick[1]] = true
		}
		sizes, path = append(sizes, len(ticks)), ""
		if _, next, ok := strings.Cut(page.body, `rel="next" href="`); ok {
			next, _, _ = strings.Cut(next, `"`)
			path = html.UnescapeString(next)
		}
	}
	if fmt.Sprint(sizes) != "[25 25]" || len(seen) != 50 {
		t.Errorf("pages of %v, %d in all", sizes, len(seen))
	}
	c.page("/invoices").want(t, "to settle 50 reopened 0")
	const turn = `<nav class="turn"`
	first := c.page("/invoices?of=not-received")
	compare(t, "invoice-pages", first.part(t, turn, "</nav>"), c.page(html.UnescapeString(first.link(t, nextPage))).part(t, turn, "</nav>"))
}

func TestInvoicesAreGuarded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.lamps()
	s.exec("INSERT INTO tenant VALUES ($1, 'Others')", tenantB)
	page := "/documents/" + s.numbered("R-2").String()
	path, list := page+"/invoice", "/invoices?tenant="+tenantA.String()
	operator := s.as(map[uuid.UUID]login.Role{tenantA: login.Operator})
	stranger, viewer := s.as(map[uuid.UUID]login.Role{tenantB: login.Operator}), s.as(map[uuid.UUID]login.Role{tenantA: login.Viewer, tenantB: login.Operator})
	one := with(with(operator.page(page).form(t, path), "action", "approve"), "reason", "x")
	many := with(with(operator.page(list).form(t, list), "do", "approve"), "reason", "x")
	many["tick"] = []string{tickForm.FindStringSubmatch(operator.page(list).body)[1]}
	without := func(form url.Values, name string) url.Values {
		form = maps.Clone(form)
		form.Del(name)
		return form
	}
	for _, refused := range []struct {
		by   *client
		path string
		form url.Values
		code int
	}{
		{stranger, path, one, 404}, {stranger, list, many, 404}, {stranger, "/invoices?tenant=" + tenantB.String(), many, 404},
		{viewer, path, one, 403}, {viewer, list, many, 403},
		{operator, path, without(one, "form"), 400}, {operator, path, without(one, "seen"), 400}, {operator, path, without(one, "action"), 400},
		{operator, list, without(many, "form"), 400}, {operator, list, without(many, "do"), 400}, {operator, list, without(many, "tick"), 400},
	} {
		if a := refused.by.do(http.MethodPost, refused.path, refused.form); a.code != refused.code {
			t.Errorf("%s %v: %d, want %d", refused.path, refused.form, a.code, refused.code)
		}
	}
	for _, path := range []string{page, list, "/invoices.csv?tenant=" + tenantA.String()} {
		if a := stranger.get(path); a.code != http.StatusNotFound {
			t.Errorf("%s of another tenant: %d", path, a.code)
		}
		if a := viewer.page(path); strings.Contains(a.body, "approve\"") || strings.Contains(a.body, `name="tick"`) {
			t.Errorf("%s: a viewer is offered actions", path)
		}
	}
	if got := found[string](s, invoiceActions); got != "" {
		t.Errorf("stored: %s", got)
	}
	s.exec("ALTER TABLE invoice_action RENAME COLUMN form TO other") // as a broken database
	if a := operator.do(http.MethodPost, path, one); a.code != http.StatusServiceUnavailable {
		t.Errorf("an act that can't be stored: %d %s", a.code, a.text())
	}
}

func TestBrowserSettlesInvoices(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s := newSite(t)
		s.t = t
		s.lamps()
		s.add(doc(6, tenantA, document.Invoice, `{"number":"STROM-7","date":"2026-03-05","total":"61.90","supplier":{"name":"Wasserkraft Inn eG"}}`))
		p := s.serve(everything(login.Operator)).open(width)
		p.visit("/documents/" + s.numbered("STROM-7").String())
		p.Run(chromedp.SendKeys(`[action$="/invoice"] [name=reason]`, "the meter says so"))
		p.press(`[action$="/invoice"] [value=approve]`)
		p.want("Approved by Paula on 20", "without-order. No order")
		p.Barriers()
		p.visit("/invoices")
		p.Barriers()
		p.fits()
		p.Run(chromedp.Click(`tbody tr:first-child [name="tick"]`), chromedp.SendKeys("#many [name=reason]", "a credit note comes"))
		p.press(`#many [value=hold]`)
		p.want("Done: 1.", "to settle 1", "on hold 1")
		p.press(`[href*="state=on"]`)
		p.want("on hold by Paula")
		p.press("tbody th a")
		p.want("On hold by Paula on 20")
		p.Run(chromedp.SendKeys(`[action$="/invoice"] [name=reason]`, "it came"))
		p.press(`[action$="/invoice"] [value=approve]`)
		p.want("Approved by Paula on 20", "Approved. It is reopened if")
		p.Barriers()
		p.fits()
		p.NoErrors()
	})
}
