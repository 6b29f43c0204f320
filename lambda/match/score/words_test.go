package score

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"matchbook/lambda/document"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{" - / . ", ""},
		{"Blue Pen", "blue pen"},
		{"pen, BLUE pen", "blue pen"},
		{"Müller", "mueller"},
		{"Mu\u0308ller", "mueller"}, // u and a combining mark
		{"GRÖẞE groß", "groesse gross"},
		{"Ærø Ångström", "aangstroem aeroe"},
		{"Café crème", "cafe creme"},
		{"ＡＣＭＥ　７", "7 acme"}, // full width
		{"Ø 8mm/M10", "8mm m10 oe"},
		{"Яндекс №7", "no7 яндекс"},
	} {
		want := strings.Fields(tc.want)
		if got := strings.Join(words(tc.text), " "); got != strings.Join(want, " ") {
			t.Errorf("words(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

// TestLongTextIsCut: also where it is cut within a
// character.
func TestLongTextIsCut(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("a ", (4_000-4)/2)
	for _, tc := range []struct{ text, want string }{
		{filler + "end", "a end"},
		{filler + "ends", "a ends"},
		{filler + "endless", "a endl"},
		{filler + "endâ", "a end"}, // â has two bytes, of which one is left
	} {
		got := strings.Join(words(tc.text), " ")
		if got != tc.want || !utf8.ValidString(got) {
			t.Errorf("of %d bytes: got %q, want %q", len(tc.text), got, tc.want)
		}
	}
}

func TestAlphanumeric(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{" - ", ""},
		{"a-1 / b_2.c", "A1B2C"},
		{"ä-7", "Ä7"},
		{"a\u0308-7", "Ä7"},
		{"ｓｋｕ４", "SKU4"},
		{"½", "12"},
	} {
		if got := alphanumeric(tc.text); got != tc.want {
			t.Errorf("alphanumeric(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestWordings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"", "[] [] []"},
		{"Schraube DIN 912 M6 x 20", "[schraube din] [20 6 912 m] []"},
		{"Blech S235JR 3x1250x2500 mm", "[blech jr mm] [1250 235 2500 3 s] []"},
		{"Suero 0,9 % 0500 ml", "[suero ml] [0.9 500] []"},
		{"Bolt 8.0 3/4", "[bolt] [3 4 8] []"},
		{"Jacket L", "[jacket] [l] []"},
		{"Mai, juin et Mai 2026", "[et] [] [June May]"},
		{"Service on 10/09/2023 and 2023-09-10", "[service on and] [] []"},
	} {
		w := readWording(tc.text)
		if got := fmt.Sprint(w.names, " ", w.numbers, " ", w.months); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.text, got, tc.want)
		}
	}
}

func TestLikenessOfWordings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want likeness
	}{
		{"Lock Nut 5", "Lock Nut 6", likeness{contradicts: true}},
		{"Kabel VVM 4x10", "KBL 4x10", likeness{words: 1, numbers: true, sizes: true}},
		{"Toner schwarz", "Toner cyan", likeness{words: 0.5, exact: 1, variant: true}},
		{"Catheter gelb", "Catéter amarillo", likeness{words: 0.5}},
		{"Catheter", "Cathetre", likeness{words: 1}},
		{"Ball bearing 6205-2RS", "Rillenlager 6205-2RS", likeness{words: 0.5, numbers: true, sizes: true}},
		{"Limpeza março 2026", "Limpeza abril 2026", likeness{contradicts: true}},
		{"Software, monthly, 12 x", "Software January 2026", likeness{words: 1, exact: 1}},
		{"Büroreinigung März", "Büroreinigung mars 2026", likeness{words: 1, exact: 1}},
		{"Abonnement kassa per maand", "Abonnement kassa januari 2026", likeness{words: 1, exact: 2}},
		{"pen", "blue pen 7", likeness{words: 1, exact: 1}},
		{"", "pen", likeness{}},
	} {
		a, b := readWording(tc.a), readWording(tc.b)
		if got := a.like(&b); got != tc.want {
			t.Errorf("%q and %q: got %+v, want %+v", tc.a, tc.b, got, tc.want)
		}
		if got := b.like(&a); got != tc.want {
			t.Errorf("%q and %q: got %+v, want %+v", tc.b, tc.a, got, tc.want)
		}
	}
}

// citedWords are the words for an order and for a delivery note as companies print them, some in no
// table, each with a number in another form.
var citedWords = []struct{ order, delivery, number string }{
	{"Inkooporder", "Pakbon", "0042"}, {"Uw bestelling nr.", "Leverbon", "2025-0117"}, {"Pedido", "Albarán", "00871"},
	{"Orden de compra", "Albarán de entrega nº", "OC/118"}, {"Encomenda n.º", "Guia de remessa", "EN 2025/77"}, {"Zamówienie nr", "WZ", "ZAM/88/2025"},
	{"Objednávka č.", "dodací list", "20250931"}, {"Objednávky", "Dodacie listy", "OBJ-0031"}, {"Naročilo", "Dobavnica", "0815-2"},
	{"Narudžbenica br.", "Otpremnica", "117/25"}, {"Megrendelés", "Szállítólevél", "MR-000412"}, {"Comanda nr.", "Aviz de însoțire", "CMD0045"},
	{"Поръчка", "Стокова разписка", "004511"}, {"Παραγγελία", "Δελτίο αποστολής", "77-0012"}, {"Indkøbsordre", "Følgeseddel", "IO-5512"},
	{"Inköpsorder", "Följesedel", "00733"}, {"Innkjøpsordre", "Pakkseddel", "P01890-24"}, {"Ostotilaus", "Lähetyslista", "OT 4417"},
	{"Ostutellimus", "Saateleht", "EE-0094"}, {"Pasūtījums", "Pavadzīme", "LV/0094"}, {"Užsakymas", "Važtaraštis", "LT-20094"},
	{"Sipariş", "İrsaliye", "SP-00941"}, {"Satın alma siparişi", "Sevk irsaliyesi", "2025/00941"}, {"Purchase order", "Delivery ticket", "HP/1203"},
	{"Work order", "Packing list", "WO-00412"}, {"Ihre Bestellung", "Packliste", "0031"}, {"Votre commande n°", "Bon de livraison", "C-0417"},
	{"Vs. ordine", "DDT n.", "12/A-2025"}, {"Ordni", "Nota tal-kunsinna", "MT-0311"}, {"Ordú ceannaigh", "Nóta seachadta", "IE-0311"},
	{"Blanketa", "Zettel", "BX-20251"}, {"Kode", "Lapje", "450077"},
}

// A label in any language cites the order or the delivery, in the text and as the citation's type;
// and no invoice that has its number by chance, nor a change order of it.
func TestCitesInAnyLanguage(t *testing.T) {
	t.Parallel()
	right, all := 0, 0
	check := func(what string, a, b Document, want bool) {
		all++
		if got := a.Score(b).Cites(); got == want {
			right++
		} else {
			t.Logf("%s: cites is %t", what, got)
		}
	}
	numbered := func(typ document.Type, number string) Document {
		return parsed(t, typ, object(acme, `"number":"`+number+`"`))
	}
	for _, w := range citedWords {
		ordered := parsed(t, inv, object(acme, `"number":"R-1"`, `"notes":"`+w.order+` `+w.number+`"`))
		received := parsed(t, gr, object(acme, `"number":"G-1"`, `"notes":"`+w.delivery+` `+w.number+`"`))
		typed := parsed(t, gr, object(acme, `"number":"G-1"`, `"references":[{"type":"`+w.delivery+`","number":"`+w.number+`"}]`))
		unknown := strings.HasPrefix(w.number, "BX") || w.number == "450077"
		check(w.order, ordered, numbered(po, w.number), true)
		check(w.delivery, received, numbered(dn, w.number), true)
		check(w.delivery+" typed", typed, numbered(dn, w.number), true)
		check(w.delivery+" and an invoice", received, numbered(inv, w.number), false)
		if !unknown {
			check(w.delivery+" typed and an invoice", typed, numbered(inv, w.number), false)
		}
	}
	if right*100 < all*95 {
		t.Errorf("%d of %d are right, want 95 %%", right, all)
	}
}
