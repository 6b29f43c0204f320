package category_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"
)

// The facts were written by hand, from reading the contracts.
func TestSampleContracts(t *testing.T) {
	t.Parallel()
	const dir = "../../../testdata/contracts/"
	raw := must.Get(os.ReadFile(dir + "facts.json"))(t)
	var contracts map[string]struct {
		Categories map[record.Category][]string
		Missing    []record.Category
	}
	must.OK(t, json.Unmarshal(raw, &contracts))
	for name, facts := range contracts {
		file := must.Get(os.ReadFile(dir + name))(t)
		text := must.Get(chunk.Clean(file))(t)
		marks := map[record.Category][]string{}
		for _, p := range chunk.Split(text) {
			for _, m := range category.ByRules(text[p.Start:p.End], p.Start, p.Heading) {
				marks[m.Category] = append(marks[m.Category], strings.Join(strings.Fields(m.Quote), " "))
			}
		}
		for c, words := range facts.Categories {
			proves := func(quote string) bool {
				return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(quote, w) })
			}
			if !slices.ContainsFunc(marks[c], proves) {
				t.Errorf("%s: no mark of %s has any of %q: %q", name, c, words, marks[c])
			}
		}
		for _, c := range facts.Missing {
			if marks[c] != nil {
				t.Errorf("%s has no %s, and these marks: %q", name, c, marks[c])
			}
		}
	}
}
