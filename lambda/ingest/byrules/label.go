package byrules

import (
	"regexp"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// A label hints at a value near it. See the package for the languages.

// pattern is an expression that is compiled when first used; see package lazy.
type pattern = func() *regexp.Regexp

type title struct {
	kind document.Type
	form pattern
}

// titles name the types. A type that cites others comes first.
var titles = []title{
	{document.Invoice, word(`gutschrift \(selbst[^)]*\)|self-?billed invoice|selbst ausgestellte rechnung|autofactur\pL+|autofattura`)},
	{document.CreditNote, word(`credit (?:note|memo)|gutschrifts?|rechnungskorrektur|storno(?:rechnung)?|korrekturrechnung|avoir|facture d['’]avoir|note de crédit|nota di credito|nota de crédito|factura rectificativa|abono|creditnota|creditfactuur|(?:faktura )?koryguj\pL+|faktura koryguj\pL+|korekta(?: faktury)?|kreditfaktura|kreditnota|dobropis|hyvityslasku|notă de credit(?:are)?|factură (?:de )?storno|πιστωτικό(?: τιμολόγιο)?|jóváíró számla|jóváírás|sztornó ?(?:számla)?|helyesbítő számla`)},
	{document.Invoice, word(`(?:commercial |tax |sales |vat |final |interim )?invoice|\pL*rechnungs?|facture|fattura|factura|honorarnote|note d['’]honoraires|\pL*factuur|fatura(?:[ -]recibo)?|(?:btw|vat)[ -]factuur|\pL*faktur[ay](?: vat)?|daňový doklad|lasku[nt]?|factur(?:ă|ii)|τιμολ[οό]γ[ιί]ου?|(?:áfás |elektronikus )?számla`)},
	{document.GoodsReceipt, word(`goods rece(?:ipt|ived)(?: note| slip| voucher)?|wareneingang(?:sschein|smeldung|sbeleg)?s?|receiving report|bon de r[ée]ception|ricevimento merci|recepción de mercanc[ií]as|goederenontvangst|przyjęcie zewnętrzne|inleverans|varemodtagelse`)},
	{document.DeliveryNote, word(`delivery note|packing (?:slip|list)|(?:des|dis)patch (?:note|advice)|advice note|shipping note|lieferscheins?|(?:bon|bordereau) de livraison|documento di trasporto|bolla(?: di consegna)?|albarán(?: de entrega)?|pakbon|(?:af)?leverings?bon|guia de (?:remessa|transporte)|dowód dostawy|wydanie zewnętrzne|följesedel|leveranssedel|følgeseddel|pakkseddel|dodací list|lähete|lähetysluettelo|aviz de (?:însoțire|expediție)|δελτίο αποστολής|szállítólevél`)},
	{document.OrderConfirmation, word(`(?:sales )?order (?:confirmation|acknowledge?ment)|(?:auftrags|bestell)bestätigungs?|confirmation de commande|accus[ée] de r[ée]ception(?: de (?:la |votre )?commande)?|conferma d['’]ordine|confirmación de(?:l)? pedido|(?:order|opdracht)bevestiging|confirmação d[ae] encomenda|potwierdzenie zamówienia|ordererkännande|orderbekräftelse|ordrebekræftelse|ordrebekreftelse|potvrzení objednávky|tilausvahvistus|confirmare(?:a)? (?:de )?comandă|επιβεβαίωση παραγγελίας|(?:rendelés )?visszaigazolás`)},
	{document.PurchaseOrder, word(`order - purchase|(?:purchase )?order|bestell(?:ungs?|ing)?|(?:bon de )?commande(?: (?:au )?fournisseur)?|ordine(?: d['’]acquisto| a fornitore)?|pedido(?: al? proveedor)?|orden de compra|bestelling|bestelbon|inkooporder|(?:nota de )?encomenda(?: ao? fornecedor)?|ordem de compra|zamówieni[ea](?: do dostawcy)?|inköpsorder|beställning|(?:indkøbs)?ordre|objednávk[ay]|(?:osto)?tilaus|comand[ăa]|παραγγελ[ίι]ας?|(?:meg)?rendelés`)},
	{document.Contract, word(`(?:\pL+ )?(?:contract|agreement)|\pL*vertrags?|contrat|contratto|contrato|\pL*overeenkomst|umow[ay]|avtal|aftale|avtale|smlouva|sopimus|σύμβαση|szerződés`)},
}

// word matches at the beginning of a cell.
func word(alternatives string) pattern {
	return lazy.Regexp(`(?i)^(?:` + alternatives + `)`)
}

var (
	// mark follows a title and announces a number.
	mark = lazy.Regexp(`(?i)^[ -]*(?:\(\d+\) *)?(?:(?:de |d['’]|du |della |de la |di )?(?:facture|fattura|factura|invoice)? *)?(?:numbers?|nummer|numer|numero|číslo|no|nr|num|numéro|numero|número|număr|n\.? ?[°º]|n\.|№|#|id|(?:sor)?száma?|αρ(?:ιθμός|ιθ)?\.?|č)(?:\.|\b|$| |:)[ .:#]*`)
	// firstMark announces a title and its number: "Numéro de facture".
	firstMark = word(`(?:numéro|număr(?:ul)?|αρ(?:ιθμός|ιθ)?\.?|número|numero|numer|number|nummer|číslo|nr|no|n\.?[°º]|nº)\.? *(?:de la |de l['’]|della |del |de |d['’]|da |do |of |van )?(?:the )?`)
	// subject stands before the title of a letter.
	subject = word(`(?:betreff|betr\.|betreft|subject|re|objet|oggetto|asunto|assunto|ärende|vedr(?:ørende|\.)?|onderwerp|dotyczy|věc|tárgy) *: *`)
	// ordering is the verb of a letter that places an order.
	ordering = anyWord(`(?:we (?:hereby |would like to |wish to )?(?:order|place (?:an|our|this|the following) order)|please (?:supply|send|deliver|enter|process|accept)(?: us| to us)? (?:with )?(?:the following|this|our)|` +
		`bestellen wir|wir bestellen|nous (?:vous )?commandons|nous vous passons commande|veuillez nous (?:livrer|fournir|adresser)|` +
		`bestellen wij|wij bestellen|(?:vi )?ordiniamo|vogliate fornirci|les? (?:rogamos|solicitamos|pedimos)|` +
		`encomendamos|zamawiamy|(?:vi bestiller|vi beställer|bestiller vi|beställer vi)|objednáváme|tilaamme|megrendeljük|comandăm)`)
	// wordsAndMark are words between a title and the mark of its number.
	wordsAndMark = lazy.Regexp(`(?i)^((?: (?:[\pL.,-]+|\([^)]*\))){1,4}) (?:nr|no|nummer|number|numéro|numero|número|n\.?[°º])(?:\.|:| )[ .:]*`)
	// foreign marks words about another number.
	foreign = lazy.Regexp(`(?i)(?:^|[ -])(?:zu|zur|zum|for|für|pour|per|kunden\pL*|customer|client\pL*|klant\pL*|konto|account|steuer|tax|vat|your|ihre?|your|votre)(?: |$|-)`)
	// bareMark names a number without a type.
	bareMark = word(`(?:(?:document |beleg|dokument(?:en)?)?-?(?:number|no\.|nummer|nr\.|numéro|numero|número|n\.?[°º])|document no\b) *:? *`)
	// bareTitle may follow a title without a number.
	bareTitle = lazy.Regexp(`(?i)^ *(?:\(?\d{3}\)?|\([\pL .]+\)|[:.*–-]+|/ *\pL+|original|vat)? *$`)

	dateLabel = word(`ημερομηνία|ημ/νία|(?:számla )?kelt[e.:]?(?: |$)|(?:kiállítás|kibocsátás|számla) (?:dátuma|kelte)|dátum|(?:invoice |document |issue |billing |bill |order |p\.? ?o\.? |credit note |delivery note )?date(?: of issue)?|issued(?: on)?|(?:rechnungs|beleg|ausstellungs|bestell|auftrags|ausgabe|lieferschein|dokument)?datum|date (?:de (?:la )?(?:facture|commande)|d['’]émission|facture)|data(?: fattura| (?:di )?emissione| documento)?|fecha(?: de (?:la )?(?:emisión|factura|expedición))?|le|vom|den|date|(?:factuur|faktura|faktuur)?dat(?:um|o)|data (?:de emissão|da fatura|wystawienia|faktury)|datum vystavení|(?:laskun )?päiv(?:äys|ämäärä)|laskupäivä`)
	otherDate = word(`(?:due|delivery|shipping|ship|service|payment|order|tax point|supply)[ -](?:date|by|on)|(?:date|delivery) (?:required|needed|wanted)|(?:required|needed|promised|requested)(?: by| on| date)?\b|date (?:due|de livraison|d['’]échéance|de paiement|de commande)|échéance|fällig\pL*|zahlbar|liefer\pL*|leistungs\pL*|valuta|scadenza|data (?:di )?(?:scadenza|consegna|ordine)|fecha (?:de )?(?:vencimiento|entrega|pedido)|vencimiento|stylesheet|period|zeitraum|bestell\pL*`)
	dueLabel  = word(`(?:payment )?due(?: date)?|date due|payable (?:by|until)|fällig\pL*(?: am| bis)?|zahlbar bis|date d['’]échéance|échéance|(?:data )?(?:di )?scadenza|(?:fecha de )?vencimiento|vervaldatum|te betalen voor|(?:data de )?vencimento|termin płatności|płatne do|förfallo(?:datum|dag)|forfald(?:sdato|sdag)?|forfallsdato|datum splatnosti|splatnost|eräpäivä|(?:data )?scaden(?:ței|ță|t)|termen de plată|(?:ημερομηνία )?λήξη\pL*|fizetési határidő|esedékesség`)

	// otherDay names the date of another event anywhere in a label, citedDay of a cited document or a period, and ownDay the document's: an
	// invoice may share its date with the delivery.
	otherDay = anyWord(`(?:\pL*(?:liefer|leistungs|bestell|auftrags|fällig|zahlungs|druck|verval|lever|betaal|bestel|förfall|betalnings|forfald|betalings)\pL*|` +
		`gedruckt|utskrifts\pL*|printed|due|deliver(?:y|ed)|shipp(?:ing|ed)|payment|order|service|supply|échéance|livraison|paiement|commande|imprimé|scadenza|` +
		`consegna|ordine|pagamento|stampat[oa]|vencim?i?ento|entrega|pedido|encomenda|pago|impres[oa]|dostawy|sprzedaży|płatności|zamówienia|splatnosti|` +
		`plnění|objednávky|eräpäivä|toimituspäivä|tilauspäivä|livrării|comenzii|scadenței|plății|tipărit|παράδοσης|παραγγελίας|λήξης|πληρωμής|` +
		`εκτυπώθηκε|teljesítés|rendelés|határidő|esedékes\pL*|szállítás|nyomtatva)`)
	citedDay = anyWord(`(?:associée|précédente|ursprünglich\pL*|original|korrigierte\pL*|vorherige\pL*|previous|related|referenced|corrected|` +
		`début|debut|fin|beginn|ende|start|end|inizio|fine|inicio|final)`)
	ownDay = anyWord(`(?:rechnungs\pL*|invoice|facture|fattura|factura|fatura|factuur\pL*|faktura\pL*|faktury|facturii|emiterii|έκδοσης|τιμολογίου|kiállítás|kibocsátás|számla|kelte|lasku\pL*|issued?|émission|emissione|emisión|emissão|` +
		`wystawienia|vystavení|ausstellungs\pL*|order date|bestelldatum|lieferscheindatum)`)

	periodLabel = word(`(?:(?:billing|service|invoice|invoicing) )?period|(?:leistungs|rechnungs|abrechnungs)?zeitraum|période|periodo`)

	supplierLabel = word(`(?:seller|supplier|vendor|(?:received )?from|issued by|verkäufer|lieferant|rechnungssteller|auftragnehmer|absender|vendeur|fournisseur|émetteur|fornitore|cedente|venditore|mittente|proveedor|vendedor|emisor|verkoper|leverancier|fornecedor|sprzedawca|dostawca|wystawca|leverantör|säljare|leverandør|sælger|selger|dodavatel|prodávající|toimittaja|myyjä|furnizor|vânzător|πωλητής|προμηθευτής|εκδότης|eladó|szállító)(?:$|[^\pL])`)
	buyerLabel    = word(`(?:(?:buyer|customer|bill(?:ed)? to|billing address|invoice(?:d)? to|sold to|client|käufer|kunde\b|rechnungsempfänger|rechnungsanschrift|leistungsempfänger|auftraggeber|besteller|acheteur|client|facturé à|adresse du client|adresse de facturation|cliente|cessionario|acquirente|comprador|facturar a)|koper|klant\b|afnemer|factuuradres|factureren aan|comprador|faturar a|nabywca|odbiorca\b|płatnik|köpare|kund\b|fakturaadress|køber|kjøper|faktureringsadresse?|faktureres til|odběratel|kupující|ostaja|asiakas\b|laskutusosoite|cumpărător|beneficiar|πελάτης|αγοραστής|λήπτης|στοιχεία πελάτη|vevő|megrendelő)(?:$|[^\pL])`)
	// addresseeLabel names the recipient of the paper: the supplier of an order, otherwise the buyer.
	addresseeLabel = word(`(?:to:|empfänger|an:|aan:|à:|a:|til:|till:|do:|destinataire|destinatario)(?:$|[^\pL])`)
	// deliveryLabel names where the goods go: to the buyer, or to someone else.
	deliveryLabel = word(`(?:ship(?:ped)?[ -]to(?: address)?|deliver(?:ed)? to|delivery address|lieferanschrift|lieferadresse|adresse de livraison|` +
		`destinazione(?: merce)?|luogo di (?:consegna|destinazione)|dirección de (?:entrega|envío)|afleveradres|leveransadress|leveringsadresse|morada de entrega|` +
		`adres dostawy|dodací adresa|adresa de livrare|διεύθυνση (?:παράδοσης|αποστολής)|szállítási cím|toimitusosoite)(?:$|[^\pL])`)
	// numberLabel names a party's number, not the party.
	numberLabel = anyWord(`(?:no|nr|number|nummer|numer|numero|numéro|número|n[.º]?[°º]|id|ref|refer\pL+|code|código|codice|kod|cod|číslo|szám\pL*|αρ|κωδικός)`)
	// accountLabel names a party's account, not the party.
	accountLabel = lazy.Regexp(`(?i)iban|konto|bank|account|\bbic\b|\ba/c\b|\bacct\b`)
	nameLabel    = word(`(?:(?:company |firmen?)?name|firma|nom|nome|nombre|ragione sociale|razón social) *:?$|:$`)
	// fieldLabel stands in a party's block, next to values other than its name.
	fieldLabel = word(`(?:name|nummer|number|no\.?|nr\.?|anschrift|adresse|address|indirizzo|dirección|ust-?\.?-?id\S*|steuernummer|vat\b.*|` +
		`tax\b.*|tva\b.*|n° tva.*|ansprechpartner|contact|kontakt|telefon|phone|e-?mail|land|country|ort|straße|plz) *:?$`)
	// rights stand at the name of a form's author, not of the person filling it in.
	rights = lazy.Regexp(`(?i)©|\(c\)|copyright|\bpowered by\b`)

	// legalForm marks a cell as the name of a company.
	legalForm = lazy.Regexp(`(?:^|[\s,(])(?:V\.?O\.?F\.?|C\.V\.|S\.N\.C\.|s\.n\.c\.|S\.A\.U\.?|S\.A\.R\.L|EARL|GAEC|SCOP|BVBA|e\.U\.|Sp\. ?k\.|Sp\. ?j\.|PLLC|INC\.?|LTD\.?|CORP\.?|CO\.|COMPANY|LIMITED|(?:g?GmbH|GMBH)(?: & Co\. ?KGa?A?)?|mbH|Ges\.?m\.?b\.?H\.?|AG|KG|KGaA|OHG|OG|GbR|GesbR|PartG(?:mbB)?|UG|e\. ?K\.|e\. ?V\.|e\. ?G\.|eG|a\. ?G\.|SE|SAS|S\.A\.S\.?|SARL|S\.A\.R\.L\.?|EURL|SA|S\.A\.?|SNC|S\.?r\.?l\.?|S\.R\.L\.?|S\.?p\.?A\.?|S\.P\.A\.?|Ltd\.?|Limited|LLC|L\.L\.C\.|Inc\.?|Corp\.?|Corporation|PLC|plc|LLP|B\.?V\.?|N\.?V\.?|S\.L\.U?\.?|SL|Oy|AB|A/S|ApS|AS|Sp\. z o\.o\.|Sàrl|SRL|Lda\.?|(?:spol\. )?s\. ?r\. ?o\.|a\. ?s\.|v\. ?o\. ?s\.|Kft\.?|Zrt\.?|Nyrt\.?|Bt\.|Α\.?Ε\.?|Ε\.?Π\.?Ε\.?|Ι\.?Κ\.?Ε\.?|Ο\.Ε\.|Oyj|I/S|d\. ?o\. ?o\.|OÜ|Company|Co\.|(?i:(?:sdn\.? ?)?bhd\.?|(?:pte|pty)\.?(?: ltd\.?)?))(?:$|[\s,.)])`)
)
