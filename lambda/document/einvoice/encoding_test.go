package einvoice_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/internal/must"
)

// in16 is s in UTF-16.
func in16(s string, bigEndian bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		high, low := byte(u>>8), byte(u)
		if !bigEndian {
			high, low = low, high
		}
		b.WriteByte(high)
		b.WriteByte(low)
	}
	return b.String()
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	file := func(declared, name string) string {
		return `<?xml version="1.0" encoding="` + declared + `"?>` + ubl("<a:AccountingSupplierParty><a:Party><a:PartyName>"+
			"<b:Name>"+name+"</b:Name></a:PartyName></a:Party></a:AccountingSupplierParty>")
	}
	for _, tc := range []struct{ name, in, want string }{
		{"UTF-8", file("UTF-8", "Müller €"), "Müller €"},
		{"UTF-8 with a byte order mark", "\xef\xbb\xbf" + file("utf-8", "Müller €"), "Müller €"},
		{"UTF-8 without a hyphen", file("utf8", "Müller €"), "Müller €"},
		{"UTF-16, little-endian", "\xff\xfe" + in16(file("UTF-16", "Müller €"), false), "Müller €"},
		{"UTF-16, big-endian", "\xfe\xff" + in16(file("UTF-16", "Müller €"), true), "Müller €"},
		{"UTF-16 without a byte order mark", in16(file("UTF-16LE", "Müller €"), false), "Müller €"},
		{"UTF-16, big-endian, without a byte order mark", in16(file("UTF-16BE", "Müller €"), true), "Müller €"},
		{"UTF-8 that declares UTF-16", file("utf-16", "Müller €"), "Müller €"},
		{"ISO-8859-1", file("ISO-8859-1", "M\xfcller"), "Müller"},
		{"windows-1252", file("Windows-1252", "M\xfcller \x80"), "Müller €"},
		{"ISO-8859-15", file("ISO-8859-15", "M\xfcller \xa4"), "Müller €"},
		{"UTF-8 that declares ISO-8859-1", file("ISO-8859-1", "Müller €"), "Müller €"},
		{"UTF-8 that declares nonsense", file("UTF-8-W/O-BOM", "Müller €"), "Müller €"},
		{"windows-1252 that declares UTF-8", file("UTF-8", "M\xfcller \x80"), "Müller €"},
		{"windows-1252 that declares nothing", strings.Replace(file("", "M\xfcller"), ` encoding=""`, "", 1), "Müller"},
		{"ISO-8859-2", file("ISO-8859-2", "Krak\xf3w \xa3"), "Kraków Ł"},
	} {
		d, err := einvoice.Read(strings.NewReader(tc.in))
		if err != nil || d.Data.Supplier.Name != tc.want {
			t.Errorf("%s: got %q, %v", tc.name, d.Data.Supplier.Name, err)
		}
		if format, ok := einvoice.Detect([]byte(tc.in)[:min(len(tc.in), 1000)]); !ok || format != einvoice.UBL {
			t.Errorf("%s: detected as %q, %t", tc.name, format, ok)
		}
	}
}

func TestGuessedEncoding(t *testing.T) {
	t.Parallel()
	d, err := einvoice.Read(strings.NewReader(ubl("<b:Note>M\xfcller</b:Note>")))
	want := []einvoice.Problem{{Line: 1, Path: "the root element", What: "not in UTF-8 as declared; read as windows-1252"}}
	if err != nil || d.Data.Notes != "Müller" || !slices.Equal(d.Problems, want) {
		t.Errorf("got %q, %v, %v", d.Data.Notes, d.Problems, err)
	}
}

// sbdh is an envelope with documents.
func sbdh(documents ...string) string {
	return `<s:StandardBusinessDocument xmlns:s="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader">` +
		"<s:StandardBusinessDocumentHeader><s:HeaderVersion>1.0</s:HeaderVersion></s:StandardBusinessDocumentHeader>\n" +
		strings.Join(documents, "\n") + "</s:StandardBusinessDocument>"
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	file := sbdh(ubl("<b:DueDate>soon</b:DueDate>"), cii("381", ""))
	all, err := einvoice.ReadAll(strings.NewReader(file))
	if err != nil || len(all) != 2 || all[0].Type != document.Invoice || all[1].Type != document.CreditNote ||
		len(all[0].Problems) != 1 || len(all[1].Problems) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
	if _, err := einvoice.Read(strings.NewReader(file)); err == nil || err.Error() != "several documents in a file: expected one" {
		t.Errorf("read as one: %v", err)
	}
	if format, ok := einvoice.Detect([]byte(file)); !ok || format != einvoice.UBL {
		t.Errorf("detected as %q, %t", format, ok)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("testdata", "facturx.xml"))
	must.OK(t, err)
	comment := "<!-- " + strings.Repeat("licence ", 500) + " -->"
	for _, tc := range []struct {
		name, head string
		want       einvoice.Format
	}{
		{"empty", "", ""},
		{"CII", string(raw[:500]), einvoice.CII},
		{"CII, cut in the root element", string(raw[:200]), ""},
		{"ZUGFeRD 1", `<a:CrossIndustryDocument xmlns:a="urn:ferd:CrossIndustryDocument:invoice:1p0">`, einvoice.ZUGFeRD1},
		{"a comment in front", comment + ublHead, einvoice.UBL},
		{"cut in the comment", comment[:2000], ""},
		{"a type that is refused",
			`<Quotation xmlns="urn:oasis:names:specification:ubl:schema:xsd:Quotation-2">`, einvoice.UBL},
		{"foreign", "<html>", ""},
		{"a PDF that contains one", "%PDF-1.7\n" + ublHead, ""},
	} {
		if got, ok := einvoice.Detect([]byte(tc.head)); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: got %q, %t, want %q", tc.name, got, ok, tc.want)
		}
	}
}
