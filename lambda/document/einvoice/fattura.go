package einvoice

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// fatturaSpaces begin the URIs of all releases of FatturaPA, which differ in details only.
var fatturaSpaces = []string{"http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/", "http://www.fatturapa.gov.it/sdi/fatturapa/"}

// fatturaVocabulary is the vocabulary of a root element of FatturaPA, or nil. Only the root has a
// name space. A signature in the file (XAdES) isn't part of the invoice.
func fatturaVocabulary(root xml.Name) *vocabulary {
	for _, space := range fatturaSpaces {
		if strings.HasPrefix(root.Space, space) && strings.HasPrefix(root.Local, "FatturaElettronica") {
			return &vocabulary{format: FatturaPA, kind: fatturaKind, spaces: []string{"", root.Space},
				each: "FatturaElettronicaBody", ignored: "http://www.w3.org/2000/09/xmldsig#"}
		}
	}
	return nil
}

// Places in FatturaPA.
const (
	fatturaHead    = "FatturaElettronicaHeader/"
	fatturaDoc     = "FatturaElettronicaBody/DatiGenerali/DatiGeneraliDocumento/"
	fatturaGeneral = "FatturaElettronicaBody/DatiGenerali/"
	fatturaGoods   = "FatturaElettronicaBody/DatiBeniServizi/"
	fatturaPayment = "FatturaElettronicaBody/DatiPagamento/DettaglioPagamento"
)

// Names of charges.
const (
	pensionFund  = "pension fund (cassa)"
	rateRounding = "rounding of the taxed amount"
)

// fatturaCodes are the codes of UNTDID 1001 of documents that ask for money or return it. The other
// codes of FatturaPA, TD16 to TD29, are documents of the buyer for the tax office.
var fatturaCodes = map[string]string{"TD01": "380", "TD02": "386", "TD03": "386", "TD04": "381", "TD05": "383", "TD06": "380",
	"TD24": "380", "TD25": "380", "TD26": "380"}

func fatturaKind(root *node) (document.Type, *mapping, string) {
	code := root.one(path{fatturaDoc + "TipoDocumento"})
	switch {
	case root.name != "FatturaElettronica":
		return "", nil, "unsupported simplified invoice (FSM10): it lacks lines and sums; save it as a PDF and send that"
	case !strings.HasPrefix(code, "TD"):
		return "", nil, "unsupported type code: expected TD01 to TD29"
	case typeCodes[fatturaCodes[code]] == document.CreditNote:
		return document.CreditNote, &fatturaMapping, ""
	}
	return document.Invoice, &fatturaMapping, ""
}

var fatturaMapping = mapping{
	profile:  path{fatturaHead + "DatiTrasmissione/FormatoTrasmissione"},
	number:   path{fatturaDoc + "Numero"},
	date:     path{fatturaDoc + "Data"},
	currency: path{fatturaDoc + "Divisa"},
	notes:    path{fatturaDoc + "Causale"},
	supplier: path{fatturaHead + "CedentePrestatore"},
	buyer:    path{fatturaHead + "CessionarioCommittente"},
	party: partyPlaces{
		name:    path{"DatiAnagrafici/Anagrafica/Denominazione", "DatiAnagrafici/Anagrafica/Cognome"},
		address: path{"Sede"},
		parts:   []path{{"Indirizzo", "NumeroCivico"}, {"CAP", "Comune"}, {"Provincia"}, {"Nazione"}},
	},
	iban:      path{fatturaPayment + "/IBAN"},
	delivered: path{fatturaGeneral + "DatiTrasporto/DataOraConsegna"},
	total:     sumPlaces{sum: path{fatturaDoc + "ImportoTotaleDocumento"}},
	taxes:     path{fatturaGoods + "DatiRiepilogo"},
	rate: taxPlaces{
		category: path{"Natura"},
		rate:     path{"AliquotaIVA"},
		base:     path{"ImponibileImporto"},
		amount:   path{"Imposta"},
	},
	charges: []chargePlaces{
		{charges: path{fatturaDoc + "DatiCassaPrevidenziale"}, amount: path{"ImportoContributoCassa"}, rate: path{"AliquotaIVA"},
			named: pensionFund},
		{charges: path{fatturaGoods + "DatiRiepilogo"}, amount: path{"SpeseAccessorie"}, rate: path{"AliquotaIVA"},
			named: "accessory costs"},
		{charges: path{fatturaGoods + "DatiRiepilogo"}, amount: path{"Arrotondamento"}, rate: path{"AliquotaIVA"},
			named: rateRounding},
	},
	lines: path{fatturaGoods + "DettaglioLinee"},
	line: linePlaces{
		sku:         path{"CodiceArticolo/CodiceValore"},
		description: path{"Descrizione"},
		quantity:    path{"Quantita"},
		unit:        path{"UnitaMisura"},
		price:       path{"PrezzoUnitario"},
		amount:      path{"PrezzoTotale"},
		rate:        path{"AliquotaIVA"},
		discounts:   path{"ScontoMaggiorazione"},
	},
	references: []referencePlaces{
		{"purchase-order", path{fatturaGeneral + "DatiOrdineAcquisto/IdDocumento"}},
		{"contract", path{fatturaGeneral + "DatiContratto/IdDocumento"}},
		{"agreement", path{fatturaGeneral + "DatiConvenzione/IdDocumento"}},
		{"goods-receipt", path{fatturaGeneral + "DatiRicezione/IdDocumento"}},
		{"invoice", path{fatturaGeneral + "DatiFattureCollegate/IdDocumento",
			fatturaGeneral + "FatturaPrincipale/NumeroFatturaPrincipale"}},
		{"delivery-note", path{fatturaGeneral + "DatiDDT/NumeroDDT"}},
		{"tender", path{fatturaGeneral + "DatiOrdineAcquisto/CodiceCIG", fatturaGeneral + "DatiContratto/CodiceCIG"}},
		{"project", path{fatturaGeneral + "DatiOrdineAcquisto/CodiceCUP", fatturaGeneral + "DatiContratto/CodiceCUP"}},
	},
	finish: (*reading).fattura,
}

// natures are the categories of UNCL 5305 for the reasons of a tax of 0, by the beginning of Natura.
// A longer code must come before a shorter one.
var natures = []struct{ nature, category string }{
	{"N1", "O"}, {"N2", "O"}, {"N3.1", "G"}, {"N3.2", "K"}, {"N3", "Z"}, {"N4", "E"}, {"N5", "E"}, {"N6", "AE"}, {"N7", "O"},
}

// fattura fills in what FatturaPA leaves to the reader: sums over the rates, what the buyer withholds,
// the names of persons.
func (r *reading) fattura(d *document.Data) {
	code := r.root.one(path{fatturaDoc + "TipoDocumento"})
	if d.TypeCode = fatturaCodes[code]; d.TypeCode == "" {
		n := r.root.some(path{fatturaDoc + "TipoDocumento"})[0]
		r.report(n, fatturaDoc+"TipoDocumento", code+" is a document for the tax office; don't pay it")
	}
	d.Supplier.Name, d.Supplier.VATID = r.italian(r.supplier)
	d.Buyer.Name, d.Buyer.VATID = r.italian(r.buyer)
	if payee := r.root.one(path{fatturaPayment + "/Beneficiario"}); payee != "" && !strings.EqualFold(payee, d.Supplier.Name) {
		d.Payee = document.Party{Name: payee, IBAN: d.Supplier.IBAN}
	}
	for i := range d.Taxes {
		t := &d.Taxes[i]
		t.Category = category(t.Category)
		d.Subtotal, d.Tax = d.Subtotal.Plus(t.Base), d.Tax.Plus(t.Amount)
	}
	r.extras(d)
	r.payments(d, r.withheld(d))
}

func category(nature string) string {
	if nature == "" {
		return "S"
	}
	for _, n := range natures {
		if strings.HasPrefix(nature, n.nature) {
			return n.category
		}
	}
	return ""
}

// italian returns a party's name and VAT id. The tax code (CodiceFiscale) is no VAT id.
func (r *reading) italian(p path) (name, vatID string) {
	found := r.root.some(p)
	if found == nil {
		return "", ""
	}
	const person = "DatiAnagrafici/Anagrafica/"
	n := found[0]
	name = cmp.Or(n.one(path{person + "Denominazione"}),
		strings.TrimSpace(n.one(path{person + "Nome"})+" "+n.one(path{person + "Cognome"})))
	if code := n.one(path{"DatiAnagrafici/IdFiscaleIVA/IdCodice"}); code != "" {
		country := n.one(path{"DatiAnagrafici/IdFiscaleIVA/IdPaese"})
		vatID = country + strings.TrimPrefix(code, country)
	}
	return name, vatID
}

// extras settles the charges, the total, the stamp (bollo) and the roundings. The total may have the
// stamp without a line for it, and it may have a rounding, of itself or of a rate, or not.
func (r *reading) extras(d *document.Data) {
	d.Charges = slices.DeleteFunc(d.Charges, func(c document.Charge) bool { return c.Amount.Sign() == 0 })
	if d.Total.IsZero() {
		d.Total = d.Subtotal.Plus(d.Tax) // it may be left out
	}
	r.heldFund(d)
	sum := d.Subtotal.Plus(d.Tax)
	d.Rounding = r.money(r.root, path{fatturaDoc + "Arrotondamento"})
	ofRates := charged(d, rateRounding)
	stamp := r.money(r.root, path{fatturaDoc + "DatiBollo/ImportoBollo"})
	switch {
	case d.Total.Equal(sum.Plus(d.Rounding)):
		d.Total = sum
	case ofRates.Sign() != 0 && d.Total.Equal(sum.Plus(ofRates)):
		d.Total, d.Rounding = sum, ofRates
		drop(d, rateRounding)
	case stamp.Sign() != 0 && d.Total.Equal(sum.Plus(stamp)), stamp.Sign() != 0 && d.Total.Equal(sum.Plus(stamp).Plus(d.Rounding)):
		d.Charges, d.Subtotal = append(d.Charges, document.Charge{Description: "stamp (bollo)", Amount: stamp}), d.Subtotal.Plus(stamp)
		d.Total = sum.Plus(stamp)
	}
}

// heldFund takes a contribution out of the sums that the total doesn't have: the buyer pays it to the
// fund (Enasarco) and withholds it, although it is among the rates.
func (r *reading) heldFund(d *document.Data) {
	held := charged(d, pensionFund)
	if held.Sign() == 0 || !d.Total.Equal(d.Subtotal.Plus(d.Tax).Minus(held)) {
		return
	}
	d.Subtotal = d.Subtotal.Minus(held)
	drop(d, pensionFund)
	d.Taxes = slices.DeleteFunc(d.Taxes, func(t document.Tax) bool { return t.Amount.Sign() == 0 && t.Base.Equal(held) })
	r.fund = held
}

func charged(d *document.Data, name string) (sum document.Amount) {
	for _, c := range d.Charges {
		if c.Description == name {
			sum = sum.Plus(c.Amount)
		}
	}
	return sum
}

func drop(d *document.Data, name string) {
	d.Charges = slices.DeleteFunc(d.Charges, func(c document.Charge) bool { return c.Description == name })
}
