package ingest_test

// house is a company that a file names.
type house struct{ name, street, town, vat, iban string }

// tongue has the words and the companies of a language. The companies, their VAT ids and
// their accounts are invented; the check digits are right.
type tongue struct {
	currency, rate, decimal, group, day        string // day is a layout of time
	invoice, number, date, due, order, printed string
	columns                                    [4]string // description, quantity, price, amount
	net, tax, gross, prepaid, rest             string
	freight, discount, carried, page           string
	credit, quote, proforma, reminder          string
	statement, copied, year, contract, reverse string
	unit100, vat                               string
	sellers                                    [2]house
	plain                                      house // a seller without a legal form
	buyers                                     [2]house
}

var tongues = map[string]tongue{
	"de": {"EUR", "19", ",", ".", "02.01.2006",
		"Rechnung", "Rechnungsnummer", "Rechnungsdatum", "Zahlbar bis", "Bestellnummer", "Gedruckt am",
		[4]string{"Bezeichnung", "Menge", "Einzelpreis", "Gesamt"},
		"Nettobetrag", "MwSt.", "Rechnungsbetrag", "Anzahlung", "Zahlbetrag",
		"Versandkosten", "Rabatt", "Übertrag", "Seite",
		"Gutschrift", "Angebot", "Proforma-Rechnung", "Mahnung",
		"Kontoauszug", "Rechnungskopie", "Jahresumsatz", "Vertragsnummer", "Steuerschuldnerschaft des Leistungsempfängers",
		"Preis je 100", "USt-IdNr.",
		[2]house{{"Tischlerei Bergmann GmbH", "Eichenweg 12", "48143 Münster", "DE558073023", "DE30370400441573681930"},
			{"Kranz & Sohn KG", "Am Markt 3", "97070 Würzburg", "DE347201983", "DE49370400446039547620"}},
		house{"Fliesenstudio Albrecht", "Ringstraße 88", "01097 Dresden", "DE892320732", "DE44370400442021527380"},
		[2]house{{"Weserkontor AG", "Hafenstraße 40", "28195 Bremen", "", ""}, {"Lindner Maschinenbau GmbH", "Werkstraße 7", "73033 Göppingen", "", ""}}},
	"en": {"GBP", "20", ".", ",", "2 January 2006",
		"Invoice", "Invoice number", "Invoice date", "Payment due", "Order No.", "Printed on",
		[4]string{"Description", "Quantity", "Unit price", "Amount"},
		"Net amount", "VAT", "Invoice total", "Paid in advance", "Amount due",
		"Carriage", "Discount", "Carried forward", "Page",
		"Credit Note", "Quotation", "Pro forma invoice", "Payment reminder",
		"Statement of account", "Copy invoice", "Purchases this year", "Contract number", "Reverse charge: customer to account for VAT",
		"Price per 100", "VAT No.",
		[2]house{{"Harrow Timber Ltd", "14 Mill Lane", "Leeds LS1 4AP", "GB464262154", "GB98NWBK29972200332245"},
			{"Ashdown Print Limited", "9 Castle Street", "Exeter EX4 3LQ", "GB175329253", "GB13NWBK61265206427928"}},
		house{"Penrose Garden Services", "2 The Green", "Truro TR1 2NP", "GB775691969", "GB04NWBK33505646185089"},
		[2]house{{"Calder Logistics PLC", "71 Dock Road", "Hull HU1 1AA", "", ""}, {"Marlow Foods Ltd", "5 Weir Court", "Reading RG1 8EQ", "", ""}}},
	"fr": {"EUR", "20", ",", " ", "02/01/2006",
		"Facture", "Numéro de facture", "Date de facture", "Échéance", "Commande n°", "Imprimé le",
		[4]string{"Désignation", "Quantité", "Prix unitaire", "Montant"},
		"Total HT", "TVA", "Total TTC", "Acompte versé", "Net à payer",
		"Frais de port", "Remise", "Report", "Page",
		"Avoir", "Devis", "Facture pro forma", "Relance",
		"Relevé de compte", "Duplicata de facture", "Cumul annuel", "Contrat n°", "Autoliquidation par le preneur",
		"Prix pour 100", "N° TVA",
		[2]house{{"Menuiserie Delorme SARL", "8 rue des Tanneurs", "69005 Lyon", "FR37383236403", "FR7630004562241549909514503"},
			{"Papeteries du Rhin SAS", "21 quai Kléber", "67000 Strasbourg", "FR28775744766", "FR7630004216827521748885148"}},
		house{"Atelier Vidal", "3 impasse du Four", "34000 Montpellier", "FR25414885947", "FR7630004526698572296973284"},
		[2]house{{"Logistique Atlantique SA", "50 boulevard Sud", "44000 Nantes", "", ""}, {"Fonderie Marchal SAS", "6 rue du Puits", "54000 Nancy", "", ""}}},
	"nl": {"EUR", "21", ",", ".", "02-01-2006",
		"Factuur", "Factuurnummer", "Factuurdatum", "Vervaldatum", "Ordernummer", "Afgedrukt op",
		[4]string{"Omschrijving", "Aantal", "Prijs", "Bedrag"},
		"Totaal excl. btw", "Btw", "Totaal incl. btw", "Aanbetaling", "Te betalen",
		"Verzendkosten", "Korting", "Transport", "Pagina",
		"Creditnota", "Offerte", "Proforma factuur", "Betalingsherinnering",
		"Rekeningoverzicht", "Kopie factuur", "Omzet dit jaar", "Contractnummer", "Btw verlegd",
		"Prijs per 100", "Btw-nummer",
		[2]house{{"Drukkerij Van Dalen B.V.", "Kanaalweg 22", "3526 KL Utrecht", "NL575277208B01", "NL09INGB0405608656"},
			{"Houthandel Visser B.V.", "Dorpsstraat 5", "8011 AB Zwolle", "NL690458472B01", "NL30INGB0445290784"}},
		house{"Schildersbedrijf Mulder", "Molenpad 9", "9711 CD Groningen", "NL925966630B01", "NL77INGB0747662994"},
		[2]house{{"Havenbedrijf Noord N.V.", "Kade 100", "1013 BC Amsterdam", "", ""}, {"Bakker Techniek B.V.", "Industrieweg 4", "5611 EM Eindhoven", "", ""}}},
	"it": {"EUR", "22", ",", ".", "02/01/2006",
		"Fattura", "Numero fattura", "Data fattura", "Scadenza", "Ordine n.", "Stampato il",
		[4]string{"Descrizione", "Quantità", "Prezzo", "Importo"},
		"Imponibile", "IVA", "Totale fattura", "Acconto", "Netto a pagare",
		"Spese di trasporto", "Sconto", "Riporto", "Pagina",
		"Nota di credito", "Offerta", "Fattura proforma", "Sollecito di pagamento",
		"Estratto conto", "Copia fattura", "Totale annuo", "Contratto n.", "Inversione contabile",
		"Prezzo per 100", "P. IVA",
		[2]house{{"Officine Bellandi S.r.l.", "Via Garibaldi 14", "25121 Brescia", "IT09070290151", ""},
			{"Carta Viva S.p.A.", "Corso Italia 80", "16145 Genova", "IT05474850152", ""}},
		house{"Falegnameria Conti", "Vicolo Stretto 2", "40124 Bologna", "IT04746050154", ""},
		[2]house{{"Trasporti Adria S.p.A.", "Viale del Porto 9", "48122 Ravenna", "", ""}, {"Meccanica Sala S.r.l.", "Via Po 33", "10124 Torino", "", ""}}},
	"es": {"EUR", "21", ",", ".", "02/01/2006",
		"Factura", "Número de factura", "Fecha de factura", "Vencimiento", "Pedido n.º", "Impreso el",
		[4]string{"Descripción", "Cantidad", "Precio", "Importe"},
		"Base imponible", "IVA", "Total factura", "Anticipo", "Total a pagar",
		"Portes", "Descuento", "Suma y sigue", "Página",
		"Factura rectificativa", "Presupuesto", "Factura proforma", "Recordatorio de pago",
		"Estado de cuenta", "Copia de factura", "Acumulado del año", "Contrato n.º", "Inversión del sujeto pasivo",
		"Precio por 100", "NIF",
		[2]house{{"Maderas Olmedo S.L.", "Calle Mayor 18", "47001 Valladolid", "ESB31375850", ""},
			{"Imprenta Levante S.A.", "Avenida del Puerto 77", "46023 Valencia", "ESB54565270", ""}},
		house{"Pinturas Herrero", "Plaza Nueva 6", "18009 Granada", "ESB47427018", ""},
		[2]house{{"Naviera Cantabria S.A.", "Muelle 3", "39002 Santander", "", ""}, {"Talleres Ebro S.L.", "Camino Real 15", "50003 Zaragoza", "", ""}}},
	"pl": {"PLN", "23", ",", " ", "02.01.2006",
		"Faktura", "Numer faktury", "Data wystawienia", "Termin płatności", "Nr zamówienia", "Wydrukowano",
		[4]string{"Nazwa", "Ilość", "Cena", "Wartość"},
		"Razem netto", "VAT", "Razem brutto", "Zaliczka", "Do zapłaty",
		"Koszt dostawy", "Rabat", "Do przeniesienia", "Strona",
		"Faktura korygująca", "Oferta", "Faktura pro forma", "Wezwanie do zapłaty",
		"Wyciąg z konta", "Kopia faktury", "Obrót roczny", "Numer umowy", "Odwrotne obciążenie",
		"Cena za 100", "NIP",
		[2]house{{"Stolarnia Dąbek Sp. z o.o.", "ul. Lipowa 11", "30-702 Kraków", "PL9471954063", "PL21109010141358952548145421"},
			{"Drukarnia Warta S.A.", "ul. Nowa 4", "61-773 Poznań", "PL6582823575", "PL07109010144162998649840329"}},
		house{"Zakład Malarski Wrona", "ul. Krótka 2", "90-001 Toruń", "PL9437037427", "PL75109010144479789102448594"},
		[2]house{{"Port Handlowy S.A.", "ul. Morska 60", "81-002 Gdynia", "", ""}, {"Metalex Sp. z o.o.", "ul. Hutnicza 8", "40-241 Katowice", "", ""}}},
}
