// Package doctor finds problems of a deployment of Matchbook before documents
// meet them: in the configuration of this process, or in a deployed stack. It
// changes nothing. A template is not examined: infra refuses bad settings, and its
// tests read what it makes of good ones.
//
// Observations become facts (facts.go): stack.go queries CloudFormation and Lambda,
// environment.go reads variables, queue.go queries SQS, database.go PostgreSQL, and
// ask.go, only with --ask, the model, the embedding model and Slack. A fact that could not be observed carries the reason. Each function is
// compared with its row of the manifest (rows.go).
//
// The problems follow from the facts alone, by one table (checks.go): each row
// is a check with an id, the reason why it matters, and a pure function from the
// facts to its results. Every check has a result in every report: a check
// without its facts is skipped, with the reason, and never passes in silence.
//
// No finding contains a secret or the value of a variable, and an error of
// another program is replaced by a sentence of this one.
package doctor

import (
	"context"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// Options select the subject. Without a Stack it is the configuration in Env.
type Options struct {
	Env         setup.Env
	Stack       string            // the name of a deployed one
	Connections int               // of the database, where it cannot be queried; 0 is not known
	Ask         bool              // the model, the embedding model and Slack as well
	Progress    func(step string) // called before each step; may be nil
}

// Examine runs every check. The error reports a subject that cannot be read at
// all.
func Examine(ctx context.Context, o Options) (Report, error) {
	return (&look{Options: o, rows: manifest.Functions()}).examine(ctx)
}

func (l *look) examine(ctx context.Context) (Report, error) {
	if l.Progress == nil {
		l.Progress = func(string) {}
	}
	collect := l.environment
	if l.Stack != "" {
		collect = l.stack
	}
	f, err := collect(ctx)
	if ctx.Err() != nil { // later calls did not fail by themselves
		return Report{}, ctx.Err()
	}
	if err != nil {
		return Report{}, err
	}
	return examine(checks, f), nil
}
