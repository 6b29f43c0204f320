package score

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// ours is the keys without those of days, months, companies and citations, and
// without the tenant.
func ours(keys []string) (list []string) {
	for _, k := range keys {
		k = strings.TrimPrefix(k, "aaaaaaaa|")
		if kind, _, _ := strings.Cut(k, "|"); !slices.Contains([]string{"day", "month", "who", "own", "cit"}, kind) {
			list = append(list, k)
		}
	}
	return list
}

func TestKeys(t *testing.T) {
	t.Parallel()
	muller := company.ParseName("Müller").Keys()[0]
	for _, tc := range []struct {
		name string
		typ  document.Type
		data string
		want []string
	}{
		{"nothing", inv, `{}`, nil},
		{"its number, also as it may be misread", inv, `{"number":"RE-2O26-0042"}`, []string{"ref|202642", "ref|260042", "ref|4226", "ref|RE2O260042"}},
		{"a short number is not misread", inv, `{"number":"RE-7"}`, []string{"ref|RE7"}},
		{"what it cites", inv, object(refs(po, "PO-45", "45", "46")), []string{"ref|45", "ref|46"}},
		{"what it cites without a type", gr, object(refs("", "45")), []string{"ref|45"}},
		{"what it cites as who knows what", gr, object(refs("Tender", "45")), []string{"ref|45"}},
		{"what it cites by a word for the type", inv, object(refs("Bestell-Nr.", "45")), []string{"ref|45"}},
		{"amounts by company", inv, `{"supplier":{"name":"Müller GmbH","vat_id":"de 1","iban":"X-2"},"total":"5.5","subtotal":"5"}`,
			[]string{"amount|DE1|5.00", "amount|DE1|5.50", "amount|X2|5.00", "amount|X2|5.50", "amount|" + muller + "|5.00", "amount|" + muller + "|5.50"}},
		{"amounts without a company", inv, `{"total":"5.5"}`, nil},
		{"items by company", inv, object(vat, lines("a-1 3.50", "b", "a1 1")), []string{"item|DE1|A1|4.5", "item|DE1|B|0"}},
		{"items without a number", inv, object(vat, described("3", "Blue pen")), []string{"item|DE1|blue pen|3"}},
		{"periods by company", inv, object(quarter1), []string{"period|DE1|2026-01-01|2026-03-31"}},
		{"periods without an end", inv, object(vat, `"period":{"from":"2026-01-01"}`), []string{"period|DE1|2026-01-01|"}},
		{"a contract's period, which no other type has", ct, object(quarter1), nil},
		{"periods without a company", inv, `{"period":{"from":"2026-01-01"}}`, nil},
		{"the buyer where no supplier is named", inv, `{"buyer":{"vat_id":"FR2"},"total":"5"}`, []string{"amount|FR2|5.00"}},
		{"amounts by the buyer as well", inv, object(vat, `"buyer":{"vat_id":"FR2"},"total":"5"`), []string{"amount|DE1|5.00", "amount|FR2|5.00"}},
		{"items by the supplier only", inv, object(vat, `"buyer":{"vat_id":"FR2"}`, lines("a 2")), []string{"item|DE1|A|2"}},
		{"a confirmation by the number that it revises", oc, `{"number":"44188-R4"}`,
			[]string{"ref|44188", "ref|441884", "ref|44188R4"}},
		{"a number without its beginning", inv, object(refs(po, "4500017455")), []string{"ref|17455", "ref|4500017455"}},
		{"numbers of texts", inv, `{"notes":"Su pedido 778812, 100 EUR"}`, []string{"ref|778812"}},
	} {
		keys, lookup := parsed(t, tc.typ, tc.data).keys()
		if got := ours(keys); !slices.Equal(got, tc.want) || !slices.Equal(ours(lookup), tc.want) {
			t.Errorf("%s:\nfound by %q\nlooks up %q\nwant     %q", tc.name, keys, lookup, tc.want)
		}
	}
}

func TestMonths(t *testing.T) {
	t.Parallel()
	keys, lookup := parsed(t, inv, object(vat, `"date":"2026-01-31"`)).keys()
	if want := []string{"aaaaaaaa|day|2026-01-31", "aaaaaaaa|month|DE1|2026-01", "aaaaaaaa|who|DE1"}; !slices.Equal(keys, want) {
		t.Errorf("found by %q, want %q", keys, want)
	}
	var want []string
	for _, m := range strings.Fields("2025-09 2025-10 2025-11 2025-12 2026-01 2026-02 2026-03 2026-04 2026-05") {
		want = append(want, "aaaaaaaa|month|DE1|"+m)
	}
	if !slices.Equal(lookup, want) {
		t.Errorf("looks up %q, want %q", lookup, want)
	}
	if keys, lookup = parsed(t, inv, `{"date":"2026-01-31"}`).keys(); len(keys) != 1 || len(lookup) != 0 {
		t.Errorf("without a company: found by %q, looks up %q", keys, lookup)
	}
}

// TestWindow: the window of the store finds the documents of the months that are
// looked up, and no others.
func TestWindow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		typ  document.Type
		data string
		want Window
	}{
		{"the months around", inv, `"date":"2026-01-31"`, Window{[]string{"aaaaaaaa|who|DE1"}, []int32{20260131}, 20250900, 20260599}},
		{"no date", inv, `"total":"5"`, Window{Company: []string{"aaaaaaaa|who|DE1"}}},
		{"a contract's time", ct, `"period":{"from":"2025-11-15","to":"2026-01-14"}`,
			Window{[]string{"aaaaaaaa|who|DE1"}, []int32{20251101, 20251201, 20260101}, 20250700, 20260599}},
		{"a contract without a period", ct, `"date":"2026-01-31"`, Window{[]string{"aaaaaaaa|who|DE1"}, []int32{20260101}, 20250900, 20260599}},
	} {
		if got := parsed(t, tc.typ, object(vat, tc.data)).Normalized().Window; !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

// TestMonthsOfAContract: a contract and what is billed under it find each other
// throughout its time.
func TestMonthsOfAContract(t *testing.T) {
	t.Parallel()
	for period, billed := range map[string]map[string]bool{
		`{"from":"2025-01-15","to":"2026-06-30"}`: {"2024-08-31": false, "2024-09-01": true, "2025-08-10": true, "2026-06-30": true, "2026-12-01": false},
		`{"from":"2025-01-01"}`:                   {"2025-01-01": true, "2027-12-31": true, "2028-05-01": false},
		`{"from":"2025-01-01","to":"2024-01-01"}`: {"2025-01-01": true, "2024-01-01": false},
	} {
		contract := parsed(t, ct, object(vat, `"date":"2020-05-05","period":`+period))
		for date, want := range billed {
			invoice := parsed(t, inv, object(vat, `"date":"`+date+`"`))
			if got, back := finds(contract, invoice), finds(invoice, contract); got != want || back != want {
				t.Errorf("%s and %s: found %v, and back %v", period, date, got, back)
			}
		}
	}
}

func TestKeysAreOfTheTenant(t *testing.T) {
	t.Parallel()
	d := parsed(t, inv, object(order45, refs(po, "45"), `"date":"2026-01-31","total":"5"`, lines("a 1")))
	d.TenantID = tenantB
	keys, lookup := d.keys()
	for _, k := range slices.Concat(keys, lookup) {
		if !strings.HasPrefix(k, "bbbbbbbb|") {
			t.Errorf("%q is of no tenant", k)
		}
	}
	if other := parsed(t, inv, object(order45)); finds(d, other) || finds(other, d) {
		t.Error("tenants find each other's documents")
	}
}

// TestLongKeysAreHashed: the keys are in an index whose entries
// are limited to about 2,700 bytes.
func TestLongKeysAreHashed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Ü7", 5000)
	d := normalise(uuid.Nil, tenantA, inv, document.Data{
		Number: long, Supplier: document.Party{Name: long, VATID: long}, Total: amount(t, "5"),
		References: []document.Reference{{Type: long, Number: "45"}, {Type: "tender", Number: long + "8"}},
		Lines:      []document.Line{{SKU: long, Quantity: amount(t, "1")}, {Description: long, Quantity: amount(t, "1")}},
	})
	keys, _ := d.keys()
	for _, k := range keys {
		if len(k) > 250 || !strings.HasPrefix(k, "aaaaaaaa|") {
			t.Errorf("got a key of %d bytes: %.300q", len(k), k)
		}
	}
	if len(keys) < 6 {
		t.Errorf("got %d keys: %q", len(keys), keys)
	}
	// "aaaaaaaa|ref|" is 21 bytes.
	for n, hashed := range map[int]bool{229: false, 230: true} {
		if got := keyOf(tenantA, "ref", "invoice", strings.Repeat("7", n)); strings.HasPrefix(got, "aaaaaaaa|ref|") == hashed || len(got) > 250 {
			t.Errorf("of %d characters: got %q", n, got)
		}
	}
	of := func(number string) []string {
		keys, _ := normalise(uuid.Nil, tenantA, inv, document.Data{Number: number}).keys()
		return keys
	}
	if !slices.Equal(of(long), of(long)) || slices.Equal(of(long), of(long+"8")) {
		t.Error("the keys of long numbers must agree when the numbers do, and only then")
	}
}

func TestItemKeysAreBounded(t *testing.T) {
	t.Parallel()
	var list, want []string
	for i := range 20 {
		list = append(list, fmt.Sprintf("A%02d 1", i))
		if i < 12 {
			want = append(want, fmt.Sprintf("item|DE1|A%02d|1", i))
		}
	}
	keys, lookup := parsed(t, inv, object(vat, lines(list...))).keys()
	if !slices.Equal(ours(keys), want) || !slices.Equal(ours(lookup), want) {
		t.Errorf("got %q and %q\nwant %q", keys, lookup, want)
	}
}

// TestCitationsShareKeys: from both sides, whatever the spelling.
func TestCitationsShareKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		aType document.Type
		a     string
		bType document.Type
		b     string
		want  bool
	}{
		{"as printed", po, `"number":"4500010046"`, inv, refs(po, "4500010046"), true},
		{"in another spelling", po, `"number":"PO-4500010046"`, inv, refs(po, "45.0001.0046"), true},
		{"misread", po, `"number":"4500010046"`, inv, refs(po, "45O0010046"), true},
		{"misread on the document itself", po, `"number":"45O0010046"`, inv, refs(po, "4500010046"), true},
		{"without a type", po, `"number":"4500010046"`, inv, refs("", "4500010046"), true},
		{"without a type, misread", po, `"number":"4500010046"`, inv, refs("", "45O0010046"), true},
		{"in the notes", po, `"number":"4500010046"`, inv, `"notes":"order no. 4500010046"`, true},
		{"both cite another", gr, refs(dn, "LS-88123"), inv, refs(dn, "LS-88123"), true},
		{"both cite who knows what", gr, refs("", "7712345"), inv, refs("", "7712345"), true},
		{"a revision", po, `"number":"44188"`, oc, `"number":"44188-R4","references":[{"type":"purchase-order","number":"44188-R4"}]`, true},
		{"as another type", po, `"number":"4500010046"`, inv, refs(dn, "4500010046"), true},
		{"with more", po, `"number":"4500010046"`, inv, refs(po, "Best.-Nr. 4500010046/10 v. 3.3.26"), true},
		{"two in one field", po, `"number":"4500010046"`, inv, refs(po, "4500010045, 4500010046"), true},
		{"the last six digits", po, `"number":"4500017455"`, inv, refs(po, "017455"), true},
		{"with the year elsewhere", po, `"number":"2026/0374"`, inv, refs(po, "0374-26"), true},
		{"in a text without a known label", po, `"number":"778812"`, inv, `"notes":"Objednávka č. 778812"`, true},
		{"another number", po, `"number":"4500010046"`, inv, refs(po, "4500010047"), false},
	} {
		a, b := parsed(t, tc.aType, object(tc.a)), parsed(t, tc.bType, object(tc.b))
		if ab, ba := finds(a, b), finds(b, a); ab != tc.want || ba != tc.want {
			t.Errorf("%s: the first finds the second: %v, the second the first: %v, want %v", tc.name, ab, ba, tc.want)
		}
		direct := tc.want && !strings.HasPrefix(tc.name, "both")
		if ab, ba := findsCited(a, b), findsCited(b, a); ab != direct || ba != direct {
			t.Errorf("%s: the first finds what cites it or is cited: %v, the second: %v, want %v", tc.name, ab, ba, direct)
		}
	}
}

// findsCited reports whether a finds b by a key of citations.
func findsCited(a, b Document) bool {
	keys, _ := b.keys()
	_, lookup := a.keys()
	return slices.ContainsFunc(lookup, func(k string) bool { return ofCitation(k) && slices.Contains(keys, k) })
}

func TestExplainAgreesWithMatch(t *testing.T) {
	t.Parallel()
	order, invoice := raw(po, object(order45, `"date":"2026-01-05"`)), raw(inv, object(cites45, `"date":"2026-01-20"`))
	a, b := parsed(t, po, order.Data), parsed(t, inv, invoice.Data)
	if got, err := Of(order, invoice); err != nil || got.Points != 95 || names(got.Evidence) != names(a.Score(b).Evidence) {
		t.Errorf("compared: %+v, %v", got, err)
	}
	want := []string{"aaaaaaaa|month|DE1|2026-01", "aaaaaaaa|ref|10046", "aaaaaaaa|ref|4500010046"}
	if got, err := CommonKeys(order, invoice); err != nil || !slices.Equal(got, want) {
		t.Errorf("common keys: %q, %v, want %q", got, err, want)
	}
	if got, err := CommonKeys(order, raw(inv, object(cites46))); err != nil || len(got) != 0 {
		t.Errorf("common keys: %q, %v, want none", got, err)
	}
	broken := raw(inv, `{"total":"SECRET"}`)
	_, err := Read(broken)
	for _, pair := range [][2]Raw{{order, broken}, {broken, order}} {
		_, compared := Of(pair[0], pair[1])
		_, common := CommonKeys(pair[0], pair[1])
		for _, err := range []error{err, compared, common} {
			if err == nil || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("of unreadable data: %v", err)
			}
		}
	}
}

// TestKeysAreText: the database takes the keys of a document in any script, also
// where they are made of beginnings of words.
func TestKeysAreText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"شركة النور للتجارة", "ООО Северный ветер Плюс", "東京 商事 株式会社", "Ελληνικά Τρόφιμα Αθηνών", "éa ñb øc"}))
		text := func(label string) string {
			raw, _ := json.Marshal(words.Draw(t, label))
			return string(raw)
		}
		d, err := Read(Raw{ID: uuid.New(), Type: inv, Data: `{"number":` + text("number") + `,"notes":` + text("notes") +
			`,"supplier":{"name":` + text("supplier") + `},"buyer":{"name":` + text("buyer") + `},"line_items":[{"sku":` + text("sku") +
			`,"description":` + text("description") + `,"quantity":"3"}],"references":[{"type":"","number":` + text("reference") + `}]}`})
		if err != nil {
			t.Skipf("the drawn document cannot be read, and so has no keys: %v", err)
		}
		n := d.Normalized()
		stored, _ := json.Marshal([]any{n.Counterparty, n.References, n.Naming})
		for _, key := range slices.Concat(n.Keys, n.Lookup, d.Companies(), []string{n.Text, n.Known, string(stored)}) {
			if !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
				t.Fatalf("%q", key)
			}
		}
	})
}

// TestReceivedWithoutDate: a document without a date finds those of its company of about the day it
// was received, and has no evidence of time.
func TestReceivedWithoutDate(t *testing.T) {
	t.Parallel()
	undated, dated := raw(dn, object(vat)), raw(inv, object(vat, `"date":"2026-03-02"`))
	if common, err := CommonKeys(undated, dated); err != nil || len(common) != 0 {
		t.Errorf("received at an unknown time: got %v, %v", common, err)
	}
	undated.Received = time.Date(2026, 2, 27, 9, 0, 0, 0, time.UTC)
	if common, err := CommonKeys(undated, dated); err != nil || len(common) != 1 {
		t.Errorf("got %v, %v; want the month", common, err)
	}
	if p, err := Of(undated, dated); err != nil || names(p.Evidence) != "vat-id" {
		t.Errorf("got %s, %v", names(p.Evidence), err)
	}
}

// TestSwappedDate: day and month are swapped if the document came right after that date only.
func TestSwappedDate(t *testing.T) {
	t.Parallel()
	order := raw(po, object(vat, `"date":"2026-03-01"`))
	for name, tc := range map[string]struct{ date, received, want string }{
		"in the future":           {"2026-10-03", "2026-03-12", "2026-03-10"},
		"long before":             {"2025-04-11", "2025-11-05", "2025-11-04"},
		"right as printed":        {"2026-03-10", "2026-03-12", "2026-03-10"},
		"neither":                 {"2026-10-03", "2026-06-12", "2026-10-03"},
		"no such month":           {"2026-10-23", "2026-03-12", "2026-10-23"},
		"received when all were":  {"2025-02-03", "2026-03-12", "2025-02-03"},
		"received before it even": {"2026-10-03", "2026-03-09", "2026-10-03"},
	} {
		r := raw(inv, object(vat, `"date":"`+tc.date+`"`))
		r.Received, _ = time.Parse(time.DateOnly, tc.received)
		d := must.Get(Read(r))(t)
		said := must.Get(Of(order, r))(t).Evidence[1].Text
		if d.Date.String() != tc.want || strings.Contains(said, "read as "+tc.want) != (tc.want != tc.date) {
			t.Errorf("%s: got %s, and %q", name, d.Date, said)
		}
	}
}
