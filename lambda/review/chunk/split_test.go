package chunk

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/testenv"
)

// lorem returns a sentence of so many words.
func lorem(words int) string {
	return "A" + strings.Repeat(" word", words-2) + " end."
}

func TestSmallContractIsOnePart(t *testing.T) {
	t.Parallel()
	text := "SUPPLY AGREEMENT\n\n1. Term\n\n1.1 It lasts a year.\n"
	want := []Part{{0, len(text) - 1, "SUPPLY AGREEMENT > 1. Term > 1.1 It lasts a year"}}
	if got := Split(text); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPartsEndAtHeadings(t *testing.T) {
	t.Parallel()
	first := "1. Supply\n\n" + lorem(300) + "\n\n" + lorem(260)
	second := "2. Liability\n\n2.1 Cap. " + lorem(340) + "\n\n2.2 No cap. " + lorem(400)
	third := "ARTICLE III\n\nTERMINATION\n\n" + lorem(500)
	text := first + "\n\n" + second + "\n\n" + third
	at := func(s string) int { return strings.Index(text, s) }
	want := []Part{
		{0, len(first), "1. Supply"},
		{at(second), at(third) - 2, "2. Liability > 2.1 Cap"},
		{at(third), len(text), "ARTICLE III > TERMINATION"},
	}
	if got := Split(text); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestDividedClauseOverlaps(t *testing.T) {
	t.Parallel()
	before := "7. Scope. " + lorem(600)
	repeated := lorem(50) + " " + lorem(40)
	behind := lorem(800)
	text := before + " " + repeated + " " + behind
	want := []Part{
		{0, len(before) + 1 + len(repeated), "7. Scope"},
		{len(before) + 1, len(text), "7. Scope"},
	}
	if got := Split(text); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestWhereTheFirstPartEnds(t *testing.T) {
	t.Parallel()
	sentences := strings.TrimSpace(strings.Repeat(lorem(10)+" ", 80))
	for name, c := range map[string]struct {
		text string
		want int // words of the first part
	}{
		"a short rest belongs to it":             {lorem(600) + " " + lorem(400), 1000},
		"a heading is too near to the beginning": {lorem(430) + "\n\n2. Next. " + sentences, 702}, // and 2 for the heading
		"a heading stays with the one below it":  {lorem(600) + "\n\nARTICLE II.\n\nTERM\n\n" + sentences, 600},
		"a heading is worth more than the size":  {lorem(500) + "\n\n2. Next. " + sentences, 500},
		"within a sentence that is too long":     {lorem(2000), 900},
		"before a long sentence":                 {lorem(300) + " " + lorem(800), 300},
	} {
		first := Split(c.text)[0]
		if got := len(strings.Fields(c.text[first.Start:first.End])); got != c.want {
			t.Errorf("%s: got %d words, want %d", name, got, c.want)
		}
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"# Agreement\n\n## 3. Fees\n\nText.", "Agreement > 3. Fees"},
		{"ARTICLE IV\nTERMINATION\n\n4.1 Notice. Text.", "ARTICLE IV > TERMINATION > 4.1 Notice"},
		{"Section 5. Assignment. No party assigns.", "Section 5. Assignment"},
		{"§ 3 Kündigung\n\n(1) Der Vertrag endet.", "§ 3 Kündigung > (1) Der Vertrag endet"},
		{"§ 3 Abs. 2 gilt entsprechend.", ""},
		{"Article 7 – Résiliation\n\nLe contrat prend fin.", "Article 7 Résiliation"},
		{"Anlage 2 Preise\n\nSiehe unten.", "Anlage 2 Preise"},
		{"IV. Haftung\n\nA. Grundsatz\n\nText.", "IV. Haftung > A. Grundsatz"},
		{"2. **Use and Protection**. The party shall.", "2. Use and Protection"},
		{"1. <span class=\"h\" id=\"1\">Service</span>\n    1. <span>Access.</span>  The customer may.",
			"1. Service > 1. Access"},
		{"1.1  Subject to this Agreement, the parties shall agree on many things, one after the other.", "1.1"},
		{"3. TAXES AND DUTIES Any tax shall be paid.", "3. TAXES AND DUTIES"},
		{"3 years after the end, it ends.", ""},
		{"31.12.2019 is the end.", ""},
		{"1.   APPOINTMENT.      -----------\n\nText.", "1. APPOINTMENT"},
		{"Distributor Agreement            ---------------------\n\nText.", "Distributor Agreement"},
		{"- --------------------------------------------------\n\nText.", ""},
		{"NOW, THEREFORE, the parties agree.", ""},
		{"RECITALS\n\n1. Term\n\nText.", "RECITALS"},
		{"1. " + strings.Repeat("É", 300), "1. " + strings.Repeat("É", 37) + "…"},
	} {
		got := Split(c.text)
		if len(got) != 1 || got[0].Heading != c.want {
			t.Errorf("%q: got %+v, want %q", c.text, got, c.want)
		}
	}
}

func TestReferenceIsNoHeading(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"According to Section\n\n8.5 In the event of default.", "See Article   IV. Term."} {
		scan(text, func(e edge) {
			if e.heading != nil {
				t.Errorf("%q has the heading %q", text, e.heading.text())
			}
		})
	}
}

func TestWhereSentencesEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"It ends. Then it begins! Or? Yes.":            {"Then", "Or?", "Yes."},
		"Acme Inc. and Thayer Equity L.P. pay No. 7.":  nil,
		"See Art. 3 Abs. 2, z.B. Ziff. 4. Das gilt.":   nil, // as in 31. Dezember
		"He says \"stop.\" She goes (now.) They wait.": {"She", "They"},
		"the sum of $3.50. payable":                    nil,
		"This applies until\n\nthe end of the year.":   nil,
		"This applies.\n\nThat does not; and\n\nso on": {"That"},
	} {
		var got []string
		scan(text, func(e edge) {
			if e.kind >= sentence && e.at > 0 && e.at < len(text) {
				got = append(got, strings.Fields(text[e.at:])[0])
			}
		})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Clauses of every size and form, with the property that each sentence but the
// last words of a heading ends with a point.
func TestRandomContracts(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	for range testenv.Size(40, 3000) {
		text := randomContract(draw)
		parts := Split(text)
		sound(t, text, parts)
		for _, p := range parts[1:] {
			before := strings.TrimSpace(text[:p.Start])
			if !strings.ContainsAny(before[len(before)-1:], ".:;") {
				t.Fatalf("seed %d: a part begins within a sentence: %q", seed, text[p.Start:p.Start+60])
			}
		}
		if !reflect.DeepEqual(parts, Split(text)) {
			t.Fatalf("seed %d: a second run differs", seed)
		}
	}
}

func randomContract(draw *rand.Rand) string {
	var b strings.Builder
	heads := []string{"ARTICLE %\n\n", "%. Title.\n\n", "%.% Sub-title. ", "(a) ", "# Heading.\n\n", "§ %. ", "", ""}
	gaps := []string{" ", "  ", "\n\n", "\n\n\n", "\n"}
	for range 1 + draw.IntN(40) {
		head := heads[draw.IntN(len(heads))]
		for strings.Contains(head, "%") {
			head = strings.Replace(head, "%", string(rune('1'+draw.IntN(9))), 1)
		}
		if head != "" {
			b.WriteString("\n\n" + strings.Replace(head, "\n\n", ":\n\n", 1))
		}
		for range 1 + draw.IntN(12) {
			b.WriteString(lorem(3+draw.IntN(200)) + gaps[draw.IntN(len(gaps))])
		}
	}
	return b.String()
}

// sound checks what holds for the parts of every text.
func sound(t *testing.T, text string, parts []Part) {
	t.Helper()
	end, start := 0, -1
	for i, p := range parts {
		if p.Start <= start || p.End <= end || p.Start < 0 || p.End > len(text) || p.End <= p.Start {
			t.Fatalf("part %d is out of order: %+v", i, parts)
		}
		if strings.TrimSpace(text[end:max(end, p.Start)]) != "" {
			t.Fatalf("no part has %.40q", text[end:p.Start])
		}
		if part := text[p.Start:p.End]; utf8.ValidString(text) && !utf8.ValidString(part) || strings.TrimSpace(part) != part {
			t.Fatalf("part %d has a divided character, or white space around it", i)
		}
		if n := weigh(text[p.Start:p.End]); n > most+tail+overlap+5 {
			t.Fatalf("part %d has %d words", i, n)
		}
		if len(p.Heading) > maxPath || !utf8.ValidString(p.Heading) && utf8.ValidString(text) ||
			strings.ContainsFunc(p.Heading, unicode.IsControl) {
			t.Fatalf("part %d has the heading %q", i, p.Heading)
		}
		start, end = p.Start, p.End
	}
	if strings.TrimSpace(text[end:]) != "" {
		t.Fatalf("no part has %.40q", text[end:])
	}
}

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	fill := func(s string) string { return strings.Repeat(s, testenv.Size(maxBytes/20, maxBytes)/len(s)) }
	for name, text := range map[string]string{
		"no text":          "",
		"white space":      fill(" \n\n"),
		"one word":         fill("x"),
		"one long line":    fill("word "),
		"wide characters":  fill("契約x"),
		"headings":         fill("1. A\n\n"),
		"capital lines":    fill("TERM\n"),
		"nested numbers":   fill("1.1.1.1.1.1 Deep. (a) (i) (A) \n"),
		"markdown":         fill("###### A\n"),
		"tags":             fill("<"),
		"points":           fill("A. b. "),
		"right to left":    fill("عقد. "),
		"quotes and marks": fill("\"**__(."),
		"spaces":           "a" + fill(" ") + "b",
		"invalid":          fill("\xff\xc3 "),
	} {
		began := time.Now()
		parts := Split(text)
		sound(t, text, parts)
		t.Logf("%s: %d parts of %d bytes in %s", name, len(parts), len(text), time.Since(began))
	}
}

func TestUnder2000Parts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Word a b c d. ", maxWords/5)
	if got := len(Split(text)); got >= 2000 || weigh(text) != maxWords {
		t.Errorf("got %d parts of %d words", got, weigh(text))
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("1. A\n\nB. c; d\n(a) E", 1)
	f.Add("# T\n\n§ 3 X\f\n\nARTICLE I   1.1  Y. Z", 400)
	f.Add("\xff\xfe. A\u00a0\u2003B\n\n<a> ** __", 2000)
	f.Fuzz(func(t *testing.T, text string, times int) {
		text, err := Clean([]byte(strings.Repeat(text, min(max(times, 1), 2000, 100_000/max(1, len(text))+1))))
		if err != nil {
			return
		}
		parts := Split(text)
		sound(t, text, parts)
		if !reflect.DeepEqual(parts, Split(text)) {
			t.Fatal("a second run differs")
		}
	})
}
