package einvoice_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/internal/must"
)

// fattura is a file with these bodies. The first party is a person, the second a company.
func fattura(bodies ...string) string {
	party := func(tag, name, code string) string {
		return "<" + tag + "><DatiAnagrafici>" + code + "<CodiceFiscale>RSSMRA70A01F205X</CodiceFiscale><Anagrafica>" + name +
			"</Anagrafica></DatiAnagrafici><Sede><Indirizzo>Via Po</Indirizzo><NumeroCivico>7</NumeroCivico><CAP>10121</CAP>" +
			"<Comune>Torino</Comune><Provincia>TO</Provincia><Nazione>IT</Nazione></Sede></" + tag + ">"
	}
	vat := func(n string) string {
		return "<IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>" + n + "</IdCodice></IdFiscaleIVA>"
	}
	return `<?xml version="1.0" encoding="UTF-8"?><p:FatturaElettronica versione="FPR12" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2">` +
		"<FatturaElettronicaHeader><DatiTrasmissione><FormatoTrasmissione>FPR12</FormatoTrasmissione></DatiTrasmissione>" +
		party("CedentePrestatore", "<Nome>Elsa</Nome><Cognome>Bianchi</Cognome>", vat("07643520567")) +
		party("CessionarioCommittente", "<Denominazione>Ponti S.p.A.</Denominazione>", vat("IT00743110157")) + "</FatturaElettronicaHeader>" +
		strings.Join(bodies, "") + `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/></p:FatturaElettronica>`
}

// corpo is a body: type, number, what else the document has, lines, rates and payments. A line is
// its text, quantity, unit, price, amount, rate and whatever else; a rate its rate, base, tax and
// whatever else.
func corpo(code, number, more string, lines, rates [][]string, payments string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>%s</TipoDocumento><Divisa>EUR</Divisa>"+
		"<Data>2026-03-11</Data><Numero>%s</Numero>", code, number)
	if !strings.Contains(more, "</DatiGeneraliDocumento>") {
		more += "</DatiGeneraliDocumento>"
	}
	b.WriteString(more + "</DatiGenerali><DatiBeniServizi>")
	for i, l := range lines {
		fmt.Fprintf(&b, "<DettaglioLinee><NumeroLinea>%d</NumeroLinea><Descrizione>%s</Descrizione>", i+1, l[0])
		if l[1] != "" {
			fmt.Fprintf(&b, "<Quantita>%s</Quantita><UnitaMisura>%s</UnitaMisura>", l[1], l[2])
		}
		fmt.Fprintf(&b, "<PrezzoUnitario>%s</PrezzoUnitario><PrezzoTotale>%s</PrezzoTotale><AliquotaIVA>%s</AliquotaIVA>%s</DettaglioLinee>",
			l[3], l[4], l[5], strings.Join(l[6:], ""))
	}
	for _, r := range rates {
		fmt.Fprintf(&b, "<DatiRiepilogo><AliquotaIVA>%s</AliquotaIVA><ImponibileImporto>%s</ImponibileImporto><Imposta>%s</Imposta>%s</DatiRiepilogo>",
			r[0], r[1], r[2], strings.Join(r[3:], ""))
	}
	return b.String() + "</DatiBeniServizi>" + payments + "</FatturaElettronicaBody>"
}

// enasarco is a contribution that the total doesn't have.
const enasarco = "<DatiCassaPrevidenziale><TipoCassa>TC07</TipoCassa><ImportoContributoCassa>0.83</ImportoContributoCassa><AliquotaIVA>0.00</AliquotaIVA>" +
	"</DatiCassaPrevidenziale><ImportoTotaleDocumento>12.20</ImportoTotaleDocumento>"

func ritenute(list ...string) (xml string) {
	for _, r := range list {
		kind, amount, _ := strings.Cut(r, " ")
		xml += "<DatiRitenuta><TipoRitenuta>" + kind + "</TipoRitenuta><ImportoRitenuta>" + amount + "</ImportoRitenuta></DatiRitenuta>"
	}
	return xml
}

func pagamento(amount, more string) string {
	return "<DatiPagamento><CondizioniPagamento>TP02</CondizioniPagamento><DettaglioPagamento><ModalitaPagamento>MP05</ModalitaPagamento>" +
		more + "<ImportoPagamento>" + amount + "</ImportoPagamento></DettaglioPagamento></DatiPagamento>"
}

// The fields of a document, for comparison with what was computed by hand.
func fields(d einvoice.Document) string {
	x := d.Data
	got := []string{string(d.Type), x.TypeCode, x.Number, x.Subtotal.Fixed(), x.Tax.Fixed(), x.Total.Fixed(), x.Rounding.Fixed(), x.AmountDue.Fixed()}
	for _, c := range x.Charges {
		got = append(got, c.Description+" "+c.Amount.Fixed())
	}
	for _, t := range x.Taxes {
		got = append(got, t.Category+t.Rate.Canonical()+" "+t.Base.Fixed()+" "+t.Amount.Fixed())
	}
	for _, p := range d.Problems {
		got = append(got, p.What)
	}
	return strings.Join(got, "|")
}

func TestFatturaSums(t *testing.T) {
	t.Parallel()
	hours := []string{"Ore", "2.00", "h", "500.00", "1000.00", "22.00"}
	hundred := [][]string{{"Lavoro", "", "", "100.00", "100.00", "22.00"}}
	for name, tc := range map[string]struct{ body, want string }{
		"withholding, fund, not taxed": {corpo("TD06", "31", "<DatiRitenuta><TipoRitenuta>RT01</TipoRitenuta><ImportoRitenuta>200.00</ImportoRitenuta></DatiRitenuta>"+
			"<DatiCassaPrevidenziale><TipoCassa>TC04</TipoCassa><ImportoContributoCassa>40.00</ImportoContributoCassa><AliquotaIVA>22.00</AliquotaIVA></DatiCassaPrevidenziale>"+
			"<ImportoTotaleDocumento>1318.80</ImportoTotaleDocumento>",
			[][]string{hours, {"Trasferta", "", "", "50.00", "50.00", "0.00", "<Natura>N1</Natura>"}},
			[][]string{{"22.00", "1040.00", "228.80"}, {"0.00", "50.00", "0.00", "<Natura>N1</Natura>"}}, pagamento("1118.80", "")),
			"invoice|380|31|1090.00|228.80|1318.80||1118.80|pension fund (cassa) 40.00|S22 1040.00 228.80|O0 50.00 0.00"},
		"credit note": {corpo("TD04", "NC 4", "<ImportoTotaleDocumento>122.00</ImportoTotaleDocumento>", hundred, [][]string{{"22.00", "100.00", "22.00"}}, ""),
			"credit-note|381|NC 4|100.00|22.00|122.00||122.00|S22 100.00 22.00"},
		"advance": {corpo("TD02", "5", "", hundred, [][]string{{"22.00", "100.00", "22.00"}}, ""),
			"invoice|386|5|100.00|22.00|122.00||122.00|S22 100.00 22.00"},
		"stamp without a line": {corpo("TD01", "6", "<DatiBollo><BolloVirtuale>SI</BolloVirtuale><ImportoBollo>2.00</ImportoBollo></DatiBollo>"+
			"<ImportoTotaleDocumento>502.00</ImportoTotaleDocumento>", [][]string{{"Lavoro", "", "", "500.00", "500.00", "0.00"}},
			[][]string{{"0.00", "500.00", "0.00", "<Natura>N2.2</Natura>"}}, pagamento("502.00", "")),
			"invoice|380|6|502.00|0.00|502.00||502.00|stamp (bollo) 2.00|O0 500.00 0.00"},
		"stamp paid by the seller": {corpo("TD01", "6", "<DatiBollo><BolloVirtuale>SI</BolloVirtuale><ImportoBollo>2.00</ImportoBollo></DatiBollo>"+
			"<ImportoTotaleDocumento>500.00</ImportoTotaleDocumento>", [][]string{{"Lavoro", "", "", "500.00", "500.00", "0.00"}},
			[][]string{{"0.00", "500.00", "0.00", "<Natura>N6.1</Natura>"}}, ""),
			"invoice|380|6|500.00|0.00|500.00||500.00|AE0 500.00 0.00"},
		"rounded total": {corpo("TD01", "7", "<ImportoTotaleDocumento>121.70</ImportoTotaleDocumento><Arrotondamento>-0.30</Arrotondamento>",
			hundred, [][]string{{"22.00", "100.00", "22.00"}}, pagamento("121.70", "")),
			"invoice|380|7|100.00|22.00|122.00|-0.30|121.70|S22 100.00 22.00"},
		"rounding after the total": {corpo("TD01", "7", "<ImportoTotaleDocumento>122.00</ImportoTotaleDocumento><Arrotondamento>-0.30</Arrotondamento>",
			hundred, [][]string{{"22.00", "100.00", "22.00"}}, ""),
			"invoice|380|7|100.00|22.00|122.00|-0.30|121.70|S22 100.00 22.00"},
		"split payment": {corpo("TD24", "8", "<ImportoTotaleDocumento>122.00</ImportoTotaleDocumento>", hundred,
			[][]string{{"22.00", "100.00", "22.00", "<EsigibilitaIVA>S</EsigibilitaIVA>"}}, pagamento("100.00", "")),
			"invoice|380|8|100.00|22.00|122.00||100.00|S22 100.00 22.00"},
		"costs and rounding of a rate": {corpo("TD01", "9", "", hundred, [][]string{
			{"22.00", "105.01", "23.10", "<SpeseAccessorie>5.00</SpeseAccessorie><Arrotondamento>0.01</Arrotondamento>"}}, ""),
			"invoice|380|9|105.01|23.10|128.11||128.11|accessory costs 5.00|rounding of the taxed amount 0.01|S22 105.01 23.10"},
		"fund and tax withheld": {corpo("TD01", "14", ritenute("RT02 2.00", "RT04 0.83")+enasarco, [][]string{{"Lavoro", "", "", "10.00", "10.00", "22.00"}},
			[][]string{{"22.00", "10.00", "2.20"}, {"0.00", "0.83", "0.00", "<Natura>N2.2</Natura>"}}, pagamento("9.37", "")),
			"invoice|380|14|10.00|2.20|12.20||9.37|S22 10.00 2.20"},
		"fund withheld, not listed again": {corpo("TD01", "15", ritenute("RT02 2.00")+enasarco, [][]string{{"Lavoro", "", "", "10.00", "10.00", "22.00"}},
			[][]string{{"22.00", "10.00", "2.20"}, {"0.00", "0.83", "0.00", "<Natura>N2.2</Natura>"}}, pagamento("9.37", "")),
			"invoice|380|15|10.00|2.20|12.20||9.37|S22 10.00 2.20"},
		"rounding of a rate beyond it": {corpo("TD01", "16", "<ImportoTotaleDocumento>34.32</ImportoTotaleDocumento>",
			[][]string{{"Lavoro", "", "", "34.67", "34.67", "0.00"}},
			[][]string{{"0.00", "34.67", "0.00", "<Natura>N4</Natura><Arrotondamento>-0.35</Arrotondamento>"}}, pagamento("34.32", "")),
			"invoice|380|16|34.67|0.00|34.67|-0.35|34.32|E0 34.67 0.00"},
		"alternatives of payment": {corpo("TD01", "10", "", hundred, [][]string{{"22.00", "100.00", "22.00"}}, pagamento("122.00", "")+pagamento("122.00", "")),
			"invoice|380|10|100.00|22.00|122.00||122.00|S22 100.00 22.00"},
		"payments of another sum": {corpo("TD01", "11", "", hundred, [][]string{{"22.00", "100.00", "22.00"}}, pagamento("112.00", "")),
			"invoice|380|11|100.00|22.00|122.00||122.00|S22 100.00 22.00|the payments don't add up to the total less what is withheld"},
		"document of the buyer": {corpo("TD17", "12", "", hundred, [][]string{{"22.00", "100.00", "22.00"}}, ""),
			"invoice||12|100.00|22.00|122.00||122.00|S22 100.00 22.00|TD17 is a document for the tax office; don't pay it"},
		"line of another product": {corpo("TD01", "13", "", [][]string{{"Ore", "3", "h", "50.00", "100.00", "22.00"}}, [][]string{{"22.00", "100.00", "22.00"}}, ""),
			"invoice|380|13|100.00|22.00|122.00||122.00|S22 100.00 22.00|differs from quantity x price without a discount"},
	} {
		d, err := einvoice.Read(strings.NewReader(fattura(tc.body)))
		if got := fields(d); err != nil || got != tc.want {
			t.Errorf("%s: got\n%s, %v; want\n%s", name, got, err, tc.want)
		}
	}
}

// Each body is a document with the parties of the head.
func TestFatturaBodies(t *testing.T) {
	t.Parallel()
	first := corpo("TD01", "A 1", "<Causale>Marzo</Causale></DatiGeneraliDocumento><DatiOrdineAcquisto><IdDocumento>PO-9</IdDocumento>"+
		"<CodiceCIG>Z1</CodiceCIG></DatiOrdineAcquisto><DatiDDT><NumeroDDT>44</NumeroDDT></DatiDDT>",
		[][]string{{"Tubi", "4", "pz", "10.00", "38.00", "22.00", "<ScontoMaggiorazione><Tipo>SC</Tipo><Importo>0.50</Importo></ScontoMaggiorazione>"}},
		[][]string{{"22.00", "38.00", "8.36"}},
		pagamento("26.36", "<Beneficiario>Banca Alfa</Beneficiario><DataScadenzaPagamento>2026-05-31</DataScadenzaPagamento><IBAN>IT60X0542811101000000123456</IBAN>")+
			pagamento("20.00", "<DataScadenzaPagamento>2026-04-30</DataScadenzaPagamento>"))
	second := corpo("TD04", "A 2", "</DatiGeneraliDocumento><DatiFattureCollegate><IdDocumento>A 1</IdDocumento></DatiFattureCollegate>",
		[][]string{{"Storno", "", "", "10.00", "10.00", "22.00"}}, [][]string{{"22.00", "10.00", "2.20"}}, "")
	all := must.Get(einvoice.ReadAll(strings.NewReader(fattura(first, second))))(t)
	var got []string
	for _, d := range all {
		x := d.Data
		got = append(got, fmt.Sprint(d.Format, d.Profile, x.Number, x.Date, x.Currency, x.Supplier, x.Buyer, x.Payee, x.References, x.Terms, x.Notes,
			len(x.Lines), x.Lines[0].Description, x.Lines[0].Quantity.Canonical(), x.Lines[0].Unit, x.Lines[0].UnitPrice.Canonical(),
			x.Lines[0].Amount.Canonical(), d.Problems))
	}
	const parties = "{Elsa Bianchi IT07643520567 %s Via Po 7, 10121 Torino, TO, IT} {Ponti S.p.A. IT00743110157  Via Po 7, 10121 Torino, TO, IT} {%s}"
	want := []string{
		"FatturaPAFatturaPA, to companiesA 1 2026-03-11EUR" + fmt.Sprintf(parties, "IT60X0542811101000000123456", "Banca Alfa  IT60X0542811101000000123456 ") +
			" [{purchase-order PO-9} {delivery-note 44} {tender Z1}] {2026-04-30 26.36 until 2026-05-31\n20.00 until 2026-04-30}Marzo1Tubi4pz1038[]",
		"FatturaPAFatturaPA, to companiesA 2 2026-03-11EUR" + fmt.Sprintf(parties, "", "   ") + " [{invoice A 1}] { }1Storno10 10[]",
	}
	for i := range want {
		if squeezed(got[i]) != squeezed(want[i]) {
			t.Errorf("got\n%s\nwant\n%s", got[i], want[i])
		}
	}
	if _, err := einvoice.Read(strings.NewReader(fattura(first, second))); err == nil {
		t.Error("read as one document")
	}
}

func squeezed(s string) string { return strings.ReplaceAll(s, " ", "") }

func TestFatturaRefused(t *testing.T) {
	t.Parallel()
	simple := strings.ReplaceAll(fattura(), "p:FatturaElettronica", "p:FatturaElettronicaSemplificata")
	for file, want := range map[string]string{
		simple: "unsupported simplified invoice (FSM10): it lacks lines and sums; save it as a PDF and send that",
		fattura(corpo("X", "1", "", nil, nil, "")):    "unsupported type code: expected TD01 to TD29",
		strings.Replace(fattura(), "fatture", "x", 1): "unsupported XML: expected UBL 2, UN/CEFACT CII or FatturaPA",
	} {
		if _, err := einvoice.Read(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
