package console_test

import (
	"strings"
	"testing"

	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
)

// Two invoices of an order of 10: the second bills 4 after 5, at a higher price.
func TestThreeWayTable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := `"supplier":{"name":"Nordlicht OHG","vat_id":"DE811907980"},"buyer":{"name":"Abnehmer AG"},"currency":"EUR",`
	line := func(quantity, price, total string) string {
		return `"total":"` + total + `","line_items":[{"sku":"L-20","description":"Lampe <b>L-20</b>","quantity":"` + quantity + `","unit":"Stk","unit_price":"` + price + `"}]`
	}
	cites := `"references":[{"type":"purchase-order","number":"4711-08"}],`
	s.add(doc(1, tenantA, document.PurchaseOrder, `{"number":"4711-08","date":"2026-03-01",`+party+line("10", "20", "200")+`}`),
		doc(2, tenantA, document.GoodsReceipt, `{"number":"WE-1","date":"2026-03-02",`+cites+party+line("9", "20", "180")+`}`),
		doc(3, tenantA, document.Invoice, `{"number":"R-1","date":"2026-03-03",`+cites+party+line("5", "20", "100")+`}`),
		doc(4, tenantA, document.Invoice, `{"number":"R-2","date":"2026-03-04",`+cites+party+line("4", "25.5", "102")+`}`))
	c := s.as(everything(login.Viewer))
	c.page("/documents/"+s.numbered("R-1").String()).want(t, "line item ordered received billed before billed left price verdict",
		"1 L-20 Lampe <b>L-20</b> 10 9 5 5 20.00 matched", "price 2 % or 0.01")
	c.page("/documents/"+s.numbered("R-2").String()).want(t, "10 9 5 4 1 25.50 price variance")
	table := func() answer {
		return c.page("/documents/"+s.numbered("R-2").String()).part(t, `class="compared"`, "Ignored differences")
	}
	known := table()
	s.exec(`UPDATE three_way_match SET orders = jsonb_set(orders, '{0,lines,0}', (orders #> '{0,lines,0}') - 'remaining')`)
	c.page("/documents/"+s.numbered("R-2").String()).want(t, "10 9 5 4 25.50 price variance")
	if a := c.page("/documents/" + s.numbered("R-2").String()); strings.Contains(a.text(), "no receipt needed") {
		t.Error("a receipt was needed")
	}
	unordered := table()
	s.exec(`UPDATE three_way_match SET tolerance = tolerance || '{"needs_receipt":false}'`)
	lenient := c.page("/documents/" + s.numbered("R-2").String())
	lenient.want(t, "no receipt needed")
	s.exec(`UPDATE three_way_match SET lines = (SELECT jsonb_agg(lines -> 0 || jsonb_build_object('line', n)) FROM generate_series(1, 200) AS n)`)
	many := c.page("/documents/" + s.numbered("R-2").String())
	compare(t, "threeway", known, unordered, lenient.part(t, "Ignored differences", "</section>"), many.part(t, "<p>and ", "</section>"))
	if a := c.page("/documents/" + s.numbered("4711-08").String()); strings.Contains(a.body, `class="compared"`) {
		t.Error("an order has a table")
	}
}
