package printed

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func readingsOf(a Amount) string {
	all := []string{}
	for _, v := range a.Readings {
		all = append(all, v.Canonical())
	}
	return strings.Join(all, "|")
}

func TestAmountNotations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"1.234,56":                {"1234.56"},
		"1,234.56":                {"1234.56"},
		"1'234.56":                {"1234.56"},
		"1’234.56":                {"1234.56"},
		"1\u202f234,56 €":         {"1234.56", "1", "234.56"},
		"1.234.567,89":            {"1234567.89"},
		"12,50 EUR":               {"12.5"},
		"12,50EUR":                {"12.5"},
		"838.50T":                 {"838.5"}, // taxed
		"M12X 12T":                nil,
		"€ 0.99":                  {"0.99"},
		"1.234":                   {"1234|1.234"},
		"1.234,-":                 {"1234"}, // a dash for the decimals
		"1'234.-- CHF":            {"1234"},
		"-1.234,– €":              {"-1234"},
		"7,-8":                    {"7", "8"},
		"12,50/100":               {"12.5", "100"}, // a price for 100
		"Preis/100":               {"100"},
		"4711/100":                nil,
		"0.125":                   {"0.125"}, // thousands do not begin with 0
		"9,9000":                  {"9.9"},
		"1,23,45":                 nil,
		"12.34.56":                nil,
		"-9,07":                   {"-9.07"},
		"− 9,07":                  {"-9.07"},
		"9,07-":                   {"-9.07"},
		"(35.13)":                 {"-35.13"},
		"19 %":                    {"19"},
		"RE-4711":                 nil, // part of a number
		"AB4711":                  nil,
		"20x30":                   nil,
		"12:30":                   nil,
		"2/3":                     nil,
		"05.06.2018":              nil, // a date
		"on 5 June 2018: 7":       {"7"},
		"2 100,00":                {"2100", "2", "100"},
		"10 x 4,50":               {"10", "4.5"},
		"1234567890123456789":     nil, // more digits than an amount has
		"Total 119,00 incl. 19 %": {"119", "19"},
	} {
		var got []string
		for _, a := range Amounts(text) {
			got = append(got, readingsOf(a))
			if text[a.Start:a.End] != a.Text {
				t.Errorf("%q: offsets of %q show %q", text, a.Text, text[a.Start:a.End])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestPercentAndMoney(t *testing.T) {
	t.Parallel()
	got := Amounts("19% of 473,00 is 89,870")
	if len(got) != 3 || !got[0].Percent || got[1].Percent || got[0].Money || !got[1].Money || got[2].Money {
		t.Errorf("got %+v", got)
	}
}

func FuzzTextIsReadWithoutPanic(f *testing.F) {
	for _, seed := range []string{"1.234,56", "1’234", "(5", "03/04/2026", "5. März 2026", "\xff1\xfe2", "1 ", "- 1", "2:", "٣,٤"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, a := range Amounts(text) {
			if text[a.Start:a.End] != a.Text || len(a.Readings) == 0 {
				t.Errorf("%q: %+v", text, a)
			}
		}
		for _, d := range Dates(text) {
			if text[d.Start:d.End] != d.Text || len(d.Readings) == 0 {
				t.Errorf("%q: %+v", text, d)
			}
		}
		if s := squeeze(text); utf8.ValidString(text) && len(s.gap) != len(s.text)+1 {
			t.Errorf("%q: %d marks for %d bytes", text, len(s.gap), len(s.text))
		}
	})
}
