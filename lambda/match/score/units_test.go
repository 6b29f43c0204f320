package score

import (
	"strings"
	"testing"
)

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text   string
		of     string
		factor float64
	}{
		{"", "", 1},
		{"Stk", "pc", 1},
		{"Dutzend", "pc", 12},
		{"100 Stk", "pc", 100},
		{"caja 50", "pc", 50},
		{"Tsd", "pc", 1000},
		{"t", "kg", 1000},
		{"sac 25 kg", "kg", 25},
		{"25kg", "kg", 25},
		{"KGM", "kg", 1},
		{"100 m", "m", 100},
		{"km", "m", 1000},
		{"6 x 0,5 l", "l", 3},
		{"Tag", "h", 8},
		{"man-day", "h", 8},
		{"carton", "carton", 1},
		{"pail 5 gal", "gal", 5},
		{"m²", "m2", 1},
		{"m3", "l", 1000},
		{"Box of 10", "pc", 10},
		{"10er Pack", "pc", 10},
		{"Karton 6 Stück", "pc", 6},
		{"à 12", "pc", 12},
		{"x24", "pc", 24},
		{"6-pack", "pc", 6},
		{"DZN", "pc", 12},
		{"PR", "pc", 2},
		{"MON", "mon", 1},
		{"Quartal", "mon", 3},
		{"db", "pc", 1},
		{"LBR", "kg", 0.45359237},
		{"box 99999999999", "box", 1},
	} {
		if got := parseUnit(tc.text); got.of != tc.of || got.factor != tc.factor {
			t.Errorf("%q: got %v %q, want %v %q", tc.text, got.factor, got.of, tc.factor, tc.of)
		}
	}
}

func TestQuantitiesInUnits(t *testing.T) {
	t.Parallel()
	of := func(n float64, text string) quantity {
		u := parseUnit(text)
		return quantity{n, n * u.factor, u}
	}
	for _, tc := range []struct {
		name string
		q, r quantity
		want relation
	}{
		{"equal", of(3, "pc"), of(3, "Stk"), equal},
		{"a dozen", of(1, "dozen"), of(12, "pc"), equal},
		{"without a unit, in plain ones", of(5, "100 m"), of(500, ""), equal},
		{"without a unit, as printed", of(5, "100 m"), of(5, ""), equal},
		{"without a unit, else", of(5, "100 m"), of(50, ""), unrelated},
		{"less", of(2, "kg"), of(3, "kg"), less},
		{"more", of(2, "t"), of(3, "kg"), more},
		{"unknown words, one number", of(7, "botella"), of(7, "Flasche"), equal},
		{"unknown words", of(7, "botella"), of(8, "Flasche"), unrelated},
		{"not stated", of(0, ""), of(8, ""), unrelated},
	} {
		if got := tc.q.compare(tc.r); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
	}
}

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
