package einvoice_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// shared is a folder of the evaluation data; the test is skipped without it.
func shared(t *testing.T, name string) string {
	t.Helper()
	return testenv.Shared(t, "eval/"+name)
}

// ublKinds are the root elements of the examples, and the type of each; the
// others are refused.
var ublKinds = map[string]document.Type{
	"Invoice": document.Invoice, "CreditNote": document.CreditNote, "SelfBilledCreditNote": document.CreditNote,
	"Order": document.PurchaseOrder, "OrderResponse": document.OrderConfirmation,
	"OrderResponseSimple": document.OrderConfirmation,
	"DespatchAdvice":      document.DeliveryNote, "ReceiptAdvice": document.GoodsReceipt,
}

func TestUBLExamples(t *testing.T) {
	t.Parallel()
	read, refused := 0, 0
	err := filepath.WalkDir(shared(t, "ubl"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".xml" {
			return err
		}
		root := rootElement(t, file)
		d, err := einvoice.Read(open(t, file))
		var reason *einvoice.Refused
		switch want := ublKinds[root]; {
		case want == "":
			refused++
			if !errors.As(err, &reason) || !strings.Contains(reason.Reason, root) {
				t.Errorf("%s: %v, want it refused as a %s", file, err, root)
			}
		case err != nil || d.Type != want:
			t.Errorf("%s: %s, %v, want %s", file, d.Type, err, want)
		default:
			read++
			complete(t, file, d)
		}
		return nil
	})
	if err != nil || read != 50 || refused != 28 {
		t.Errorf("%d read and %d refused, %v", read, refused, err)
	}
}

func rootElement(t *testing.T, file string) string {
	t.Helper()
	for path := range leaves(t, file) {
		root, _, _ := strings.Cut(path, "/")
		return root
	}
	return ""
}

// leaves yields the path and the text of each element that has only text.
func leaves(t *testing.T, file string) iter.Seq2[string, string] {
	t.Helper()
	decoder := xml.NewDecoder(open(t, file))
	return func(yield func(string, string) bool) {
		var open []string
		text, leaf := "", false
		for {
			token, err := decoder.Token()
			if err != nil {
				return
			}
			switch x := token.(type) {
			case xml.StartElement:
				open, text, leaf = append(open, x.Name.Local), "", true
			case xml.CharData:
				text += string(x)
			case xml.EndElement:
				if leaf && !yield(strings.Join(open, "/"), strings.Join(strings.Fields(text), " ")) {
					return
				}
				open, leaf = open[:len(open)-1], false
			}
		}
	}
}

// complete reports the texts of a file that its structured data lacks, unless
// their place is outside of the schema.
func complete(t *testing.T, file string, d einvoice.Document) {
	t.Helper()
	raw, err := json.Marshal(d.Data)
	must.OK(t, err)
	var all any
	must.OK(t, json.Unmarshal(raw, &all))
	held := texts(all)
	for path, text := range leaves(t, file) {
		inside := func(part string) bool { return strings.Contains("/"+path+"/", "/"+part+"/") }
		if !holds(held, path, text) && !slices.ContainsFunc(strings.Fields(outside), inside) {
			t.Errorf("%s: %s is lost: %q", file, path, text)
		}
	}
}

var numeric = regexp.MustCompile(`(Amount|Quantity|Percent)$`)

// holds reports whether structured data has the text of an element. A number may
// have another sign (a discount) and fewer zeros, and one unit is not written.
func holds(held, path, text string) bool {
	if !numeric.MatchString(path) {
		return strings.Contains(held, text)
	}
	var a document.Amount
	if a.UnmarshalJSON([]byte(strconv.Quote(text))) != nil {
		return false
	}
	return strings.Contains(held, "|"+a.Canonical()+"|") || strings.Contains(held, "|-"+a.Canonical()+"|") ||
		strings.HasSuffix(path, "BaseQuantity") && a.Canonical() == "1"
}

// texts lists all strings of structured data.
func texts(v any) string {
	var b strings.Builder
	switch x := v.(type) {
	case string:
		return "|" + strings.Join(strings.Fields(x), " ") + "|"
	case []any:
		for _, e := range x {
			b.WriteString(texts(e))
		}
	case map[string]any:
		for _, e := range x {
			b.WriteString(texts(e))
		}
	}
	return b.String()
}

// outside lists places for which the schema has no field: control data and codes,
// persons and routing, delivery and despatch, other companies than supplier and
// buyer, a second name, number or text beside the one that is taken, details of
// a price or a tax, and attachments.
const outside = `
	UBLVersionID CustomizationID ProfileID UUID CopyIndicator UBLExtensions Signature IssueTime AcceptedIndicator
	InvoiceTypeCode OrderTypeCode OrderResponseCode DespatchAdviceTypeCode DocumentStatusCode LineStatusCode
	AccountingCost AccountingCostCode CustomerReference EndpointID Contact DeliveryContact Person Language WebsiteURI
	CustomerAssignedAccountID SupplierAssignedAccountID PartyIdentification PartyLegalEntity/CompanyID PostalAddress/ID
	PartyName RegistrationName PartyLegalEntity/RegistrationAddress ExemptionReason TaxScheme CountrySubentityCode
	OriginatorCustomerParty PayeeParty OriginatorParty Order/AccountingCustomerParty DespatchSupplierParty
	DespatchAdvice/DeliveryCustomerParty Delivery DeliveryTerms Shipment Despatch ValidityPeriod TaxPointDate
	OrderReference/IssueDate InvoiceDocumentReference/IssueDate DespatchDocumentReference/IssueDate
	AdditionalDocumentReference ItemSpecificationDocumentReference Contract/ContractType
	ContractDocumentReference/DocumentType DiscrepancyResponse TransactionConditions
	PaymentMeansCode PaymentChannelCode PaymentID PayeeFinancialAccount
	LegalMonetaryTotal/LineExtensionAmount AnticipatedMonetaryTotal/LineExtensionAmount
	AllowanceTotalAmount ChargeTotalAmount PrepaidAmount PayableRoundingAmount PayableAmount
	AllowanceChargeReasonCode BaseAmount ChargeIndicator MultiplierFactorNumeric TaxCategory/ID
	TaxExemptionReason TaxExemptionReasonCode TaxEvidenceIndicator InvoiceLine/TaxTotal CreditNoteLine/TaxTotal
	TotalTaxAmount InvoiceLine/AllowanceCharge LineItem/AllowanceCharge Price/AllowanceCharge PriceType
	DespatchLine/ID SellerSubstitutedLineItem/ID Item/Description AdditionalItemProperty
	BuyersItemIdentification StandardItemIdentification
	ManufacturersItemIdentification CommodityClassification ItemInstance HazardousItem Certificate
	BackorderQuantity BackorderReason OutstandingQuantity OutstandingReason ShortQuantity MaximumBackorderQuantity
	PartialDeliveryIndicator`
