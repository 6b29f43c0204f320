package whole

import (
	"slices"
	"strings"
	"testing"
)

func TestPeriodsInWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]int{"thirty": 30, "one hundred and eighty": 180, "hundred and twenty": 120,
		"at least two hundred": 200, "thirty-six": 36, "prior written": 0, "": 0, "twenty four": 24, "sechzig": 60} {
		if got := wordsToNumber(words); got != want {
			t.Errorf("%q: got %d, want %d", words, got, want)
		}
	}
}

func TestClausesAreSentences(t *testing.T) {
	t.Parallel()
	task := contract("A|1.1 The fee is EUR 1.500,00 per year, see No. 5 of Annex A. It is\n" +
		"due at once (in advance).\n\n" +
		"2. Quillmere Ltd. grants a licence to the Customer; The Customer pays for it.")
	var got []string
	for _, c := range clausesOf(task) {
		if task.Text[c.start:c.end] != c.text {
			t.Errorf("%q is not at its place", c.text)
		}
		got = append(got, c.line)
	}
	want := []string{"1.1 The fee is EUR 1.500,00 per year, see No. 5 of Annex A. It is due at once (in advance).",
		"Quillmere Ltd. grants a licence to the Customer;", "The Customer pays for it."}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
