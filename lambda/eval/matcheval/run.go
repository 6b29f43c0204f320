package matcheval

import (
	"context"
	"errors"
	"fmt"
	"io"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/setup"
)

// Run measures the corpora in dirs, prints the results, and reports whether all documents
// succeeded.
func (o Options) Run(ctx context.Context, dirs []string, env setup.Env, out io.Writer, m *term.Meter) (
	succeeded bool, err error,
) {
	choice := "rules only: use --model to measure with a model"
	if o.Model.Mode == "" {
		o.Model.Mode = scripted.ModeNone
	} else {
		choice = o.Model.Choose(env)
	}
	if err := o.Model.Check(env); err != nil {
		return false, err
	}
	corpora, err := o.read(dirs) // before starting anything
	if err != nil {
		return false, err
	}
	m.Say("%s", choice)
	server, stop, err := database.Server(ctx, env, m)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return o.measure(ctx, server, corpora, env, out, m)
}

// measure prints each corpus's text once measured, or all JSON at the end.
func (o Options) measure(
	ctx context.Context, server string, corpora []corpus.Corpus, env setup.Env, out io.Writer, m *term.Meter,
) (succeeded bool, err error) {
	all := make([]*Result, len(corpora))
	succeeded = true
	for i, c := range corpora {
		source := scripted.Model{Flags: o.Model, Env: env, Seed: o.Seed, Links: c.Links}
		if all[i], err = o.corpus(ctx, server, c, source, m); err != nil {
			return false, fmt.Errorf("%s, %s: %w", c.Dir, c.Condition, err)
		}
		succeeded = succeeded && len(all[i].NotSucceeded) == 0
		if !o.JSON {
			_, err = io.WriteString(out, all[i].Text())
		}
		if err != nil {
			return false, err
		}
	}
	if o.JSON {
		err = term.JSON(out, all)
	}
	return succeeded, err
}
