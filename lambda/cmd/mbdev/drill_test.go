package main

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/testenv"
)

// The short drill, as the README shows it: faults on the real bootstraps, and
// nothing lost, done twice or left unexplained.
func TestDrillShort(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "is a drill")
	args, want := clitest.Shown(t, "go run ./lambda/cmd/mbdev drill")
	code, out, errOut := mbdev(t, "", append([]string{"drill"}, args...)...)
	if code != cli.ExitOK {
		t.Fatalf("exit status %d\n%s\n%s", code, errOut, out)
	}
	got := drillLines(strings.Split(out, "\n"))
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

func TestDrillUnknownFault(t *testing.T) {
	t.Parallel()
	wantRefused(t, "", "drill --only", clitest.Refusals{{[]string{"kill,earthquake"}, `must be one of kill, freeze, restart`}})
}
