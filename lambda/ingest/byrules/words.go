package byrules

import "matchbook/lambda/internal/lazy"

// The labels of sums. A label is a hint: arithmetic decides between the amounts it names.
var (
	payable = word(`due\b|(?:amount|balance|total|sum)[ -](?:due|payable|to pay|outstanding)|balance|zahlbetrag|zu zahlen\pL*|zahlungsbetrag|fälliger|offener|rest(?:betrag|summe)|net à payer|(?:montant|somme|total|reste|solde) (?:à payer|dû|due)|solde|saldo|(?:netto|totale|importo) (?:a pagare|da pagare|dovuto)|(?:importe|total|l[ií]quido) a pagar|` +
		`te betalen|nog te voldoen|do zapłaty|att betala|at betale|å betale|k úhradě|fizetendő|maksettava|(?:total )?de plat[ăa]|rest de plat[ăa]|valor a pagar|kvar att betala|återstår\pL*|til betaling|zbývá \pL+|doplatek|πληρωτέ\pL*|υπόλοιπο|fennmaradó|pendiente|` +
		`pozostało|reste dû`)
	subtotal = word(`sub-?total|exkl\.? moms|exc?l\.? (?:vat|tax|btw)|gesamtnetto(?:wert|betrag|summe)?|zwischentotal|(?:goods|merchandise) (?:total|value)|merchandise$|totale? (?:marchandises?|merc[ei]|mercanc\pL+|goods|merchandise)\b|subtotale|(?:total )?net(?:to)?(?:[ -](?:amount|amt|total|value|betrag|summe|wert))?\b|(?:total|amount|sum|montant|totale|importe|importo|invoice total)[ ,(]*(?:net\b|netto|h\.? ?t\.?\b|htva|h\.t\.v\.a|hors tax\pL*|excl\pL*|ex\.? vat|before|without|untaxed|imponibile|sin iva|ohne|exkl)|(?:netto|zwischen|waren)(?:betrag|summe|wert|gesamt)\pL*|(?:summe|gesamt|betrag|gesamtbetrag|rechnungsbetrag|rechnungssumme|gesamtsumme)[ ,(-]*(?:netto|ohne|exkl|zzgl)|steuerbasis\pL*|taxable|untaxed|(?:totale )?imponibile|base (?:imponible|tributável)|hors taxe|` +
		`subtotaal|totaal excl|(?:razem|suma|wartość) netto|delsumma?|summa exkl|i alt eksk?l|sum eks|základ|celkem bez|total ilíquido|incidência|nettó|veroton|total fără|valoare(?:a)? (?:netă|fără)|baz[ăa] de|καθαρή αξία|(?:αξία|σύνολο) (?:προ|χωρίς)|υποσύνολο|részösszeg`)
	tax   = word(`(?:(?:darin |davon )?enthalten\pL* |davon |inkl\.? |incl\.? |including |dont |di cui |heraf |herav |varav |z toho |din care |ebből |plus |zzgl\.? |zuzügl(?:ich)?\.? |\+ ?)?(?:\d+(?:[.,]\d+)? ?% *)?(?:(?:sales|total|summe|montant|gesamt|totale|totaal|sum of|steuerbetrag|total de|kwota|podatek)[ -]*)?(?:tax(?:es)?|vat|gst|(?:insurance premium )?tax|ipt|assurantiebelasting|\pL*steuer(?:betrag|summe|n)?|u?st|ust\b|mwst|tva|t\.v\.a|iva|i\.v\.a|imposta|cuota|impuestos?|btw|moms|mva|dph|áfa|alv|podatek|φ\.?π\.?α\.?)(?:[ .:(]|$|\d|amount|betrag)`)
	total = word(`(?:rechnungs|gesamt|end|brutto|auftrags)total|à votre crédit|(?:grand |invoice |gross |order )?total(?:e|i)?\b|zusammen\b|order value|(?:auftrags|bestell)(?:wert|summe|betrag)\b|gross am(?:oun)?t\b|(?:gesamt|brutto|rechnungs|end|rechnungsend|rechnungsgesamt|gesamtbrutto)(?:betrag|summe)?(?: \(?brutto\)?)?\b|(?:gesamt|end)preis|summe|montant (?:total|ttc|t\.t\.c)|importe total|importo totale|ttc\b|` +
		`totaal\b|(?:razem|suma|wartość) brutto|razem\b|summa\b|totalt\b|i alt\b|celkem\b|végösszeg|(?:bruttó |vég)?összesen|bruttó|σύνολο|(?:γενικό|τελικό) (?:σύνολο|ποσό)|yhteensä|valor total|factuurbedrag`)
	notTotal = lazy.Regexp(`(?i)^(?:gesamtbetrag der|total (?:de(?:s)? )?(?:remise|discount|line|charge|allowance|acompte|page|quantity|weight|items|qty|units)|total[ -](?:savings)|report|(?:σύνολο|total\pL*|summe|totaal|suma|summa|razem|celkem)[ \pL]* (?:anual|annuel|annuo|annual|año|ano|année|anno|year|ytd|jahr\pL*|jaar|år|rok\pL*|έτους))`)
	withTax  = lazy.Regexp(`(?i)brutto|gross|inkl|incl|ttc|t\.t\.c|grand|iva inc|mit (?:mwst|ust)|endbetrag|gesamtbetrag|invoice total|rechnungs|factuurbedrag`)

	carried = word(`übertrag|\pL*zwischensumme seite|carried|brought forward|à reporter|report\b|riporto|suma y sigue|do przeniesienia|přenos|převod|áthozat|átvitel|(?:σε|εκ|από) μεταφορά\pL*|a transportar`)
	paid    = word(`(?:erhaltene |geleistete |abzgl\.? |abzüglich |bereits |./\. )?(?:anzahlung|vorauszahlung|abschlags(?:zahlung|rechnung)|teil(?:zahlung|rechnung)|gezahlt|bezahlt|akonto)|(?:less |already |total |amount )?(?:prepaid|prepayment|paid|deposit|advance payment|down payment)|payments? received|(?:montant )?déjà (?:payé|réglé)|montant déjà payé|acomptes?|acconto|anticipo|già pagato|pagado|reeds betaald|aanbetaling|vooruitbetaald|zaliczka|wpłacono|záloha|forskud|förskott|forudbetalt|adiantamento|avans|προκαταβολή|előleg|(?:in)?betalt|zaplaceno|uhrazeno|achitat`)
	rounded = word(`(?:cash )?rounding|rundung\pL*|arrondi\pL*|arrotondamento|redondeo|afronding|öresavrundning|avrunding|afrunding|zaokrouhlení|zaokrąglenie|rotunjire|kerekítés|στρογγυλοποίηση|arredondamento`)
	// early marks an amount paid instead of the total within a few days.
	early = lazy.Regexp(`(?i)skonto|escompte|cash discount|(?:early|prompt) payment|bei zahlung|if paid|sconto cassa|pronto pago`)
)

// The words of charges and discounts. A discount's amount may be printed without a minus sign.
var (
	charged = lazy.Regexp(`(?i)versand|fracht|porto|liefer(?:kosten|pauschale)|zustell|transport|verpackung|zuschlag|pauschale|` +
		`gebühr|charge|fee\b|freight|shipping|delivery|postage|handling|packing|carriage|\bfrais\b|\bport\b|livraison|emballage|` +
		`spese|trasporto|spedizione|imballo|portes|gastos|envío|verzend|vracht|bezorg|toeslag|koszt|dostaw|wysył|frakt|fragt|doprav|livrare|μεταφορικά|αποστολής|szállítás|csomagolás`)
	reduced = lazy.Regexp(`(?i)rabatt|\bdto\b|abschlag|abschläge|nachlass|discount|allowance|remise|rabais|ristourne|sconto|abbuono|` +
		`descuento|desconto|korting|rabat|sleva|gutschein|voucher|bonus|reducere|έκπτωση|kedvezmény|engedmény`)
)

// owed names the amount to pay. A balance may be an account's instead.
var owed = lazy.Regexp(`(?i)^[ *=+]*(?:(?:amount|total|sum)[ -](?:due|payable|to pay)|zahlbetrag|zu zahlen|zahlungsbetrag|net à payer|(?:montant|total|reste) à payer|te betalen|do zapłaty|att betala|at betale|å betale)`)

// untaxed marks an invoice without tax by law.
var untaxed = lazy.Regexp(`(?i)reverse[ -]charge|steuerschuld|§ ?13 ?b|§ ?19 |steuerfrei|kleinunternehmer|innergemeinschaft\pL* lieferung|` +
	`autoliquidation|tva non applicable|exonér|inversione contabile|non imponibile|inversión del sujeto pasivo|exent[ao]|` +
	`vat[ -]exempt|zero[ -]rated|outside the scope|intra-community supply|btw verlegd|odwrotne obciążenie|omvänd|omvendt|přenesen|daň odvede|taxare inversă|scutit|αντίστροφη|απαλλα|fordított adózás|adómentes|autoliquidação|isento`)

var currencyLabel = word(`(?:(?:rechnungs|beleg)?währung|(?:invoice |document )?currency|devise|(?:di)?visa|valuta|moneda|moeda|waluta|měna)\b`)

// holderLabel names the owner of the account.
var holderLabel = word(`(?:(?:please )?(?:make|remit) (?:all )?(?:che(?:ck|que)s? |payments? )?(?:payable )?to|kontoinhaber(?:in)?|zahlungsempfänger(?:in)?|account (?:holder|name)|payee|titulaire(?: du compte)?|bénéficiaire|` +
	`intestatario(?: del conto)?|intestato a|titular(?: de la cuenta)?|begunstigde|rekeninghouder|ten name van|t\.?n\.?v\.?|` +
	`betalningsmottagare|kontohaver|modtager|právní majitel|majitel účtu|příjemce|odbiorca płatności|titular cont|δικαιούχος|számlatulajdonos|kedvezményezett)[ :.]*`)

// assigned marks an invoice that is to be paid to another company.
var assigned = lazy.Regexp(`(?i)abgetreten|abtretung|factoring|cédée?\b|subrog|\bassigned|assignment of|cedut[oa]|cessione|cedid[oa]|cesión|cessie|overgedragen|cesj[ai]|postoupen|faktoring`)

// groupWords stand before the name of a group that the supplier belongs to.
var groupWords = anyWord(`(?:(?:member|company|part|division|subsidiary) of|(?:unternehmen|gesellschaft|tochter\pL*|mitglied) (?:der|des|von)|` +
	`onderdeel van|(?:société|filiale|membre) d\pL*|(?:società|gruppo) d\pL*|(?:empresa|grupo) d\pL*|en del (?:av|af)|parent company)`)
