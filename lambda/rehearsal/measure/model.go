package measure

import (
	"slices"

	"matchbook/lambda/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/rehearsal/model"
)

// evalModel is the use of a model on a corpus.
type evalModel struct {
	model.Summary
	Decided decidedReport `json:"decided"`
}

// decidedReport is about the matches that the model decided.
type decidedReport struct {
	Matches   int         `json:"matches"`
	True      int         `json:"true"`
	Precision eval.Figure `json:"precision"`
}

// decided measures the matches that the model decided.
func (o outcome) decided(c corpus.Corpus) decidedReport {
	in := o.input(c)
	in.Edges = slices.DeleteFunc(in.Edges, func(e eval.Edge) bool { return e.DecidedBy != "model" })
	r := eval.Score(eval.Input{Documents: in.Documents, Links: in.Links, Edges: in.Edges})
	return decidedReport{r.Edges, r.Pairwise.TP, r.Pairwise.Precision}
}
