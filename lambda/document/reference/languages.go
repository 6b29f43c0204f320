package reference

import (
	"strings"
	"sync"
)

// named has the words for documents in the other languages of the EU and in Turkish, as purchasing
// documents commonly print them. No standard lists them, so a missing word must not matter: an
// unknown word before a number leaves the type open.
var named = map[string]map[string]string{
	purchaseOrder: {
		"en": "purchase order, work order, order number", "nl": "inkooporder, bestelling, bestelbon, bestelorder, bestelnummer",
		"es": "pedido, orden de compra, pedido de compra",
		"pt": "encomenda, nota de encomenda, ordem de compra, pedido de compra", "ca": "comanda",
		"pl": "zamówienie, zamówienia, zam", "cs": "objednávka, objednávky, objednávce, obj", "sk": "objednávka, objednávky",
		"sl": "naročilo, naročilnica", "hr": "narudžba, narudžbenica",
		"hu": "megrendelés, rendelés, megrendelésszám, rendelésszám", "ro": "comandă, comanda", "bg": "поръчка",
		"el": "παραγγελία", "da": "indkøbsordre, købsordre", "sv": "inköpsorder, beställning, ordernummer",
		"no": "innkjøpsordre, bestilling", "fi": "ostotilaus, tilaus", "et": "ostutellimus, tellimus", "lv": "pasūtījums",
		"lt": "užsakymas", "mt": "ordni", "ga": "ordú ceannaigh", "tr": "sipariş, satın alma siparişi",
	},
	deliveryNote: {
		"en": "delivery ticket, packing list, delivery docket, dispatch advice, delivery slip, consignment note, waybill",
		"nl": "pakbon, leverbon, leveringsbon, afleverbon, vrachtbrief",
		"es": "albarán, albarán de entrega, nota de entrega, remito",
		"pt": "guia de remessa, guia de transporte, nota de entrega", "ca": "albarà",
		"pl": "WZ, dowód dostawy, list przewozowy, dokument WZ", "cs": "dodací list, dodací listy",
		"sk": "dodací list, dodacie listy", "sl": "dobavnica", "hr": "otpremnica, dostavnica", "hu": "szállítólevél, fuvarlevél",
		"ro": "aviz de însoțire, aviz de expediție, aviz", "bg": "стокова разписка", "el": "δελτίο αποστολής",
		"da": "følgeseddel, leveringsseddel", "sv": "följesedel, fraktsedel, leveranssedel", "no": "følgeseddel, pakkseddel",
		"fi": "lähetyslista, lähete, rahtikirja", "et": "saateleht", "lv": "pavadzīme", "lt": "važtaraštis",
		"mt": "nota tal-kunsinna", "ga": "nóta seachadta", "tr": "irsaliye, sevk irsaliyesi",
		"de": "Packliste, Warenbegleitschein, Frachtbrief",
	},
	invoice: {
		"nl": "factuur, facturen", "es": "factura", "pt": "fatura, factura", "pl": "faktura, faktury, faktura VAT",
		"cs": "faktura, faktury, faktuře", "sk": "faktúra, faktúry", "sl": "račun", "hr": "račun", "hu": "számla",
		"ro": "factură, factura", "bg": "фактура", "el": "τιμολόγιο", "da": "faktura", "sv": "faktura", "no": "faktura",
		"fi": "lasku", "et": "arve", "lv": "rēķins", "lt": "sąskaita faktūra", "mt": "fattura", "ga": "sonrasc", "tr": "fatura",
	},
	goodsReceipt: {
		"nl": "goederenontvangst", "es": "recepción de mercancías", "pt": "receção de mercadorias", "pl": "PZ, przyjęcie",
		"cs": "příjemka", "sk": "príjemka", "hu": "bevételezés", "ro": "NIR", "da": "varemodtagelse", "sv": "godsmottagning",
		"no": "varemottak", "fi": "tavaravastaanotto", "tr": "mal kabul",
	},
	contract: {
		"nl": "overeenkomst, raamovereenkomst", "es": "contrato, contrato marco", "pt": "contrato, contrato-quadro",
		"pl": "umowa, umowy", "cs": "smlouva, smlouvy", "sk": "zmluva", "sl": "pogodba", "hr": "ugovor", "hu": "szerződés",
		"ro": "contract", "bg": "договор", "el": "σύμβαση", "da": "rammeaftale", "sv": "ramavtal, avtal", "no": "avtale",
		"fi": "sopimus", "et": "leping", "lv": "līgums", "lt": "sutartis", "tr": "sözleşme",
	},
	creditNote: {
		"nl": "creditnota", "es": "nota de crédito, factura rectificativa", "pt": "nota de crédito", "pl": "faktura korygująca",
		"cs": "dobropis", "sk": "dobropis", "hu": "jóváíró számla", "da": "kreditnota", "sv": "kreditnota", "no": "kreditnota",
		"fi": "hyvityslasku", "tr": "iade faturası",
	},
}

// allLabelRows has the labels of Find and the names of named that aren't among them.
var allLabelRows = sync.OnceValue(func() []label {
	rows, known := append([]label{}, labels...), map[string]bool{}
	for _, l := range labels {
		known[words(clean(l.words), nil)] = true
	}
	for _, typ := range []string{purchaseOrder, deliveryNote, invoice, goodsReceipt, contract, creditNote} {
		for language, list := range named[typ] {
			for _, name := range strings.Split(list, ", ") {
				if key := words(clean(name), nil); key != "" && !known[key] {
					known[key] = true
					rows = append(rows, label{typ, language, name, 0})
				}
			}
		}
	}
	return rows
})
