package reference_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document/reference"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

type corpusDocument struct {
	ID     string `json:"id"`
	Tenant string `json:"tenant_id"`
	Type   string `json:"type"`
	Data   struct {
		Number   string `json:"number"`
		Notes    string `json:"notes"`
		Supplier struct {
			Name string `json:"name"`
		} `json:"supplier"`
		References []reference.Found `json:"references"`
	} `json:"structured_data"`
}

// readCorpus skips the test where the shared corpora are absent.
func readCorpus(t *testing.T, corpus, condition string) map[string]corpusDocument {
	t.Helper()
	f, err := os.Open(testenv.Shared(t, "eval/matching/"+corpus+"/documents."+condition+".jsonl"))
	must.OK(t, err)
	defer f.Close()
	documents := map[string]corpusDocument{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var d corpusDocument
		must.OK(t, json.Unmarshal(lines.Bytes(), &d))
		documents[d.ID] = d
	}
	must.OK(t, lines.Err())
	return documents
}

func sameNumber(a, b string) bool {
	return reference.Canonical(a) == reference.Canonical(b) ||
		reference.Loose(a) != "" && reference.Loose(a) == reference.Loose(b)
}

func same(a, b reference.Found) bool { return a.Type == b.Type && sameNumber(a.Number, b.Number) }

// share counts how many of all held.
type share struct{ held, all int }

func (s *share) count(held bool) {
	s.all++
	if held {
		s.held++
	}
}

func (s share) of() float64 { return float64(s.held) / float64(max(s.all, 1)) }

// floors are what the functions reach on a corpus, a little rounded down, and
// how many pairs of different numbers may become equal.
var floors = map[string]struct {
	recall, precision, canonical, loose float64
	canonicalPairs, loosePairs          int
}{
	"p2p": {0.995, 0.995, 0.90, 0.995, 0, 0},
	"ads": {0.995, 0.985, 0.90, 0.995, 0, 2}, // two are one number, misread
}

func TestCorpora(t *testing.T) {
	t.Parallel()
	for corpus, floor := range floors {
		visible, corrupted := readCorpus(t, corpus, "visible"), readCorpus(t, corpus, "corrupted")
		all, byType, precision := recall(t, visible, corrupted)
		t.Logf("%s: recall %d of %d (%.3f), precision %d of %d (%.3f)",
			corpus, all.held, all.all, all.of(), precision.held, precision.all, precision.of())
		for kind, s := range byType {
			t.Logf("%s: recall of %s %d of %d", corpus, kind, s.held, s.all)
		}
		canonical, loose := typed(t, visible, corrupted)
		t.Logf("%s: typed, canonical equal %d of %d (%.3f), loose equal %d (%.3f)",
			corpus, canonical.held, canonical.all, canonical.of(), loose.held, loose.of())
		exact, near := collisions(t, visible, reference.Canonical), collisions(t, visible, reference.Loose)
		t.Logf("%s: pairs of different numbers that collide: canonical %d, loose %d", corpus, exact, near)
		for what, failed := range map[string]bool{
			"recall": all.of() < floor.recall, "precision": precision.of() < floor.precision,
			"canonical": canonical.of() < floor.canonical, "loose": loose.of() < floor.loose,
			"collisions": exact > floor.canonicalPairs, "loose collisions": near > floor.loosePairs,
		} {
			if failed {
				t.Errorf("%s: %s is worse than %+v", corpus, what, floor)
			}
		}
		for id, d := range readCorpus(t, corpus, "masked") {
			found := reference.Find(d.Data.Notes)
			// A real form says its order number where the estimate belongs.
			if len(found) > 0 && !strings.Contains(d.Data.Notes, "ORDER NUMBER BO-") {
				t.Errorf("%s: %s: found %q in masked notes %q", corpus, id, found, d.Data.Notes)
			}
		}
	}
}

// recall is the share of the references moved to the notes that are found
// there, and precision the share of what is found that is a reference.
func recall(t *testing.T, visible, corrupted map[string]corpusDocument) (all share, byType map[string]*share,
	precision share) {
	byType = map[string]*share{}
	for id, v := range visible {
		notes := corrupted[id].Data.Notes
		found := reference.Find(notes)
		for _, f := range found {
			is := slices.ContainsFunc(v.Data.References,
				func(r reference.Found) bool { return sameNumber(f.Number, r.Number) })
			if precision.count(is); !is {
				t.Logf("found %q, which %v has not, in %q", f, v.Data.References, notes)
			}
		}
		if len(corrupted[id].Data.References) > 0 || !movedNotes(notes) {
			continue
		}
		for _, r := range v.Data.References {
			if r.Type == "other" {
				continue // is dropped, not moved
			}
			is := slices.ContainsFunc(found, func(f reference.Found) bool { return same(f, r) })
			if byType[r.Type] == nil {
				byType[r.Type] = &share{}
			}
			byType[r.Type].count(is)
			if all.count(is); !is {
				t.Logf("missed %v in %q, found %q", r, notes, found)
			}
		}
	}
	return all, byType, precision
}

// movedNotes tells notes into which references were moved from those of a
// document whose references were dropped, by the corpus' own sentences.
func movedNotes(notes string) bool {
	return slices.ContainsFunc([]string{"order", "Bestell", "Lieferschein", "delivery note", "Despatch", "nvoice",
		"Rechnung", "ontract", "agreement", "Rahmenvertrag"},
		func(word string) bool { return strings.Contains(notes, word) })
}

// typed is the share of the references that stayed typed whose keys are equal.
// One that became the number of another document was not misspelled.
func typed(t *testing.T, visible, corrupted map[string]corpusDocument) (canonical, loose share) {
	taken := map[[2]string]bool{}
	for _, d := range visible {
		taken[[2]string{d.Type, reference.Loose(d.Data.Number)}] = true
	}
	for id, v := range visible {
		now := corrupted[id].Data.References
		if len(now) != len(v.Data.References) {
			continue
		}
		for i, r := range v.Data.References {
			was, is := reference.Loose(r.Number), reference.Loose(now[i].Number)
			if was != is && taken[[2]string{r.Type, is}] {
				continue
			}
			canonical.count(reference.Canonical(r.Number) == reference.Canonical(now[i].Number))
			if loose.count(was == is); was != is {
				t.Logf("%s: %q %q -> %q %q", r.Type, r.Number, was, now[i].Number, is)
			}
		}
	}
	return canonical, loose
}

// collisions counts the pairs of different numbers of one tenant, type and
// supplier that have the same key. Revisions of one number are not different.
func collisions(t *testing.T, documents map[string]corpusDocument, key func(string) string) (pairs int) {
	groups := map[[4]string][]string{}
	for _, d := range documents {
		n, _ := reference.Revision(d.Data.Number)
		k := key(n)
		group := [4]string{d.Tenant, d.Type, d.Data.Supplier.Name, k}
		if k != "" && !slices.Contains(groups[group], n) {
			pairs += len(groups[group])
			groups[group] = append(groups[group], n)
			if len(groups[group]) > 1 && pairs < 30 {
				t.Logf("collide: %q", groups[group])
			}
		}
	}
	return pairs
}
