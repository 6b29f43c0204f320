package byrules

import (
	"os"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// wordLists name the expressions with lists of words, in many languages.
var wordLists = map[string]pattern{
	"addressee": addresseeLabel, "account": accountLabel, "assigned": assigned, "attention": attention, "bank": bank, "bank label": bankLabel, "bank word": bankWord, "bare mark": bareMark,
	"between days": between, "buyer": buyerLabel, "carried": carried, "charged": charged, "cited day": citedDay, "contact": contact, "date": dateLabel, "debited": debited, "delivery": deliveryLabel, "due": dueLabel, "due word": dueWord,
	"early": early, "field": fieldLabel, "first mark": firstMark, "foreign": foreign, "foreign date": foreignDate, "group": groupWords, "holder": holderLabel, "invoice word": invoiceWord, "label end": labelEnd,
	"legal form": legalForm, "mark": mark, "name": nameLabel, "no total": notTotal, "number": numberLabel, "number end": numberEnd, "of": of, "order day": orderDay, "order word": orderWord, "ordering": ordering,
	"other date": otherDate, "other day": otherDay, "our order": ourOrder, "owed": owed, "own day": ownDay, "page": pageLabel, "paid": paid, "payable": payable, "payer": payer, "period": periodLabel,
	"person": person, "possessive": possessive, "posted": posted, "reduced": reduced, "registry": registry, "rounded": rounded, "runs on": runsOn, "salutation": salutation, "subject": subject, "subtotal": subtotal,
	"supplier": supplierLabel, "currency": currencyLabel, "tax": tax, "terms": termsLabel, "theirs": theirs, "total": total, "untaxed": untaxed, "vague": vague, "with tax": withTax, "yours": yours,
}

// lists returns all of them, also those by type, column and title.
func lists() map[string]pattern {
	all := map[string]pattern{}
	for name, form := range wordLists {
		all[name] = form
	}
	for kind, form := range eventDay {
		all["event day of "+string(kind)] = form
	}
	for kind, form := range eventOf {
		all["event of "+string(kind)] = form
	}
	for kind, form := range short {
		all["short "+string(kind)] = form
	}
	for _, c := range columns {
		all["column "+c.name] = c.form
	}
	for _, s := range specials {
		name, _, _ := strings.Cut(s.doubt, ":")
		all["special "+name] = s.form
	}
	for i, t := range titles {
		name := "title " + string(t.kind)
		if i == 0 {
			name += " self-billed"
		}
		all[name] = t.form
	}
	return all
}

// Each word of a file with the words of papers is known by the list that it is for.
func TestWordsAreListed(t *testing.T) {
	t.Parallel()
	all, seen := lists(), map[string]bool{}
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/words.txt"))(t))) {
		name, words, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		seen[name] = true
		for word := range strings.SplitSeq(words, "|") {
			if form := all[name]; form == nil || !form().MatchString(word) {
				t.Errorf("%q isn't in the list %q", word, name)
			}
		}
	}
	for name := range all {
		if !seen[name] {
			t.Errorf("the list %q has no words in the file", name)
		}
	}
}
