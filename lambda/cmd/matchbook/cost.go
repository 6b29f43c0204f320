package main

import (
	"errors"
	"fmt"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/explain"
	"matchbook/lambda/plan"
	"matchbook/lambda/postgres"
	"matchbook/lambda/term"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// costOptions are the flags of cost.
type costOptions struct {
	desk                  sessionOptions
	since, tenant, prices string
	plan                  planOptions
}

func (w *invocation) costCommand() *cobra.Command {
	var o costOptions
	cmd := o.desk.add(&cobra.Command{
		Use:   "cost",
		Short: "Say what models were paid, by tenant, day and model, and what kept answers saved",
		Long: `Cost changes nothing. It adds up the answers and embeddings that the database
keeps: how many were bought, the tokens, what those cost, and what was saved
because an answer was kept and used again instead of being bought again.

Days are in UTC, those on which something was bought; what it saved later is
counted with that day. Calls that failed without a bill are not counted, nor
are embeddings of calls that failed.

The database is the one that DATABASE_URL names, or with --keep the one that
"matchbook match DIR --keep" keeps. Its schema is left as it is.

Prices are list prices that are built in, with their date, which is printed.
They may have changed since, and know of no discount (cached prompts, batches,
contracts). --prices FILE has yours, instead of those:
  {"date": "2026-07-01", "source": "our contract", "usd_per_million_tokens": [
    {"model": "gpt-4.1-mini", "prompt": 0.32, "completion": 1.28},
    {"model": "llama3.1", "prompt": 0, "completion": 0},
    {"model": "text-embedding-3-small", "embedding": 0.02}]}
A price is for the models whose name begins so and ends there or goes on with a
date, @ or :, as gpt-4.1-mini-2025-04-14 and llama3.1:8b@ollama:11434 do; the
longest counts. What no price fits costs "-" and is named; it is never taken
for free.

--json:
  since          as given; not there if it is all
  prices         date, source and file (not there if they are built in)
  days           [{tenant_id, day, model, ...}]
  tenants        [{tenant_id, ...}]
  models         [{model, ...}]
  total          {...}
  without_price  [models]
with ... being calls, unusable (of these), prompt_tokens, completion_tokens,
embeddings, embedding_tokens, usd, calls_saved, embeddings_saved, usd_saved, and
incomplete: models without a price are not in usd and usd_saved, which are null
if there is nothing but those.

--plan asks no database. It says what a month will cost: the model, Lambda, SQS,
the database, CloudWatch and the rest, for some numbers of documents, and how
much depends on the share that rules decide. Prices of AWS are in
lambda/plan/prices.json, what a document takes in lambda/plan/measured.json,
each with its source; the flags and files of your own change them. Its --json
has prices, model_prices, measured, bills [{documents, questions_per_document,
usd, items [{part, what, quantity, unit, fixed, usd}]}] and lever, a list of
bills for each share of questions.`,
		Example: `  matchbook cost --keep
  matchbook cost --since 2026-03-01 --tenant 10000000-0000-4000-8000-000000000001
  matchbook cost --prices prices.json --json | jq .total.usd
  matchbook cost --plan
  matchbook cost --plan --documents 250000 --questions 0.26 --database existing
  matchbook cost --plan --model gpt-4.1 --latency 2s-8s --json | jq '.bills[].usd'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.plan.alone(cmd); err != nil {
				return err
			}
			if o.plan.on {
				return w.costPlan(&o)
			}
			r, since, tenant, err := o.read()
			if err != nil {
				return err
			}
			return w.inSession(cmd.Context(), o.desk, func(d *session) error { return d.cost(r, since, tenant) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&o.since, "since", "", "the first day that counts, in UTC, such as 2026-03-01")
	flags.StringVar(&o.tenant, "tenant", "", "the id of the tenant that counts")
	flags.StringVar(&o.prices, "prices", "", "a file with the prices to reckon with")
	o.plan.add(cmd)
	return cmd
}

// read reads the flags, before a database is looked for.
func (o *costOptions) read() (r *plan.Spent, since time.Time, tenant uuid.UUID, err error) {
	r = &plan.Spent{Since: o.since, WithoutPrice: []string{}}
	if o.since != "" {
		if since, err = time.Parse(time.DateOnly, o.since); err != nil {
			return nil, since, tenant, fmt.Errorf("--since %.50q is not a day such as 2026-03-01", o.since)
		}
	}
	if o.tenant != "" {
		if tenant, err = document.ParseID(o.tenant); err != nil {
			return nil, since, tenant, fmt.Errorf("--tenant %.50q is %w", o.tenant, err)
		}
		if tenant == uuid.Nil {
			return nil, since, tenant, fmt.Errorf("--tenant %s is nobody's id", tenant)
		}
	}
	r.Prices, err = plan.ReadModelPrices(o.prices)
	return r, since, tenant, err
}

func (d *session) cost(r *plan.Spent, since time.Time, tenant uuid.UUID) error {
	spent, err := d.db.Spent(d.ctx, since, tenant)
	if errors.Is(err, postgres.ErrNoSuchTenant) {
		return explain.Errorf("%w", err)
	}
	if err != nil {
		return err
	}
	r.Add(spent)
	if d.json {
		return term.JSON(d.out, r)
	}
	fmt.Fprint(d.out, r.Text())
	return nil
}
