package reference

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		// where the number stands
		"Order no.\n4711":                               {"purchase-order 4711"},
		"Order:\n4711":                                  {"purchase-order 4711"},
		"Bestellung = 4711":                             {"purchase-order 4711"},
		"Bestellung (Nr. 12)":                           {"purchase-order 12"},
		"Ihre Bestellung „4711-A“":                      {"purchase-order 4711-A"},
		"Order | 4711 |":                                {"purchase-order 4711"},
		"order - 4711":                                  {"purchase-order 4711"},
		"Bestell-Nr./Datum: 4500000101 / 03.04.2026":    {"purchase-order 4500000101"},
		"Rechnung vom 27.11.2022 Nr. F22-0142":          {"invoice F22-0142"},
		"your order dated 3 April 2026 no. 12345":       {"purchase-order 12345"},
		"Votre commande du 3 avril 2026, n° 4500":       {"purchase-order 4500"},
		"n° de commande : 4500-12":                      {"purchase-order 4500-12"},
		"Numéro de votre commande: 45":                  {"purchase-order 45"},
		"Numero d'ordine: 45":                           {"purchase-order 45"},
		"Nummer der Bestellung: 45":                     {"purchase-order 45"},
		"Ref: order 45 0001 0192, thank you.":           {"purchase-order 45 0001 0192"},
		"Rechnung zu Bestellung 4711":                   {"purchase-order 4711"},
		"INVOICE NO. 10012":                             {"invoice 10012"},
		"Bestell\u00adnummer\u00a0４７１１":                 {"purchase-order 4711"},
		"Bestell-Nr. Best.-Nr. 69073.":                  {"purchase-order 69073"},
		"Purchase Order Number: 4500-7":                 {"purchase-order 4500-7"},
		"order no. 4711 of 13.07.2024, invoice 10012":   {"purchase-order 4711", "invoice 10012"},
		"Order no. 4711 EUR 500":                        {"purchase-order 4711"},
		"Bestellung 4711 EUR 500":                       {"purchase-order 4711"},
		"order 599083 Rev. 2":                           {"purchase-order 599083"},
		"facture d'avoir n° A-12":                       {"credit-note A-12"},
		"Teilrechnung zu Bestellung 4500012345 Pos. 10": {"purchase-order 4500012345"},
		"PO 4500012345 item 20, PO 4500012346 item 10": {"purchase-order 4500012345",
			"purchase-order 4500012346"},
		"Fattura n. 03/2026 del 12.03.2026":                  {"invoice 03/2026"},
		"Rif. Vs. ordine nr. 1123 - DDT nr. 445 del 15/3/26": {"purchase-order 1123", "delivery-note 445"},
		"Order ID 45": {"purchase-order 45"},
		// the number's own label
		"See PO-2024-00620.":                 {"purchase-order PO-2024-00620"},
		"see PO4500000101":                   {"purchase-order PO4500000101"},
		"PO# 45":                             {"purchase-order 45"},
		"P/O 4500010001":                     {"purchase-order 4500010001"},
		"As per your purchase order PO 4711": {"purchase-order PO 4711"},
		"Ref: order PO PQ1174063, thank you": {"purchase-order PQ1174063"},
		// blanks and misreadings
		"order 09 433 444":               {"purchase-order 09 433 444"},
		"order PO 2024 00620.":           {"purchase-order PO 2024 00620"},
		"order no. 4500 0000 27":         {"purchase-order 4500 0000 27"},
		"Bestell-Nr. 24/00534 B.":        {"purchase-order 24/00534 B"},
		"Lieferschein bl 2308895":        {"delivery-note bl 2308895"},
		"delivery note BL 2 310 169.":    {"delivery-note BL 2 310 169"},
		"order 4 500 01O 088 of 4 April": {"purchase-order 4 500 01O 088"},
		"order 4500000101 12 pcs":        {"purchase-order 4500000101"},
		"order 4711 12 pcs":              {"purchase-order 4711"},
		"order 45100 250 pcs":            {"purchase-order 45100"},
		"order 45100 3 April 2026":       {"purchase-order 45100"},
		"order 4500000101 120, thanks":   {"purchase-order 4500000101"},
		"order 4711 4500000":             {"purchase-order 4711"},
		// several
		"orders 4500000101, 4500000102 and 4500000107": {"purchase-order 4500000101", "purchase-order 4500000102",
			"purchase-order 4500000107"},
		"Bestellungen 1001/1002":               {"purchase-order 1001", "purchase-order 1002"},
		"Bestellung 1001/1002":                 {"purchase-order 1001/1002"},
		"Rechnungen 2022/0374":                 {"invoice 2022/0374"},
		"Rechnungen 2022/0374 / 2022/0375":     {"invoice 2022/0374", "invoice 2022/0375"},
		"order nos. 4711,4712":                 {"purchase-order 4711", "purchase-order 4712"},
		"orders 4711 4712":                     {"purchase-order 4711"},
		"Lieferschein 88120 und 88121":         {"delivery-note 88120", "delivery-note 88121"},
		"Lieferschein Nr. 88120 und Nr. 88121": {"delivery-note 88120", "delivery-note 88121"},
		"Rechnung 45120, 10115 Berlin":         {"invoice 45120"},
		"Order no. 10117, 10115 Berlin":        {"purchase-order 10117"},
		"order 4711, 47119":                    {"purchase-order 4711"},
		"order 4711, 5822":                     {"purchase-order 4711"},
		"order 4711, 12 Stück":                 {"purchase-order 4711"},
		"order 4711, order 4711":               {"purchase-order 4711"},
		"invoice 4711 and order 4711":          {"invoice 4711", "purchase-order 4711"},
	} {
		var got []string
		for _, f := range Find(text) {
			got = append(got, f.Type+" "+f.Number)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Find(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFindSkipsOtherNumbers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "4500000101", "Nr. 4500000101", "# 4711", "order", "Order no.", "Order no.:",
		// dates and times
		"order of 13.07.2024", "Bestellung 13.07.2024", "Bestellung AB 13.07.2024", "order 12/05/14",
		"Rechnung 2026-04-03", "Ihre Bestellung vom 3. April 2026", "order date: 7/1/2014",
		"Rechnung 2026", "contract 2024-2026", "Vertrag vom 1.1.2024 bis 31.12.2026", "invoice within 30 days",
		"order no. 3 April", "commande du 12 mars 2026", "zamówienie nr 3 stycznia",
		"invoice 30 days net", "Rechnung 100 Tage", "Auftrag 24h", "contract 120-month",
		"Rechnung 03/2026", "invoice Q4 2025", "Rechnung KW 12/2026", "Rechnung 4. Quartal 2025",
		// amounts and quantities
		"invoice amount 1,200.00 EUR", "Rechnungsbetrag 119,00", "Rechnung 119,00", "Rechnung 1.119,00",
		"invoice 1,200.00", "invoice EUR 1200", "invoice 119.00",
		"Rechnung 1200 EUR", "invoice 1200€", "facture 500,- EUR", "order 500 pcs", "Bestellung 1000 Stück",
		"order 100 %", "invoice 100%", "order value 12000", "Order total 12000",
		"order 10 000 units", "Bestellung 1500 Pos.", "commande de 500 pièces",
		"No. of orders 250", "numero di ordini: 250", "avoir 3000 pièces", "ordine 1500 kg",
		// other numbers
		"PO Box 43 82 37", "P.O. Box 438237", "PO BOX 4382", "Postfach 43 82 37", "Tel. +49 221 9231076", "fax 9231076",
		"Steuer-Nr. 837/6640578", "Customer no. 181479", "Kd.-Nr. 473723", "Kundennummer 181479",
		"page 1 of 2, print id 1239876", "Konto-Nr. 4711123",
		"IBAN DE89 3704 0044 0532 0130 00", "USt-IdNr. DE123456789", "VAT no. GB123456789", "HRB 12345", "50667 Köln",
		"Art.-Nr. 47110815", "Article no. 4711", "Pos. 10", "Ref. EN 10204", "Referenz DIN 9120",
		"Purchasing group 005.", "Zahlbar innerhalb 14 Tagen netto.", "Payable within 30 days.",
		"2 % discount within 10 days.", "Advertiser ID 45504", "Estimate: 1003.",
		"Acct 123456", "Station code 13 73 40", "Payment terms 4711", "Lieferanten-Nr. 70012",
		"Partita IVA 01234567890", "SIRET 123 456 789 00012",
		"order 3704 0044 0532 0130 00", "order of 3.4.2026 1500 rolls", "Ref: A12",
		// words around
		"Thank you for your order. 4711 is our favourite.", "Vielen Dank für Ihre Bestellung\n50667 Köln",
		"order, 4711", "your order was 4711", "invoices and orders",
		"order 12", "Bestellung Nr.", "reorder 4711", "border 4711", "Mindestbestellwert 4711", "order see-page2",
		"order version12345", "Bestellung4711", "order A4", "2nd order 1st",
		"Order no. " + strings.Repeat("1", 65), "Order no. " + strings.Repeat("1-", 40) + "1",
		"PO-" + strings.Repeat("PO-1", 80),
	} {
		if got := Find(text); len(got) > 0 {
			t.Errorf("Find(%q) = %q, want nothing", text, got)
		}
	}
}

func TestLongestNumber(t *testing.T) {
	t.Parallel()
	number := strings.Repeat("1", longest)
	if got := Find("Order no. " + number); len(got) != 1 || got[0].Number != number {
		t.Errorf("Find = %q, want the number of %d characters", got, longest)
	}
}

// Anything quadratic would take longer than go test allows.
func TestHostileTextIsBounded(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	for _, piece := range []string{
		"PO", "PO-", "PO ", "PO 4711 ", "order no. ", "Bestell-Nr. ", "n° de ", "1", "1-", "1 ", "1/", "orders 1001, ",
		"A", "ä", "\xff", "０", "́", "ﷺ",
		"order of 3 ", "0", "PO0", "NR ", "AB NR ", "BL", "R1", " ", "(", "order:", "order\n",
		"accusé de réception de ", "order no. / date ",
	} {
		text := strings.Repeat(piece, size/len(piece))
		found := Find(text)
		number := text[:len(text)/8]
		Canonical(number + "1")
		Loose("1" + number)
		Revision(number)
		Strength(number)
		if len(found) > most {
			t.Errorf("%d citations in %q", len(found), piece)
		}
	}
}

func TestFindsNoMoreThanFifty(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 200 {
		b.WriteString("order " + strings.Repeat("7", 3+i%40) + "\n")
		b.WriteString("orders 1" + strings.Repeat("3", i%50) + "5, 22" + strings.Repeat("4", i%50) + "1\n")
	}
	if got := len(Find(b.String())); got != most {
		t.Errorf("%d citations, want %d", got, most)
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Su pedido n.º 778812 del 3 de marzo de 2026":       {"778812"},
		"Orden de compra: OC-778812":                        {"OC-778812"},
		"注文番号: 778812":                                      {"778812"},
		"注文番号778812":                                        {"注文番号778812"},
		"Uw bestelling nr. 778812 d.d. 03-03-2026":          {"778812"},
		"Zamówienie nr 778812 z dnia 3.03.2026":             {"778812"},
		"Pedido PED/2024/02333 de fecha 25/05/2024":         {"PED/2024/02333"},
		"GUANTE NIT S - N.º 23.10379-001":                   {"23.10379-001"},
		"pedido PO 018 828":                                 {"018", "018 828", "828"},
		"4500020000 - 4500020011":                           {"4500020000", "4500020011", "4500020000 - 4500020011"},
		"4711, 4712 y 4713":                                 {"4711", "4712", "4713"},
		"Scadenza 13/11/2023: 6.973,04 EUR":                 nil,
		"Due 09 Sep 2024: 1,704.40 USD":                     nil,
		"1,250 €, $ 1250, 12.50, 1.250.00, 100 %, 25% 2026": nil,
		"Tel. +49 221 9231076, IBAN DE89370400440532013000": nil,
		"Ihre Kundennummer 20417, Auftrag 20471":            {"20471"},
		"Kd.-Nr. 20417 / N° client : 20418, client 20419":   {"20419"},
		"Réf. client BC-20417, código cliente 20471":        {"BC-20417"},
		"customer no. 20417, order no. 20471":               {"20471"},
		"Cliente PED-20471 y 20472":                         {"20472", "PED-20471"},
		"Kundennummer 20417, 20471":                         {"20471"},
		"Kunde bestellte 20471":                             {"20471"},
		"M6x20, 80 mm, DN 50":                               {"M6x20"},
		"SuperLongWordsWith123":                             nil,
		"":                                                  nil,
		"\xff 4711":                                         {"4711"},
	} {
		got := Mentions(text, 64)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestMentionsAreBounded(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"4711 ", "+4", "4711-", "1,", "4711 - ", "1 "} {
		if got := Mentions(strings.Repeat(piece, 1<<20/len(piece)), 64); len(got) > 64 {
			t.Errorf("%q: %d mentions", piece, len(got))
		}
	}
}

func TestCitationsAreCutOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Spannfutter 80 mm": "Spannfutter 80 mm",
		"Spannfutter - Ihre Bestellung 4500010046 Pos. 10": "Spannfutter - Ihre Pos. 10",
		"order no. 4711": "",
		"order no. 4711, blue pen, invoice RE-12": ", blue pen,",
		"orders 4711, 4712 and 4713: pens":        ": pens",
	} {
		if got := Without(text); got != want {
			t.Errorf("Without(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWithoutIsLinear(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("order no. 4711, ", 1<<20/16)
	if got := len(Without(text)); got > len(text) || got < len(text)/2 {
		t.Errorf("%d of %d bytes are left: 50 citations are cut out", got, len(text))
	}
}
