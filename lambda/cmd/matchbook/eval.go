package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"matchbook/lambda/corpus"
	"matchbook/lambda/local/database"
	"matchbook/lambda/rehearsal/measure"
	"matchbook/lambda/rehearsal/model"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// evalOptions are the flags of the eval command.
type evalOptions struct {
	measure.Options
	conditions []string
	json       bool
	seed       uint64
	model      model.Options
}

// conditions are those that a corpus comes in.
var conditions = []string{"visible", "corrupted", "masked"}

func (w *invocation) evalCommand() *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval DIR...",
		Short: "Measure the matches of a corpus against its true links",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return w.eval(cmd.Context(), args, o) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.conditions, "condition", []string{"visible"}, "visible, corrupted, masked or all; several by commas, or again")
	flags.BoolVar(&o.json, "json", false, "print the reports as one JSON array")
	flags.IntVar(&o.Worst, "worst", 10, "show this many wrong matches and this many missed links, the worst first")
	flags.IntVar(&o.Limit, "limit", 0, "take only the first so many documents; 0 takes all")
	flags.Uint64Var(&o.Shuffle, "shuffle", 0, "shuffle the order of arrival by this seed, after --limit; 0 keeps it")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the noise")
	modelFlags(&o.model, cmd, model.None)
	return cmd
}

func (w *invocation) eval(ctx context.Context, dirs []string, o evalOptions) (err error) {
	asks := "rules only: eval asks a model only where --model says so"
	if o.model.Mode == "" {
		o.model.Mode = model.None
	} else {
		asks = o.model.Choose(w.env)
	}
	if err := o.model.Check(w.env); err != nil {
		return err
	}
	corpora, err := readCorpora(dirs, o)
	if err != nil {
		return err
	}
	m := term.NewMeter(w.errOut)
	defer m.Close()
	m.Say("%s", asks)
	server, stop, err := database.Server(ctx, w.env, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	all := make([]*measure.Result, len(corpora))
	succeeded := true
	for i, c := range corpora {
		model := model.Source{Options: o.model, Env: w.env, Seed: o.seed, Links: c.Links}
		if all[i], err = measure.Corpus(ctx, server, c, model, o.Options, m); err != nil {
			return fmt.Errorf("%s, %s: %w", c.Dir, c.Condition, err)
		}
		succeeded = succeeded && len(all[i].NotSucceeded) == 0
		if !o.json {
			if _, err := io.WriteString(w.out, all[i].Text()); err != nil {
				return err
			}
		}
	}
	if o.json {
		if err := term.JSON(w.out, all); err != nil {
			return err
		}
	}
	if !succeeded {
		return errFindings
	}
	return nil
}

// readCorpora reads everything before anything is started.
func readCorpora(dirs []string, o evalOptions) (corpora []corpus.Corpus, err error) {
	wanted, err := wantedConditions(o.conditions)
	switch {
	case err != nil:
		return nil, err
	case o.Limit < 0:
		return nil, errors.New("--limit is less than 0")
	case o.Worst < 0:
		return nil, errors.New("--worst is less than 0")
	}
	for _, dir := range dirs {
		for _, condition := range wanted {
			c, err := corpus.Read(filepath.Clean(dir), condition)
			if err != nil {
				return nil, err
			}
			c.Choose(o.Limit, o.Shuffle)
			corpora = append(corpora, c)
		}
	}
	return corpora, nil
}

func wantedConditions(names []string) (wanted []string, err error) {
	for _, name := range names {
		add := []string{name}
		switch {
		case name == "all":
			add = conditions
		case !slices.Contains(conditions, name):
			return nil, fmt.Errorf("--condition: %q is none of %s, all", name, strings.Join(conditions, ", "))
		}
		for _, c := range add {
			if !slices.Contains(wanted, c) {
				wanted = append(wanted, c)
			}
		}
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("--condition: name one of %s, all", strings.Join(conditions, ", "))
	}
	return wanted, nil
}
