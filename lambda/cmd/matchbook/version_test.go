package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
)

func TestVersionSchema(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"version", "--version"} {
		code, out, _ := matchbook(t, "", arg)
		if code != cli.ExitOK || !regexp.MustCompile(`^matchbook `+regexp.QuoteMeta(release)+`, (.+, )?go1.+, schema \d{5}\n$`).MatchString(out) || strings.Contains(out, "schema 00001") {
			t.Errorf("%s: exit status %d: %s", arg, code, out)
		}
	}
}

func TestVersionCommit(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-03-02T09:00:00Z"}, {Key: "vcs.modified", Value: "true"}}}
	if got, want := version(info, true), "matchbook "+release+", commit 0123456789ab of 2026-03-02T09:00:00Z, changed, go1.26, schema "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	info.Settings[2].Value = "false"
	if got := version(info, true); strings.Contains(got, "changed") {
		t.Errorf("got %s of a build without changes", got)
	}
	if got, want := version(nil, false), "matchbook "+release+", schema "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestVersionInChangelog(t *testing.T) {
	t.Parallel()
	text := must.Get(os.ReadFile(filepath.Join(clitest.Root, "CHANGELOG.md")))(t)
	newest := regexp.MustCompile(`(?m)^## (\d\S*) - (\S+)$`).FindSubmatch(text)
	if newest == nil || string(newest[1]) != release {
		t.Fatalf("the program is version %s, the newest heading %q", release, newest)
	}
	must.Get(time.Parse(time.DateOnly, string(newest[2])))(t)
}
