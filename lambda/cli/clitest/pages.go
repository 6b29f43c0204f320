package clitest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/internal/pagetest"
)

// Root is the root of the repository, seen from a program's package.
const Root = "../../.."

// Shown returns the arguments and the output of the first command with this prefix on the
// pages. It fails the test if the pages lack it.
func Shown(t *testing.T, command string) (args []string, output []string) {
	t.Helper()
	for _, page := range pagetest.Read(t, Root) {
		for _, c := range page.Commands() {
			if rest, ok := strings.CutPrefix(c.Line, command); ok {
				return strings.Fields(rest), c.Output
			}
		}
	}
	t.Fatalf("no page shows %q", command)
	return nil, nil
}

// WantShown compares a page's output with the printed one. A line "..." on the page stands
// for any number of lines.
func WantShown(t *testing.T, shown []string, printed string) {
	t.Helper()
	got := strings.Split(strings.ReplaceAll(printed, Root+"/", ""), "\n")
	elided := false
	for _, line := range shown {
		if line == "..." {
			elided = true
			continue
		}
		i := slices.IndexFunc(got, func(g string) bool { return steady(g) == steady(line) })
		if i < 0 || i > 0 && !elided {
			t.Fatalf("the page shows\n%s\nbut next comes\n%s", line, strings.Join(got[:min(3, len(got))], "\n"))
		}
		got, elided = got[i+1:], false
	}
}

func steady(line string) string {
	for pattern, with := range map[string]string{
		`\d+\.\d s`:                     "N s",
		`killed \d+ times \(seed \d+\)`: "killed N times (seed N)",
		`^ +\d+ (acknowledged|interrupted) on delivery \d$`: "N $1",
	} {
		line = regexp.MustCompile(pattern).ReplaceAllString(line, with)
	}
	return line
}

// WantAccepted runs each command on the pages with --help, also ones within a sentence, and
// expects at least this many. It finds removed commands and flags, because flags are parsed
// before the help is printed.
func WantAccepted(t *testing.T, name string, program cli.Program, least int) {
	t.Helper()
	inline := regexp.MustCompile("`(" + name + " [^`]+)`")
	seen := map[string]bool{}
	for _, page := range pagetest.Read(t, Root) {
		var lines []string
		for _, c := range page.Commands() {
			lines = append(lines, c.Line)
		}
		for _, found := range inline.FindAllStringSubmatch(page.Text, -1) {
			lines = append(lines, found[1])
		}
		for _, line := range lines {
			rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "go run ./lambda/cmd/"), name+" ")
			if !ok || seen[rest] {
				continue
			}
			seen[rest] = true
			if code, _, errOut := Run(t, program, "", append(strings.Fields(rest), "--help")...); code != cli.ExitOK {
				t.Errorf("%s: %q: %s", page.Path, line, errOut)
			}
		}
	}
	if len(seen) < least {
		t.Errorf("got %d commands on the pages, expected %d or more", len(seen), least)
	}
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[A-Z]`)

// WantListed fails the test unless README.md in the program's folder has every command, and
// there are at least this many.
func WantListed(t *testing.T, name string, program cli.Program, least int) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, help, _ := Run(t, program, "", "--help")
	var commands []string
	for _, found := range commandLine.FindAllStringSubmatch(help, -1) {
		commands = append(commands, found[1])
	}
	commands = slices.DeleteFunc(commands, func(c string) bool { return c == "help" || c == "completion" })
	if len(commands) < least {
		t.Fatalf("the help lists %v", commands)
	}
	for _, c := range commands {
		if !regexp.MustCompile("`(" + name + " )?" + c + "[` ]").Match(text) {
			t.Errorf("missing command %s on the page", c)
		}
	}
}
