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
		"blanks at punctuation": {"under 15(a) (4) and § 5 , or 2 %", "under 15 (a)(4) and §5, or 2%", "under 15(a) (4) and § 5 , or 2 %"},
		"blanks of a slash":     {"invoices and / or credits", "invoices and/or credits", "invoices and / or credits"},
		"blanks at dashes":      {"30 – 60 days and clauses (a) – (c)", "30-60 days and clauses (a)-(c)", "30 – 60 days and clauses (a) – (c)"},
		"a spaced dash":         {"the Term — unless renewed", "the Term—unless renewed", "the Term — unless renewed"},
		"bold":                  {"The **Supplier** shall _not_ pay", "The Supplier shall not pay", "The **Supplier** shall _not_ pay"},
		"bold of the quote":     {"The Supplier shall not pay.", "The **Supplier** shall *not* pay", "The Supplier shall not pay"},
		"a table of Markdown":   {"| Fee | 500 EUR |\n| Term | 2 years |", "Fee 500 EUR Term 2 years", "Fee | 500 EUR |\n| Term | 2 years"},
		"a list of Markdown":    {"Supplier may:\n- audit;\n* suspend", "Supplier may: audit; suspend", "Supplier may:\n- audit;\n* suspend"},
		"bullets":               {"Supplier may: • audit; • suspend", "Supplier may:\n- audit;\n- suspend", "Supplier may: • audit; • suspend"},
		"a block of Markdown":   {"> The fee is due\n> at once", "The fee is due at once", "The fee is due\n> at once"},
		"a final stop":          {"The fee is due; and paid", "The fee is due.", "The fee is due"},
		"a stop of the text":    {"The fee is due. It is paid", "The fee is due", "The fee is due"},
		"a first capital":       {"if so, the fee is due", "The fee is due", "the fee is due"},
		"no first capital":      {"The fee is due", "the fee is due", "The fee is due"},
		"as written first":      {"the fee is due. The fee is due.", "The fee is due.", "The fee is due."},
		"no quotation marks":    {"the “Software” (“Tools”) of A", "the Software (Tools) of A", "the “Software” (“Tools”) of A"},
		"added quotation marks": {"the Software is licensed", `"the 'Software' is licensed"`, "the Software is licensed"},
		"French marks":          {"le « Logiciel » est livré", `le "Logiciel" est livré`, "le « Logiciel » est livré"},
		"a Swiss number":        {"a fee of CHF 5'000 net", "fee of CHF 5’000", "fee of CHF 5'000"},
		"an ellipsis":           {"Supplier shall, at its cost, repair defects.", "Supplier shall ... repair defects", "Supplier shall, at its cost, repair defects"},
		"an ellipsis in marks":  {"Supplier shall, at its cost, repair defects.", "Supplier shall […] repair defects", "Supplier shall, at its cost, repair defects"},
		"ellipses around":       {"Supplier shall repair defects.", "... shall repair defects ...", "shall repair defects"},
		"two ellipses":          {"Supplier shall, at its cost, repair all defects of the Goods", "Supplier shall… repair… of the Goods", "Supplier shall, at its cost, repair all defects of the Goods"},
		"an ellipsis to an item": {"2. Supplier may:\n\n(a) audit the books;\n\n(b) suspend services.", "Supplier may: ... (b) suspend services",
			"Supplier may:\n\n(a) audit the books;\n\n(b) suspend services"},
		"the nearest": {"Supplier shall pay.\n\n3. Supplier shall repair, at once, defects.", "Supplier shall ... defects",
			"Supplier shall repair, at once, defects"},
		"dots of the text":    {"Fee ...... 500 EUR", "Fee ...... 500 EUR", "Fee ...... 500 EUR"},
		"a number":            {"a fee of EUR 5,000.00 net", "EUR 5,000.00", "EUR 5,000.00"},
		"a number at the end": {"a fee of EUR 5,000. It is due", "fee of EUR 5,000", "fee of EUR 5,000"},
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
	const text = "The Supplier grants a non-exclusive licence for 25,000.50 EUR, payable within 30 days.\n\n" +
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
		"left out clauses":       "a non-exclusive licence ... final and binding",
		"left out and changed":   "The Supplier grants ... payable within 60 days",
		"left out, other order":  "payable within 30 days ... The Supplier grants",
		"left out all but a bit": "The Supplier grants ... final",
		"blanks in a number":     "25, 000.50 EUR",
		"blanks of a number":     "25 000.50 EUR, payable",
		"capitals inside":        "The supplier grants",
		"a capital of a number":  "It's Final",
		"a final question":       "payable within 30 days?",
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

// A foot and a head of a page are skipped only where they stand inside a sentence; the
// sentence's words, amounts and items stay.
func TestPagesInSentences(t *testing.T) {
	t.Parallel()
	const before, after = "The Customer shall pay all invoices", "within thirty days after receipt."
	for name, c := range map[string]struct {
		between string
		skipped bool
	}{
		"a page's number":      {"\n\n7\n\f", true},
		"a number in dashes":   {"\n\n- 7 -\n\n", true},
		"a number of all":      {"\n\nPage 7 of 12\n\n", true},
		"a German number":      {"\n\nSeite 7 von 12\n\n", true},
		"a foot and a head":    {"\n\nConfidential 7\n\fHarbour Services Agreement\n\n", true},
		"a head":               {"\n\n\fHarbour Services Agreement\n\n", true},
		"a line of many pages": {"\n\nSource: HARBOUR, 10-K\n\n", true},
		"numbers that count":   {"\n\n4\n\n", true},
		"a sum":                {"\n\n7\n\n", false},
		"a price":              {"\n\nEUR 500\n\n", false},
		"a sum of all":         {"\n\n7 of 3\n\n", false},
		"an item":              {"\n\n(a) with a discount\n\n", false},
		"words":                {"\n\nless a discount\n\n", false},
		"a line of words":      {"\nHarbour Services\n\f", false},
	} {
		text := "Source: HARBOUR, 10-K\n\nEUR 400.\n\n3\n\nThe Supplier delivers.\n\n" + before + c.between + after
		if _, _, ok := Find(text, before+" "+after); ok != c.skipped {
			t.Errorf("%s: skipped %v, want %v", name, ok, c.skipped)
		}
		if _, _, ok := Find(text, before+c.between+after); !ok {
			t.Errorf("%s: not found as it stands", name)
		}
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
