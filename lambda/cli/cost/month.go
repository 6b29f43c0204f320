package cost

import (
	"errors"
	"fmt"
	"slices"

	"matchbook/lambda/manifest"
)

// Month are the assumptions about a month, which has a bill.
type Month struct {
	Assumptions
	Others
	Documents   []int64 // a bill for each of these numbers
	Model       string
	Embedding   string  // a model; empty: none
	Database    string  // aurora, a new one, or existing, one that is paid for anyway
	Kept        float64 // months for which documents are kept
	ModelPrices string  // a file; empty: built in
	Prices      string  // of AWS, a file in the form of prices.json; empty: built in
}

// NewMonth has the assumptions without flags.
func NewMonth() Month {
	return Month{Assumptions: usual(1), Others: usualOthers, Documents: []int64{1_000, 100_000, 10_000_000}, Model: manifest.DefaultModel,
		Database: "aurora", Kept: 12}
}

// Forecast calculates the bills.
func (m Month) Forecast() (*Forecast, error) {
	models, err := ReadModelPrices(m.ModelPrices)
	if err != nil {
		return nil, err
	}
	l, err := m.load(models)
	if err != nil {
		return nil, err
	}
	n, err := readNeeds()
	if err != nil {
		return nil, err
	}
	f := l.Forecast(models, m.Model, m.Embedding, m.Documents)
	for _, p := range m.pieces(n, l.Latency) {
		f.Others = append(f.Others, p.cost(l.Prices, l.Model, l.Measured.CoreSpeed.Value))
	}
	return f, nil
}

func (m Month) load(models *ModelPrices) (l Load, err error) {
	work, wrong := m.work()
	l = Load{Work: work, BatchSize: m.Batch, SweepMB: manifest.Sweep.MemoryMB, MonthsKept: m.Kept,
		Aurora: m.Database == "aurora", Embeddings: m.Embedding != ""}
	raw, prices := readIf(m.Prices)
	if prices == nil {
		l.Prices, prices = readPrices(raw)
	}
	if prices != nil {
		prices = fmt.Errorf("--aws-prices %s: %w", m.Prices, prices)
	}
	var unpriced error
	l.Model, unpriced = models.price(m.Model, m.Embedding)
	return l, errors.Join(wrong,
		unless(len(m.Documents) > 0 && slices.Min(m.Documents) >= 0, "--documents: name numbers such as 1000,100000"),
		unless(m.Kept >= 0, "--months %g is less than 0", m.Kept),
		unless(l.Aurora || m.Database == "existing", "--database %.30q is neither aurora nor existing", m.Database),
		m.Others.check(), prices, unpriced)
}

// price is the price of a model and, where one is named, of a model that
// embeds.
func (l *ModelPrices) price(model, embedding string) (p modelPrice, err error) {
	answers, embeds := l.Of(model), l.Of(embedding)
	if answers.Prompt == nil || answers.Completion == nil {
		err = fmt.Errorf("there is no price for %.50q: --prices FILE may have it, "+
			"or take one that has a price with --model", model)
	} else {
		p.Prompt, p.Completion = *answers.Prompt, *answers.Completion
	}
	switch {
	case embedding == "":
	case embeds.Embedding == nil:
		err = errors.Join(err, fmt.Errorf("there is no price for the embeddings of %.50q: "+
			"--prices FILE may have it", embedding))
	default:
		p.Embedding = *embeds.Embedding
	}
	return p, err
}
