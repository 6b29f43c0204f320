package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// desk is where a person finishes a document: the pages of its file, with the place of each
// quote, next to its values.
type desk struct {
	report.Sheet
	Head      []entry // values of the document
	Lines     []row   // its line items, and an empty one
	MoreLines int     // left out
	Shown     []shownPage
	Flaws     []flaw // of what was typed, and in no field that is shown
	Typed     bool   // it shows what a person typed, which was not stored
	Seen      string // version of the state shown
}

// entry is a value to edit.
type entry struct {
	Path, Name, Value, Input string
	Types                    []document.Type // to choose from; nil: not a type
	Quote                    string
	Flaw                     string
}

type row struct {
	Number int
	Cells  []entry
}

// shownPage is a page with its marks.
type shownPage struct {
	Number int
	Marks  []mark
}

// mark is the place of a value, in fractions of the page.
type mark struct {
	Path, Name          string
	X, Y, Width, Height float64
}

// Bounds of a page of the console. Use the command correct for more lines.
const (
	maxShown = 10
	maxLines = 30
)

// usual are the fields that every document may have, in the order of a page.
var usual = []string{"type", "number", "date", "supplier.name", "supplier.vat_id", "supplier.iban", "buyer.name", "buyer.vat_id",
	"references.0.number", "currency", "subtotal", "tax", "total", "payment_terms.due"}

var columns = []string{"sku", "description", "quantity", "unit", "unit_price", "tax_rate", "amount"}

// fieldNames are the names that differ from the path.
var fieldNames = map[string]string{"supplier.name": "supplier", "supplier.vat_id": "supplier's VAT id", "supplier.iban": "supplier's IBAN",
	"buyer.name": "buyer", "buyer.vat_id": "buyer's VAT id", "payment_terms.due": "due date", "subtotal": "net",
	"total": "gross total", "references.0.number": "number of the order"}

// desk reads the desk of a document. typed has values that were typed but not stored, by path, and
// flaws what is wrong with them.
func (h *handler) desk(v *visit, id uuid.UUID, typed map[string]string, flaws []flaw) (*desk, error) {
	d := &desk{Typed: typed != nil}
	var err error
	if d.Seen, err = ingestions.New(h.DB).FileVersion(v.Context(), id); err != nil { // before the state, since that may change
		return nil, err
	}
	if d.Typed {
		d.Seen = v.PostFormValue("seen") // what was typed belongs to it
	}
	if d.Sheet, err = h.reports.Sheet(v.Context(), id); err != nil {
		return nil, err
	}
	values, err := h.values(v, id)
	if err != nil {
		return nil, err
	}
	read := map[string]extraction.Field{}
	_ = json.Unmarshal(d.Fields, &read) // without, there are no marks
	d.fill(values, typed, read)
	d.blame(flaws)
	if h.Files != nil {
		d.mark(read)
	}
	return d, nil
}

// values reads the values of a document, by path, with its type.
func (h *handler) values(v *visit, id uuid.UUID) (map[string]string, error) {
	raws, err := h.matches.Raws(v.Context(), []uuid.UUID{id})
	if err != nil || len(raws) == 0 {
		return nil, errors.Join(err, errNotFound)
	}
	values := map[string]string{"type": string(raws[0].Type)}
	data, _ := document.Parse([]byte(raws[0].Data)) // unreadable, or none yet: all is to be typed
	for _, value := range extraction.Values(data) {
		values[value.Path] = value.Text
		if value.Kind == extraction.Number && slices.Contains(money, value.Path[strings.LastIndexByte(value.Path, '.')+1:]) {
			values[value.Path] = twoDecimals(value.Text)
		}
	}
	return values, nil
}

// money are the fields shown with two decimals at least.
var money = []string{"subtotal", "tax", "total", "amount", "base", "unit_price", "prepaid", "rounding", "amount_due"}

// twoDecimals pads an amount, and rounds none.
func twoDecimals(plain string) string {
	whole, decimals, _ := strings.Cut(plain, ".")
	if missing := 2 - len(decimals); missing > 0 {
		decimals += strings.Repeat("0", missing)
	}
	return whole + "." + decimals
}

// fill makes the entries: the usual ones, then the others of the document, and its lines.
func (d *desk) fill(values, typed map[string]string, read map[string]extraction.Field) {
	one := func(at string) entry {
		value, name := shownValue(values[at]), fieldNames[at]
		if t, ok := typed[at]; ok {
			value = t
		}
		if name == "" {
			name = nameOf(at)
		}
		e := entry{Path: at, Name: name, Value: value, Input: inputOf(at), Quote: term.Clean(read[at].Quote, term.MaxValue)}
		if at == "type" {
			e.Types = document.Types
		}
		return e
	}
	lines, rest := 0, []string{}
	for at := range values {
		if n, _, ok := lineOf(at); ok {
			lines = max(lines, n+1)
		} else if !slices.Contains(usual, at) {
			rest = append(rest, at)
		}
	}
	slices.Sort(rest)
	for _, at := range append(slices.Clone(usual), rest...) {
		d.Head = append(d.Head, one(at))
	}
	d.MoreLines = max(lines-maxLines, 0)
	shown := lines + 1 // an empty one
	if d.MoreLines > 0 {
		shown = maxLines
	}
	for n := range shown {
		r := row{Number: n + 1}
		for _, column := range columns {
			r.Cells = append(r.Cells, one(fmt.Sprintf("line_items.%d.%s", n, column)))
		}
		d.Lines = append(d.Lines, r)
	}
}

var itemForm = regexp.MustCompile(`^(tax|charge|reference)(?:e?s)\.(\d+)\.(.+)$`)

// nameOf returns the name of a field: rate of tax 1, or the words of the gate's reasons.
func nameOf(at string) string {
	m := itemForm.FindStringSubmatch(at)
	if m == nil {
		return gate.Words(at)
	}
	n, _ := strconv.Atoi(m[2])
	return fmt.Sprintf("%s of %s %d", gate.Words(m[3]), m[1], n+1)
}

// shownValue returns a value as an input shows it: in one line, without controls.
func shownValue(s string) string { return term.Clean(s, maxInput) }

// maxInput bounds a value in an input, in characters.
const maxInput = 2_000

// inputOf returns the type of the input of a field. Amounts are texts, because people type them
// with a comma.
func inputOf(at string) string {
	if kind, err := document.FieldKind(at); err == nil && kind == document.Day {
		return "date"
	}
	return "text"
}

// blame puts each flaw to its field.
func (d *desk) blame(flaws []flaw) {
	entries := d.entries()
	for _, f := range flaws {
		if e := entries[f.Field]; e != nil && e.Flaw == "" {
			e.Flaw = f.Text
		} else {
			d.Flaws = append(d.Flaws, f)
		}
	}
}

func (d *desk) entries() map[string]*entry {
	all := map[string]*entry{}
	for i := range d.Head {
		all[d.Head[i].Path] = &d.Head[i]
	}
	for _, r := range d.Lines {
		for i := range r.Cells {
			all[r.Cells[i].Path] = &r.Cells[i]
		}
	}
	return all
}

// mark lists the pages to show, with the places of the values on each.
func (d *desk) mark(read map[string]extraction.Field) {
	if !slices.Contains([]string{".pdf", ".png", ".jpg", ".tif", ".webp"}, path.Ext(d.Path)) {
		return // a text
	}
	numbers := d.Pages
	if numbers == nil {
		for n := range max(d.Of, 1) {
			numbers = append(numbers, n+1)
		}
	}
	entries := d.entries()
	for _, n := range numbers[:min(len(numbers), maxShown)] {
		p := shownPage{Number: n}
		for at, f := range read {
			if e := entries[at]; e != nil && f.Page == n && f.Box != [4]float64{} {
				p.Marks = append(p.Marks, mark{at, e.Name, f.Box[0], f.Box[1], f.Box[2] - f.Box[0], f.Box[3] - f.Box[1]})
			}
		}
		slices.SortFunc(p.Marks, func(a, b mark) int { return slices.Compare([]string{a.Path}, []string{b.Path}) })
		d.Shown = append(d.Shown, p)
	}
}

// Divisible lists the pages of a file if a person can split and join its documents.
func (d *desk) Divisible() (pages []dividedPage) {
	if d.Source == "einvoice" || d.Of < 2 || d.Of > maxDivided {
		return nil
	}
	for n := 1; n <= d.Of; n++ {
		pages = append(pages, dividedPage{n, n == 1 || slices.Contains(d.Begins, n)})
	}
	return pages
}

// dividedPage is a page at which a document may begin.
type dividedPage struct {
	Number int
	Begins bool
}

// maxDivided bounds the pages of a file to divide in the console; use the command pages for more.
const maxDivided = 60

// maxImage bounds the stored image of a page, in bytes.
const maxImage = 4 << 20

// pageImage answers with the image of a page of a document's file.
func (h *handler) pageImage(v *visit) error {
	ids, err := h.admit(v, "id")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(v.PathValue("page"))
	sheet, err2 := h.reports.Sheet(v.Context(), ids[0])
	if err2 != nil {
		return err2
	}
	if err != nil || h.Files == nil || sheet.File == uuid.Nil {
		return errNotFound
	}
	image, err := h.Files.Read(v.Context(), ingestion.Row{ID: sheet.File}.Image(n), maxImage)
	if failure.Of(err).Kind == failure.Permanent && err != nil {
		return errNotFound
	}
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "image/png")
	_, _ = v.w.Write(image) // ignored: the client is gone
	return nil
}
