package byrules

import (
	"fmt"
	"hash/crc32"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// families make other papers of one, as other firms, programs and printers would print it. What is read of them
// needn't be right; a change in it must be meant.
var families = []struct {
	name string
	make func(text string) []string
}{
	{"lower on the page", func(text string) (all []string) {
		for _, rows := range []int{3, 9, 20} {
			all = append(all, " "+strings.Repeat("\n", rows)+text)
		}
		return all
	}},
	{"in capitals", each(strings.ToUpper)},
	{"without colons", each(strings.NewReplacer(":", " ").Replace)},
	{"in one size", each(strings.NewReplacer("#", " ").Replace)},
	{"without legal forms", each(func(text string) string { return companyForm.ReplaceAllString(text, "  ") })},
	{"with another title", otherTitles},
	{"with another amount", otherAmounts},
	{"negative", each(func(text string) string { return moneyForm.ReplaceAllString(text, "-$1$2") })},
	{"in dollars", each(strings.NewReplacer("€", "$", "EUR", "USD", "£", "$", "CHF", "USD", "GBP", "USD", "PLN", "kr").Replace)},
	{"with narrow columns", each(func(text string) string { return gap.ReplaceAllString(text, "  $1") })},
	{"with wide columns", each(func(text string) string { return gap.ReplaceAllString(text, "$0   ") })},
	{"the left half", each(func(text string) string { return cutLines(text, 0, 50) })},
	{"the right half", each(func(text string) string { return cutLines(text, 50, 200) })},
	{"on more pages", func(text string) []string {
		lines := strings.Split(text, "\n")
		at := len(lines) / 2
		first, rest := strings.Join(lines[:at], "\n"), strings.Join(lines[at:], "\n")
		const page = "\n-----\n"
		return []string{first + page + rest, text + page + rest, first + page + text, text + page + text}
	}},
}

var (
	companyForm = regexp.MustCompile(` (?:GmbH(?: & Co\. KG)?|e\.K\.|Ltd|Limited|LLC|S\.?r\.?l\.?|S\.R\.L\.|S\.A\.S\.|SARL|B\.V\.|AB|AG|KG|OHG|GbR|S\.L\.|S\.A\.|Sp\. z o\.o\.|Company)(?: |$)`)
	moneyForm   = regexp.MustCompile(`(\d[\d.,]*[.,]\d\d)( |\n|$)`)
	gap         = regexp.MustCompile(` {3,6}(\S)`)
)

func each(change func(string) string) func(string) []string {
	return func(text string) []string { return []string{change(text)} }
}

// otherTitles puts the titles of other papers in the place of the first large print.
func otherTitles(text string) (all []string) {
	if !strings.Contains(text, "#") {
		text = "#\n" + text
	}
	before, after, _ := strings.Cut(text, "#")
	_, rest, _ := strings.Cut(after, "\n")
	for _, title := range []string{"Rechnung", "Credit note", "Purchase order", "Auftragsbestätigung", "Delivery note", "Wareneingang", "Contract", "Mahnung"} {
		all = append(all, before+"#"+title+"\n"+rest)
	}
	return all
}

// otherAmounts changes each amount in turn, as a wrong letter of an OCR does.
func otherAmounts(text string) (all []string) {
	for _, at := range moneyForm.FindAllStringSubmatchIndex(text, -1) {
		end := at[3] - 1
		all = append(all, text[:end]+string('0'+(text[end]-'0'+1)%10)+text[end+1:])
	}
	return all
}

func cutLines(text string, from, to int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		all := []rune(line)
		lines = append(lines, strings.Repeat(" ", from)+string(all[min(from, len(all)):min(to, len(all))]))
	}
	return strings.Join(lines, "\n")
}

// related reads the families of a paper, and the paper as one of our own companies has it.
func related(text string) string {
	var out strings.Builder
	show := func(name string, n int, text string, own ...document.Party) {
		fmt.Fprintf(&out, "%s %d:", name, n)
		for _, e := range Extract(layout(text), own...) {
			d := e.Data
			fmt.Fprintf(&out, " %s; %s + %s = %s, %d lines, all %04x\n", read(e), d.Subtotal.Canonical(), d.Tax.Canonical(), d.Total.Canonical(), len(d.Lines),
				crc32.ChecksumIEEE([]byte(everything(e)))&0xffff)
		}
	}
	for _, f := range families {
		for i, other := range f.make(text) {
			show(f.name, i+1, other)
		}
	}
	d := Extract(layout(text))[0].Data
	for i, name := range slices.Compact([]string{d.Supplier.Name, d.Buyer.Name}) {
		show("as ours", i+1, text, document.Party{Name: name})
	}
	return out.String()
}
