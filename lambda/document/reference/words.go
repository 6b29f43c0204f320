package reference

import (
	"strings"
	"sync"

	"matchbook/lambda/internal/lazy"
)

// marks announce a number.
var marks = lazy.Words(`no nos nr nrs n num number numbers nummer nummern numero numeros numeri ref reference id`)

var markLengths = sync.OnceValue(func() *lengths {
	l := &lengths{}
	for word := range marks() {
		l.add(word)
	}
	return l
})

// links may stand between a number mark and the label: n° de commande, Nummer der Bestellung,
// numero d'ordine, numéro de votre commande, no. of orders.
var links = lazy.Words(`of your de d du di del dell della der des la le l votre vostro ihrer nostro notre`)

// dateIntroductions stand before a date.
var dateIntroductions = lazy.Words(`of vom von dated dd du del dell on from am le il d date datum`)

// dateWords are the second half of "order no. / date".
var dateWords = lazy.Words(`date datum dated data`)

var months = lazy.Words(strings.Join(monthNames[:], " ") + ` jan feb mar apr jun jul aug sep sept oct nov dec mrz okt dez
	janv fevr juil gen mag giu lug ago set ott dic`)

// conjunctions stand before the last number of a list.
var conjunctions = lazy.Words(`and und et e ed or oder ou o sowie`)

// units follow a quantity.
var units = lazy.Words(`day days tag tage tagen jour jours giorno giorni week weeks woche wochen semaine semaines
	month months monat monate monaten mois mese mesi year years jahr jahre jahren an ans anno anni
	hour hours h std stunde stunden minuten min percent prozent
	pc pcs piece pieces st stk stck stueck pz pezzi pce ea each unit units x mal set sets
	items positionen box boxes carton cartons karton kartons kartonnagen palette paletten pallets
	kg g t mg l ml m mm cm km qm lfm kwh kw`)

// leading are currencies and places in a list. They may also stand before a number and then
// belong to it: 4711 EUR 500, 4711 Pos. 10.
var leading = lazy.Words(`item position pos line zeile ligne riga
	eur euro euros usd chf gbp fr sfr dm pln czk sek nok dkk jpy`)

// noPrefix are capitals that don't belong to the number after them.
var noPrefix = lazy.Words(`of vom von du del de on at in to for and und et ed or by is was not all per pro
	eur usd chf gbp tel fax box vat ust tva iva tax qty pos art sku ean pg pag net sum kd kto id hrb hra bic blz
	plz cap zip am im zu zum kw cw din en iso zur die der das den ein mit bis auf aus les il al alt our the your
	we you it no nr page see dtd as a e o`)

// lowerPrefix are abbreviations also used in lower case.
var lowerPrefix = lazy.Words(`po ls bl dn rv rg gs inv bc ft cn re ab`)

// followedBy reports whether one of the words follows after a blank, or a dot and a blank.
func followedBy(s string, i int, words map[string]bool) bool {
	if i < len(s) && s[i] == '.' {
		i++
	}
	if i >= len(s) || s[i] != ' ' {
		return false
	}
	end := lettersAt(s, i+1)
	return words[fold(s[i+1:end])] && !wordGoesOn(s, end)
}

// isDate reports whether text is a date in digits: 13.07.2024, 27/11/22, 2026-04-03.
func isDate(text string) bool {
	var parts [3]int
	rest := text
	for i := range parts {
		n := leadingDigits(rest)
		if n == 0 || n > 4 || n == 3 {
			return false
		}
		for _, c := range []byte(rest[:n]) {
			parts[i] = parts[i]*10 + int(c-'0')
		}
		if rest = rest[n:]; i == 2 || rest == "" {
			break
		}
		if !strings.ContainsAny(rest[:1], "./-") {
			return false
		}
		rest = rest[1:]
	}
	a, b, c := parts[0], parts[1], parts[2]
	if a > 31 {
		a, c = c, a
	}
	day, month := max(a, b), min(a, b)
	return rest == "" && strings.Count(text, string(separator(text))) == 2 && 1 <= month && month <= 12 && day <= 31 &&
		(c < 100 || 1900 <= c && c < 2100)
}

// separator returns the first character of text other than a digit, or 0.
func separator(text string) byte {
	if n := leadingDigits(text); n < len(text) {
		return text[n]
	}
	return 0
}

// skipDate skips blanks and a date, in digits or with the month's name, and returns its end.
func skipDate(s string, i int) (int, bool) {
	for i < len(s) && (s[i] == ' ' || s[i] == '.' || s[i] == ':') {
		i++
	}
	end := wordAt(s, i)
	text := s[i:end]
	switch {
	case isDate(text):
		return end, true
	case len(text) > 3 || digits(text) == 0 || leadingDigits(text) > 2 || !followedBy(s, end, months()):
		return i, false
	}
	for s[end] == '.' || s[end] == ' ' {
		end++
	}
	end = lettersAt(s, end)
	next := end
	for next < len(s) && (s[next] == ' ' || s[next] == '.' || s[next] == ',') && next < end+2 {
		next++
	}
	if year := wordAt(s, next); isYear(s[next:year]) {
		return year, true
	}
	return end, true
}
