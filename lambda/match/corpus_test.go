package match

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/eval/train"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// corpus is documents and which of them belong together.
type corpus struct {
	docs  []score.Document
	links map[[2]uuid.UUID]bool
}

func readCorpus(t *testing.T, name, condition string) corpus {
	t.Helper()
	c := corpus{links: map[[2]uuid.UUID]bool{}}
	for _, raw := range rawCorpus(t, name, condition) {
		d, err := score.Read(raw)
		must.OK(t, err, raw.ID)
		c.docs = append(c.docs, d)
	}
	links := must.Get(os.ReadFile(filepath.Join(testenv.Shared(t, "eval/matching/"+name), "links.csv")))(t)
	for _, line := range strings.Fields(string(links))[1:] {
		a, b, _ := strings.Cut(line, ",")
		c.links[ordered(uuid.MustParse(a), uuid.MustParse(b))] = true
	}
	return c
}

// rawCorpus skips the test where the shared corpora are absent.
func rawCorpus(t testing.TB, name, condition string) (raws []score.Raw) {
	t.Helper()
	dir := testenv.Shared(t, "eval/matching/"+name)
	f := must.Get(os.Open(filepath.Join(dir, "documents."+condition+".jsonl")))(t)
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var line struct {
			ID       uuid.UUID       `json:"id"`
			TenantID uuid.UUID       `json:"tenant_id"`
			Type     document.Type   `json:"type"`
			Data     json.RawMessage `json:"structured_data"`
		}
		must.OK(t, json.Unmarshal(scanner.Bytes(), &line))
		raws = append(raws, score.Raw{ID: line.ID, TenantID: line.TenantID, Type: line.Type, Data: string(line.Data)})
	}
	must.OK(t, scanner.Err())
	return raws
}

func ordered(a, b uuid.UUID) [2]uuid.UUID {
	if byID(b, a) < 0 {
		a, b = b, a
	}
	return [2]uuid.UUID{a, b}
}

// pairs scores each document with its block.
func (c corpus) pairs() []rules.Pair { return c.scored(c.blocks()) }

// blocks lists for each document those before it that have a key which it looks
// up: as the store does, at most 200, those with the most keys in common.
func (c corpus) blocks() [][]int {
	index, blocks := map[string][]int{}, make([][]int, len(c.docs))
	for i, d := range c.docs {
		n := d.Normalized()
		shared := map[int]int{}
		for _, k := range n.Lookup {
			weight := 1
			if strings.HasPrefix(k[8:], "|ref|") {
				weight = 100
			}
			for _, j := range index[k] {
				if slices.Contains(score.Matchable(d.Type), c.docs[j].Type) {
					shared[j] += weight
				}
			}
		}
		var nearest []int
		for j := range shared {
			nearest = append(nearest, j)
		}
		slices.SortFunc(nearest, func(x, y int) int { return cmp.Or(shared[y]-shared[x], byID(c.docs[x].ID, c.docs[y].ID)) })
		blocks[i] = nearest[:min(200, len(nearest))]
		for _, k := range n.Keys {
			index[k] = append(index[k], i)
		}
	}
	return blocks
}

func (c corpus) scored(blocks [][]int) (pairs []rules.Pair) {
	for i, block := range blocks {
		for _, j := range block {
			if p := c.docs[i].Score(c.docs[j]); p.Counts() {
				pairs = append(pairs, rules.Pair{Pair: p})
			}
		}
	}
	return pairs
}

// TestFiguresOnTheCorpora: the figures of matching on documents whose matches are
// known. The floors are a little below them; a change of a weight shows its cost
// here, or raises them. All conditions are measured with -thorough.
func TestFiguresOnTheCorpora(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		corpus, condition     string
		precision, recall, f1 float64 // at least
	}{
		{"p2p", "visible", 0.99, 0.97, 0},
		{"p2p", "corrupted", 0.98, 0.87, 0},
		{"p2p", "masked", 0.965, 0.86, 0},
		{"ads", "visible", 0, 0, 0.99},
		{"ads", "corrupted", 0.985, 0.94, 0},
		{"ads", "masked", 0.945, 0.71, 0},
	} {
		if tc.condition != "corrupted" && !testenv.Thorough() {
			continue
		}
		t.Run(tc.corpus+" "+tc.condition, func(t *testing.T) {
			t.Parallel()
			c := readCorpus(t, tc.corpus, tc.condition)
			pairs := c.pairs()
			right, wrong, suggested := 0, 0, 0
			for _, j := range decided(pairs) {
				switch {
				case j.Outcome == rules.Suggested:
					suggested++
				case j.Outcome == rules.Matched && c.links[ordered(j.A, j.B)]:
					right++
				case j.Outcome == rules.Matched:
					wrong++
				}
			}
			precision, recall := float64(right)/float64(max(1, right+wrong)), float64(right)/float64(len(c.links))
			f1 := 2 * precision * recall / max(precision+recall, 0.001)
			t.Logf("P %.4f R %.4f F1 %.4f: of %d matches %d are found, %d are wrong, %d suggestions", precision, recall, f1, len(c.links), right, wrong, suggested)
			if precision < tc.precision || recall < tc.recall || f1 < tc.f1 {
				t.Errorf("P %.4f R %.4f F1 %.4f, want at least %v, %v, %v", precision, recall, f1, tc.precision, tc.recall, tc.f1)
			}
		})
	}
}

// TestHandWrittenCases: of cases that persons wrote, nine in ten are decided as
// they would be, and the rest are questions for people. None is wrong, and no match
// is missed without a question.
func TestHandWrittenCases(t *testing.T) {
	t.Parallel()
	cases := must.Get(train.ReadCases(filepath.Join(testenv.Shared(t, "eval/matching/cases"), "cases.jsonl")))(t)
	verdicts := []train.Verdict{train.Right, train.People, train.Silent, train.Wrong}
	var groups []string
	table, total := map[string]map[train.Verdict]int{}, map[train.Verdict]int{}
	for _, c := range cases {
		v, _, err := c.Judge(t.Context(), score.Learned)
		must.OK(t, err, c.Name)
		if table[c.Group] == nil {
			groups, table[c.Group] = append(groups, c.Group), map[train.Verdict]int{}
		}
		table[c.Group][v]++
		total[v]++
		if v == train.Silent || v == train.Wrong {
			t.Logf("%s: %s, %s", v, c.Group, c.Name)
		}
	}
	var out strings.Builder
	row := func(name string, counts map[train.Verdict]int) {
		fmt.Fprintf(&out, "%-12s", name)
		for _, v := range verdicts {
			fmt.Fprintf(&out, "%8d", counts[v])
		}
		out.WriteByte('\n')
	}
	for _, group := range groups {
		row(group, table[group])
	}
	row("all", total)
	t.Logf("\n%-12s%8s%8s%8s%8s\n%s", "group", verdicts[0], verdicts[1], verdicts[2], verdicts[3], out.String())
	const leastRight, mostSilent, mostWrong = 106, 0, 0 // of 109
	if total[train.Right] < leastRight || total[train.Silent] > mostSilent || total[train.Wrong] > mostWrong {
		t.Errorf("%d are right, %d silent and %d wrong; want at least %d, at most %d and %d", total[train.Right],
			total[train.Silent], total[train.Wrong], leastRight, mostSilent, mostWrong)
	}
}
