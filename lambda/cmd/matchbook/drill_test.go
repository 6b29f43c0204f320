package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/drill"

	"github.com/google/uuid"
)

// The short drill, as the README shows it: every fault on the real bootstraps,
// and nothing lost, done twice or left unexplained.
func TestShortDrillIsGreen(t *testing.T) {
	t.Parallel()
	args, want := shown(t, "go run ./lambda/cmd/matchbook drill")
	var out, errOut bytes.Buffer
	env := func(string) string { return "" }
	code := run(t.Context(), append([]string{"drill"}, args...), env, &out, &errOut)
	if code != exitOK {
		t.Fatalf("exit status %d\n%s\n%s", code, &errOut, &out)
	}
	got := drillLines(strings.Split(out.String(), "\n"))
	for _, line := range drillLines(want) {
		i := slices.Index(got, line)
		if i < 0 {
			t.Fatalf("the README shows %q, and what comes next is\n%s", line, strings.Join(got, "\n"))
		}
		got = got[i+1:]
	}
}

// drillLines are the checks, and the first words of other lines, whose figures
// differ from run to run.
func drillLines(lines []string) (steady []string) {
	for _, l := range lines {
		if !strings.HasPrefix(l, " ") {
			l, _, _ = strings.Cut(l, " ")
		}
		if l != "FAILED" && l != "..." && !strings.HasPrefix(l, "   ") { // whether a model refuses is by chance
			steady = append(steady, l)
		}
	}
	return steady
}

func TestDrillShowsTheHistoryOfWhatIsBroken(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("00000000-0000-4000-8000-000000000001")
	broken := drill.Violation{Document: id, What: "it is pending", History: []string{"0.001 s  NULL -> pending"}}
	r := &drill.Report{Seed: 7, Documents: 9, Faults: map[string]int{"worker killed": 2}, States: map[string]int{"succeeded": 9},
		Checks: []drill.Check{{Name: "I1", How: "all is there"}, {Name: "I10", How: "all is done", Violations: []drill.Violation{broken, broken, broken, broken}}}}
	text := drillText(r)
	for _, want := range []string{
		"FAULTS     2 worker killed\n", "DOCUMENTS  9 published, 9 succeeded; 0 matches\n",
		"  I1          0  all is there\n", "  I10         4  all is done\n",
		id.String() + ": it is pending\n                   0.001 s  NULL -> pending\n", "and 1 more\n", "RED        4 violations (seed 7)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := len(regexp.MustCompile("it is pending").FindAllString(text, -1)); n != shownHistories {
		t.Errorf("%d violations are shown, want %d", n, shownHistories)
	}
}

func TestDrillRefusesAnUnknownFault(t *testing.T) {
	t.Parallel()
	code, _, errOut := matchbook(t, "", "drill", "--only", "kill,earthquake")
	if code != exitError || !strings.Contains(errOut, `each fault is to be one of kill, freeze, restart`) {
		t.Errorf("exit status %d: %s", code, errOut)
	}
}
