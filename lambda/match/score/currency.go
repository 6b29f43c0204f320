package score

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/currency"
)

// maxCurrency bounds the text of a currency, in bytes.
const maxCurrency = 32

// currencies lists the possible currencies of a text as ISO 4217 codes, sorted: "€" is EUR,
// "$" any dollar or peso, "CA$" the Canadian one. It returns nil if the text is unknown. A
// symbol of several currencies contradicts only the others.
func currencies(text string) []string {
	if len(text) > maxCurrency {
		return nil
	}
	text = strings.ToUpper(strings.Trim(text, " ."))
	if unit, err := currency.ParseISO(text); err == nil {
		return []string{unit.String()}
	}
	if known := currencySymbols()[text]; known != nil {
		return known
	}
	var sign string
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Sc, r) {
			sign = string(r)
		}
		if !unicode.IsLetter(r) {
			return -1
		}
		return r
	}, text)
	return ofCountry(letters, currencySymbols()[sign])
}

// ofCountry narrows currencies down to codes beginning with the letters, since codes begin
// with the country's. If none match, it returns all.
func ofCountry(letters string, codes []string) []string {
	other := func(code string) bool { return !strings.HasPrefix(code, letters) && !strings.HasPrefix(letters, code) }
	if list := slices.DeleteFunc(slices.Clone(codes), other); len(list) > 0 {
		return list
	}
	return codes
}

// currencySymbols maps names and the symbols of the Unicode CLDR, in upper case, to their
// possible currencies.
var currencySymbols = sync.OnceValue(func() map[string][]string {
	symbols := map[string][]string{}
	add := func(symbol, code string) {
		if symbol = strings.ToUpper(strings.Trim(symbol, ".")); symbol != code && !slices.Contains(symbols[symbol], code) {
			symbols[symbol] = append(symbols[symbol], code)
		}
	}
	for all := currency.Query(); all.Next(); {
		unit := all.Unit()
		add(fmt.Sprint(currency.NarrowSymbol(unit)), unit.String())
	}
	for name, codes := range currencyNames {
		for code := range strings.FieldsSeq(codes) {
			add(name, code)
		}
	}
	for _, codes := range symbols {
		slices.Sort(codes)
	}
	return symbols
})

// currencyNames are spellings missing in the CLDR. Any other spelling is an unknown currency,
// so it contradicts nothing.
var currencyNames = map[string]string{
	"euro": "EUR", "euros": "EUR", "￥": "CNY JPY", "元": "CNY TWD", "円": "JPY", "圓": "JPY TWD HKD", "rmb": "CNY",
	"c$": "CAD NIO", "s$": "SGD", "￡": "GBP", "₤": "GBP ITL", "fr": "CHF", "sfr": "CHF", "dkr": "DKK", "nkr": "NOK", "skr": "SEK",
}

// otherCurrency reports whether two texts contradict each other. Unknown currencies never do.
func otherCurrency(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(code string) bool { return slices.Contains(b, code) })
}
