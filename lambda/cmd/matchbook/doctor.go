package main

import (
	"context"
	"errors"
	"fmt"

	"matchbook/lambda/doctor"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	template, stack   string
	connections       int
	ask, strict, json bool
}

func (w *invocation) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong with a configuration, a template or a deployed stack, why it matters, and what to change",
		Long: `Doctor changes nothing. Without a flag it looks at the configuration of this
process, the variables of the match function, at the queue and the database that
they name; with --template at what cdk synth wrote, without any account; with
--stack at what is deployed, as it is now.

It looks at the event source mapping (ReportBatchItemFailures, MaximumConcurrency),
visibility timeouts, the retry schedule, dead-letter queues, what the database
has for connections, migrations, secrets, clocks, and at documents that stand
still. Each finding says what is wrong, why it matters and what to change. What
cannot be looked at is skipped, with the reason.

--ask also asks, because that leaves this machine and may cost a fraction of a
cent:
  the model            one question of about 60 tokens, so that the key, the
                       model's name and the schema are tried, not the address alone
  the embedding model  one word
  Slack                an empty message, which Slack refuses to post: a webhook
                       that lives says "no_text", others 403 or 404

--stack needs these permissions: cloudformation:ListStackResources,
lambda:GetFunctionConfiguration, GetFunctionConcurrency, ListAliases,
ListEventSourceMappings, sqs:GetQueueUrl, GetQueueAttributes,
secretsmanager:GetSecretValue. Secrets are used and never shown. A database that
this machine cannot reach is skipped: run it where it can.

Exit status: 0 no error was found, though there may be warnings; 1 errors, or
with --strict warnings; 2 it could not look.

--json:
  target    what was looked at
  errors, warnings, skipped, ok   how many of each
  findings  [{id, severity, subject, what, why, do}], the worst first, severity
            being error, warning, skipped or ok; why and do of the first two`,
		Example: `  matchbook doctor
  matchbook doctor --template cdk.out/matchbook-dev.template.json --connections 100
  matchbook doctor --stack matchbook-dev --ask --strict
  matchbook doctor --stack matchbook-dev --json | jq '.findings[] | select(.severity == "error")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return w.doctor(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.template, "template", "", "a template that cdk synth wrote, cdk.out/STACK.template.json")
	flags.StringVar(&o.stack, "stack", "", "the name of a deployed stack")
	flags.IntVar(&o.connections, "connections", 0, "connections that the database has for Matchbook, where it cannot be asked")
	flags.BoolVar(&o.ask, "ask", false, "ask the model, the embedding model and Slack, too")
	flags.BoolVar(&o.strict, "strict", false, "exit with 1 for warnings, too")
	flags.BoolVar(&o.json, "json", false, "print as JSON")
	return cmd
}

func (w *invocation) doctor(ctx context.Context, o doctorOptions) error {
	options := doctor.Options{Env: w.env, Stack: o.stack, Connections: o.connections, Ask: o.ask}
	switch {
	case o.template != "" && o.stack != "":
		return errors.New("--template and --stack: one of them")
	case o.connections < 0:
		return errors.New("--connections is negative")
	case o.template != "":
		raw, err := doctor.ReadTemplate(o.template)
		if err != nil {
			return fmt.Errorf("--template: %w", err)
		}
		options.Template = raw
	}
	step, done := term.Steps(w.errOut)
	options.Progress = step
	report, err := doctor.Examine(ctx, options)
	done()
	if err != nil {
		return err
	}
	if o.json {
		if err := term.JSON(w.out, report); err != nil {
			return err
		}
	} else {
		fmt.Fprint(w.out, report.Text())
	}
	if report.Errors > 0 || o.strict && report.Warnings > 0 {
		return errFindings
	}
	return nil
}
