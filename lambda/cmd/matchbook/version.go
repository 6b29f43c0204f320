package main

import (
	"fmt"
	"runtime/debug"

	"matchbook/lambda/cli"
	"matchbook/migrations"

	"github.com/spf13/cobra"
)

const release = "0.1.0"

func (w *invocation) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and its schema",
		Args:  cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(w.Out, version(debug.ReadBuildInfo()))
			return err
		},
	}
}

// version returns the line of version and --version: the release, the build's commit if
// known, and the newest migration.
func version(info *debug.BuildInfo, ok bool) string {
	text := "matchbook " + release
	if ok {
		text += commit(info) + ", " + info.GoVersion
	}
	if all, err := migrations.FS.ReadDir("."); err == nil {
		text += fmt.Sprintf(", schema %.5s", all[len(all)-1].Name())
	}
	return text
}

// commit returns the commit of a build; empty if Go doesn't know it.
func commit(info *debug.BuildInfo) (text string) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if hash := settings["vcs.revision"]; hash != "" {
		text = fmt.Sprintf(", commit %.12s of %s", hash, settings["vcs.time"])
	}
	if settings["vcs.modified"] == "true" {
		text += ", changed"
	}
	return text
}
