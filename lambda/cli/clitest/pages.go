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

// Root is the root of the repository, from the package of a program.
const Root = "../../.."

// Shown returns the arguments and the output of the first command of the pages
// that begins like this.
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

// WantShown compares what a page shows with what was printed. A line "..." of
// the page stands for any number of lines.
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

// steady replaces what differs from run to run.
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

// WantAccepted asks for the help of each command that the pages name, at least so
// many. Flags are parsed before help is printed: this finds a command or a flag that
// no longer exists, also in the middle of a sentence.
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
		t.Errorf("the pages name only %d commands", len(seen))
	}
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[A-Z]`)

// WantListed compares the commands of a program, at least so many, with README.md in
// the program's folder.
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
			t.Errorf("the page has no %s", c)
		}
	}
}
