package cost

import (
	"slices"
)

// measuredShares are the shares of documents that ask a model: three measured on
// p2p, and all.
var measuredShares = []float64{0.05, 0.14, 0.26, 1}

// Forecast is the report of cost --plan.
type Forecast struct {
	Prices      Prices       `json:"prices"`
	ModelPrices *ModelPrices `json:"model_prices"`
	Model       string       `json:"model"`
	Embedding   string       `json:"embedding,omitempty"`
	Measured    Measured     `json:"measured"`
	Batch       int          `json:"batch"`
	Bills       []Bill       `json:"bills"`  // of each number of documents, at the given share
	Lever       [][]Bill     `json:"lever"`  // of each share, of each number of documents
	Others      []PieceCost  `json:"others"` // the cost of one piece of each other workload
	load        Load
}

// Forecast calculates the bills of the shares and of the numbers of documents.
func (l Load) Forecast(models *ModelPrices, model, embedding string, documents []int64) *Forecast {
	r := &Forecast{Prices: l.Prices, ModelPrices: models, Model: model, Embedding: embedding,
		Measured: l.Measured, Batch: l.BatchSize, Bills: billsOf(l, documents, l.Questions), load: l}
	for _, share := range withShare(l.Questions) {
		r.Lever = append(r.Lever, billsOf(l, documents, share))
	}
	return r
}

// billsOf returns the bill of each number of documents.
func billsOf(l Load, documents []int64, share float64) (list []Bill) {
	l.Questions = share
	for _, n := range documents {
		l.Documents = float64(n)
		list = append(list, l.Bill())
	}
	return list
}

// withShare returns the measured shares and this one, in order.
func withShare(share float64) []float64 {
	list := append(slices.Clone(measuredShares), share)
	slices.Sort(list)
	return slices.Compact(list)
}
