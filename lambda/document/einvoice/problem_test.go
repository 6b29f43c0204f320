package einvoice_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
)

const (
	ublHead = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
xmlns:a="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><b:ID>1</b:ID>
`
	ublTail = `</Invoice>`
	ciiHead = `<r:CrossIndustryInvoice xmlns:r="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
xmlns:a="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
xmlns:u="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
`
	ciiTail = `</r:CrossIndustryInvoice>`
)

func ubl(content string) string { return ublHead + content + ublTail }

func cii(typeCode, rest string) string {
	return ciiHead + "<r:ExchangedDocument><a:ID>1</a:ID><a:TypeCode>" + typeCode + "</a:TypeCode>" + rest +
		"</r:ExchangedDocument>" + ciiTail
}

func ciiDate(format, date string) string {
	return cii("380", `<a:IssueDateTime><u:DateTimeString format="`+format+`">`+date+
		"</u:DateTimeString></a:IssueDateTime>")
}

func ublTotal(amounts string) string {
	return ubl("<b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode><a:LegalMonetaryTotal>" + amounts +
		"</a:LegalMonetaryTotal>")
}

func ublLine(quantity, price, amount, rest string) string {
	return ubl("<a:InvoiceLine><b:InvoicedQuantity>" + quantity + "</b:InvoicedQuantity>\n<b:LineExtensionAmount>" + amount +
		"</b:LineExtensionAmount><a:Price><b:PriceAmount>" + price + "</b:PriceAmount></a:Price>" + rest + "</a:InvoiceLine>")
}

// A value that cannot be taken is reported by its line and place, and never
// quoted.
func TestProblemsQuoteNoValue(t *testing.T) {
	t.Parallel()
	const (
		total      = "line 4: LegalMonetaryTotal/TaxInclusiveAmount: "
		notDecimal = "invalid decimal: expected at most 18 digits before and 9 after the point"
		twice      = "duplicate with another value; the first is used"
	)
	inclusive := func(amount string) string { return "<b:TaxInclusiveAmount>" + amount + "</b:TaxInclusiveAmount>" }
	prepaid := func(paid, due string) string {
		return "<b:PrepaidAmount>" + paid + "</b:PrepaidAmount><b:PayableAmount>" + due + "</b:PayableAmount>"
	}
	for _, tc := range []struct{ name, in, want string }{
		{"none", ubl(""), ""},
		{"a total in words", ublTotal(inclusive("secret")),
			total + notDecimal},
		{"an exponent", ublTotal(inclusive("1e9")),
			total + notDecimal},
		{"a comma", ublTotal(inclusive("1,50")),
			total + notDecimal},
		{"ten decimals", ublTotal(inclusive("0.0123456789")),
			total + notDecimal},
		{"another currency", ublTotal(`<b:TaxInclusiveAmount currencyID="USD">1</b:TaxInclusiveAmount>`),
			total + "currency differs from the document's"},
		{"two totals", ublTotal(inclusive("1") + "\n" + inclusive("2")),
			"line 5: LegalMonetaryTotal/TaxInclusiveAmount: " + twice},
		{"one total twice", ublTotal(inclusive("1") + inclusive("1")), ""},
		{"an amount due less what was prepaid", ublTotal(inclusive("119") + prepaid("69", "50")), ""},
		{"a wrong amount due", ublTotal(inclusive("119") + prepaid("69", "119")),
			"line 4: LegalMonetaryTotal/PayableAmount: it is not total - prepaid + rounding (EN 16931, BR-CO-16)"},
		{"two numbers", ubl("<b:ID>2</b:ID>"), "line 4: ID: " + twice},
		{"a currency sign", ubl("<b:DocumentCurrencyCode>€</b:DocumentCurrencyCode>"),
			"line 4: DocumentCurrencyCode: invalid currency: expected a code of three letters"},
		{"a German date", ubl("<b:IssueDate>02.03.2026</b:IssueDate>"),
			"line 4: IssueDate: invalid date"},
		{"no such day", ubl("<b:IssueDate>2026-02-30</b:IssueDate>"), "line 4: IssueDate: invalid date"},
		{"a month", ciiDate("610", "202603"),
			"line 4: ExchangedDocument/IssueDateTime/DateTimeString: invalid date"},
		{"day first", ciiDate("4", "02032026"),
			"line 4: ExchangedDocument/IssueDateTime/DateTimeString: invalid date"},
		{"a quantity in words", ubl("<a:InvoiceLine>\n<b:InvoicedQuantity>two</b:InvoicedQuantity></a:InvoiceLine>"),
			"line 5: InvoicedQuantity: " + notDecimal},
		{"a line of 20 x 4.10 = 81.90", ublLine("20", "4.10", "81.90", ""),
			"line 5: LineExtensionAmount: differs from quantity x price without a discount"},
		{"a line of 20 x 4.10 = 81.98, rounded", ublLine("20", "4.10", "81.98", ""), ""},
		{"a discount of the line", ublLine("20", "4.10", "81.90",
			"<a:AllowanceCharge><b:Amount>0.10</b:Amount></a:AllowanceCharge>"), ""},
		{"a price for 100", ublLine("50", "4.10", "2.05", "<a:Price><b:BaseQuantity>100</b:BaseQuantity></a:Price>"), ""},
		{"a price for one, said to be for the quantity", ublLine("50", "4.10", "205",
			"<a:Price><b:BaseQuantity>50</b:BaseQuantity></a:Price>"), ""},
		{"no name space", ubl("<IssueDate xmlns=''>2026-03-02</IssueDate>"),
			"line 4: the root element: ignored an element of a foreign name space"},
		{"a prefix that is not declared", ubl("<a:InvoiceLine><cbc:Note>secret</cbc:Note></a:InvoiceLine>"),
			"line 4: InvoiceLine: ignored an element of a foreign name space"},
		{"a copy", ubl("<b:CopyIndicator>true</b:CopyIndicator>"),
			"line 4: CopyIndicator: marked as a copy"},
		{"pro forma in UBL", ubl(at("InvoiceTypeCode", "325")), "line 4: InvoiceTypeCode: pro forma invoice"},
		{"an order that is rejected", ubl(at("OrderResponseCode", "RE")),
			"line 4: OrderResponseCode: order rejected by the seller"},
		{"pro forma", cii("325", ""), "line 4: ExchangedDocument/TypeCode: pro forma invoice"},
	} {
		d, err := einvoice.Read(strings.NewReader(tc.in))
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var got []string
		for _, p := range d.Problems {
			got = append(got, p.String())
		}
		if strings.Join(got, "\n") != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	line := "<a:InvoiceLine><b:InvoicedQuantity>x</b:InvoicedQuantity><x xmlns=''/></a:InvoiceLine>"
	d, err := einvoice.Read(strings.NewReader(ubl(strings.Repeat(line, 1000))))
	if err != nil || len(d.Problems) != 100 || len(d.Data.Lines) != 1000 {
		t.Errorf("%d problems and %d lines, %v", len(d.Problems), len(d.Data.Lines), err)
	}
}

func TestRefusalReasons(t *testing.T) {
	t.Parallel()
	const foreign = "line 1: unsupported XML: expected UBL 2, UN/CEFACT CII or FatturaPA"
	const broken = "invalid XML 1.0: not well-formed"
	note := func(text string) string { return "<b:Note>" + text + "</b:Note>" }
	const dtd = "line 1: unsupported document type declaration: it may define entities"
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", "missing root element"},
		{"blank", " \n ", "missing root element"},
		{"a PDF", "%PDF-1.7 secret", "line 1: text outside the root element"},
		{"a ZIP", "PK\x03\x04secret", "line 1: " + broken},
		{"JSON", `{"secret":1}`, "line 1: text outside the root element"},
		{"HTML", "<html><body>secret</body></html>", foreign},
		{"UBL 1", `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-1.0"/>`, foreign},
		{"UBL without a name space", "<Invoice><ID>1</ID></Invoice>", foreign},
		{"another root in the name space of invoices",
			`<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>`, foreign},
		{"a quotation", `<Quotation xmlns="urn:oasis:names:specification:ubl:schema:xsd:Quotation-2"/>`,
			"line 1: unsupported UBL document: Quotation"},
		{"a name that is a text", `<secret xmlns="urn:oasis:names:specification:ubl:schema:xsd:secret-2"/>`, foreign},
		{"no type code", ciiHead + ciiTail, "line 3: unsupported type code: expected an invoice or a credit note"},
		{"a type code of no invoice", cii("220", ""), "line 3: unsupported type code: expected an invoice or a credit note"},
		{"nothing in it", strings.Replace(ublHead, "<b:ID>1</b:ID>", "", 1) + ublTail,
			"missing every field of a business document"},
		{"cut off", ublHead + "<b:IssueDate>2026", "line 4: " + broken},
		{"not closed", ublHead, "line 4: " + broken},
		{"closed twice", ubl(ublTail), "line 4: " + broken},
		{"a second root", ublHead + ublTail + "\n<secret/>", "line 5: second root element"},
		{"text behind", ublHead + ublTail + "\nsecret", "line 5: text outside the root element"},
		{"an unknown entity", ubl("<b:Note>&secret;</b:Note>"), "line 4: " + broken},
		{"a document type", "<!DOCTYPE html>" + ubl(""), dtd},
		{"an entity bomb", `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>` + ubl("<b:Note>&b;</b:Note>"),
			dtd},
		{"an external entity", `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>` + ubl(""), dtd},
		{"deep", ubl(strings.Repeat("<a:Party>", 70) + strings.Repeat("</a:Party>", 70)),
			"line 4: elements nested too deep: over 64 levels"},
		{"deep in an extension", ubl(strings.Repeat("<x>", 70) + strings.Repeat("</x>", 70)),
			"line 4: elements nested too deep: over 64 levels"},
		{"many elements", ubl(strings.Repeat("<x/>", 300_001)), "line 4: too many elements: over 300,000"},
		{"a long tag", ubl("<b:Note " + strings.Repeat("a='>' ", 20_000) + "/>"),
			"line 4: tag too long: over 64 KiB"},
		{"many lines", ubl(strings.Repeat("<a:InvoiceLine/>", document.MaxLines+1)), "too many line items: over 5000"},
		{"large", ubl("<b:Note>" + strings.Repeat("secret ", 4<<20) + "</b:Note>"),
			"file too large: over 24 MiB"},
		{"long texts", ubl(note(strings.Repeat("x", 1<<19)) + note(strings.Repeat("y", 1<<19))),
			"structured data must be at most 1048576 bytes"},
		{"a long text", ubl(note(strings.Repeat("x", 2<<20))), "structured data must be at most 1048576 bytes"},
		{"an empty envelope", sbdh(), "envelope without a document"},
		{"a foreign document in an envelope", sbdh(ubl(""), "<secret/>"), "line 6: unsupported XML: expected UBL 2, UN/CEFACT CII or FatturaPA"},
		{"an envelope in an envelope", sbdh(sbdh(ubl(""))), "line 2: unsupported XML: expected UBL 2, UN/CEFACT CII or FatturaPA"},
		{"a document behind an envelope", sbdh(ubl("")) + ubl(""), "line 7: second root element"},
		{"an envelope cut off", strings.TrimSuffix(sbdh(ubl("")), "</s:StandardBusinessDocument>"), "line 5: " + broken},
		{"a NUL", ubl("<b:Note>&#0;</b:Note>"), "line 4: " + broken},
		{"EBCDIC", `<?xml version="1.0" encoding="IBM037"?>` + ubl("<b:Note>\xff</b:Note>"),
			"line 1: unsupported encoding: expected UTF-8, UTF-16, ISO-8859-1, -2, -15, windows-1250 or -1252"},
		{"UTF-7", `<?xml version="1.0" encoding="UTF-7"?>` + ubl("<b:Note>+AGE-</b:Note>"),
			"line 1: unsupported encoding: expected UTF-8, UTF-16, ISO-8859-1, -2, -15, windows-1250 or -1252"},
		{"XML 1.1", `<?xml version="1.1"?>` + ubl(""), "line 1: " + broken},
	} {
		_, err := einvoice.Read(strings.NewReader(tc.in))
		var refused *einvoice.Refused
		if !errors.As(err, &refused) || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestLongTextIsNotLongTag(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 1<<16)
	for _, in := range []string{"<!-- < ' " + long + " -->", "<!--> < ' " + long + " -->", "<?x < ' " + long + " ?>",
		"<b:Note><![CDATA[< ' " + long + "]]></b:Note>", "<b:Note>' " + long + "</b:Note>"} {
		if _, err := einvoice.Read(strings.NewReader(ubl(in))); err != nil {
			t.Errorf("%.20s: %v", in, err)
		}
	}
}

func TestReaderErrorIsNotRefused(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection lost")
	_, err := einvoice.Read(io.MultiReader(strings.NewReader(ublHead), iotest.ErrReader(lost)))
	var refused *einvoice.Refused
	if !errors.Is(err, lost) || errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
}

// The totals of UBL 2.0 lack TaxInclusiveAmount.
func TestMissingTotalsFallBack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ amounts, subtotal, total string }{
		{"", "", ""},
		{"<b:PayableAmount>100</b:PayableAmount>", "", "100"},
		{"<b:PayableAmount>100</b:PayableAmount><b:PrepaidAmount>0.00</b:PrepaidAmount>", "", "100"},
		{"<b:PayableAmount>100</b:PayableAmount><b:PrepaidAmount>20</b:PrepaidAmount>", "", ""},
		{"<b:PayableAmount>100</b:PayableAmount><b:PayableRoundingAmount>0.3</b:PayableRoundingAmount>", "", ""},
		{"<b:PayableAmount>100</b:PayableAmount><b:TaxInclusiveAmount>119</b:TaxInclusiveAmount>", "", "119"},
		{"<b:LineExtensionAmount>90</b:LineExtensionAmount>", "90", ""},
		{"<b:LineExtensionAmount>90</b:LineExtensionAmount><b:AllowanceTotalAmount>5</b:AllowanceTotalAmount>", "", ""},
		{"<b:LineExtensionAmount>90</b:LineExtensionAmount><b:TaxExclusiveAmount>85</b:TaxExclusiveAmount>", "85", ""},
	} {
		d, err := einvoice.Read(strings.NewReader(ublTotal(tc.amounts)))
		if got := d.Data; err != nil || got.Subtotal.Canonical() != tc.subtotal || got.Total.Canonical() != tc.total {
			t.Errorf("%s: got %q and %q, %v", tc.amounts, got.Subtotal.Canonical(), got.Total.Canonical(), err)
		}
	}
}

// In the Danish profile TaxExclusiveAmount is the tax.
func TestOIOUBLHasNoSubtotal(t *testing.T) {
	t.Parallel()
	amounts := "<b:LineExtensionAmount>100</b:LineExtensionAmount><b:TaxExclusiveAmount>25</b:TaxExclusiveAmount>"
	in := strings.Replace(ublTotal(amounts), "<b:ID>", "<b:CustomizationID>OIOUBL-2.1</b:CustomizationID><b:ID>", 1)
	d, err := einvoice.Read(strings.NewReader(in))
	if err != nil || d.Profile != "OIOUBL" || d.Data.Subtotal.Canonical() != "100" {
		t.Errorf("%s, subtotal %q, %v", d.Profile, d.Data.Subtotal.Canonical(), err)
	}
}

func TestDecimalsStayExact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"100.00": "100", "0.10": "0.1", " +5.50 ": "5.5", "-0.0100": "-0.01", ".5": "0.5",
		"5.": "5", "007": "7", "0": "0", "-0": "0",
		"123456789012345678.123456789": "123456789012345678.123456789", "0.1000000000000": "0.1",
		"": "", ".": "", "-": "", "+-5": "", "1.5.5": "", "1 000": "", "1234567890123456789": "",
	} {
		d, err := einvoice.Read(strings.NewReader(ublTotal("<b:TaxInclusiveAmount>" + in + "</b:TaxInclusiveAmount>")))
		if got := d.Data.Total.Canonical(); err != nil || got != want {
			t.Errorf("%q: got %q, want %q, %v", in, got, want, err)
		}
	}
}

func TestDatesBecomeISODates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ format, in, want string }{
		{"", "2026-03-02", "2026-03-02"}, {"", "2026-03-02Z", "2026-03-02"}, {"", "2026-03-02+02:00", "2026-03-02"},
		{"", "2026-03-02T23:30:00", "2026-03-02"}, {"", "20260302", "2026-03-02"}, {"102", "20260302", "2026-03-02"},
		{"203", "202603022330", "2026-03-02"}, {"204", "20260302233000", "2026-03-02"}, {"102", "2026-03-02", "2026-03-02"},
		{"102", "202603022330", ""}, {"", "2026-03-02 secret", ""}, {"101", "260302", ""}, {"", "0001-01-01", ""},
	} {
		d, err := einvoice.Read(strings.NewReader(ciiDate(tc.format, tc.in)))
		if got := d.Data.Date.String(); err != nil || got != tc.want {
			t.Errorf("%s in format %q: got %q, want %q, %v", tc.in, tc.format, got, tc.want, err)
		}
	}
}

func TestTypeFollowsTheCode(t *testing.T) {
	t.Parallel()
	coded := func(code string) string {
		return ubl("<b:InvoiceTypeCode>" + code + "</b:InvoiceTypeCode>")
	}
	for in, want := range map[string]document.Type{
		cii("380", ""): document.Invoice, cii("384", ""): document.Invoice, cii("575", ""): document.Invoice,
		cii("381", ""): document.CreditNote, cii("261", ""): document.CreditNote,
		coded("380"): document.Invoice, coded("381"): document.CreditNote, coded("SalesInvoice"): document.Invoice,
	} {
		if d, err := einvoice.Read(strings.NewReader(in)); err != nil || d.Type != want {
			t.Errorf("%s: got %s, want %s, %v", in, d.Type, want, err)
		}
	}
}

func TestNotesAndMixedContent(t *testing.T) {
	t.Parallel()
	in := ubl("<b:Note>one</b:Note><b:Note> one </b:Note><b:Note>mixed<b:ID/>content</b:Note><b:Note>two</b:Note>")
	if d, err := einvoice.Read(strings.NewReader(in)); err != nil || d.Data.Notes != "one\ntwo" {
		t.Errorf("got %q, %v", d.Data.Notes, err)
	}
}

// An order has a buyer and an office that pays, an invoice is for the latter.
func TestBuyerIsAccountingParty(t *testing.T) {
	t.Parallel()
	party := func(role, name string) string {
		return "<a:" + role + "><a:Party><a:PartyName><b:Name>" + name + "</b:Name></a:PartyName></a:Party></a:" + role + ">"
	}
	invoice := ubl(party("AccountingCustomerParty", "Office") + party("BuyerCustomerParty", "Buyer"))
	for in, want := range map[string]string{
		invoice: "Office",
		strings.NewReplacer("Invoice-2", "Order-2", "<Invoice", "<Order", "</Invoice", "</Order").Replace(invoice): "Buyer",
	} {
		if d, err := einvoice.Read(strings.NewReader(in)); err != nil || d.Data.Buyer.Name != want {
			t.Errorf("the buyer of the %s is %q, %v", d.Type, d.Data.Buyer.Name, err)
		}
	}
}

func TestReferencesAreBounded(t *testing.T) {
	t.Parallel()
	line := func(number int) string {
		return fmt.Sprintf("<a:InvoiceLine><a:OrderLineReference><a:OrderReference><b:ID>%d</b:ID></a:OrderReference>"+
			"</a:OrderLineReference></a:InvoiceLine>", number)
	}
	d, err := einvoice.Read(strings.NewReader(ubl(strings.Repeat(line(7), 1000))))
	want := []document.Reference{{Type: "purchase-order", Number: "7"}}
	if err != nil || !slices.Equal(d.Data.References, want) {
		t.Errorf("got %v, %v", d.Data.References, err)
	}
	var many strings.Builder
	for i := range document.MaxReferences + 1 {
		many.WriteString(line(i))
	}
	_, err = einvoice.Read(strings.NewReader(ubl(many.String())))
	if err == nil || err.Error() != "too many references: over 500" {
		t.Errorf("got %v", err)
	}
}
