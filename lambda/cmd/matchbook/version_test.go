package main

import (
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"matchbook/lambda/cli"
)

func TestVersionNamesTheSchema(t *testing.T) {
	t.Parallel()
	code, out, _ := matchbook(t, "", "version")
	if code != cli.ExitOK || !regexp.MustCompile(`^matchbook .+, go1.+, schema \d{5}\n$`).MatchString(out) || strings.Contains(out, "schema 00001") {
		t.Errorf("exit status %d: %s", code, out)
	}
}

func TestVersionNamesTheCommitOfABuild(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-03-02T09:00:00Z"}, {Key: "vcs.modified", Value: "true"}}}
	if got, want := version(info, true), "v1.2.3, commit 0123456789ab of 2026-03-02T09:00:00Z, changed, go1.26"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
