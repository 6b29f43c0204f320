package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"matchbook/lambda/local/database"

	"github.com/spf13/cobra"
)

// keepFlag adds --keep. Its folder is optional, so pflag reads "--keep DIR" as a flag and an
// argument; joinKept and takeKept undo that, because users write it nevertheless.
func keepFlag(cmd *cobra.Command, keep *string, usage string) {
	cmd.Flags().StringVar(keep, "keep", "", usage)
	cmd.Flags().Lookup("keep").NoOptDefVal = database.Folder()
}

// joinKept joins "--keep DIR" into one argument if DIR contains a kept database.
func joinKept(args []string) (joined []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--keep" && i+1 < len(args) && isKept(args[i+1]) {
			i++
			joined = append(joined, "--keep="+args[i])
			continue
		}
		joined = append(joined, args[i])
	}
	return joined
}

func isKept(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "pgserver.lock"))
	return err == nil && !strings.HasPrefix(dir, "-")
}

// takeKept moves the folder of "--keep DIR" from the arguments to keep if there is one
// argument too many. Use it in commands that create the folder.
func (w *invocation) takeKept(args []string, keep *string) []string {
	at := slices.Index(w.Args, "--keep")
	if at < 0 || at+1 >= len(w.Args) || len(args) != 2 || *keep != database.Folder() && *keep != w.Args[at+1] {
		return args
	}
	dir := w.Args[at+1]
	i := slices.Index(args, dir)
	if i < 0 {
		return args
	}
	*keep = dir
	return slices.Delete(slices.Clone(args), i, i+1)
}
