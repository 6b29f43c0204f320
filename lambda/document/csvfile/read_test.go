package csvfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"

	"golang.org/x/text/encoding/charmap"
)

// read reads a text by a mapping, and returns the documents as they stand in JSON.
func read(t *testing.T, s Sheet, mapping, text string) (r *Result, documents []string, err error) {
	t.Helper()
	if s.Fields, err = ParseMap(mapping); err != nil {
		t.Fatal(err)
	}
	s.Type = document.Invoice
	if r, err = s.Read(strings.NewReader(text)); err != nil {
		return r, nil, err
	}
	for _, row := range r.Rows {
		documents = append(documents, string(row.JSON))
	}
	return r, documents, nil
}

const invoiceMap = `number="Invoice No",supplier.name=Vendor,total=Amount`

// The same table with any delimiter, mark or encoding is the same document.
func TestDelimitersAndEncodings(t *testing.T) {
	t.Parallel()
	const text = "Vendor;invoice no ;Amount;Extra\nMöbel;RE-1;1.190,50;x\n"
	latin, err := charmap.Windows1252.NewEncoder().String(text)
	must.OK(t, err)
	want := []string{`{"structured_data":{"number":"RE-1","supplier":{"name":"Möbel"},"total":"1190.5"},"type":"invoice"}`}
	for name, text := range map[string]string{
		"semicolons": text, "byte order mark": byteOrderMark + text, "Windows-1252": latin,
		"tabs": strings.ReplaceAll(text, ";", "\t"), "lines of Windows": strings.ReplaceAll(text, "\n", "\r\n"),
		"commas": "Vendor,Invoice No,Amount,Extra\n\"Möbel\",RE-1,\"1,190.50\",x\n",
	} {
		r, got, err := read(t, Sheet{}, invoiceMap, text)
		if err != nil || !slices.Equal(got, want) || !slices.Equal(r.Unknown, []string{`"Extra"`}) || r.Rows[0].Line != 2 {
			t.Errorf("%s: got %v, columns %v, %v", name, got, r.Unknown, err)
		}
	}
}

func TestRowsOfOneNumberMerge(t *testing.T) {
	t.Parallel()
	_, got, err := read(t, Sheet{Layout: "02.01.2006"},
		"number=No,date=Date,supplier.name=Vendor,references.PO=Order,line_items.sku=Article,line_items.quantity=Qty",
		"No;Date;Vendor;Order;Article;Qty\nRE-1;02.03.2026;Acme;PO-1;A;1,5\nRE-2;03.03.2026;Acme;PO-2;A;2\n;;;;B;3\nRE-1;;Acme;PO-1;C;-4\nRE-1;;Other;;D;5-\n")
	want := []string{
		`{"structured_data":{"date":"2026-03-02","line_items":[{"quantity":"1.5","sku":"A"},{"quantity":"-4","sku":"C"}],"number":"RE-1","references":[{"number":"PO-1","type":"purchase-order"}],"supplier":{"name":"Acme"}},"type":"invoice"}`,
		`{"structured_data":{"date":"2026-03-03","line_items":[{"quantity":"2","sku":"A"},{"quantity":"3","sku":"B"}],"number":"RE-2","references":[{"number":"PO-2","type":"purchase-order"}],"supplier":{"name":"Acme"}},"type":"invoice"}`,
		`{"structured_data":{"line_items":[{"quantity":"-5","sku":"D"}],"number":"RE-1","supplier":{"name":"Other"}},"type":"invoice"}`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFaultyRowsAreSkipped(t *testing.T) {
	t.Parallel()
	r, got, err := read(t, Sheet{}, "number=No,date=Date,total=Sum,line_items.sku=Article",
		"No,Date,Sum,Article\n1,2026-03-02,5,A\n2,02.03.2026,5,A\n3,2026-03-02,a lot,A\n4,2026-03-02,5,A\n4,2026-03-02,6,B\n5,,7,A\n6,\"")
	want := []Problem{
		{8, `invalid CSV: extraneous or missing " in quoted-field`},
		{3, `column "Date": date: invalid date: expected YYYY-MM-DD`},
		{4, `column "Sum": total: invalid amount: expected a plain decimal of at most 18 digits`},
		{6, `column "Sum": value must be the same in all rows of a document`},
	}
	if err != nil || len(got) != 2 || !slices.Equal(r.Problems, want) {
		t.Errorf("%v, %d documents, got\n%v\nwant\n%v", err, len(got), r.Problems, want)
	}
}

func TestDecimalSignDetection(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		amounts string
		want    string // of the amounts, or in the error
	}{
		{"12,50|1.000", "12.50 1000"},
		{"12.50|1,000", "12.50 1000"},
		{"1.234,5|7", "1234.5 7"},
		{"1'234.50|2", "1234.50 2"},
		{"1.000.000|2,125", "1000000 2.125"},
		{"12|3-", "12 -3"},
		{"1.234|5", "a fraction or thousands"},
		{"1,50|1.50", "different decimal signs"},
	} {
		amounts := strings.Split(tc.amounts, "|")
		decimal, err := decimalOf(amounts)
		if err != nil {
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %s", tc.amounts, err, tc.want)
			}
			continue
		}
		if got := plain(amounts[0], decimal) + " " + plain(amounts[1], decimal); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.amounts, got, tc.want)
		}
	}
	if _, got, err := read(t, Sheet{Decimal: ","}, "total=Sum", "Sum\n1.234\n"); err != nil || !strings.Contains(got[0], `"1234"`) {
		t.Errorf("got %v, %v", got, err)
	}
}

// An id of another system stays the same when the rest of the row changes.
func TestForeignIDBecomesUUID(t *testing.T) {
	t.Parallel()
	id := func(text string) string {
		_, got, err := read(t, Sheet{}, "id=Key,number=No", text)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		return strings.Split(got[0], `"`)[3]
	}
	one := id("Key,No\n17,1\n")
	if _, err := document.ParseID(one); err != nil || one != id("Key,No\n17,2\n") || one == id("Key,No\n18,1\n") {
		t.Errorf("got %s, %v", one, err)
	}
	const given = "10000000-0000-4000-8000-000000000001"
	if got := id("Key,No\n" + given + ",1\n"); got != given {
		t.Errorf("got %s, want %s", got, given)
	}
}

func TestFaultyMappings(t *testing.T) {
	t.Parallel()
	for mapping, want := range map[string]string{
		"number=": "expected PATH=COLUMN", "numbr=No": "unknown field", "number=A,number=B": "duplicate field", "nowhere.map": "no such file",
		"line_items=A": "missing item", "references.letter=A": "unknown field",
	} {
		if _, err := ParseMap(mapping); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", mapping, err, want)
		}
	}
	if _, _, err := read(t, Sheet{}, "number=No,total=Sum", "Number,Sum\n1,2\n"); err == nil || err.Error() != `missing column "No"; columns without a field: "Number"` {
		t.Errorf("got %v", err)
	}
	file := filepath.Join(t.TempDir(), "a.map")
	must.OK(t, os.WriteFile(file, []byte("# invoices\nnumber = Invoice No, printed\r\n\nsupplier.name=Vendor\n"), 0o600))
	fields, err := ParseMap(file)
	if want := []Field{{"number", "Invoice No, printed"}, {"supplier.name", "Vendor"}}; err != nil || !slices.Equal(fields, want) {
		t.Errorf("got %v, %v; want %v", fields, err, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("No;Sum\n1;2,50\n")
	f.Add("\"No\",Sum\n\"1,2\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		fields, err := ParseMap("number=No,total=Sum,line_items.sku=Sum")
		must.OK(t, err)
		s := Sheet{Fields: fields, Type: document.Invoice}
		if r, err := s.Read(strings.NewReader(text)); err == nil && r == nil {
			t.Error("neither a result nor an error")
		}
	})
}
