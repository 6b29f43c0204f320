package company_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"matchbook/lambda/document/company"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"Müller & Söhne Getriebe GmbH", "mueller soehne getriebe"},
		{"MÜLLER UND SÖHNE", "mueller soehne"},
		{"Mu\u0308ller + So\u0308hne", "mueller soehne"},
		{"Ｋｒａｎ\u00a0Ｔｅｃｈｎｉｋ ＡＧ", "kran technik"},
		{"Groß, Weiß ẞ", "gross weiss ss"},
		{"Ærø Bådværft", "aeroe baadvaerft"},
		{"Œuvre Nicolò Żółć Đukić Þór", "oeuvre nicolo zolc dukic thor"},
		{"Тракия Щит ООД", "trakiya shtit"},
		{"Ελληνικός Ήλιος Α.Ε.", "ellinikos ilios"},
		{"株式会社 トヨタ", "トヨタ"},
		{"株式会社山田製作所", "山田製作所"},
		{"山田製作所（株）", "山田製作所"},
		{"东莞市金维纳包装制品有限公司", "东莞市金维纳包装制品"},
		{"株式会社", "株式会社"},
		{"McDonald's / McDonald´s / L’Oréal", "mcdonalds mcdonalds loreal"},
		{"A.B.C. Handel", "abc handel"},
		{"A B C Handel", "abc handel"},
		{"H & M Hennes", "h m hennes"},
		{"Firma Huber", "huber"},
		{"Fa. Huber", "huber"},
		{"Firma", "firma"},
		{"Rossi e Figli S.n.c.", "rossi figli"},
		{"E. Rossi", "e rossi"},
		{"Karl E. Rossi", "karl e rossi"},
		{"Und", "und"},
		{"Radhaus-Nord (Hamburg)", "radhaus nord hamburg"},
		{"Studio 54 GmbH", "studio 54"},
		{" ", ""},
		{"&", ""},
		{"\xff\xfe\x00", ""},
	} {
		got := company.ParseName(c.name)
		if s := strings.Join(got.Words(), " "); s != c.want {
			t.Errorf("words of %q: %q, want %q", c.name, s, c.want)
		}
		if got.IsZero() != (c.want == "") {
			t.Errorf("IsZero of %q: %v", c.name, got.IsZero())
		}
	}
}

func TestKeyIgnoresWordOrder(t *testing.T) {
	t.Parallel()
	a, b := company.ParseName("Pedal Providers GmbH").Key(), company.ParseName("PROVIDERS, Pedal").Key()
	if a != b || a == "" {
		t.Errorf("keys are %q and %q", a, b)
	}
	if other := company.ParseName("Pedal Provider").Key(); other == a {
		t.Errorf("another name has the key %q too", other)
	}
	if key := (company.Name{}).Key(); key != "" {
		t.Errorf("nobody's key is %q", key)
	}
}

func TestKeysFindTheCompany(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b string }{
		{"Köhler Comfort Clothing", "K0hler Camfort C1othlng"},
		{"Müller", "Mueller GmbH"},
		{"Müller", "Muller"},
		{"Müller", "Mnller"},
		{"Fortune Media", "Fortuue Media"},
		{"Burns", "Burus"},
		{"Rim Royals", "Rirn Royals"},
		{"Schäfer Cycle Components", "Schäfer Cyc. Comp."},
		{"Partners Media", "Med. Partners"},
		{"National Media", "Nat'l Med."},
		{"WGCL-TV", "WGCL Television"},
		{"Umbrella Intl.", "Umbrella International"},
		{"Handels GmbH", "Handels AG"},
		{"IBM Deutschland GmbH", "International Business Machines Corporation"},
		{"BASF SE", "Badische Anilin- und Soda-Fabrik"},
		{"AFD Ltd", "Amsel & Fink Drossel GmbH, Niederlassung Köln"},
		{"AMSEL Plus (Fink & Drossel KG)", "Drossel & Fink"},
	} {
		a, b := company.ParseName(c.a).Keys(), company.ParseName(c.b).Keys()
		if !slices.ContainsFunc(a, func(k string) bool { return slices.Contains(b, k) }) {
			t.Errorf("%q and %q have no key in common: %q, %q", c.a, c.b, a, b)
		}
	}
}

func TestKeysAreLongWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want int
	}{
		{"Fortune Media", 1},       // all names with media would be one
		{"Fortune Media Group", 2}, // and the initials
		{"Amsel International", 1},
		{"International Amsel Holding Fink Group Star Media", 3}, // the initials of seven words are no name
		{"Media Group", 2},                                       // nothing else
		{"Alpha Bravo Charlie Delta Echo", 5},                    // four of them, and the initials
		{"Alpha Alpha", 1},
		{"", 0},
	} {
		keys := company.ParseName(c.name).Keys()
		if len(keys) != c.want {
			t.Errorf("keys of %q: %q, want %d", c.name, keys, c.want)
		}
		if words := keys[:min(len(keys), 4)]; !slices.IsSortedFunc(words, func(a, b string) int { return len(b) - len(a) }) {
			t.Errorf("keys of %q: %q, not the longest first", c.name, keys)
		}
	}
}

func TestNumbersHaveKeys(t *testing.T) {
	t.Parallel()
	if a, b := company.ParseName("100").Keys(), company.ParseName("10").Keys(); slices.Equal(a, b) {
		t.Errorf("100 and 10 have the keys %q", a)
	}
}

func TestLongNamesAreCut(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"a ", "é", "ab ", "\u0301", "\ufdfa", "\xff", "e.", "rn", "und ", "0"} {
		name := company.ParseName(strings.Repeat(part, 1<<20/len(part)))
		if words := name.Words(); len(words) > 20 {
			t.Errorf("a MiB of %q has %d words", part, len(words))
		}
		if n := utf8.RuneCountInString(name.Key()); n > 200*18 { // ﷺ is 18 characters
			t.Errorf("the key of a MiB of %q has %d characters", part, n)
		}
		if s := company.Similarity(name, name); !name.IsZero() && s != 1 {
			t.Errorf("a MiB of %q is like itself: %v", part, s)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, seed := range []string{"Köhler & Söhne GmbH & Co. KG", "S. à r. l.", "rn vv ue aa 0e", "A.B.C. e D.",
		"ŉ ﷺ ½ ǆ", "Ελλάς ΑΕ", "fa fa und", "\xff\u0301"} {
		f.Add(seed, "Köhler & Söhne Inc.")
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		a, b := company.ParseName(one), company.ParseName(other)
		ab, ba := company.Similarity(a, b), company.Similarity(b, a)
		if ab != ba || !(0 <= ab && ab <= 1) {
			t.Errorf("similarity of %q and %q: %v and %v", one, other, ab, ba)
		}
		if self := company.Similarity(a, a); !a.IsZero() && self != 1 {
			t.Errorf("%q is like itself: %v", one, self)
		}
		if keys := a.Keys(); len(keys) > 5 || len(keys) == 0 != a.IsZero() {
			t.Errorf("keys of %q: %q", one, keys)
		}
		for _, w := range slices.Concat(a.Words(), a.Keys()) {
			if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r < '0' }) {
				t.Errorf("words of %q: %q", one, a.Words())
			}
		}
		for _, w := range a.Words() {
			if !utf8.ValidString(w) {
				t.Errorf("words of %q: %q", one, a.Words())
			}
		}
	})
}

func BenchmarkParseName(b *testing.B) {
	for _, name := range []string{"Brake Bosses GmbH", "Köhler Chainring Champions GmbH & Co. KG", "WGCL-TV"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				company.ParseName(name)
			}
		})
	}
}
