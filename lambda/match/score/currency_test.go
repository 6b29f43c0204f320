package score

import (
	"strings"
	"testing"
)

func TestCurrencies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"EUR": "EUR", "eur": "EUR", "€": "EUR", "Euro": "EUR", " EUR. ": "EUR", "EUR €": "EUR", "DEM": "DEM",
		"£": "FKP GBP GIP SHP SSP SYP", "£ GBP": "GBP", "US$": "USD", "US-$": "USD", "USD $": "USD", "CA$": "CAD", "NZ$": "NZD", "HK$": "HKD",
		"A$": "ARS AUD", "C$": "CAD NIO", "R$": "BRL", "¥": "CNY JPY", "￥": "CNY JPY", "JP¥": "JPY", "CN¥": "CNY",
		"kr": "DKK ISK NOK SEK", "Kr.": "DKK ISK NOK SEK", "Kč": "CZK", "zł": "PLN", "Ft": "HUF", "lei": "RON", "₹": "INR", "Fr.": "CHF",
		"": "", "EUQ": "", "gold": "", "7": "", "\xff": "", strings.Repeat("$", 100): "",
	} {
		if got := strings.Join(currencies(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := currencies("$"); len(got) < 20 {
		t.Errorf("$ is one of %q", got)
	}
}

func TestOtherCurrency(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"EUR", "USD", true}, {"EUR", "$", true}, {"€", "£", true}, {"US$", "CA$", true}, {"kr", "PLN", true}, {"¥", "EUR", true}, {"$", "£", true},
		{"EUR", "€", false}, {"€", "Euro", false}, {"£", "GBP", false}, {"US$", "USD", false}, {"$", "CAD", false}, {"$", "USD", false},
		{"C$", "CAD", false}, {"kr", "SEK", false}, {"kr", "NOK", false}, {"¥", "CNY", false}, {"¥", "JPY", false},
		{"EUR", "", false}, {"", "", false}, {"EUR", "who knows", false}, {"$", "€?", true},
	} {
		if got, back := otherCurrency(currencies(tc.a), currencies(tc.b)), otherCurrency(currencies(tc.b), currencies(tc.a)); got != tc.want || back != tc.want {
			t.Errorf("%q and %q: got %v and %v, want %v", tc.a, tc.b, got, back, tc.want)
		}
	}
}
