// Package doctor finds problems of a deployment before documents meet them: in this
// process's configuration, or in a deployed stack. It changes nothing. It doesn't examine
// templates, because infra refuses bad settings and its tests cover good ones.
//
// Observations become facts (facts.go): stack.go queries CloudFormation, version.go Lambda,
// role.go IAM, keys.go KMS, network.go EC2, around.go schedules, the bucket and alarms,
// environment.go reads variables, queue.go queries SQS and database.go PostgreSQL; ask.go
// queries the model, the embedding model and Slack, but only with --ask. A missing fact
// carries the reason. Each function is compared with its manifest row (rows.go), and its role
// with the table that made it (permission.OfFunction).
//
// Problems follow from facts alone, by one table (checks.go): each check has an id, the
// reason why it matters, and a pure function from facts to results. Every check has a result
// in every report: without its facts it's skipped, with the reason, so it never passes in
// silence.
//
// Findings never contain secrets or values of variables. Errors of other programs are
// replaced by our own sentences, since they may quote both.
package doctor

import (
	"context"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// Options select the subject: the deployed Stack, otherwise the configuration in Env.
type Options struct {
	Env         setup.Env
	Stack       string            // name of a deployed stack
	Connections int               // of an unreachable database; 0 is unknown
	Ask         bool              // also ask the model, the embedding model and Slack
	Progress    func(step string) // called before each step; may be nil
}

// Examine runs every check. It returns an error only if it can't read the subject at all;
// problems are findings of the report.
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
	if ctx.Err() != nil { // otherwise later calls look like failures
		return Report{}, ctx.Err()
	}
	if err != nil {
		return Report{}, err
	}
	return examine(checks, f), nil
}
