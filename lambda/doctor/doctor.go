// Package doctor says what is wrong with a deployment of Matchbook before
// documents find out: with the configuration of this process, with a template
// that cdk synth made, or with a stack that is deployed. It changes nothing.
//
// What is looked at becomes facts (facts.go): template.go reads them from a
// template, stack.go asks CloudFormation and Lambda, environment.go reads
// variables, queue.go asks SQS, database.go PostgreSQL, and ask.go, only when
// told to, the model, the embedding model and Slack. A fact that could not be
// looked at carries the reason.
//
// What is wrong follows from the facts alone, by one table (checks.go): each
// row is a check with an id, why it matters, and a pure function from the
// facts to its results. Every check has a result in every report: what could
// not be looked at is skipped, with the reason, and never passes in silence.
//
// No finding holds a secret: values of variables are in none, and an error of
// another program is told in a sentence of ours.
package doctor

import (
	"context"
	"errors"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// Options say what to look at. Without a Template or a Stack it is the
// configuration in Env.
type Options struct {
	Env         setup.Env
	Template    []byte           // CloudFormation, as JSON
	Stack       string           // the name of a deployed one
	Connections int              // what the database offers, where it cannot be asked; 0 is not known
	Ask         bool             // the model, the embedding model and Slack, too
	Progress    func(say string) // told what is looked at; may be nil
}

// Examine looks at everything and says what is wrong. The error is that of
// what could not be looked at at all.
func Examine(ctx context.Context, o Options) (Report, error) {
	return (&look{Options: o, rows: manifest.Functions()}).examine(ctx)
}

func (l *look) examine(ctx context.Context) (Report, error) {
	if l.Progress == nil {
		l.Progress = func(string) {}
	}
	collect := l.environment
	switch {
	case l.Template != nil && l.Stack != "":
		return Report{}, errors.New("a template or a stack, not both")
	case l.Template != nil:
		collect = l.template
	case l.Stack != "":
		collect = l.stack
	}
	f, err := collect(ctx)
	if ctx.Err() != nil { // what was asked after that did not fail by itself
		return Report{}, ctx.Err()
	}
	if err != nil {
		return Report{}, err
	}
	return examine(checks, f), nil
}
