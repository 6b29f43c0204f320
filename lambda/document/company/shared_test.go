package company_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path"
	"testing"

	"matchbook/lambda/document/company"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

type party struct {
	Name  string `json:"name"`
	VATID string `json:"vat_id"`
}

// sharedParties reads the suppliers and buyers in the documents of a file, by
// document and role. The test is skipped where the file is not there.
func sharedParties(t *testing.T, elements ...string) map[string]party {
	t.Helper()
	f, err := os.Open(testenv.Shared(t, path.Join(append([]string{"eval/matching"}, elements...)...)))
	must.OK(t, err)
	defer f.Close()
	parties := map[string]party{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var d struct {
			ID   string `json:"id"`
			Data struct {
				Supplier party `json:"supplier"`
				Buyer    party `json:"buyer"`
			} `json:"structured_data"`
		}
		must.OK(t, json.Unmarshal(lines.Bytes(), &d))
		parties[d.ID+" supplier"], parties[d.ID+" buyer"] = d.Data.Supplier, d.Data.Buyer
	}
	must.OK(t, lines.Err())
	return parties
}

func TestSharedCorpusVATIDs(t *testing.T) {
	t.Parallel()
	seen := 0
	for who, p := range sharedParties(t, "p2p", "documents.visible.jsonl") {
		if p.VATID == "" {
			continue
		}
		seen++
		if id, valid := company.VATID(p.VATID); !valid || id != p.VATID {
			t.Errorf("%s: %q is %q, %v", who, p.VATID, id, valid)
		}
	}
	t.Logf("%d VAT ids", seen)
}

// A name as it was, and as it came through misreading, abbreviation and
// other forms; and the names of different companies.
func TestSharedCorpusNames(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"p2p", "ads"} {
		clean, noisy := sharedParties(t, set, "documents.visible.jsonl"),
			sharedParties(t, set, "documents.corrupted.jsonl")
		names := map[string]company.Name{}
		same, found, alike := 0, 0, 0
		for who, p := range clean {
			a, b := company.ParseName(p.Name), company.ParseName(noisy[who].Name)
			if a.IsZero() || b.IsZero() {
				continue
			}
			names[a.Key()] = a
			if p.Name == noisy[who].Name {
				continue
			}
			same++
			if company.Similarity(a, b) >= 0.8 {
				found++
			}
		}
		pairs := 0
		for k, a := range names {
			for l, b := range names {
				if k < l {
					pairs++
					if company.Similarity(a, b) >= 0.75 {
						alike++
					}
				}
			}
		}
		t.Logf("%s: %d of %d changed names are at least 0.8 like what they were, %d of %d pairs of different names 0.75", set, found, same, alike, pairs)
		if found*100 < same*99 || alike*1000 > pairs*5 {
			t.Errorf("%s: names are not distinguished", set)
		}
	}
}
