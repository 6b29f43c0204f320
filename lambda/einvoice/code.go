package einvoice

import (
	"encoding/xml"
	"strings"
)

// vocabularyOf returns the vocabulary of a root element; nil if it is foreign.
func vocabularyOf(xml.Name) *vocabulary { return nil }

// supportCodes are the codes of supporting documents that are more than that.
var supportCodes = map[string]string{"50": "tender", "130": "object"}

// vatSchemes are the codes of the Electronic Address Scheme whose ids are VAT
// ids.
var vatSchemes = func() map[string]bool {
	m := map[string]bool{}
	for code := range strings.FieldsSeq(`9910 9914 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933
		9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9955 9957`) {
		m[code] = true
	}
	return m
}()

// isVAT reports whether one of the names is that of a tax scheme for VAT: VAT,
// VA in CII, GST in some countries.
func isVAT(schemes []string) bool {
	for _, s := range schemes {
		if s == "VA" || s == "GST" || s == "VAT" {
			return true
		}
	}
	return false
}

// profiles are the names of profiles by a part of their id; the first that fits
// counts.
var profiles = []struct{ part, name string }{
	{"xrechnung", "XRechnung"},
	{"poacc:billing", "Peppol BIS Billing"},
	{"fdc:peppol.eu", "Peppol"},
	{"factur-x.eu:1p0:minimum", "Factur-X MINIMUM"},
	{"factur-x.eu:1p0:basicwl", "Factur-X BASIC WL"},
	{"factur-x.eu:1p0:basic", "Factur-X BASIC"},
	{"factur-x.eu:1p0:extended", "Factur-X EXTENDED"},
	{"zugferd.de:2p", "ZUGFeRD 2"},
	{"urn:ferd:CrossIndustryDocument:invoice:1p0", "ZUGFeRD 1"},
	{"urn:cen.eu:en16931:2017", "EN 16931"},
}

func profile(id string) string {
	for _, p := range profiles {
		if strings.Contains(id, p.part) {
			return p.name
		}
	}
	return ""
}
