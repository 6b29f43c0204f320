package einvoice

import (
	"encoding/xml"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// ublRoot is the form of the root elements of UBL 2 documents.
var ublRoot = lazy.Regexp(`^[A-Z][A-Za-z]{0,60}$`)

// vocabularyOf returns the vocabulary of a root element, or nil if it is foreign.
func vocabularyOf(root xml.Name) *vocabulary {
	switch {
	case ublRoot().MatchString(root.Local) && root.Space == ublSpace+root.Local+"-2":
		return ublVocabulary(root.Local)
	case root == xml.Name{Space: ciiVocabulary.spaces[0], Local: "CrossIndustryInvoice"}:
		return ciiVocabulary
	case root == xml.Name{Space: zugferd1Space, Local: "CrossIndustryDocument"}:
		return zugferd1Vocabulary
	case root == xml.Name{Space: orderXVocabulary.spaces[0], Local: orderXRoot}:
		return orderXVocabulary
	}
	return fatturaVocabulary(root)
}

// typeCodes maps the codes of UNTDID 1001 allowed by EN 16931 to their types.
var typeCodes = codes(map[document.Type]string{
	document.Invoice: `71 80 82 84 102 130 202 203 204 211 218 219 295 325 326 331 380 382 383 384 385 386 387 388
		389 390 393 394 395 456 457 471 472 473 500 501 502 503 527 553 575 623 633 751 780 817 870 875 876 877 935`,
	document.CreditNote: "81 83 261 262 296 308 381 396 420 458 532",
})

func codes(lists map[document.Type]string) map[string]document.Type {
	m := map[string]document.Type{}
	for t, list := range lists {
		for code := range strings.FieldsSeq(list) {
			m[code] = t
		}
	}
	return m
}

// proForma is the type code of an invoice that must not be paid.
const (
	proForma   = "325"
	isProForma = "pro forma invoice"
)

// supportCodes are the codes of supporting documents that mean more than that.
var supportCodes = map[string]string{"50": "tender", "130": "object"}

// vatSchemes are the codes of the Electronic Address Scheme for VAT ids.
var vatSchemes = strings.Fields(`9910 9914 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933
		9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9955 9957`)

// isVAT reports whether a tax scheme is for VAT: VAT, VA in CII, GST in some countries.
func isVAT(scheme string) bool { return scheme == "VA" || scheme == "GST" || scheme == "VAT" }

const minimum = "Factur-X MINIMUM"

// profiles are the names of profiles by a part of their id. The first to fit counts, so a
// longer part must come before a shorter one.
var profiles = []struct{ part, name string }{
	{"xrechnung", "XRechnung"},
	{"poacc:billing", "Peppol BIS Billing"},
	{"fdc:peppol.eu", "Peppol"},
	{"factur-x.eu:1p0:minimum", minimum},
	{"factur-x.eu:1p0:basicwl", "Factur-X BASIC WL"},
	{"factur-x.eu:1p0:basic", "Factur-X BASIC"},
	{"factur-x.eu:1p0:extended", "Factur-X EXTENDED"},
	{"zugferd.de:2p", "ZUGFeRD 2"},
	{"urn:ferd:CrossIndustryDocument:invoice:1p0", "ZUGFeRD 1"},
	{"urn:cen.eu:en16931:2017", "EN 16931"},
	{oioUBL, oioUBL},
	{"order-x.eu", "Order-X"},
	{"FPR12", "FatturaPA, to companies"},
	{"FPA12", "FatturaPA, to authorities"},
}

func profile(id string) string {
	for _, p := range profiles {
		if strings.Contains(id, p.part) {
			return p.name
		}
	}
	return ""
}
