package score

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

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
