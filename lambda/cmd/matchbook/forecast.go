package main

import (
	"slices"

	"matchbook/lambda/plan"
)

// The shares of documents that ask a model: those that were measured on p2p,
// and all.
var measuredShares = []float64{0.05, 0.14, 0.26, 1}

// planReport is what cost --plan prints.
type planReport struct {
	Prices      plan.Prices   `json:"prices"`
	ModelPrices *priceList    `json:"model_prices"`
	Model       string        `json:"model"`
	Embedding   string        `json:"embedding,omitempty"`
	Measured    plan.Measured `json:"measured"`
	Batch       int           `json:"batch"`
	Bills       []plan.Bill   `json:"bills"` // of each number of documents, at the share that was asked for
	Lever       [][]plan.Bill `json:"lever"` // of each share, of each number of documents
	load        plan.Load
}

// newForecast fills in the bills of the shares and of the numbers of documents.
func newForecast(l plan.Load, models *priceList, model, embedding string, documents []int64) *planReport {
	r := &planReport{Prices: l.Prices, ModelPrices: models, Model: model, Embedding: embedding,
		Measured: l.Measured, Batch: l.BatchSize, Bills: bills(l, documents, l.Questions), load: l}
	for _, share := range withShare(l.Questions) {
		r.Lever = append(r.Lever, bills(l, documents, share))
	}
	return r
}

// bills are those of each number of documents.
func bills(l plan.Load, documents []int64, share float64) (list []plan.Bill) {
	l.Questions = share
	for _, n := range documents {
		l.Documents = float64(n)
		list = append(list, l.Bill())
	}
	return list
}

// withShare is the measured shares and this one.
func withShare(share float64) []float64 {
	list := append(slices.Clone(measuredShares), share)
	slices.Sort(list)
	return slices.Compact(list)
}
