package byrules

import (
	"fmt"
	"strings"
	"testing"
)

// The window of an envelope: the sender's line, the recipient, and the sender's
// ways to be reached at the right.
const letter = `
Nordlicht Papier GmbH, Hafenstr. 7, 20457 Hamburg
                                                       Nordlicht Papier GmbH
Buchladen Kranich                                      Hafenstr. 7
Marktplatz 3                                           20457 Hamburg
37073 Göttingen                                        Tel. 040 1234-0

Rechnung Nr. RE-2026-0042 vom 02.03.2026
Gesamtbetrag      1.487,50 €`

// A party's block begins with its number.
const blocks = `
Rechnung Nr. RE-2026-0042

Verkäufer:
Nummer      549910
Globale Nummer: 4000001123452
Nordlicht Papier GMBH
Hafenstr. 7
20457 Hamburg
USt-IdNr.: DE136695976

Käufer/Leistungsempfänger:
Nummer      GE2020211
Buchladen Kranich
Marktplatz 3
37073 Göttingen
(c) Formular AG`

func TestPartiesByBlocks(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "parties")
	for name, test := range map[string]struct{ text, supplier, buyer, buyersAddress string }{
		"in the window": {letter, "Nordlicht Papier GmbH", "Buchladen Kranich", ""},
		"with a salutation": {"Nordlicht Papier GmbH\nHerrn\nMax Muster\nMarktplatz 3\n37073 Göttingen\n\nRechnung Nr. A-1",
			"Nordlicht Papier GmbH", "Max Muster", "Marktplatz 3, 37073 Göttingen"},
		"below numbers": {blocks, "Nordlicht Papier GMBH", "Buchladen Kranich", "Marktplatz 3, 37073 Göttingen"},
		"below numbers, low on the page": {strings.Replace(blocks, "\n\n", strings.Repeat("\n", 25), 1), "Nordlicht Papier GMBH",
			"Buchladen Kranich", "Marktplatz 3, 37073 Göttingen"},
		"abroad": {"Harbour Paper Ltd\nwww.harbour.example\n\n\nCrane Books\n215 Vine St\nScranton PA 18503\n\nInvoice No. A-1",
			"Harbour Paper Ltd", "Crane Books", "215 Vine St, Scranton PA 18503"},
		"the only address is the supplier's": {"Kranich\nMarktplatz 3\n37073 Göttingen\nTel. 0551 12345\n\nRechnung Nr. A-1", "Kranich", "",
			""},
		"a customer's number is no heading": {"Nordlicht GmbH\nRechnung Nr. A-1\nCustomer: 2\nAmount\n10 pieces", "Nordlicht GmbH", "", ""},
	} {
		d := seen.extract(sheets(test.text))[0].Data
		if d.Supplier.Name != test.supplier || d.Buyer.Name != test.buyer || d.Buyer.Address != test.buyersAddress {
			t.Errorf("%s: got %q and %q, %q", name, d.Supplier.Name, d.Buyer.Name, d.Buyer.Address)
		}
	}
}

func TestVATIDByBlockOrLabel(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/vatid-by-block-or-label")
	for name, text := range map[string]string{
		"in the supplier's block":   blocks + "\nN° TVA client    ATU13585627",
		"nearer to the buyer below": strings.Replace(blocks, "USt-IdNr", "Tel. 1\nFax 2\nBank 3\nUSt-IdNr", 1) + "\nUSt-IdNr.: ATU13585627",
		"beside a label":            letter + "\nUSt-IdNr. DE136695976\nKunden-USt-IdNr.    ATU13585627",
	} {
		d := seen.asIs(sheets(text))[0].Data
		if d.Supplier.VATID != "DE136695976" || d.Buyer.VATID != "ATU13585627" {
			t.Errorf("%s: got %q and %q", name, d.Supplier.VATID, d.Buyer.VATID)
		}
	}
}

func TestDebitedIBANIsBuyers(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/debitediban-is-buyers")
	d := seen.asIs(sheets(letter + "\nDer Betrag wird am 20.03.2026 von Ihrem Konto DE89 3704 0044 0532 0130 00 eingezogen." +
		"\nBitte geben Sie Ihre Nummer an: IBAN AT61 1904 3002 3457 3201\nZweites Konto: IBAN NL91 ABNA 0417 1643 00"))[0].Data
	if d.Buyer.IBAN != "DE89370400440532013000" || d.Supplier.IBAN != "AT611904300234573201" || d.Terms.Due.String() != "2026-03-20" {
		t.Errorf("got %q, %q, due %s", d.Buyer.IBAN, d.Supplier.IBAN, d.Terms.Due)
	}
}

func TestPaymentTerms(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "terms")
	for line, want := range map[string]string{
		"Zahlbar innerhalb 30 Tagen netto bis 01.04.2026, 3% Skonto bis 12.03.2026": "2026-04-01 Zahlbar innerhalb 30 Tagen netto " +
			"bis 01.04.2026, 3% Skonto bis 12.03.2026",
		"2 % Skonto bis 12.03.2026":                         " ",
		"Zahlungsbedingungen: 14 Tage netto":                " 14 Tage netto",
		"Payment Terms      30 days net":                    " 30 days net",
		"Please pay by 2026-04-01.":                         "2026-04-01 Please pay by 2026-04-01.",
		"Conditions de paiement 30% d'acompte, solde à 30j": " Conditions de paiement 30% d'acompte, solde à 30j",
	} {
		terms := seen.extract(sheets(letter + "\n" + line))[0].Data.Terms
		if got := terms.Due.String() + " " + terms.Text; got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// The layout of a till receipt: everything in the middle, the title between
// dashes, and days of which only the currency says how to read them.
func TestReceiptInTheMiddle(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/receipt-in-the-middle")
	d := seen.asIs(sheets(`
          NORDLICHT (KOTA) SDN BHD
         NO. 7, JALAN BARU 3, TAMAN
              81100 JOHOR BAHRU
                  -INVOICE-
Invoice no: 4711
Date: 03-04-26
Gross Amt                       RM 33.90`))[0]
	got := fmt.Sprintln(d.Type, d.Data.Supplier.Name, d.Data.Supplier.Address, d.Data.Date, d.Data.Currency, d.Data.Total.Fixed())
	if want := "invoice NORDLICHT (KOTA) SDN BHD NO. 7, JALAN BARU 3, TAMAN, 81100 JOHOR BAHRU 2026-04-03 MYR 33.90\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCurrencySignIsWord(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/currency-sign-is-word")
	for text, want := range map[string]string{"FORM 12": "", "FLEUR": "", "RM12.00": "MYR", "12,00EUR": "EUR", "US$ 5": "USD"} {
		if got := seen.asIs(sheets("Rechnung Nr. A-1\n" + text))[0].Data.Currency; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A label must be whole, and name a party, not its number or its account.
func TestLabelNamesAParty(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Customer": "buyer", "Customer No.": "", "Kunden-Nr.": "", "Client n°": "", "Invoice to:": "buyer", "Invoice total": "",
		"Deliver to:": "delivery", "Szállítási cím:": "delivery", "Πελάτης:": "buyer", "Furnizor": "supplier", "Eladó:": "supplier",
	} {
		if got := sideOf(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
