package chunk

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

// The paragraphs that the pages are made of.
const (
	aTitle    = "MOORING SERVICES AGREEMENT"
	aTerm     = "1. Term. This Agreement begins on 1 March and is renewed for periods of twelve months, unless a party gives notice of ninety days before the end of the current period."
	aFees     = "2. Fees. The Customer pays EUR 900 per berth and month within thirty days after receipt of an invoice; late amounts bear interest of five percent a year."
	aCap      = "3. Liability. The total liability of the Supplier is limited to the fees paid in the twelve months before the event, except for intent and gross negligence."
	aLaw      = "4. Law. This Agreement is governed by the laws of Portugal, and the courts of Porto have exclusive jurisdiction over all disputes arising out of it."
	aBegin    = "5. Termination. A party may terminate for convenience by notice of sixty days to the"
	anEnd     = "other party, and at once for a breach that is not cured within thirty days after a written notice describing it in sufficient detail."
	aSecrecy  = "6. Secrecy. Each party keeps the information of the other confidential for three years and uses it for the purposes of this Agreement and for nothing else."
	aLaufzeit = "1. Laufzeit. Dieser Vertrag beginnt am 1. März und verlängert sich um jeweils zwölf Monate, wenn er nicht neunzig Tage vor Ablauf schriftlich gekündigt wird."
	aWhole    = "This Agreement is made between Ria Moorings Lda. and Birch Shipping Ltd., who agree on the following terms for all berths in the harbour of Aveiro and its outer basin."
	aNote     = "1 The tariff of the harbour master lists the berths."
	aFirst    = "7. Berths. The Customer has the berths at the outer basin, which take ships of up to 40 m, for 12 months and no longer than 18 months."
	aMargin   = "The office keeps the minutes of all meetings that the parties hold about the berths, and sends them to both of them within a week."
	aSigned   = "Signed in two copies in Aveiro by the representatives of both parties, who confirm that they have read and understood all of its clauses and annexes."
)

// Places in points, sizes in letters of Courier 9, which are 5.4 points wide.
const (
	left, right, top = 56, 310, 80
	column, sheet    = 42, 88
	leading          = 12
)

// placed is text at a place of a page, wrapped to a width.
type placed struct {
	x, y  float64
	width int
	text  string
	small bool
}

func at(x, y float64, width int, text string) placed { return placed{x, y, width, text, false} }

// small places lines in the letters of a footnote.
func small(x, y float64, width int, text string) []placed {
	return []placed{{x, y, width, text, true}}
}

// rows places single lines below each other.
func rows(x, y float64, lines ...string) (all []placed) {
	for i, l := range lines {
		all = append(all, at(x, y+float64(i)*leading, sheet, l))
	}
	return all
}

func (p placed) lines() (lines []string) {
	for _, w := range strings.Fields(p.text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(w) <= p.width {
			lines[last] += " " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// below is the place for a paragraph after p.
func (p placed) below() float64 { return p.y + float64(len(p.lines())+1)*leading }

// stack places paragraphs below each other.
func stack(x, y float64, width int, texts ...string) (all []placed) {
	for _, t := range texts {
		p := at(x, y, width, t)
		all, y = append(all, p), p.below()
	}
	return all
}

func page(parts ...[]placed) (all []placed) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// drawn returns a PDF. Its lines are drawn row by row, as some programs do.
func drawn(pages ...[]placed) []byte {
	var b bytes.Buffer
	var offsets []int
	add := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	b.WriteString("%PDF-1.7\n")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	add("<< /Type /Catalog /Pages 2 0 R >>")
	add("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(pages))
	add("<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>")
	for i, p := range pages {
		var content strings.Builder
		for row := range 70 {
			for _, part := range p {
				if lines := part.lines(); row < len(lines) {
					text := strings.NewReplacer("ä", "\xe4", "ö", "\xf6", "ü", "\xfc", "ß", "\xdf", "(", "\\(", ")", "\\)").Replace(lines[row])
					size := 9
					if part.small {
						size = 7
					}
					fmt.Fprintf(&content, "BT /F %d Tf %g %g Td (%s) Tj ET\n", size, part.x, 842-part.y-float64(row)*leading, text)
				}
			}
		}
		add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>", 5+2*i)
		add("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String())
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

func TestReadingOrder(t *testing.T) {
	t.Parallel()
	numbers := []placed{at(left, top, sheet, aWhole), at(left, 130, 20, "Berth"), at(230, 130, 20, "Size"), at(400, 130, 20, "EUR"),
		at(left, 142, 20, "North quay"), at(230, 142, 20, "40 m"), at(400, 142, 20, "900.00"),
		at(left, 154, 20, "South quay"), at(230, 154, 20, "25 m"), at(400, 154, 20, "650.00"),
		at(left, 166, 20, "Outer basin"), at(230, 166, 20, "60 m"), at(400, 166, 20, "1,200.00")}
	const table = "Berth Size EUR North quay 40 m 900.00 South quay 25 m 650.00 Outer basin 60 m 1,200.00"
	for name, c := range map[string]struct {
		pages [][]placed
		want  []string
	}{
		"two columns":    {[][]placed{page(stack(left, top, column, aTerm, aFees), stack(right, top, column, aCap, aLaw))}, []string{aTerm, aFees, aCap, aLaw}},
		"a short column": {[][]placed{page(stack(left, top, column, aTerm, aFees, aCap), stack(right, top, column, aLaw))}, []string{aTerm, aFees, aCap, aLaw}},
		"a sentence over two columns": {[][]placed{page(stack(left, top, column, aTerm, aBegin), stack(right, top, column, anEnd, aLaw))},
			[]string{aTerm, aBegin, anEnd, aLaw}},
		"three columns": {[][]placed{page(stack(40, top, 29, aTerm, aFees), stack(220, top, 29, aCap, aLaw), stack(400, top, 29, aSecrecy, aSigned))},
			[]string{aTerm, aFees, aCap, aLaw, aSecrecy, aSigned}},
		"other baselines": {[][]placed{page(stack(left, top, column, aTerm, aFees), stack(right, top+5, column, aCap, aLaw))}, []string{aTerm, aFees, aCap, aLaw}},
		"a narrow gutter": {[][]placed{page(stack(left, top, column, aTerm, aFees, aCap), stack(left+column*5.4+9, top, column, aLaw, aSecrecy, aSigned))},
			[]string{aTerm, aFees, aCap, aLaw, aSecrecy, aSigned}},
		"a title and a closing": {[][]placed{page(stack(220, top, sheet, aTitle), stack(left, 110, sheet, aWhole),
			stack(left, 160, column, aTerm, aFees), stack(right, 160, column, aCap, aLaw), stack(left, 340, sheet, aSigned))},
			[]string{aTitle, aWhole, aTerm, aFees, aCap, aLaw, aSigned}},
		"a heading between": {[][]placed{page(stack(left, top, column, aTerm), stack(right, top, column, aFees), stack(220, 180, sheet, "GENERAL CONDITIONS"),
			stack(left, 210, column, aCap, aSecrecy), stack(right, 210, column, aLaw, aSigned))},
			[]string{aTerm, aFees, "GENERAL CONDITIONS", aCap, aSecrecy, aLaw, aSigned}},
		"a heading at the left": {[][]placed{page(stack(left, top, column, aTerm, aFees), stack(right, top, column, aCap, aLaw), rows(left, 250, "SCHEDULES"),
			stack(left, 280, sheet, aWhole))}, []string{aTerm, aFees, aCap, aLaw, "SCHEDULES", aWhole}},
		"numbers apart": {[][]placed{page(rows(left, top, "1."), stack(left+30, top, 36, aTerm[3:]), rows(left, 170, "2."), stack(left+30, 170, 36, aFees[3:]),
			rows(right, top, "3."), stack(right+30, top, 36, aCap[3:]), rows(right, 170, "4."), stack(right+30, 170, 36, aLaw[3:]))},
			[]string{aTerm, aFees, aCap, aLaw}},
		"one column with numbers": {[][]placed{page(rows(left, top, "1."), stack(left+40, top, 76, aTerm[3:]), rows(left, 130, "2."), stack(left+40, 130, 76, aFees[3:]))},
			[]string{aTerm, aFees}},
		"a table":               {[][]placed{numbers}, []string{aWhole, table}},
		"a table above columns": {[][]placed{page(numbers, stack(left, 200, column, aTerm, aFees), stack(right, 200, column, aCap, aLaw))}, []string{aWhole, table, aTerm, aFees, aCap, aLaw}},
		"labels": {[][]placed{page(rows(left, top, "Supplier:", "Customer:", "Begin:", "Notice:", "Fee:"),
			rows(180, top, "Ria Moorings Lda., Rua do Cais 4, Aveiro", "Birch Shipping Ltd., 9 Dock Road, Hull", "1 March of the coming year", "ninety days before the end", "nine hundred euro a month"))},
			[]string{"Supplier: Ria Moorings Lda., Rua do Cais 4, Aveiro Customer: Birch Shipping Ltd., 9 Dock Road, Hull Begin: 1 March of the coming year " +
				"Notice: ninety days before the end Fee: nine hundred euro a month"}},
		"two languages": {[][]placed{page(stack(left, top, column, aLaufzeit, "2. Entgelt. Der Kunde zahlt EUR 900 je Liegeplatz und Monat binnen dreißig Tagen nach Zugang einer Rechnung."),
			stack(right, top, column, aTerm, aFees))},
			[]string{aLaufzeit, "2. Entgelt. Der Kunde zahlt EUR 900 je Liegeplatz und Monat binnen dreißig Tagen nach Zugang einer Rechnung.", aTerm, aFees}},
		"heads and feet": {[][]placed{
			page(rows(left, 40, "Ria Moorings Lda."), stack(left, top, sheet, aTerm, aBegin), rows(280, 810, "Page 1 of 3")),
			page(rows(left, 40, "Ria Moorings Lda."), stack(left, top, sheet, anEnd, aFees), rows(280, 810, "Page 2 of 3")),
			page(rows(left, 40, "Ria Moorings Lda."), stack(left, top, sheet, aLaw), rows(280, 810, "Page 3 of 3"))},
			[]string{"Ria Moorings Lda.", aTerm, aBegin, anEnd, aFees, aLaw}},
		"columns over pages": {[][]placed{
			page(stack(left, top, column, aTerm, aFees), stack(right, top, column, aCap, aBegin), rows(left, 800, "Version 4"), rows(500, 800, "7")),
			page(stack(left, top, column, anEnd, aLaw), stack(right, top, column, aSecrecy, aSigned), rows(left, 800, "Version 4"), rows(500, 800, "8"))},
			[]string{aTerm, aFees, aCap, aBegin, anEnd, aLaw, aSecrecy, aSigned, "Version 4"}},
		"notes in two columns": {[][]placed{page(stack(left, top, column, aTerm, aBegin), small(left, 210, column, aNote), stack(right, top, column, anEnd, aLaw))},
			[]string{aTerm, aBegin, anEnd, aLaw, aNote}},
		"a number before a note": {[][]placed{page(stack(left, top, column, aTerm, aFirst), small(left, 210, column, aNote), stack(right, top, column, aLaw))},
			[]string{aTerm, aFirst, aLaw, aNote}},
		"a note before a page": {[][]placed{page(stack(left, top, sheet, aTerm, aBegin), small(left, 700, sheet, aNote)), page(stack(left, top, sheet, anEnd, aLaw))},
			[]string{aTerm, aNote, aBegin, anEnd, aLaw}},
		"small print": {[][]placed{page(small(left, top, sheet, "2 berths are free of charge."), small(left, 92, sheet, aFees))}, []string{"2 berths are free of charge.", aFees}},
		"a letterhead": {[][]placed{page(rows(left, 40, "Notice 7", "Third edition"), rows(right+60, 40, "Harbour Office", "Port of Aveiro"),
			stack(left, 100, column, aTerm, aFees), stack(right, 100, column, aCap, aLaw))},
			[]string{"Notice 7 Harbour Office Third edition Port of Aveiro", aTerm, aFees, aCap, aLaw}},
		"headings over columns": {[][]placed{page(rows(left, top, "ONE"), rows(right, top, "TWO"), stack(left, 104, column, aTerm, aFees), stack(right, 104, column, aCap, aLaw))},
			[]string{"ONE", aTerm, aFees, "TWO", aCap, aLaw}},
		"a note in the margin": {[][]placed{page(small(30, 128, 18, aMargin), stack(125, top, 36, aTerm, aFees, aWhole), stack(345, top, 36, aCap, aLaw, aSecrecy))},
			[]string{aMargin, aTerm, aFees, aWhole, aCap, aLaw, aSecrecy}},
		"a table's title twice": {[][]placed{
			page(stack(left, top, sheet, aTerm, aFees)),
			page(rows(left, 60, "Berths and fees", "North quay, 40 m, EUR 900.00", "South quay, 25 m, EUR 650.00")),
			page(rows(left, 60, "Berths and fees", "Outer basin, 60 m, EUR 1,200.00", "West mole, 30 m, EUR 700.00"))},
			[]string{aTerm, aFees, "Berths and fees North quay, 40 m, EUR 900.00 South quay, 25 m, EUR 650.00",
				"Berths and fees Outer basin, 60 m, EUR 1,200.00 West mole, 30 m, EUR 700.00"}},
		"amounts at the foot": {[][]placed{
			page(stack(left, top, sheet, aTerm), rows(left, 760, "Fee of the first year: EUR 900")),
			page(stack(left, top, sheet, aFees), rows(left, 760, "Fee of the second year: EUR 950"))},
			[]string{aTerm, "Fee of the first year: EUR 900", aFees, "Fee of the second year: EUR 950"}},
	} {
		got := strings.Join(strings.Fields(OfPages(pagesOf(t, drawn(c.pages...)))), " ")
		if want := strings.Join(c.want, " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func readPDF(t *testing.T, file string) []transcript.Page {
	t.Helper()
	return pagesOf(t, must.Get(os.ReadFile(file))(t))
}

// reader compiles PDFium once for all tests.
var reader = sync.OnceValues(func() (*pdf.Reader, error) {
	return pdf.New(pdf.Config{CacheDir: filepath.Join(os.TempDir(), "matchbook-pdfium")})
})

func pagesOf(t *testing.T, raw []byte) (pages []transcript.Page) {
	t.Helper()
	reader := must.Get(reader())(t)
	d := must.Get(reader.Open(t.Context(), bytes.NewReader(raw), int64(len(raw))))(t)
	defer d.Close()
	for n := range d.Pages() {
		page := must.Get(d.Text(t.Context(), n+1))(t)
		pages = append(pages, page)
	}
	return pages
}
