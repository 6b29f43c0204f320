package score

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
)

// evidenceRow is two documents and the evidence about them.
type evidenceRow struct {
	name     string
	aType    document.Type
	a        string // fields of the structured data
	bType    document.Type
	b        string
	evidence string
	points   int
}

const (
	order45  = `"number":"4500010046",` + vat
	cites45  = vat + `,"references":[{"type":"purchase-order","number":"4500010046"}]`
	cites46  = vat + `,"references":[{"type":"purchase-order","number":"4600020077"}]`
	ulm      = `"buyer":{"name":"Stadtwerke Ulm"}`
	zenith   = `"buyer":{"name":"Zenith Bau"}`
	acme     = `"supplier":{"name":"Acme GmbH"}`
	quarter1 = vat + `,"period":{"from":"2026-01-01","to":"2026-03-31"}`
)

// companyRows: in the rows of the other tables the VAT id has 30 points.
var companyRows = []evidenceRow{
	{"VAT id", po, vat, inv, `"supplier":{"vat_id":"de-1"}`, "vat-id", 30},
	{"account", po, `"supplier":{"iban":"DE99 1"}`, inv, `"supplier":{"iban":"de991"}`, "iban", 30},
	{"a VAT id counts before the account", po, `"supplier":{"vat_id":"DE1","iban":"X1"}`, inv, `"supplier":{"vat_id":"DE1","iban":"X1"}`, "vat-id", 30},
	{"an account counts before the name", po, `"supplier":{"name":"Acme","iban":"X1"}`, inv, `"supplier":{"name":"Acme","iban":"X1"}`, "iban", 30},
	{"name", po, acme, inv, `"supplier":{"name":"ACME"}`, "name", 28},
	{"another account of the same name", po, `"supplier":{"name":"Acme","iban":"X1"}`, inv, `"supplier":{"name":"Acme","iban":"X2"}`, "name", 28},
	{"a VAT id misread, by the name", po, `"supplier":{"name":"Acme","vat_id":"DE136695976"}`, inv, `"supplier":{"name":"Acme","vat_id":"DE136695916"}`, "name", 28},
	{"similar name, another company's VAT id", po, `"supplier":{"name":"Lindqvist Stål AB","vat_id":"SE556112233401"}`, inv, `"supplier":{"name":"Lindqvist Stål Norr AB","vat_id":"SE556445566701"}`, "name-perhaps", 8},
	{"similar name, a misread VAT id", po, `"supplier":{"name":"Lindqvist Stål AB","vat_id":"SE556112233401"}`, inv, `"supplier":{"name":"Lindqvist Stål Norr AB","vat_id":"SE556112238401"}`, "name-similar", 22},
	{"similar name, half a VAT id", po, `"supplier":{"name":"Lindqvist Stål AB","vat_id":"SE556112233401"}`, inv, `"supplier":{"name":"Lindqvist Stål Norr AB","vat_id":"S"}`, "name-similar", 22},
	{"name misread", po, `"supplier":{"name":"Hofmann Werkzeugbau GmbH"}`, inv, `"supplier":{"name":"Hoffmann Werkzeugbau"}`, "name-similar", 22},
	{"buyer, one supplier not named", po, ulm, inv, vat + `,` + ulm, "buyer", 20},
	{"buyer, no supplier named", po, ulm, inv, `"buyer":{"name":"Stadtwerke Ulm GmbH"}`, "buyer", 20},
	{"buyer by VAT id", po, `"buyer":{"vat_id":"FR2"}`, inv, vat + `,"buyer":{"vat_id":"FR 2"}`, "buyer", 20},
	{"the same buyer as well", po, acme + `,` + ulm, inv, acme + `,` + ulm, "name same-buyer", 33},
	{"the same buyer as well, by VAT id", po, vat + `,"buyer":{"vat_id":"FR2"}`, inv, vat + `,"buyer":{"vat_id":"FR 2"}`, "vat-id same-buyer", 35},
	{"another buyer", po, vat + `,` + ulm, inv, vat + `,` + zenith, "vat-id other-buyer", 10},
	{"a branch as the buyer", po, vat + `,` + ulm, inv, vat + `,"buyer":{"name":"Stadtwerke Wasser und Netz Hagen"}`, "vat-id branch-buyer", 18},
	{"another name, with its number and goods", po, `"number":"4500010046",` + acme + `,` + lines("pen 12", "ink 3"), dn, `"supplier":{"name":"Zenith"},` + refs(po, "4500010046") + `,` + lines("pen 12", "ink 3"), "name-forgiven cites items-equal", 80},
	{"a carrier's delivery, with its number and goods", dn, `"number":"LS-88123","supplier":{"name":"Acme Logistics"},` + lines("pen 12", "ink 3"), inv, `"supplier":{"name":"Acme Timber"},` + refs(dn, "LS-88123") + `,` + lines("pen 12", "ink 3", "cap 1"), "name-forgiven cites items-whole", 75},
	{"a receipt from another company is no delivery", gr, `"number":"LS-88123","supplier":{"name":"Acme Logistics"},` + lines("pen 12", "ink 3"), inv, `"supplier":{"name":"Acme Timber"},` + refs(gr, "LS-88123") + `,` + lines("pen 12", "ink 3", "cap 1"), "sister cites items-whole", 20},
	{"an address without a name", po, `"supplier":{"address":"Hafenweg 12, 24103 Kiel"}`, inv, `"supplier":{"name":"Acme","address":"HAFENWEG l2, 24103 Kiel"}`, "address", 22},
	{"an address, and names that may be one", po, `"supplier":{"name":"HP Inc.","address":"Hafenweg 12, 24103 Kiel"}`, inv, `"supplier":{"name":"Hewlett-Packard","address":"Hafenweg 12, 24103 Kiel"}`, "address", 22},
	{"an address of two companies", po, `"supplier":{"name":"Acme Timber","address":"Hafenweg 12, 24103 Kiel"}`, inv, `"supplier":{"name":"Acme Steelworks","address":"Hafenweg 12, 24103 Kiel"}`, "sister", -60},
	{"an address without a house number", po, `"supplier":{"address":"Hafenweg, Kiel"}`, inv, `"supplier":{"address":"Hafenweg, Kiel"}`, "", 0},
	{"another name, with its number only", po, `"number":"4500010046",` + acme, inv, `"supplier":{"name":"Zenith"},` + refs(po, "4500010046"), "other-name cites", 30},
	{"another name", po, acme, inv, `"supplier":{"name":"Zenith"}`, "other-name", -30},
	{"another name for the same buyer", po, acme + `,` + ulm, inv, `"supplier":{"name":"Zenith"},` + ulm, "other-name same-buyer", -25},
	{"a name that may be the same or not", po, `"supplier":{"name":"HP Inc."}`, inv, `"supplier":{"name":"Hewlett-Packard"}`, "name-perhaps", 8},
	{"a name that goes on differently", po, `"supplier":{"name":"Acme Timber"}`, inv, `"supplier":{"name":"Acme Steelworks"}`, "sister", -60},
	{"names of two scripts, and the buyer", po, `"supplier":{"name":"山田製作所"},` + ulm, inv, `"supplier":{"name":"Yamada"},` + ulm, "buyer", 20},
	{"names of two scripts, and another buyer", po, `"supplier":{"name":"山田製作所"},` + ulm, inv, `"supplier":{"name":"Yamada"},` + zenith, "", 0},
	{"names of two scripts, one VAT id", po, `"supplier":{"name":"山田製作所","vat_id":"DE1"}`, inv, `"supplier":{"name":"Yamada","vat_id":"DE1"}`, "vat-id", 30},
	{"a name and a VAT id", po, acme, inv, vat, "", 0},
	{"another name with the same VAT id", po, `"supplier":{"name":"Raider","vat_id":"DE1"}`, inv, `"supplier":{"name":"Twix","vat_id":"DE1"}`, "vat-id", 30},
	{"another name with the same account", po, `"supplier":{"name":"Raider","iban":"X1"}`, inv, `"supplier":{"name":"Twix","iban":"X1"}`, "iban-only", 15},
	{"VAT ids of two countries", po, `"supplier":{"name":"Acme","vat_id":"DE136695976"}`, inv, `"supplier":{"name":"Acme","vat_id":"ATU13585627"}`, "name other-vat-id", 20},
	{"no company in common", po, `"currency":"EUR"`, inv, `"currency":"EUR"`, "", 0},
	{"a buyer on one side", po, vat + `,` + ulm, inv, vat, "vat-id", 30},
}

var citationRows = []evidenceRow{
	{"the later one cites", po, order45, inv, cites45, "vat-id cites", 90},
	{"the earlier one cites", dn, vat + `,` + refs(inv, "RE-2026-0042"), inv, `"number":"RE-2026-0042",` + vat, "vat-id cites", 90},
	{"both cite each other", dn, `"number":"LS-88123",` + vat + `,` + refs(inv, "RE-2026-0042"), inv, `"number":"RE-2026-0042",` + vat + `,` + refs(dn, "LS-88123"), "vat-id cites", 90},
	{"in another spelling", po, order45, inv, vat + `,` + refs(po, "PO-4500 010 046"), "vat-id cites", 90},
	{"without a type", po, order45, inv, vat + `,` + refs("", "4500010046"), "vat-id cites", 90},
	{"as a word for the type", po, order45, inv, vat + `,` + refs("Bestell-Nr.", "4500010046"), "vat-id cites", 90},
	{"as an unknown word", po, order45, inv, vat + `,` + refs("Su pedido", "4500010046"), "vat-id cites", 90},
	{"in the notes", po, order45, inv, vat + `,"notes":"Your order no. 4500010046"`, "vat-id cites", 90},
	{"as another type", po, order45, inv, vat + `,` + refs(dn, "4500010046"), "vat-id cites-as-other", 65},
	{"a short one as another type", po, `"number":"471",` + vat, inv, vat + `,` + refs(dn, "471"), "vat-id", 30},
	{"with a position and a date", po, order45, inv, vat + `,` + refs(po, "Best. 4500010046/10 v. 3.3.26"), "vat-id cites", 90},
	{"two in one field", po, order45, inv, vat + `,` + refs(po, "4500010045, 4500010046"), "vat-id cites", 90},
	{"the last six digits", po, `"number":"4500017455",` + vat, inv, vat + `,` + refs(po, "017455"), "vat-id cites-part", 75},
	{"without the year", po, `"number":"PO-0042/26",` + vat, inv, vat + `,` + refs(po, "42"), "vat-id cites-weakly", 55},
	{"a digit transposed", po, order45, inv, vat + `,` + refs(po, "4500010064"), "vat-id cites-nearly", 45},
	{"a digit missing", po, order45, inv, vat + `,` + refs(po, "450010046"), "vat-id cites-nearly", 45},
	{"a digit missing, without a type", po, order45, inv, vat + `,` + refs("", "450010046"), "vat-id cites-nearly", 45},
	{"a digit missing, of another type", po, order45, inv, vat + `,` + refs(dn, "450010046"), "vat-id", 30},
	{"another digit", po, order45, inv, vat + `,` + refs(po, "4500010047"), "vat-id cites-off", 20},
	{"right, and another", po, order45, inv, vat + `,` + refs(po, "4500010047", "4500010046"), "vat-id cites", 90},
	{"in the notes, by an unknown label", po, order45, inv, vat + `,"notes":"Su pedido 4500010046"`, "vat-id cites", 90},
	{"a number that receipts seldom cite", gr, vat + `,"references":[{"type":"slip","number":"20251006"}]`, inv, `"number":"20251006",` + vat, "vat-id cites-unnamed", 50},
	{"a number of an unknown word", gr, vat + `,"notes":"Zu 20251006"`, dn, `"number":"20251006",` + vat, "vat-id cites", 90},
	{"in the notes, four digits", po, `"number":"4711",` + vat, inv, vat + `,"notes":"Zu 4711"`, "vat-id cites-short", 75},
	{"in the notes, three digits", po, `"number":"471",` + vat, inv, vat + `,"notes":"Zu 471"`, "vat-id cites-weakly", 55},
	{"in the notes, two digits", po, `"number":"47",` + vat, inv, vat + `,"notes":"Su pedido 47"`, "vat-id", 30},
	{"in the notes, two digits and a year", po, `"number":"47",` + vat, inv, vat + `,"notes":"Zu 47/26"`, "vat-id", 30},
	{"in the notes, the last six digits", po, `"number":"4500017455",` + vat, inv, vat + `,"notes":"Su pedido 017455"`, "vat-id cites-part", 75},
	{"in the notes, as an amount", po, `"number":"4711",` + vat, inv, vat + `,"notes":"Vencimiento: 4711,00 EUR"`, "vat-id", 30},
	{"in a line, as its article", po, `"number":"47112",` + vat, inv, vat + `,"line_items":[{"sku":"47112","description":"Pen 47112"}]`, "vat-id", 30},
	{"short", po, `"number":"45",` + vat, inv, vat + `,` + refs(po, "45"), "vat-id cites-short", 75},
	{"three digits are short", po, `"number":"471",` + vat, inv, vat + `,` + refs(po, "471"), "vat-id cites-short", 75},
	{"a letter and three digits are short", po, `"number":"A471",` + vat, inv, vat + `,` + refs(po, "A471"), "vat-id cites-short", 75},
	{"four digits are not", po, `"number":"4711",` + vat, inv, vat + `,` + refs(po, "4711"), "vat-id cites", 90},
	{"misread", po, order45, inv, vat + `,` + refs(po, "45O0010046"), "vat-id cites-loosely", 75},
	{"misread and right", po, order45, inv, vat + `,` + refs(po, "45O0010046", "4500010046"), "vat-id cites", 90},
	{"one misreads, the other does not", dn, `"number":"LS-88123",` + vat + `,` + refs(inv, "RE-2O26-0042"), inv, `"number":"RE-2026-0042",` + vat + `,` + refs(dn, "LS-88123"), "vat-id cites", 90},
	{"one misreads, the other cites a short number", dn, `"number":"471",` + vat + `,` + refs(inv, "RE-2O26-0042"), inv, `"number":"RE-2026-0042",` + vat + `,` + refs(dn, "471"), "vat-id cites-short", 75},
	{"a short number one way, a long one the other", dn, `"number":"471",` + vat + `,` + refs(inv, "RE-2026-0042"), inv, `"number":"RE-2026-0042",` + vat + `,` + refs(dn, "471"), "vat-id cites", 90},
	{"a revision of the order", po, `"number":"44188",` + vat, oc, `"number":"44188-R4",` + vat, "vat-id revision", 75},
	{"an invoice is no revision of an order", po, `"number":"44188",` + vat, inv, `"number":"44188-R4",` + vat, "vat-id", 30},
	{"a revision of another order", po, `"number":"44187",` + vat, oc, `"number":"44188-R4",` + vat, "vat-id other-citation", 0},
	{"both cite an order", dn, cites45, inv, cites45, "vat-id common-citation", 60},
	{"both cite an order, one misread", dn, cites45, inv, vat + `,` + refs(po, "45O0010046"), "vat-id common-citation", 60},
	{"both cite a delivery", gr, vat + `,` + refs(dn, "LS-88123"), inv, vat + `,` + refs(dn, "LS-88123"), "vat-id common-delivery", 75},
	{"both cite a tender", gr, vat + `,` + refs("tender", "7712345"), inv, vat + `,` + refs("Tender", "7712345"), "vat-id common-other", 70},
	{"both cite who knows what", gr, vat + `,` + refs("", "7712345"), inv, vat + `,` + refs("", "7712345"), "vat-id common-other", 70},
	{"of what both cite, what says the most", gr, vat + `,"references":[{"type":"purchase-order","number":"4711"},{"type":"delivery-note","number":"88123"},{"type":"tender","number":"99"}]`,
		inv, vat + `,"references":[{"type":"purchase-order","number":"4711"},{"type":"delivery-note","number":"88123"},{"type":"tender","number":"99"}]`, "vat-id common-delivery", 75},
	{"a direct citation counts, not a common one", dn, `"number":"LS-88123",` + cites45, inv, vat + `,"references":[{"type":"purchase-order","number":"4500010046"},{"type":"delivery-note","number":"LS-88123"}]`, "vat-id cites", 90},
	{"the later one cites another", po, order45, inv, cites46, "vat-id other-citation", 0},
	{"the earlier one cites another", dn, vat + `,` + refs(inv, "RE-2026-0099"), inv, `"number":"RE-2026-0042",` + vat, "vat-id other-citation", 0},
	{"it cites an order, which may be this one without a number", po, vat, inv, cites46, "vat-id", 30},
	{"both cite an order, but one another delivery", dn, `"number":"LS-88123",` + cites45, inv, vat + `,"references":[{"type":"purchase-order","number":"4500010046"},{"type":"delivery-note","number":"LS-99001"}]`, "vat-id common-citation other-citation", 30},
	{"it cites an order of another form", po, order45, inv, vat + `,` + refs(po, "A-12"), "vat-id other-form", 15},
	{"it cites one of the series, of no known type", po, order45, inv, vat + `,` + refs("Su pedido", "4500010981"), "vat-id other-series", 10},
	{"it mentions one of the series", po, order45, inv, vat + `,"notes":"Zu 4500010981"`, "vat-id other-series", 10},
	{"which may be of its own", po, order45, inv, `"number":"4500010977",` + vat + `,"notes":"Zu 4500010981"`, "vat-id", 30},
	{"both cite an order, one with a position", gr, cites45, inv, vat + `,` + refs(po, "4500010046/10"), "vat-id common-citation", 60},
	{"both cite an order, one without its type", gr, cites45, inv, vat + `,` + refs("Su pedido", "4500010046"), "vat-id common-citation", 60},
	{"both cite an order, one in its notes", gr, cites45, inv, vat + `,"notes":"Su pedido 4500010046"`, "vat-id common-citation", 60},
	{"both mention a number, such as the customer's", gr, vat + `,"notes":"Cliente 4500010046"`, inv, vat + `,"notes":"Cliente 4500010046"`, "vat-id", 30},
	{"they cite orders of different forms", gr, cites45, inv, vat + `,` + refs(po, "A-12"), "vat-id", 30},
	{"they cite different orders", gr, cites45, inv, cites46, "vat-id other-common", -10},
	{"they cite different deliveries", gr, vat + `,` + refs(dn, "LS-88123"), inv, vat + `,` + refs(dn, "LS-99001"), "vat-id other-common", -10},
	{"it cites another order, this one a former order", po, order45 + `,` + refs(po, "4400020033"), inv, cites46, "vat-id other-citation", 0},
	{"an invoice of an order, and a contract", ct, `"number":"RV-2022-400",` + vat, inv, cites45, "vat-id behind-order", -30},
	{"an invoice of an order that names the contract", ct, `"number":"RV-2022-400",` + vat, inv, vat + `,"references":[{"type":"contract","number":"RV-2022-400"},{"type":"purchase-order","number":"4500010046"}]`, "vat-id cites", 90},
	{"an order of a contract that names another order", ct, `"number":"RV-2022-400",` + vat, po, cites45, "vat-id", 30},
	{"they cite different contracts", gr, vat + `,` + refs(ct, "RV-2022-400"), inv, vat + `,` + refs(ct, "RV-2022-911"), "vat-id", 30},
}

var returnRows = []evidenceRow{
	{"goods came back", gr, vat, cn, vat + `,"notes":"Gutschrift zu Ihrer Rücksendung"`, "vat-id returned", 45},
	{"nothing is known of what came back", gr, vat, cn, vat + `,"notes":"Bonus 2025"`, "vat-id", 30},
	{"only a receipt has to do with it", inv, vat, cn, vat, "vat-id", 30},
}

func dated(date string) string { return vat + `,"date":"` + date + `"` }

var timeRows = []evidenceRow{
	{"a month later", po, dated("2026-01-10"), inv, dated("2026-02-10"), "vat-id date", 35},
	{"the same day", po, dated("2026-01-10"), inv, dated("2026-01-10"), "vat-id date", 35},
	{"a day earlier", po, dated("2026-01-10"), inv, dated("2026-01-09"), "vat-id date-early", 22},
	{"7 days earlier", po, dated("2026-01-10"), inv, dated("2026-01-03"), "vat-id date-early", 22},
	{"8 days earlier", po, dated("2026-01-10"), inv, dated("2026-01-02"), "vat-id date-order", 0},
	{"60 days later", po, dated("2026-01-01"), inv, dated("2026-03-02"), "vat-id date", 35},
	{"61 days later", po, dated("2026-01-01"), inv, dated("2026-03-03"), "vat-id date-months", 27},
	{"120 days later", po, dated("2026-01-01"), inv, dated("2026-05-01"), "vat-id date-months", 27},
	{"121 days later", po, dated("2026-01-01"), inv, dated("2026-05-02"), "vat-id date-half", 7},
	{"121 days later, for the same time", po, quarter1 + `,"date":"2026-01-01"`, inv, quarter1 + `,"date":"2026-05-02"`, "vat-id period", 42},
	{"200 days later", po, dated("2026-01-01"), inv, dated("2026-07-20"), "vat-id date-half", 7},
	{"201 days later", po, dated("2026-01-01"), inv, dated("2026-07-21"), "vat-id date-far", 5},
	{"a receipt 7 days after the delivery", dn, dated("2026-01-01"), gr, dated("2026-01-08"), "vat-id date-brief", 38},
	{"a receipt 8 days after the delivery", dn, dated("2026-01-01"), gr, dated("2026-01-09"), "vat-id date-late", 15},
	{"a receipt a day before the delivery", dn, dated("2026-01-02"), gr, dated("2026-01-01"), "vat-id date-early", 22},
	{"one without a date", po, dated("2026-01-01"), inv, vat, "vat-id", 30},
	{"the same quarter", gr, quarter1, inv, quarter1, "vat-id period", 42},
	{"the same quarter, and dates", gr, quarter1 + `,"date":"2026-04-01"`, inv, quarter1 + `,"date":"2026-04-02"`, "vat-id period date", 44}, // 17, but 14 at most
	{"the next quarter", gr, quarter1, inv, vat + `,"period":{"from":"2026-04-01","to":"2026-06-30"}`, "vat-id other-period", 5},
	{"the quarter before", gr, quarter1, inv, vat + `,"period":{"from":"2025-10-01","to":"2025-12-31"}`, "vat-id other-period", 5},
	{"a month of the quarter", gr, quarter1, inv, vat + `,"period":{"from":"2026-03-01","to":"2026-03-31"}`, "vat-id", 30},
	{"touching periods", gr, quarter1, inv, vat + `,"period":{"from":"2026-03-31","to":"2026-06-30"}`, "vat-id", 30},
	{"an open end", gr, vat + `,"period":{"from":"2026-01-01"}`, inv, vat + `,"period":{"from":"2026-04-01"}`, "vat-id", 30},
	{"while the contract runs", ct, quarter1, inv, dated("2026-02-10"), "vat-id in-period", 38},
	{"3 days before it runs", ct, quarter1, inv, dated("2025-12-29"), "vat-id in-period", 38},
	{"4 days before it runs", ct, quarter1, inv, dated("2025-12-28"), "vat-id out-of-period", 0},
	{"3 days after it ran", ct, quarter1, inv, dated("2026-04-03"), "vat-id in-period", 38},
	{"4 days after it ran", ct, quarter1, inv, dated("2026-04-04"), "vat-id out-of-period", 0},
	{"it has no end", ct, vat + `,"period":{"from":"2026-01-01"}`, inv, dated("2036-01-01"), "vat-id in-period", 38},
	{"a contract without a period is dated like others", ct, dated("2026-01-01"), inv, dated("2026-02-01"), "vat-id date", 35},
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	for family, rows := range evidenceTables {
		for _, tc := range rows {
			t.Run(family+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				p := scoredBothWays(t, parsed(t, tc.aType, object(tc.a)), parsed(t, tc.bType, object(tc.b)))
				if got := names(p.Evidence); got != tc.evidence || p.Points != tc.points || p.Veto != "" {
					t.Errorf("got %d by %s%s\nwant %d by %s", p.Points, got, p.Veto, tc.points, tc.evidence)
				}
				for _, ev := range p.Evidence {
					if ev.Text == "" || strings.Contains(ev.Text, "%!") || strings.Contains(ev.Text, "  ") || ev.Points != weights[ev.Name].points {
						t.Errorf("%+v", ev)
					}
				}
			})
		}
	}
}

// TestNamesBySimilarity has names on both sides of each threshold.
func TestNamesBySimilarity(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b      string
		from, to  float64 // their similarity
		suppliers string  // evidence for suppliers with these names and another buyer
		buyers    string  // and of buyers of one supplier
	}{
		{"Kohler & Sohne Getriebebau", "Köhler & Sohne Getriebebau", 0.98, 0.99, "name other-buyer", "vat-id same-buyer"},
		{"Kohler & Sohne Getriebebau", "Köhler Söhne Getriebebau", 0.97, 0.98, "name-similar other-buyer", "vat-id same-buyer"},
		{"Nord Pumpen", "Nord Pumpen Anlagenbau", 0.75, 0.76, "name-similar other-buyer", "vat-id same-buyer"},
		{"Alpha Beta Epsilon", "Alpha Beta", 0.74, 0.75, "name-perhaps other-buyer", "vat-id"},
		{"Alpha Beta Zeta Rho", "Alpha Beta Gamma", 0.50, 0.52, "name-perhaps other-buyer", "vat-id"},
		{"Nord Ventile Technik", "Sued Pumpen Technik", 0.1, 0.50, "other-name other-buyer", "vat-id other-buyer"},
	} {
		if s := company.Similarity(company.ParseName(tc.a), company.ParseName(tc.b)); s < tc.from || s >= tc.to {
			t.Errorf("%q and %q: their similarity is %.4f: choose other names", tc.a, tc.b, s)
		}
		compared := func(format, other, another string) string {
			return names(scoredBothWays(t, parsed(t, po, object(strings.ReplaceAll(format, "NAME", tc.a), other)),
				parsed(t, inv, object(strings.ReplaceAll(format, "NAME", tc.b), another))).Evidence)
		}
		if got := compared(`"supplier":{"name":"NAME"}`, ulm, zenith); got != tc.suppliers {
			t.Errorf("suppliers %q and %q: got %q, want %q", tc.a, tc.b, got, tc.suppliers)
		}
		if got := compared(`"buyer":{"name":"NAME"}`, vat, vat); got != tc.buyers {
			t.Errorf("buyers %q and %q: got %q, want %q", tc.a, tc.b, got, tc.buyers)
		}
	}
}

var evidenceTables = map[string][]evidenceRow{
	"company": companyRows, "citation": citationRows, "items": itemRows, "alike": alikeRows, "units": unitRows, "shares": shareRows, "credit": creditRows, "cited": citedRows, "words": wordRows, "amounts": amountRows, "return": returnRows, "time": timeRows,
}

// TestEachEvidenceHasACase: a new kind needs a row of its own.
func TestEachEvidenceHasACase(t *testing.T) {
	t.Parallel()
	rest := map[string]bool{}
	for name, w := range weights {
		if w.points == 0 || caps[w.family] == 0 {
			t.Errorf("%s of the family %s says nothing", name, w.family)
		}
		rest[name] = !Evidence{Name: name}.FromCompetition() // of which the rules have a table
	}
	for _, rows := range evidenceTables {
		for _, row := range rows {
			for name := range strings.FieldsSeq(row.evidence) {
				delete(rest, name)
			}
		}
	}
	delete(rest, "alike")      // it needs an embedding: TestSimilarTexts
	delete(rest, "known-name") // it needs other documents: TestKnownNamesScore
	for name, missing := range rest {
		if missing {
			t.Errorf("no table has the evidence %s", name)
		}
	}
}

// A pair must not have high confidence with any of these, whatever else speaks for it.
func TestEachDoubtCounts(t *testing.T) {
	t.Parallel()
	for name, kind := range weights {
		evidence := []Evidence{evCites.says(""), kind.says("")}
		want := false
		switch name {
		case "date-early", "date-order", "date-half", "date-far", "cites-off", "name-forgiven", "nearest", "tie", "farther", "taken":
			want = true
		}
		if got := Doubtful(evidence); got != want {
			t.Errorf("%s: doubtful %t, want %t", name, got, want)
		}
	}
}
