package einvoice_test

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/internal/must"
)

const orderX = `<r:SCRDMCCBDACIOMessageStructure xmlns:r="urn:un:unece:uncefact:data:SCRDMCCBDACIOMessageStructure:100"
xmlns:a="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:128"
xmlns:u="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:128">
<r:ExchangedDocumentContext><a:GuidelineSpecifiedDocumentContextParameter><a:ID>urn:order-x.eu:1p0:basic</a:ID></a:GuidelineSpecifiedDocumentContextParameter></r:ExchangedDocumentContext>
<r:ExchangedDocument><a:ID>B-7</a:ID><a:TypeCode>CODE</a:TypeCode><a:StatusCode>STATUS</a:StatusCode>
<a:IssueDateTime><u:DateTimeString format="102">20260311</u:DateTimeString></a:IssueDateTime></r:ExchangedDocument>
<r:SupplyChainTradeTransaction><a:IncludedSupplyChainTradeLineItem>
<a:SpecifiedTradeProduct><a:SellerAssignedID>K-1</a:SellerAssignedID><a:Name>Kies</a:Name></a:SpecifiedTradeProduct>
<a:SpecifiedLineTradeAgreement><a:NetPriceProductTradePrice><a:ChargeAmount>12.50</a:ChargeAmount></a:NetPriceProductTradePrice></a:SpecifiedLineTradeAgreement>
<a:SpecifiedLineTradeDelivery><a:RequestedQuantity unitCode="TNE">8</a:RequestedQuantity></a:SpecifiedLineTradeDelivery>
<a:SpecifiedLineTradeSettlement><a:SpecifiedTradeSettlementLineMonetarySummation><a:LineTotalAmount>100.00</a:LineTotalAmount></a:SpecifiedTradeSettlementLineMonetarySummation></a:SpecifiedLineTradeSettlement>
</a:IncludedSupplyChainTradeLineItem>
<a:ApplicableHeaderTradeAgreement><a:SellerTradeParty><a:Name>Bergland Kies AG</a:Name></a:SellerTradeParty>
<a:BuyerTradeParty><a:Name>Tiefbau Wolter GmbH</a:Name></a:BuyerTradeParty></a:ApplicableHeaderTradeAgreement>
<a:ApplicableHeaderTradeSettlement><a:OrderCurrencyCode>EUR</a:OrderCurrencyCode>
<a:SpecifiedTradeSettlementHeaderMonetarySummation><a:TaxBasisTotalAmount>100.00</a:TaxBasisTotalAmount><a:TaxTotalAmount currencyID="EUR">19.00</a:TaxTotalAmount>
<a:GrandTotalAmount>119.00</a:GrandTotalAmount></a:SpecifiedTradeSettlementHeaderMonetarySummation></a:ApplicableHeaderTradeSettlement>
</r:SupplyChainTradeTransaction></r:SCRDMCCBDACIOMessageStructure>`

func TestOrderX(t *testing.T) {
	t.Parallel()
	read := func(code, status string) (einvoice.Document, error) {
		return einvoice.Read(strings.NewReader(strings.NewReplacer("CODE", code, "STATUS", status).Replace(orderX)))
	}
	d := must.Get(read("220", ""))(t)
	l := d.Data.Lines[0]
	got := []string{string(d.Format), d.Profile, string(d.Type), d.Data.Number, d.Data.Date.String(), d.Data.Currency, d.Data.Supplier.Name,
		d.Data.Buyer.Name, d.Data.Subtotal.Fixed(), d.Data.Tax.Fixed(), d.Data.Total.Fixed(), l.SKU, l.Description, l.Quantity.Canonical(),
		l.Unit, l.UnitPrice.Canonical(), l.Amount.Fixed()}
	want := "Order-X Order-X purchase-order B-7 2026-03-11 EUR Bergland Kies AG Tiefbau Wolter GmbH 100.00 19.00 119.00 K-1 Kies 8 TNE 12.5 100.00"
	if strings.Join(got, " ") != want || len(d.Problems) != 0 {
		t.Errorf("got %q, %v; want %q", strings.Join(got, " "), d.Problems, want)
	}
	d = must.Get(read("231", "27"))(t)
	if d.Type != document.OrderConfirmation || len(d.Problems) != 1 || d.Problems[0].What != "order rejected by the seller" {
		t.Errorf("a rejection: got %s, %v", d.Type, d.Problems)
	}
	if _, err := read("230", ""); err == nil || !strings.Contains(err.Error(), "expected an order or an order response") {
		t.Errorf("a change: got %v", err)
	}
}
