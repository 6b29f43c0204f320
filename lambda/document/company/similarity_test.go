package company_test

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document/company"

	"pgregory.net/rapid"
)

func TestSimilarity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b     string
		from, to float64
	}{
		// the same words
		{"Providers Pedal GmbH", "Pedal Providers", 1, 1},
		{"Amsel & Fink KG", "Fink und Amsel GmbH", 1, 1},
		// umlauts
		{"Müller", "Mueller", 1, 1},
		{"Müller", "Muller", 0.95, 1},
		{"Mueller", "Muller GmbH", 0.95, 1},
		{"Nicolò Bottles", "Nicolo Bottles", 1, 1},
		// misread
		{"Köhler Comfort Clothing", "Köhler Comfort C1othing", 0.95, 1},
		{"Rim Royals", "Rirn Royals", 0.9, 1},
		{"Hub Heroes", "Hub Herocs", 0.85, 1},
		{"Pedalo Großhandel KG", "Pedolo Grosshandel", 0.85, 1},
		{"Radhaus Nord AG", "Radhaus N0rd", 0.95, 1},
		{"Fortune Media", "Fortuue Media", 0.85, 1},
		{"Clothing", "Clohting", 0.85, 1},
		{"Speedometer", "Spccdometer", 0.85, 1},
		{"Speedometer", "Spexdomater", 0.85, 1},
		{"Velowerk Süd", "Velovverk Süd", 0.95, 1},
		{"Bike Nord", "Bikc Nord", 0.8, 0.95},
		{"WC5H", "WCSH", 0.9, 1},
		// abbreviated
		{"Mentzer Media Services", "Mentzer Med. Svcs.", 0.85, 1},
		{"Schäfer Cycle Components", "Schäfer Cycle Comp.", 0.85, 1},
		{"Sperber Elektrotechnik", "Sperber Elktr.", 0.85, 1},
		{"Umbrella Mfg. Intl.", "Umbrella Manufacturing International", 0.9, 1},
		{"Gebr. Amsel", "Gebrüder Amsel", 0.9, 1},
		{"Cyc Components", "Cycle Components", 0.85, 1},
		{"J. Amsel", "Johann Amsel", 0.85, 1},
		// joined
		{"Rad haus Nord", "Radhaus Nord", 0.85, 1},
		{"Rad Haus", "Radhaus", 0.85, 1},
		{"Nord Radhaus Alt", "Rad Haus Nord", 0.8, 1},
		// more or less of what says little
		{"WGCL Television", "WGCL-TV", 0.8, 1},
		{"KKTV", "KKTV TV", 0.8, 1},
		{"Amsel Holding GmbH", "Amsel", 0.8, 1},
		{"Amsel Verlag", "Amsel", 0.75, 1},
		{"The Amsel Company", "Amsel", 0.8, 1},
		{"Oy Amsel Ab", "Amsel", 0.8, 1},
		{"Amsel GmbH Deutschland", "Amsel Deutschland GmbH", 0.8, 1},
		// what follows the name, or stands in brackets
		{"Amsel Metallbau GmbH, Niederlassung Köln", "Amsel Metallbau", 0.95, 0.97},
		{"Amsel Metallbau GmbH Niederlassung Köln", "Metallbau Amsel", 0.95, 0.97},
		{"Froid Amsel SA, Delegación Bourg-en-Bresse", "Froid Amsel", 0.95, 0.97},
		{"Xin Amsel Co., Ltd., Agence Lyon", "Xin Amsel", 0.95, 0.97},
		{"Amsel Metallbau GmbH - Sales Dept.", "Amsel Metallbau", 0.95, 0.97},
		{"Amsel Paving c/o Depot 4", "Amsel Paving", 0.95, 0.97},
		{"Amsel Paving c/o Depot 4", "Fink Paving c/o Depot 4", 0, 0.5},
		{"AMSEL Plus (Fink & Drossel KG)", "Fink & Drossel", 0.95, 0.97},
		{"AMSEL Plus (Fink & Drossel KG)", "Amsel Plus", 0.95, 0.97},
		{"Fink AG (formerly Drossel Boote)", "Drossel Boote", 0.95, 0.97},
		{"Fink SAS (anciennement Drossel)", "Drossel SA", 0.95, 0.97},
		{"Drossel Holdings LLC dba Fink's Plumbing", "Fink's Plumbing", 0.95, 0.97},
		{"Amsel (Köln)", "Fink (Köln)", 0, 0.5},
		{"Amsel (Köln)", "Amsel (Bonn)", 0.95, 0.97},
		// shortened
		{"IBM Deutschland GmbH", "International Business Machines Corporation", 0.8, 0.85},
		{"BASF SE", "Badische Anilin- und Soda-Fabrik", 0.8, 0.85},
		{"Haribo", "Hans Riegel Bonn", 0.8, 0.85},
		{"b1ke rn", "S.p.A. rnb1ke", 0.8, 0.8},         // either has one word that identifies it
		{"HP Inc.", "Hewlett-Packard GmbH", 0.5, 0.75}, // two letters may be anything
		{"FDR Ltd", "Fink & Drossel Ltd", 0.5, 0.75},   // nor need the third be of a word
		{"Firk", "Fink Drossel", 0, 0.5},
		// scripts
		{"株式会社山田製作所", "山田製作所(株)", 1, 1},
		{"山田製作所", "Yamada Seisakusho", 0, 0},
		// others
		{"WGCL-TV", "WTVM-TV", 0, 0.5},
		{"WMYD", "WMYO", 0, 0.5},
		{"K19GH", "K18GH", 0, 0.5},
		{"Brake Bosses GmbH", "Brake Barons GmbH", 0, 0.75},
		{"Köhler Comfort Clothing e.K.", "Köhler Chainring Champions GmbH & Co. KG", 0, 0.5},
		{"Media Resource Group", "Marketing Resource Group", 0, 0.75},
		{"Amsel Handels GmbH", "Drossel Handels GmbH", 0, 0.5},
		{"Studio 54", "Studio 45", 0, 0.75},
		{"Studio 1000", "Studio 100", 0, 0.75},
		{"Ra Nord", "Radhaus Nord", 0, 0.75}, // two letters are no abbreviation
		{"Amsel", "Drossel", 0, 0},
		{"Amsel", "", 0, 0},
		{"", "", 0, 0},
	} {
		a, b := company.ParseName(c.a), company.ParseName(c.b)
		if got, back := company.Similarity(a, b), company.Similarity(b, a); got < c.from || got > c.to || back != got {
			t.Errorf("%q and %q: %.3f, and %.3f the other way, want %v to %v", c.a, c.b, got, back, c.from, c.to)
		}
	}
}

func TestSisters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Amsel Metallbau GmbH", "Amsel Holzbau GmbH", true},
		{"Amsel Logistik", "AMSEL Metallbau", true},
		{"Amsel Fink Ventile", "Amsel Fink Pumpen", true},
		{"Amsel Metallbau GmbH, Niederlassung Köln", "Amsel Holzbau, Niederlassung Köln", true},
		{"Amsel Metallbau", "Amsel", false},
		{"Amsel Metallbau", "Amsel Plus", false}, // so short a word describes nothing
		{"Amsel Metallbau", "Amsel International", false},
		{"Amsel Metallbau", "Amsel Metalibau", false},
		{"Amsel Metallbau", "Metallbau Amsel", false},
		{"Amsel Bilding Supply", "Amsel Buillding Supply", false}, // misread twice
		{"Amsel Metallbau", "Fink Metallbau", false},              // perhaps it was renamed
		{"Amsel GmbH, Niederlassung Köln", "Amsel GmbH, Vertrieb", false},
		{"International Amsel", "International Fink", false},
		{"Amsel", "", false},
		{"", "", false},
	} {
		a, b := company.ParseName(c.a), company.ParseName(c.b)
		if got, back := company.Sisters(a, b), company.Sisters(b, a); got != c.want || back != c.want {
			t.Errorf("%q and %q: got %v and %v", c.a, c.b, got, back)
		}
	}
}

func TestComparable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Amsel", "Fink", true}, {"山田製作所", "金维纳", true}, {"Тракия Щит", "Fink", true},
		{"山田製作所", "Yamada", false}, {"山田製作所 (Yamada)", "Yamada", true}, {"山田製作所 24", "Yamada 24", false},
		{"النور", "Al Nour", false}, {"Amsel", "", false}, {"24", "42", false},
	} {
		a, b := company.ParseName(c.a), company.ParseName(c.b)
		if got, back := company.Comparable(a, b), company.Comparable(b, a); got != c.want || back != c.want {
			t.Errorf("%q and %q: got %v and %v", c.a, c.b, got, back)
		}
	}
}

// syllables make words that have much in common, among them what folds,
// abbreviates, joins and is generic.
var syllables = []string{"ra", "rn", "m", "ue", "ü", "u", "bike", "b1ke", "0", "7", "cl", "d", "vv", "w", ".", " ", " ",
	" & ", " und ", "-", "'", "é",
	" GmbH", " Co. KG", "S.p.A.", " group", " tv", " intl.", " Svcs.", " (", ")", ", ", " - ", " c/o ", " dba ", " N", "ß", "Ж", "α", "株", "\u0301", "\xff"}

func drawName(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(syllables), 0, 12).Draw(t, label), "")
}

func TestSimilarityIsSymmetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one, other := drawName(t, "one"), drawName(t, "other")
		a, b := company.ParseName(one), company.ParseName(other)
		ab, ba := company.Similarity(a, b), company.Similarity(b, a)
		if ab != ba {
			t.Fatalf("similarity is %v one way and %v the other", ab, ba)
		}
		if ab < 0 || ab > 1 {
			t.Fatalf("similarity is %v", ab)
		}
		if self := company.Similarity(a, company.ParseName(one)); !a.IsZero() && self != 1 {
			t.Fatalf("a name is like itself: %v", self)
		}
	})
}

func TestWordOrderIsFree(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.StringMatching(`[b-d]{3,6}`), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		printed := words.Draw(t, "words")
		other := slices.Clone(printed)
		if rapid.Bool().Draw(t, "reversed") {
			slices.Reverse(other)
		} else {
			slices.Sort(other)
		}
		a, b := company.ParseName(strings.Join(printed, " ")+" e.K."), company.ParseName(strings.Join(other, " "))
		if s := company.Similarity(a, b); s != 1 || a.Key() != b.Key() {
			t.Fatalf("similarity is %v, keys are %q and %q", s, a.Key(), b.Key())
		}
		more := company.ParseName(strings.Join(other, " ") + " more")
		if one, other := company.Similarity(a, more), company.Similarity(more, a); one != other {
			t.Fatalf("similarity is %v one way and %v the other", one, other)
		}
	})
}

func BenchmarkSimilarity(b *testing.B) {
	for _, pair := range [][2]string{
		{"Brake Bosses GmbH", "Brake Barons GmbH"},
		{"Köhler Chainring Champions GmbH & Co. KG", "Kohler Chainrlng Champions"},
		{strings.Repeat("abcdefghij ", 18), strings.Repeat("bacdefghji ", 18)},
	} {
		x, y := company.ParseName(pair[0]), company.ParseName(pair[1])
		b.Run(pair[0][:5], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				company.Similarity(x, y)
			}
		})
	}
}
