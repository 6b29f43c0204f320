package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"matchbook/migrations"

	"github.com/spf13/cobra"
)

func (w *invocation) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and of its schema",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := migrations.FS.ReadDir(".")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.Out, "matchbook %s, schema %.5s\n", version(debug.ReadBuildInfo()), all[len(all)-1].Name())
			return err
		},
	}
}

// version is the version of a build: of its module, with the commit if it is known.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "(unknown)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := cmp.Or(info.Main.Version, "(devel)")
	if commit := settings["vcs.revision"]; commit != "" {
		text += fmt.Sprintf(", commit %.12s of %s", commit, settings["vcs.time"])
	}
	if settings["vcs.modified"] == "true" {
		text += ", changed"
	}
	return text + ", " + info.GoVersion
}
