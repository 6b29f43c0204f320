package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"matchbook/lambda/corpus"
	"matchbook/lambda/local/database"
	"matchbook/lambda/rehearsal/measure"
	"matchbook/lambda/rehearsal/model"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	measure.Options
	conditions []string
	json       bool
	seed       uint64
	model      model.Options
}

func (w *invocation) evalCommand() *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval DIR...",
		Short: "Measure the matches of a corpus against its true links",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return w.eval(cmd.Context(), args, o) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.conditions, "condition", []string{"visible"},
		"visible, corrupted, masked or all; several by commas, or again")
	flags.BoolVar(&o.json, "json", false, "print the reports as one JSON array")
	flags.IntVar(&o.Worst, "worst", 10, "show this many wrong matches and this many missed links, the worst first")
	flags.IntVar(&o.Limit, "limit", 0, "take only the first so many documents; 0 takes all")
	flags.Uint64Var(&o.Shuffle, "shuffle", 0, "shuffle the order of arrival by this seed, after --limit; 0 keeps it")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the noise")
	modelFlags(&o.model, cmd, model.None)
	return cmd
}

func (w *invocation) eval(ctx context.Context, dirs []string, o evalOptions) (err error) {
	choice := "rules only: eval asks a model only where --model says so"
	if o.model.Mode == "" {
		o.model.Mode = model.None
	} else {
		choice = o.model.Choose(w.env)
	}
	if err := o.model.Check(w.env); err != nil {
		return err
	}
	corpora, err := o.Read(dirs, o.conditions) // before anything is started
	if err != nil {
		return err
	}
	m := term.NewMeter(w.errOut)
	defer m.Close()
	m.Say("%s", choice)
	server, stop, err := database.Server(ctx, w.env, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return w.measure(ctx, server, corpora, o, m)
}

// measure prints the text of a corpus as soon as it is measured, and JSON at
// the end.
func (w *invocation) measure(
	ctx context.Context, server string, corpora []corpus.Corpus, o evalOptions, m *term.Meter,
) (err error) {
	all := make([]*measure.Result, len(corpora))
	succeeded := true
	for i, c := range corpora {
		source := model.Source{Options: o.model, Env: w.env, Seed: o.seed, Links: c.Links}
		if all[i], err = measure.Corpus(ctx, server, c, source, o.Options, m); err != nil {
			return fmt.Errorf("%s, %s: %w", c.Dir, c.Condition, err)
		}
		succeeded = succeeded && len(all[i].NotSucceeded) == 0
		if !o.json {
			_, err = io.WriteString(w.out, all[i].Text())
		}
		if err != nil {
			return err
		}
	}
	if o.json {
		err = term.JSON(w.out, all)
	}
	if err == nil && !succeeded {
		return errFindings
	}
	return err
}
