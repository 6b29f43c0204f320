package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/plan"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// workOptions are the assumptions that both plans make.
type workOptions struct {
	questions float64
	latency   string
	tenants   int
	memory    int
	batch     int
	measured  string
	json      bool
	markdown  bool
}

const (
	usualShare   = 0.14
	usualLatency = "1s-4s"
)

func (o *workOptions) flags(cmd *cobra.Command, tenants, batch int) {
	flags := cmd.Flags()
	flags.Float64Var(&o.questions, "questions", usualShare, "questions to the model per document: what rules leave open")
	flags.StringVar(&o.latency, "latency", usualLatency, "how long the model takes to answer: 2s, or from 1s to 4s as 1s-4s")
	flags.IntVar(&o.tenants, "tenants", tenants, "tenants that share the documents evenly")
	flags.IntVar(&o.memory, "memory", manifest.Match.MemoryMB, "MB of an instance of the function")
	flags.IntVar(&o.batch, "batch", batch, "documents in an invocation")
	flags.StringVar(&o.measured, "measured", "", "a file with what a document takes, in the form of lambda/plan/measured.json")
	flags.BoolVar(&o.markdown, "markdown", false, "print Markdown, as on the page lambda/plan/README.md")
}

// work reads the flags.
func (o *workOptions) work() (w plan.Work, err error) {
	w = plan.Work{Questions: o.questions, Tenants: o.tenants, MemoryMB: o.memory, Pool: manifest.Match.PoolSize}
	for _, e := range []error{
		unless(o.questions >= 0 && o.questions <= 10, "--questions %g is not between 0 and 10", o.questions),
		unless(o.tenants >= 1, "--tenants %d is less than 1", o.tenants),
		unless(o.memory >= 128 && o.memory <= 10240, "--memory %d is not between 128 and 10240", o.memory),
		unless(o.batch >= 1 && o.batch <= 10, "--batch %d is not between 1 and 10", o.batch),
		unless(!o.json || !o.markdown, "--json and --markdown: choose one"),
	} {
		err = errors.Join(err, e)
	}
	w.Latency, err = joined(err)(readLatency(o.latency))
	if err != nil {
		return w, err
	}
	raw, err := readIf(o.measured)
	if err != nil {
		return w, fmt.Errorf("--measured: %w", err)
	}
	if w.Measured, err = plan.ReadMeasured(raw); err != nil {
		return w, fmt.Errorf("--measured %s: %w", o.measured, err)
	}
	return w, nil
}

// joined adds an error to those that there are.
func joined(before error) func(plan.Latency, error) (plan.Latency, error) {
	return func(l plan.Latency, err error) (plan.Latency, error) { return l, errors.Join(before, err) }
}

func unless(right bool, format string, args ...any) error {
	if right {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func readLatency(s string) (l plan.Latency, err error) {
	from, to, isRange := strings.Cut(s, "-")
	if !isRange {
		to = from
	}
	var errs [2]error
	l.Min, errs[0] = time.ParseDuration(from)
	l.Max, errs[1] = time.ParseDuration(to)
	if errs[0] != nil || errs[1] != nil || l.Min < 0 || l.Max < l.Min {
		return l, fmt.Errorf("--latency %.30q is neither a time such as 2s nor a range such as 1s-4s", s)
	}
	return l, nil
}

// readIf reads a file; nil where none is named.
func readIf(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	return os.ReadFile(file)
}

// planOptions are the flags of cost --plan.
type planOptions struct {
	workOptions
	on        bool
	documents []int64
	model     string
	embedding string
	database  string
	months    float64
	awsPrices string
}

// planNames are the flags that only --plan understands.
var planNames = []string{"documents", "questions", "latency", "tenants", "memory", "batch", "measured", "markdown",
	"model", "embedding", "database", "months", "aws-prices"}

func (o *planOptions) add(cmd *cobra.Command) {
	o.flags(cmd, 4, 1)
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "plan", false, "say what a month will cost, not what was paid; --documents, --questions, --latency and the like are for it")
	flags.Int64SliceVar(&o.documents, "documents", []int64{1_000, 100_000, 10_000_000}, "documents a month")
	flags.StringVar(&o.model, "model", manifest.DefaultModel, "which model is asked")
	flags.StringVar(&o.embedding, "embedding", "", "which model embeds; none is usual")
	flags.StringVar(&o.database, "database", "aurora", "aurora: a new one in a VPC; existing: one that is paid for anyway")
	flags.Float64Var(&o.months, "months", 12, "months for which documents are kept")
	flags.StringVar(&o.awsPrices, "aws-prices", "", "a file with the prices of AWS, in the form of lambda/plan/prices.json")
}

// alone refuses what means nothing without --plan, or with it.
func (o *planOptions) alone(cmd *cobra.Command) error {
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

// load reads the flags.
func (o *planOptions) load(models *plan.ModelPrices) (l plan.Load, err error) {
	work, err := o.work()
	l = plan.Load{Work: work, BatchSize: o.batch, SweepMB: manifest.Sweep.MemoryMB, MonthsKept: o.months, Aurora: o.database == "aurora", Embeddings: o.embedding != ""}
	for _, e := range []error{
		unless(len(o.documents) > 0 && slices.Min(o.documents) >= 0, "--documents: name numbers such as 1000,100000"),
		unless(o.months >= 0, "--months %g is less than 0", o.months),
		unless(l.Aurora || o.database == "existing", "--database %.30q is neither aurora nor existing", o.database),
	} {
		err = errors.Join(err, e)
	}
	raw, e := readIf(o.awsPrices)
	if e == nil {
		l.Prices, e = plan.ReadPrices(raw)
	}
	if e != nil {
		err = errors.Join(err, fmt.Errorf("--aws-prices %s: %w", o.awsPrices, e))
	}
	l.Model, e = o.modelPrice(models)
	return l, errors.Join(err, e)
}

func (o *planOptions) modelPrice(models *plan.ModelPrices) (p plan.ModelPrice, err error) {
	asked, embeds := models.Of(o.model), models.Of(o.embedding)
	if asked.Prompt == nil || asked.Completion == nil {
		err = fmt.Errorf("there is no price for %.50q: --prices FILE may have it, or take one that has a price with --model", o.model)
	} else {
		p.Prompt, p.Completion = *asked.Prompt, *asked.Completion
	}
	switch {
	case o.embedding == "":
	case embeds.Embedding == nil:
		err = errors.Join(err, fmt.Errorf("there is no price for the embeddings of %.50q: --prices FILE may have it", o.embedding))
	default:
		p.Embedding = *embeds.Embedding
	}
	return p, err
}

func (w *invocation) costPlan(o *costOptions) error {
	models, err := plan.ReadModelPrices(o.prices)
	if err != nil {
		return err
	}
	o.plan.json = o.desk.json
	l, err := o.plan.load(models)
	if err != nil {
		return err
	}
	r := l.Forecast(models, o.plan.model, o.plan.embedding, o.plan.documents)
	return w.printPage(r, r.Page(), &o.plan.workOptions)
}

func (w *invocation) printPage(report any, s *term.Sheet, o *workOptions) error {
	if o.json {
		return term.JSON(w.out, report)
	}
	_, err := fmt.Fprint(w.out, s.Text(o.markdown))
	return err
}
