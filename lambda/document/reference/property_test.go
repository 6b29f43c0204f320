package reference

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// alphabet holds parts of numbers and notes, and parts that disturb them.
var alphabet = []string{
	"0", "0", "1", "2", "3", "5", "7", "9", "20", "2026", "00", "4500", "A", "B", "O", "I", "l", "S", "R", "V", "n",
	"N", "P", "PO", "RE", "LS", "BL", "Nr", "No", "Rev",
	" ", " ", "-", "/", ".", "_", "#", ":", ",", "\n", "°", "º", "№", "Bestell", "order ", "orders ", "Rechnung ",
	"facture ", "n. ", "vom ", "of ", "3.4.2026", "April", "EUR",
	"\u00ad", "\u200b", "\u00a0", "０", "ＡＢ", "é", "e\u0301", "ß", "ſ", "ı", "İ", "ﬁ", "Ǆ", "٣", "한", "ᄀ", "ᅡ", "\u0345",
	"α", "½", "\xff", "\xc3", "€", "%", "(", "–",
}

func anyText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(14) {
		if r.IntN(40) == 0 {
			b.WriteRune(rune(r.IntN(utf8.MaxRune)))
		}
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func TestProperties(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	byCanonical := map[string]string{}
	for range 30_000 {
		s := anyText(r)
		check(t, s)
		key := Canonical(s)
		if other, ok := byCanonical[key]; ok && (Loose(other) != Loose(s) || Strength(other) != Strength(s)) {
			t.Errorf("%q and %q have Canonical %q, but Loose %q and %q", s, other, key, Loose(s), Loose(other))
		}
		byCanonical[key] = s
	}
}

// check holds for every text.
func check(t *testing.T, s string) {
	t.Helper()
	c := Canonical(s)
	if again := Canonical(c); again != c {
		t.Errorf("Canonical(%q) = %q, of that %q", s, c, again)
	}
	if loose := Loose(c); loose != Loose(s) || loose != "" && utf8.RuneCountInString(loose) < 4 {
		t.Errorf("Loose(%q) = %q, of its canonical form %q", s, Loose(s), loose)
	}
	base, revision := Revision(s)
	if rest, again := Revision(base); revision == "" && (rest != base || again != "") {
		t.Errorf("Revision(%q) = %q, %q", base, rest, again)
	}
	if strength := Strength(s); strength < 0 || strength > 1 {
		t.Errorf("Strength(%q) = %v", s, strength)
	}
	found := Find(s)
	for i, f := range found {
		if !strings.Contains(clean(s), f.Number) || digits(f.Number) == 0 ||
			utf8.RuneCountInString(f.Number) > longest || slices.Contains(found[:i], f) {
			t.Errorf("Find(%q) = %q", s, found)
		}
	}
	if len(found) > most {
		t.Errorf("%d citations", len(found))
	}
	for _, f := range Unknown(s) {
		if got := NewLabels([]string{f.Type}).Find(f.Type + ": 4711"); !slices.Equal(got, []Found{{f.Type, "4711"}}) {
			t.Errorf("Unknown(%q) = %q, and as a label it finds %q", s, f, got)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"RE-2026-0042", "P.O. 45", "N° 45", "8est.-Nr. 69130", "44188-R4", "000BL 2245105",
		"\xff", "й\xf4й", ""} {
		f.Add(s)
	}
	f.Fuzz(check)
}

func FuzzFind(f *testing.F) {
	for _, s := range samples {
		f.Add(s[0])
	}
	f.Add("orders 4500000101, 4500000102 and 4500000107; Bestellungen 1001/1002, Nr. 24/00534 B of 3 April 2026")
	f.Fuzz(check)
}

const note = "As per your purchase order PO-2024-00620 of 13.07.2024. Delivered with delivery note BL 2 310 169. " +
	"Customer no. 181479. Zahlbar innerhalb 14 Tagen netto. PO Box 43 82 37. Tel. +49 221 9231076. Reverse charge."

const plainNote = "Goods of the agreed quality, carefully packed by our people and handed over at the gate on Monday. " +
	"Please keep the pallets, they belong to the haulier and will be fetched later. Tel. +49 221 9231076, suite 1200."

func BenchmarkFind(b *testing.B) {
	for name, text := range map[string]string{"note": note, "none": plainNote, "umlauts": strings.ReplaceAll(note, "r",
		"ü")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text)
			}
		})
	}
}

// A megabyte is as much as a document may bring.
func BenchmarkFindFlood(b *testing.B) {
	for _, piece := range []string{"PO-", "PO ", "n° de ", "order of 3 "} {
		text := strings.Repeat(piece, 1<<20/len(piece))
		b.Run(piece, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text)
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	for b.Loop() {
		Canonical("PO-2024-00620")
	}
}

func BenchmarkLoose(b *testing.B) {
	for b.Loop() {
		Loose("22/O0374-B")
	}
}
