package quote

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTypesettingIsIgnored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, quote, want string }{
		"as it stands":          {"The fee is due. Late fees accrue.", "Late fees accrue.", "Late fees accrue."},
		"white space":           {"licence\n\n\tto use\u00a0it", "licence to use it", "licence\n\n\tto use\u00a0it"},
		"white space around":    {"a licence to use", "\n licence to use  ", "licence to use"},
		"hyphenation":           {"an exclu-\n  sive licence", "an exclusive licence", "an exclu-\n  sive licence"},
		"hyphenation as blank":  {"an exclu-\nsive licence", "an exclu- sive licence", "an exclu-\nsive licence"},
		"a hyphen of the word":  {"a non-\nexclusive licence", "a non-exclusive licence", "a non-\nexclusive licence"},
		"another hyphen":        {"a non\u2011exclusive licence", "a non-exclusive licence", "a non\u2011exclusive licence"},
		"a soft hyphen":         {"exclu\u00adsive licence", "exclusive licence", "exclu\u00adsive licence"},
		"quotation marks":       {"the “Supplier’s Software”", `the "Supplier's Software"`, "the “Supplier’s Software”"},
		"German marks":          {"der „Lizenznehmer“ zahlt", `der "Lizenznehmer" zahlt`, "der „Lizenznehmer“ zahlt"},
		"dashes":                {"30 days – or more – after", "30 days - or more - after", "30 days – or more – after"},
		"a run of dashes":       {"the Term--unless renewed", "the Term—unless renewed", "the Term--unless renewed"},
		"after a dash":          {"the Term—unless renewed by notice", "unless renewed", "unless renewed"},
		"after two dashes":      {"the Term--unless renewed by notice", "unless renewed", "unless renewed"},
		"decomposed accents":    {"fu\u0308r die Mu\u0308ndel", "für die Mündel", "fu\u0308r die Mu\u0308ndel"},
		"ligatures":             {"conﬁdential oﬃce", "confidential office", "conﬁdential oﬃce"},
		"invisible characters":  {"con\u200bfi\u202edential", "confidential", "con\u200bfi\u202edential"},
		"control characters":    {"confi\x00dential\x07 data", "confidential data", "confi\x00dential\x07 data"},
		"fences":                {"see <<<<contract>>>> here", "see <<contract>> here", "see <<<<contract>>>> here"},
		"the first":             {"a licence. A licence. A licence.", "A licence", "A licence"},
		"the first that is one": {"sublicensee and licensee shall", "licensee", "licensee"},
		"Japanese":              {"本契約は日本法に準拠する。", "日本法に準拠", "日本法に準拠"},
		"a number":              {"a fee of EUR 5,000.00 net", "EUR 5,000.00", "EUR 5,000.00"},
		"a number at the end":   {"a fee of EUR 5,000. It is due", "fee of EUR 5,000", "fee of EUR 5,000"},
	} {
		start, end, ok := Find(c.text, c.quote)
		if !ok || c.text[start:end] != c.want {
			t.Errorf("%s: got %v %q, want %q", name, ok, c.text[start:end], c.want)
		}
	}
	if start, _, _ := Find("a licence. A licence. A licence.", "A licence"); start != 11 {
		t.Errorf("got the place %d, want 11", start)
	}
	if start, _, _ := Find("sublicensee and licensee shall", "licensee"); start != 16 {
		t.Errorf("got the place %d, want 16", start)
	}
}

func TestInventedQuotes(t *testing.T) {
	t.Parallel()
	const text = "The Supplier grants a non-exclusive licence for 25,000.50 EUR, payable within 30 days. " +
		"It's final - and binding."
	for name, quote := range map[string]string{
		"another word":           "The Supplier grants an exclusive licence",
		"another case":           "the supplier GRANTS",
		"another number":         "payable within 60 days",
		"the end of a word":      "plier grants a",
		"the begin of a word":    "payable with",
		"half of a hyphenation":  "exclusive licence",
		"the end of a number":    "5,000.50 EUR",
		"a group of a number":    "000.50 EUR, payable",
		"the begin of a number":  "licence for 25",
		"without the cents":      "licence for 25,000",
		"left out words":         "The Supplier grants ... payable within 30 days",
		"another order":          "grants The Supplier",
		"two sentences apart":    "The Supplier It's final",
		"another punctuation":    "25,000.50 EUR; payable",
		"too short":              "It's a",
		"no letters":             " .,-()!?;: .,-()!?;:",
		"nothing":                "",
		"no text":                "\xff\xfe\xfd\xff\xfe\xfd",
		"a hyphen that is added": "fi-nal-and",
	} {
		if start, end, ok := Find(text, quote); ok {
			t.Errorf("%s: found as %q", name, text[start:end])
		}
	}
	if _, _, ok := Find("", "the licence"); ok {
		t.Error("found in an empty text")
	}
	long := strings.Repeat("word ", Longest/5+1)
	if _, _, ok := Find(long, long); ok {
		t.Error("a quotation beyond the largest size is found")
	}
}

// A search that begins again at each place would compare 500,000,000 letters.
func TestHostileTextsAreFast(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	for name, c := range map[string]struct{ text, quote string }{
		"one letter":      {strings.Repeat("a", size), strings.Repeat("a", 4000) + "b"},
		"cut matches":     {strings.Repeat("a", size), strings.Repeat("a", Longest-1)},
		"hyphens":         {strings.Repeat("a-", size/2), strings.Repeat("a", 4000) + "b"},
		"white space":     {strings.Repeat(" \n", size/2), "a licence"},
		"invisible":       {strings.Repeat("\u200b", size/3), "a licence"},
		"accents":         {"a" + strings.Repeat("\u0308", size/2), "a licence"},
		"no text at all":  {strings.Repeat("\xff", size), "a licence"},
		"almost and cuts": {strings.Repeat("ab ", size/3), strings.Repeat("ab ", 2000) + "c"},
	} {
		if _, _, ok := Find(c.text, c.quote); ok {
			t.Errorf("%s: found", name)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("00<<<000000", 4, 96)
	f.Add("000000000000\u07400", 0, 12)
	f.Add("an exclu-\nsive “licence”", 3, 12)
	f.Add("fu\u0308r die Mu\u0308ndel \xff 25,000.50", 0, 30)
	f.Fuzz(func(t *testing.T, text string, from, size int) {
		from = min(max(from, 0), len(text))
		wanted := text[from:min(len(text), from+max(size, 0))]
		start, end, ok := Find(text, wanted)
		if !ok {
			return
		}
		if start < 0 || end > len(text) || start >= end {
			t.Fatalf("the place %d to %d is not in the %d bytes", start, end, len(text))
		}
		for _, at := range []int{start, end} {
			if at < len(text) && utf8.ValidString(text) && !utf8.RuneStart(text[at]) {
				t.Fatalf("%d is in the middle of a character", at)
			}
		}
		if again, _, ok := Find(text, text[start:end]); len(text[start:end]) <= Longest && utf8.ValidString(text) &&
			(!ok || again != start) {
			t.Fatalf("%q at %d is found at %d: %v", text[start:end], start, again, ok)
		}
	})
}
