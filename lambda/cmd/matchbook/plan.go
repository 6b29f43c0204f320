package main

import (
	"errors"
	"fmt"
	"io"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/term"

	"github.com/spf13/cobra"
)

// planOptions are the flags of capacity and cost --plan that select the form of
// the output.
type planOptions struct{ json, markdown bool }

// add adds the flags that both plans have.
func (o *planOptions) add(cmd *cobra.Command, a *cost.Assumptions, others *cost.Others) {
	flags := cmd.Flags()
	flags.IntVar(&others.Pages, "pages", others.Pages, "pages of a file, for the work besides matching")
	flags.IntVar(&others.Words, "words", others.Words, "words of a contract that is reviewed")
	flags.IntVar(&others.Users, "users", others.Users, "users who are offered matches on a day")
	flags.Float64Var(&a.Questions, "questions", a.Questions,
		"questions to the model per document: what rules leave open")
	flags.StringVar(&a.Latency, "latency", a.Latency,
		"how long the model takes to answer: 2s, or from 1s to 4s as 1s-4s")
	flags.IntVar(&a.Tenants, "tenants", a.Tenants, "tenants that share the documents evenly")
	flags.IntVar(&a.MemoryMB, "memory", a.MemoryMB, "MB of an instance of the function")
	flags.IntVar(&a.Batch, "batch", a.Batch, "documents in an invocation")
	flags.StringVar(&a.Measured, "measured", "",
		"a file with what a document takes, in the form of lambda/cli/cost/measured.json")
	flags.BoolVar(&o.markdown, "markdown", false, "print Markdown, as on the page lambda/cli/cost/README.md")
}

func (o *planOptions) check() error {
	if o.json && o.markdown {
		return errors.New("--json and --markdown: choose one")
	}
	return nil
}

// monthOptions are the flags of cost --plan.
type monthOptions struct {
	planOptions
	cost.Month
	on bool
}

// planNames are the flags that need --plan.
var planNames = []string{"documents", "questions", "latency", "tenants", "memory", "batch", "measured", "markdown",
	"model", "embedding", "database", "months", "aws-prices", "pages", "words", "users"}

func (o *monthOptions) add(cmd *cobra.Command) {
	o.Month = cost.NewMonth()
	o.planOptions.add(cmd, &o.Assumptions, &o.Others)
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "plan", false,
		"forecast a month instead of reading the database; --documents, --questions, --latency and the like are for it")
	flags.Int64SliceVar(&o.Documents, "documents", o.Documents, "documents a month")
	flags.StringVar(&o.Model, "model", o.Model, "the model that answers")
	flags.StringVar(&o.Embedding, "embedding", "", "the model that embeds; usually none")
	flags.StringVar(&o.Database, "database", o.Database,
		"aurora: a new one in a VPC; existing: one that is paid for anyway")
	flags.Float64Var(&o.Kept, "months", o.Kept, "months for which documents are kept")
	flags.StringVar(&o.Prices, "aws-prices", "",
		"a file with the prices of AWS, in the form of lambda/cli/cost/prices.json")
}

// alone refuses flags that need --plan, and with it those of the database.
func (o *monthOptions) alone(cmd *cobra.Command) error {
	names, where := planNames, "without --plan"
	if o.on {
		names, where = []string{"since", "tenant", "keep"}, "with --plan"
	}
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s means nothing %s", name, where)
		}
	}
	return nil
}

func (w *invocation) costPlan(o monthOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	r, err := o.Forecast()
	if err != nil {
		return err
	}
	return w.printPage(r, r.Page(), o.planOptions)
}

func (w *invocation) printPage(report any, s *term.Sheet, o planOptions) error {
	if o.json {
		return term.JSON(w.out, report)
	}
	_, err := io.WriteString(w.out, s.Text(o.markdown))
	return err
}
