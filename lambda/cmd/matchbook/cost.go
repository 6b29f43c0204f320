package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"
	"matchbook/lambda/term"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// costOptions are the flags of cost.
type costOptions struct {
	desk                  deskOptions
	since, tenant, prices string
	plan                  planOptions
}

func (w *world) costCommand() *cobra.Command {
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
			return w.atDesk(cmd.Context(), o.desk, func(d *desk) error { return d.cost(r, since, tenant) })
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
func (o *costOptions) read() (r *costReport, since time.Time, tenant uuid.UUID, err error) {
	r = &costReport{Since: o.since, WithoutPrice: []string{}}
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
	r.Prices, err = readPrices(o.prices)
	return r, since, tenant, err
}

// costReport is what cost prints.
type costReport struct {
	Since        string     `json:"since,omitempty"`
	Prices       *priceList `json:"prices"`
	Days         []bill     `json:"days"`
	Tenants      []bill     `json:"tenants"`
	Models       []bill     `json:"models"`
	Total        bill       `json:"total"`
	WithoutPrice []string   `json:"without_price"`
}

// bill is what something cost: what a tenant bought of a model on a day, or a
// sum of that.
type bill struct {
	TenantID         *uuid.UUID `json:"tenant_id,omitempty"`
	Day              string     `json:"day,omitempty"`
	Model            string     `json:"model,omitempty"`
	Calls            int        `json:"calls"`
	Unusable         int        `json:"unusable"`
	PromptTokens     int        `json:"prompt_tokens"`
	CompletionTokens int        `json:"completion_tokens"`
	Embeddings       int        `json:"embeddings"`
	EmbeddingTokens  float64    `json:"embedding_tokens"`
	USD              *float64   `json:"usd"` // nil: no price is known
	CallsSaved       int        `json:"calls_saved"`
	EmbeddingsSaved  int        `json:"embeddings_saved"`
	USDSaved         *float64   `json:"usd_saved"`
	Incomplete       bool       `json:"incomplete"`
}

func (d *desk) cost(r *costReport, since time.Time, tenant uuid.UUID) error {
	spent, err := d.db.Spent(d.ctx, since, tenant)
	if errors.Is(err, postgres.ErrNoSuchTenant) {
		return saidError{err}
	}
	if err != nil {
		return err
	}
	r.reckon(spent)
	if d.json {
		return term.JSON(d.out, r)
	}
	fmt.Fprint(d.out, r.text())
	return nil
}

// reckon makes bills of what was spent, and the sums of those.
func (r *costReport) reckon(spent []postgres.Spent) {
	r.Days, r.Tenants, r.Models = []bill{}, []bill{}, []bill{}
	for _, s := range spent {
		b := r.Prices.bill(s)
		r.Days = append(r.Days, b)
		r.Tenants = addTo(r.Tenants, bill{TenantID: b.TenantID}, b, func(sum bill) bool { return *sum.TenantID == *b.TenantID })
		r.Models = addTo(r.Models, bill{Model: b.Model}, b, func(sum bill) bool { return sum.Model == b.Model })
		r.Total.add(b)
	}
	slices.SortFunc(r.Models, func(a, b bill) int { return cmp.Compare(a.Model, b.Model) })
	for _, m := range r.Models {
		if m.Incomplete {
			r.WithoutPrice = append(r.WithoutPrice, m.Model)
		}
	}
	for _, list := range [][]bill{r.Days, r.Tenants, r.Models} {
		for i := range list { // without the noise of adding fractions
			list[i].EmbeddingTokens = math.Round(list[i].EmbeddingTokens*1000) / 1000
		}
	}
	r.Total.EmbeddingTokens = math.Round(r.Total.EmbeddingTokens*1000) / 1000
}

// addTo adds a bill to the sum that is its own, a new one if there is none.
func addTo(sums []bill, empty, b bill, its func(bill) bool) []bill {
	i := slices.IndexFunc(sums, its)
	if i < 0 {
		i, sums = len(sums), append(sums, empty)
	}
	sums[i].add(b)
	return sums
}

func (b *bill) add(o bill) {
	b.Calls += o.Calls
	b.Unusable += o.Unusable
	b.PromptTokens += o.PromptTokens
	b.CompletionTokens += o.CompletionTokens
	b.Embeddings += o.Embeddings
	b.EmbeddingTokens += o.EmbeddingTokens
	b.CallsSaved += o.CallsSaved
	b.EmbeddingsSaved += o.EmbeddingsSaved
	b.Incomplete = b.Incomplete || o.Incomplete
	b.USD = plus(b.USD, o.USD)
	b.USDSaved = plus(b.USDSaved, o.USDSaved)
}

// plus adds what is known.
func plus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := *a + *b
	return &sum
}
