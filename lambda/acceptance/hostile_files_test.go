package acceptance_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// hostileFile is a file that attacks the ingestion, and its verdict.
type hostileFile struct {
	name    string // of the file
	content func() string
	want    string // failed, for review or valid, and the reason
}

const mb = 1 << 20

// invoiceLines is an invoice that the rules read without a doubt.
var invoiceLines = []string{"Bytewerk Software GmbH", "Rechnung Nr. BW-77", "Rechnungsdatum: 18.03.2026",
	"Zwischensumme: 100,00 EUR", "19 % MwSt.: 19,00 EUR", "Gesamtbetrag: 119,00 EUR"}

var printed = show(10, invoiceLines...)

const (
	nothingRead = "failed: unreadable file: no text"
	damagedPDF  = "failed: PDF is damaged or incomplete; send it again, or print it to a new PDF"
	noInvoice   = "failed: not a readable e-invoice: "
	noMemory    = ": PDF is damaged, or needs more than the parser's 256 MB of memory; print it to a new PDF and send that"
	noTime      = ": PDF parser did not finish within 20s, so the file is damaged or far too complex; print it to a new PDF and send that"
	largeXML    = "failed: XML embedded in the PDF has more than 10 MB; send it alone, or the PDF without it"
	largeText   = "failed: file has more than 100000 lines or 5000000 characters of text; split it"
	damagedScan = "failed: image is damaged or incomplete; send it again, or save it as PNG or JPEG"
	unknownText = "for review: the text was not recognised as a business document; the type of the document is unknown"
)

// hostileFiles lists the kinds.
func hostileFiles() map[string]hostileFile {
	all := map[string]hostileFile{}
	for _, part := range []map[string]hostileFile{hostilePDFs, hostileImages, hostileXML, hostileOthers, expensive} {
		maps.Copy(all, part)
	}
	return all
}

var hostilePDFs = map[string]hostileFile{
	"PDF: 10,000 pages": {"a.pdf", func() string { return sharedPDF(10_000, printed) },
		"failed: PDF has too many pages: 10000, limit 1000; split it"},
	"PDF: nothing but a header": {"a.pdf", func() string { return "%PDF-1.7\n" }, damagedPDF},
	"PDF: truncated":            {"a.pdf", func() string { w := pagePDF(printed); return w[:len(w)/3] }, damagedPDF},
	"PDF: encrypted": {"a.pdf", func() string {
		key := "<< /Filter /Standard /V 1 /R 2 /P -4 /O (" + strings.Repeat("o", 32) + ") /U (" + strings.Repeat("u", 32) + ") >>"
		return strings.Replace(pagePDF(printed, key), "/Root", "/Encrypt 6 0 R /ID [(a) (a)] /Root", 1)
	}, "failed: PDF is encrypted with a password; send a copy without one, or use matchbook ingest --password"},
	"PDF: a page tree in itself": {"a.pdf", func() string {
		return pdfOf(catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>")
	}, "failed: read the text of page 1: the page is damaged; print the PDF to a new one and send that"},
	"PDF: a page that is its own parent": {"a.pdf", func() string {
		page := strings.Replace(pageDict(""), "/Parent 2 0 R /Contents", "/Parent 3 0 R /Contents", 1)
		return pdfOf(catalog, onePage, page, stream("", printed), font)
	}, "valid"},
	"PDF: contents in themselves": {"a.pdf", func() string {
		return pdfOf(catalog, onePage, pageDict(""), "[4 0 R 4 0 R]", font)
	}, nothingRead},
	"PDF: tables that refer to each other": {"a.pdf", func() string {
		whole := pagePDF(printed)
		return strings.Replace(whole, "/Root", fmt.Sprintf("/Prev %d /Root", strings.LastIndex(whole, "xref\n0")), 1)
	}, "valid"},
	"PDF: content that unpacks to 5 MB of nothing": {"a.pdf", func() string { return unpacking(5) }, nothingRead},
	"PDF: content packed twice": {"a.pdf", func() string {
		bomb := deflated(deflated(strings.Repeat(" ", mb), 5), 1)
		return pdfOf(catalog, onePage, pageDict(""), stream("/Filter [/FlateDecode /FlateDecode]", bomb), font)
	}, nothingRead},
	"PDF: an image of 100,000 x 100,000": {"a.pdf", func() string {
		return pagePDF("q 500 0 0 500 0 0 cm /X Do Q", stream("/Type /XObject /Subtype /Image /Width 100000 /Height 100000 "+
			"/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode", deflated("x", 9)))
	}, nothingRead},
	"PDF: a page of a billion points": {"a.pdf", func() string {
		return pdfOf(catalog, onePage, pageDict("/MediaBox [0 0 1000000000 1000000000]"), stream("", ""), font)
	}, nothingRead},
	"PDF: scripts, and a program to launch": {"a.pdf", func() string {
		return strings.Replace(pagePDF(printed), "/Type /Catalog", "/Type /Catalog /OpenAction << /S /Launch /F (calc.exe) "+
			"/Next << /S /JavaScript /JS (app.alert\\(1\\)) >> >>", 1)
	}, "valid"},
	"PDF: a page of 200,000 letters, and nine line breaks": {"a.pdf", func() string {
		return pagePDF(show(1, slices.Repeat([]string{strings.Repeat("x", 20_000)}, 10)...))
	},
		"failed: read the text of page 1: too many characters: 200018, limit 100000; send a file without hidden text"},
	"PDF: an embedded XML of 20 MB": {"a.pdf", func() string { return embedding(1, deflated(strings.Repeat(" ", mb), 20)) }, largeXML},
	"PDF: 50 embedded XML files of 2 MB": {"a.pdf", func() string {
		return embedding(50, deflated(strings.Repeat(" ", mb), 2))
	}, largeXML},
	"PDF: embedded XML that is no invoice": {"a.pdf", func() string { return embedding(1, deflated("<html/>", 1)) },
		"for review: not read: 1 file in the PDF: 0.xml"},
	"PDF: embedded invoice with entities": {"a.pdf", func() string {
		return embedding(1, deflated(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><!ENTITY a "b"></Invoice>`, 1))
	}, "for review: unreadable e-invoice in the PDF (0.xml): unsupported document type declaration: it may define entities"},
	"PDF and web page": {"a.pdf", func() string { return "<html><!--\n" + pagePDF(printed) },
		"failed: file is both a page of markup and a PDF, so readers would see different contents; print it to a new PDF and send that"},
	"PDF and ZIP": {"a.pdf", func() string { return pagePDF(printed) + "PK\x05\x06" + strings.Repeat("\x00", 18) },
		"failed: file is both a PDF and a ZIP archive, so readers would see different contents; print it to a new PDF and send that"},
}

var hostileImages = map[string]hostileFile{
	"PNG: 100,000 x 100,000": {"a.png", func() string { return pngOf(100_000, 100_000, [3]byte{8}, "") },
		"failed: image of page 1 has 100000 x 100000 pixels, limit 40 million; scan it at fewer dots per inch"},
	"PNG: pixels of a few bytes that unpack to 50 MB": {"a.png", func() string {
		return pngOf(10, 10, [3]byte{8}, deflated(strings.Repeat("\x00", mb), 50))
	}, damagedScan},
	"PNG: pixels of 64 bits, interlaced": {"a.png", func() string {
		const side = 6300
		return pngOf(side, side, [3]byte{16, 6, 1}, deflated(strings.Repeat("\x00", interlaced(side)), 1))
	}, nothingRead},
	"PNG named as PDF": {"a.pdf", func() string {
		return pngOf(10, 10, [3]byte{8}, deflated(strings.Repeat("\x00", 110), 1))
	}, nothingRead},
	"PNG without its pixels": {"a.png", func() string { return pngOf(1000, 1000, [3]byte{8}, "") }, damagedScan},
	"JPEG: 65,535 x 65,535": {"a.jpg", func() string { return jpegOf(0xc0, 65_535, 65_535, 3) },
		"failed: image of page 1 has 65535 x 65535 pixels, limit 40 million; scan it at fewer dots per inch"},
	"JPEG: of 700 bytes, in steps": {"a.jpg", func() string {
		return jpegOf(0xc2, 6300, 6300, 4)
	}, damagedScan},
	"TIFF: 100,000 x 100,000": {"a.tif", func() string { return tiffOf(1, 100_000, 100_000, 0) },
		"failed: image of page 1 has 100000 x 100000 pixels, limit 40 million; scan it at fewer dots per inch"},
	"TIFF: a page that follows itself": {"a.tif", func() string { return tiffOf(1, 9, 9, 8) },
		"failed: TIFF has more than 200 pages, or a page that follows itself; split it"},
	"TIFF: a million pages": {"a.tif", func() string { return tiffOf(700_000, 9, 9, 0) },
		"failed: TIFF has more than 200 pages, or a page that follows itself; split it"},
	"TIFF: pages without pixels": {"a.tif", func() string { return tiffOf(150, 6000, 6000, 0) }, damagedScan},
	"GIF": {"a.gif", func() string { return "GIF89a\x01\x00\x01\x00\x00" },
		"failed: unsupported file type (a GIF image); save it as JPEG or PNG and send that"},
	"HEIC": {"a.jpg", func() string { return "\x00\x00\x00\x18ftypheic" + strings.Repeat("\x00", 99) },
		"failed: unsupported file type (a HEIC image); save it as JPEG and send that; an iPhone takes JPEG with Settings, Camera, " +
			"Formats, Most Compatible"},
}

const ublHead = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" ` +
	`xmlns:a="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" ` +
	`xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">`

// ublOf is an invoice with everything that one needs, and some more.
func ublOf(more string) string {
	return ublHead + "<b:ID>BW-78</b:ID><b:IssueDate>2026-03-18</b:IssueDate><b:InvoiceTypeCode>380</b:InvoiceTypeCode>" +
		"<b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode><a:AccountingSupplierParty><a:Party><a:PartyLegalEntity>" +
		"<b:RegistrationName>Bytewerk Software GmbH</b:RegistrationName></a:PartyLegalEntity></a:Party></a:AccountingSupplierParty>" +
		"<a:LegalMonetaryTotal><b:TaxInclusiveAmount currencyID='EUR'>119.00</b:TaxInclusiveAmount>" +
		"<b:PayableAmount currencyID='EUR'>119.00</b:PayableAmount></a:LegalMonetaryTotal>" + more + "</Invoice>"
}

func utf16Of(text string) string {
	b := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

const doctype = noInvoice + "unsupported document type declaration: it may define entities"

var hostileXML = map[string]hostileFile{
	"XML: a billion laughs": {"a.xml", func() string {
		dtd := `<!DOCTYPE x [<!ENTITY a0 "ha">`
		for i := range 9 {
			dtd += fmt.Sprintf(`<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
		}
		return dtd + "]>" + ublOf("<b:Note>&a9;</b:Note>")
	}, doctype},
	"XML: an entity of 100 KB, 10,000 times": {"a.xml", func() string {
		return `<!DOCTYPE x [<!ENTITY a "` + strings.Repeat("a", 100_000) + `">]>` + ublOf("<b:Note>"+strings.Repeat("&a;", 10_000)+"</b:Note>")
	}, doctype},
	"XML: an external entity": {"a.xml", func() string {
		return `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>` + ublOf("<b:Note>&a;</b:Note>")
	}, doctype},
	"XML: 100,000 levels": {"a.xml", func() string { return ublOf(strings.Repeat("<b:X>", 100_000)) },
		noInvoice + "elements nested too deep: over 64 levels"},
	"XML: an attribute of 20 MB": {"a.xml", func() string {
		return ublOf("<b:Note x='" + strings.Repeat("x", 20*mb) + "'/>")
	}, noInvoice + "tag too long: over 64 KiB"},
	"XML: 20 MB": {"a.xml", func() string { return ublOf(strings.Repeat("<b:Note/>", 20*mb/9)) },
		noInvoice + "too many elements: over 300,000"},
	"XML: a comment of 39 MB": {"a.xml", func() string { return ublOf("<!--" + strings.Repeat("x", 39*mb) + "-->") },
		noInvoice + "file too large: over 24 MiB"},
	"XML in UTF-16": {"a.xml", func() string { return utf16Of(ublOf("")) }, "valid"},
	"XML in UTF-7": {"a.xml", func() string { return `<?xml version="1.0" encoding="UTF-7"?>` + ublOf("+ADw-script+AD4-") },
		noInvoice + "unsupported encoding: expected UTF-8, UTF-16, ISO-8859-1, -2, -15, windows-1250 or -1252"},
	"XML in an unknown encoding": {"a.xml", func() string { return `<?xml version="1.0" encoding="` + marker + `"?>` + ublOf("") },
		noInvoice + "unsupported encoding: expected UTF-8, UTF-16, ISO-8859-1, -2, -15, windows-1250 or -1252"},
}

var hostileOthers = map[string]hostileFile{
	"empty":    {"a.pdf", func() string { return "" }, "failed: empty file; send it again"},
	"one byte": {"a.pdf", func() string { return "x" }, unknownText},
	"ZIP named as PDF": {"a.pdf", func() string { return "PK\x03\x04\x14\x00\x00\x00" + strings.Repeat("\x00", 99) },
		"failed: unsupported file type (a ZIP archive); unpack it and send the files in it"},
	"old office file": {"a.doc", func() string { return "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 99) },
		"failed: unsupported file type (an office or mail document); save it as a PDF and send that"},
	"text with NUL": {"a.txt", func() string {
		return strings.Join(invoiceLines, "\n") + strings.Repeat("\n", 64<<10) + "Bestellung Nr. 7\x007\n"
	}, "valid"},
	"text with NUL in its number": {"a.txt", func() string {
		return strings.Repeat(strings.Repeat("-", 99)+"\n", 700) + strings.Replace(strings.Join(invoiceLines, "\n"), "BW-77", "BW\x0077", 1)
	}, unknownText}, // the label without its number is no title
	"text in no encoding": {"a.txt", func() string { return strings.Join(invoiceLines, "\n") + "\nStra\xdfe \xff\xfe" }, "valid"},
	"text from right to left": {"a.txt", func() string {
		return strings.Join(invoiceLines, "\n") + "\n\u202eGesamtbetrag: 999,00 EUR\u202c"
	}, "valid"},
	"text of 39 MB in one line": {"a.txt", func() string { return strings.Repeat("Rechnung Nr. 1 ", 39*mb/15) }, largeText},
	"text of 200,000 lines":     {"a.txt", func() string { return strings.Repeat("Name:\n", 200_000) }, largeText},
	"41 MB": {"a.pdf", func() string { return strings.Repeat("\x00", 40*mb+1) },
		"failed: file {id}.pdf too large: 41 MB, but the limit is 40 MB"},
	"cut off while its message is delivered": {"a.pdf", func() string { return pagePDF(printed) + cutLater }, damagedPDF},
}

// cutLater marks a file that is cut after it was stored.
const cutLater = "\n%cut"

// expensive lists the kinds whose refusal takes seconds of processor time.
var expensive = map[string]hostileFile{
	"PDF: a drawing in itself, twice": {"a.pdf", func() string {
		return pagePDF("/X Do", stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>",
			"/X Do /X Do"))
	}, "failed: read the text of page 1" + noMemory},
	"PDF: content that unpacks to 1 GB": {"a.pdf", func() string { return unpacking(1000) }, "failed: read the text of page 1" + noMemory},
	"PDF: an embedded XML of 1 GB": {"a.pdf", func() string { return embedding(1, deflated(strings.Repeat(" ", mb), 1000)) },
		"failed: read embedded files" + noMemory},
	"PDF: 1,000 pages of 150 lines": {"a.pdf", func() string {
		return sharedPDF(1000, show(1, slices.Repeat([]string{"xxxx"}, 150)...))
	}, largeText},
	"PDF: a pattern of a billion tiles": {"a.pdf", func() string {
		return pagePDF("/Pattern cs /P scn 0 0 595 842 re f", stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 "+
			"/BBox [0 0 1 1] /XStep 0.001 /YStep 0.001 /Resources << >>", "0 0 1 1 re f"))
	}, "failed: draw the image of page 1: PDF parser did not finish within 20s, so the file is damaged or far too complex; " +
		"print it to a new PDF and send that"},
}
