package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Many is an upper bound. Use it in Args for any number of arguments.
const Many = 1 << 20

// Args returns an error unless a command gets least to most arguments. It takes the names
// of the arguments from Use, so that the user sees what to add.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("missing %s: run %s", argument(cmd, len(args)), useLine(cmd))
		case len(args) > most:
			return fmt.Errorf("unexpected argument %.50q: run %s", args[most], useLine(cmd))
		}
		return nil
	}
}

// NoArgs returns an error for any argument. Where a command has commands below it, the
// argument is a mistyped one, and the error suggests the nearest.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || !cmd.HasSubCommands() {
		return Args(0, 0)(cmd, args)
	}
	hint := "; run " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %.50q for %q%s", args[0], cmd.CommandPath(), hint)
}

// Need makes a flag required. Use it instead of MarkFlagRequired, because cobra words the error
// of that. Call it after Args is set.
func Need(cmd *cobra.Command, flag string) {
	_ = cmd.MarkFlagRequired(flag) // for completion; fails only for an undefined flag
	before(cmd, func() error {
		if cmd.Flags().Changed(flag) {
			return nil
		}
		return fmt.Errorf("missing --%s: run %s", flag, useLine(cmd))
	})
}

// Exclusive refuses a command line with several of these flags.
func Exclusive(cmd *cobra.Command, flags ...string) {
	before(cmd, func() error {
		var given []string
		for _, flag := range flags {
			if cmd.Flags().Changed(flag) {
				given = append(given, "--"+flag)
			}
		}
		if len(given) > 1 {
			return fmt.Errorf("%s are mutually exclusive: use one of them", strings.Join(given, " and "))
		}
		return nil
	})
}

// before adds a check before the ones on arguments.
func before(cmd *cobra.Command, check func() error) {
	args := cmd.Args
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if err := check(); err != nil || args == nil {
			return err
		}
		return args(cmd, given)
	}
}

// argument names the argument at a position by the command's Use. Flags there have a value.
func argument(cmd *cobra.Command, at int) string {
	var names []string
	words := strings.Fields(cmd.Use)[1:]
	for i := 0; i < len(words) && words[i] != "|"; i++ {
		if strings.HasPrefix(words[i], "-") {
			i++
			continue
		}
		names = append(names, strings.ReplaceAll(strings.Trim(words[i], "[]."), "|", " or "))
	}
	return names[min(at, len(names)-1)]
}

func useLine(cmd *cobra.Command) string { return strings.TrimSuffix(cmd.UseLine(), " [flags]") }

// flagError words an error of pflag, and suggests the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		return fmt.Errorf("invalid --%s %.50q: expected %s", flag.Name, invalid.GetValue(), values[flag.Value.Type()])
	case errors.As(err, &empty):
		return fmt.Errorf("missing value of --%s", empty.GetFlag().Name)
	case !errors.As(err, &unknown):
		return err
	}
	// Suggestions are made for commands, so each flag becomes one.
	flags := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	name, hint := "--"+unknown.GetSpecifiedName(), "; run "+cmd.CommandPath()+" --help"
	if near := flags.SuggestionsFor(name[2:]); len(near) > 0 {
		hint = "; did you mean --" + strings.Join(near, " or --") + "?"
	}
	if unknown.GetSpecifiedShortnames() != "" {
		name = name[1:]
	}
	return fmt.Errorf("unknown flag %s%s", name, hint)
}

// values describes the values of a flag, by its type.
var values = map[string]string{
	"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number such as 0.5",
	"duration": "a duration such as 90s or 2h", "bool": "true or false",
}

// ShowHelp is the RunE of a command with commands below it.
func ShowHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }
