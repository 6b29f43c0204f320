package match

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/eval/train"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/score"
)

// TestHandWrittenCases: of cases that persons wrote, nine in ten are decided as
// they would be, and the rest are questions for people. None is wrong, and no match
// is missed without a question.
func TestHandWrittenCases(t *testing.T) {
	t.Parallel()
	cases, err := train.ReadCases(filepath.Join(testenv.Shared(t, "eval/matching/cases"), "cases.jsonl"))
	testenv.Must(t, err)
	verdicts := []train.Verdict{train.Right, train.People, train.Silent, train.Wrong}
	var groups []string
	table, total := map[string]map[train.Verdict]int{}, map[train.Verdict]int{}
	for _, c := range cases {
		v, _, err := c.Judge(t.Context(), score.Learned)
		testenv.Must(t, err, c.Name)
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
	const leastRight, mostSilent, mostWrong = 103, 0, 0 // of 109
	if total[train.Right] < leastRight || total[train.Silent] > mostSilent || total[train.Wrong] > mostWrong {
		t.Errorf("%d are right, %d silent and %d wrong; want at least %d, at most %d and %d", total[train.Right],
			total[train.Silent], total[train.Wrong], leastRight, mostSilent, mostWrong)
	}
}
